import type { FileIO } from '../io/file-io.js'
import { namesAfter, TablePaths } from './metadata/paths.js'

/** Whether a folder is a Paimon table: it keeps its schemas in files that no other format has. */
export async function isPaimonTable(io: FileIO, location: string): Promise<boolean> {
  const names = await namesAfter(io, new TablePaths(location).schemaFolder, 'schema-')
  return names.some((name) => /^\d+$/.test(name))
}
