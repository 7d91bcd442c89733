import { LakefoldError } from '../../base/errors.js'
import type { FileIO } from '../../io/file-io.js'

/** The branch that has no folder of its own. */
export const MAIN_BRANCH = 'main'
const BRANCH_PREFIX = 'branch-'

/** Joins the parts of a location with single slashes. */
export function join(folder: string, ...parts: readonly string[]): string {
  let path = folder.replace(/(?<=[^/])\/+$/, '')
  for (const part of parts) path = path.endsWith('/') ? path + part : `${path}/${part}`
  return path
}

/** Where a table keeps its metadata. A branch has its own snapshots, schemas, tags, consumers and changelogs; the rest is shared. */
export class TablePaths {
  /** The folder of the table. */
  readonly root: string
  readonly branch: string
  /** The folder of the branch's own metadata; for main the table's. */
  readonly branchRoot: string

  constructor(root: string, branch: string = MAIN_BRANCH) {
    this.root = join(root)
    this.branch = branch
    if (branch === '' || /[/\\]/.test(branch) || branch === '.' || branch === '..') {
      throw new LakefoldError('INVALID_ARGUMENT', `"${branch}" cannot be the name of a branch`, { context: { branch } })
    }
    this.branchRoot = branch === MAIN_BRANCH ? this.root : join(this.root, 'branch', BRANCH_PREFIX + branch)
  }

  /** The same table at another branch. */
  withBranch(branch: string): TablePaths {
    return new TablePaths(this.root, branch)
  }

  get snapshotFolder(): string {
    return join(this.branchRoot, 'snapshot')
  }

  get changelogFolder(): string {
    return join(this.branchRoot, 'changelog')
  }

  get schemaFolder(): string {
    return join(this.branchRoot, 'schema')
  }

  get tagFolder(): string {
    return join(this.branchRoot, 'tag')
  }

  get consumerFolder(): string {
    return join(this.branchRoot, 'consumer')
  }

  get branchFolder(): string {
    return join(this.root, 'branch')
  }

  snapshot(id: bigint): string {
    return join(this.snapshotFolder, `snapshot-${id}`)
  }

  schema(id: number): string {
    return join(this.schemaFolder, `schema-${id}`)
  }

  tag(name: string): string {
    return join(this.tagFolder, `tag-${checkedName('tag', name)}`)
  }

  consumer(id: string): string {
    return join(this.consumerFolder, `consumer-${checkedName('consumer', id)}`)
  }

  /** A manifest, manifest list or index manifest, by its name. */
  manifest(name: string): string {
    return join(this.root, 'manifest', name)
  }

  statistics(name: string): string {
    return join(this.root, 'statistics', name)
  }

  /** A file of the index folder, by its name. */
  index(name: string): string {
    return join(this.root, 'index', name)
  }
}

function checkedName(what: string, name: string): string {
  if (name !== '' && !name.includes('/')) return name
  throw new LakefoldError('INVALID_ARGUMENT', `"${name}" cannot be the name of a ${what}`, {
    context: { [what]: name },
  })
}

/** What `work` gives, or undefined where it says that a file is not there. */
export async function ifThere<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (LakefoldError.is(error) && error.code === 'FILE_NOT_FOUND') return undefined
    throw error
  }
}

/** What follows `prefix` in the names of the files of a folder, sorted by name; none if the folder is not there. */
export async function namesAfter(io: FileIO, folder: string, prefix: string): Promise<readonly string[]> {
  const names = (await ifThere(io.list(folder))) ?? []
  return names.filter((name) => name.startsWith(prefix) && name !== prefix).map((name) => name.slice(prefix.length))
}
