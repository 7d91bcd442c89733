/** Bytes `offset` to `offset + length` of a file. */
export interface ByteRange {
  readonly offset: number
  readonly length: number
}

/**
 * Where tables are read from. Locations are spelled as the table's metadata spells them; an implementation maps them to what it opens.
 * Errors are LakefoldError: FILE_NOT_FOUND, ACCESS_DENIED, IO_ERROR, UNSUPPORTED (a scheme that it does not serve), CANCELLED, each
 * naming the location as it was given.
 */
export interface FileIO {
  /** The whole file, or exactly the range: a range that the file does not cover is CORRUPT_FILE. */
  read(location: string, range?: ByteRange, signal?: AbortSignal): Promise<Uint8Array>
  /** Whether a file or folder is there. An error other than its absence throws. */
  exists(location: string): Promise<boolean>
  /** Names of the files and folders directly in a folder, sorted; FILE_NOT_FOUND if it is not there. */
  list(folder: string): Promise<readonly string[]>
  /** Size in bytes. */
  size(location: string): Promise<number>
  /** When a file or folder was last changed, milliseconds since the epoch; missing where the storage does not tell. */
  modified?(location: string): Promise<bigint>
  /** Writes a whole file, in place of one that is there, so that a reader sees the old bytes or the new ones; missing where nothing is written. */
  write?(location: string, bytes: Uint8Array): Promise<void>
  /** Removes a file; one that is not there is no error. Missing where nothing is written. */
  remove?(location: string): Promise<void>
  /** What is opened for a location: mapped by `rewriteLocations`, for a local file an absolute path. */
  resolve(location: string): string
}
