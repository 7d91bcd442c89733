import type { FileIO } from '../../io/file-io.js'
import { parseTableMetadata } from './parse.js'
import type { TableMetadata } from './table-metadata.js'

/** Reads the metadata file at `location`; errors as {@link parseTableMetadata} and {@link FileIO.read}. */
export async function loadTableMetadata(
  io: FileIO,
  location: string,
  options: { signal?: AbortSignal } = {},
): Promise<TableMetadata> {
  return parseTableMetadata(await io.read(location, undefined, options.signal), location)
}
