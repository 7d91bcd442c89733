import { LakefoldError } from '../../base/errors.js'
import type { FileIO } from '../../io/file-io.js'
import { MAIN_BRANCH, namesAfter, type TablePaths } from './paths.js'

/** The names of the branches beside main, sorted. */
export function listBranches(io: FileIO, paths: TablePaths): Promise<readonly string[]> {
  return namesAfter(io, paths.branchFolder, 'branch-')
}

/** Whether the branch is there: main always is. */
async function branchExists(io: FileIO, paths: TablePaths, branch: string): Promise<boolean> {
  if (branch === MAIN_BRANCH) return true
  const { schemaFolder } = paths.withBranch(branch)
  return (await namesAfter(io, schemaFolder, 'schema-')).length > 0
}

/** The paths of a branch; UNKNOWN_REF naming those that there are if it is not one of them. */
export async function branchPaths(io: FileIO, paths: TablePaths, branch: string): Promise<TablePaths> {
  const found = paths.withBranch(branch)
  if (await branchExists(io, paths, branch)) return found
  const branches = [MAIN_BRANCH, ...(await listBranches(io, paths))]
  throw new LakefoldError('UNKNOWN_REF', `${paths.root} has no branch "${branch}", only ${branches.join(', ')}`, {
    context: { table: paths.root, branch, branches },
  })
}
