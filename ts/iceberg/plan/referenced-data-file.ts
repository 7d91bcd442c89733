import type { ContentFile } from '../manifest/types.js'

/** Reserved field id of `file_path` in position delete files (Iceberg spec, "Reserved Field IDs"). */
export const DELETE_FILE_PATH_ID = 2147483546

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** The one data file that a position delete file is for: as its entry says, or if both bounds of `file_path` are equal. */
export function referencedDataFile(file: ContentFile): string | undefined {
  if (file.referencedDataFile !== undefined) return file.referencedDataFile
  const lower = file.lowerBound(DELETE_FILE_PATH_ID)
  const upper = file.upperBound(DELETE_FILE_PATH_ID)
  if (lower === undefined || upper === undefined || Buffer.compare(lower, upper) !== 0) return undefined
  return decodePath(lower)
}

/** A bound of `file_path` as text; undefined where it was cut inside a character. */
export function decodePath(bound: Uint8Array | undefined): string | undefined {
  if (bound === undefined) return undefined
  try {
    return utf8.decode(bound)
  } catch {
    return undefined
  }
}
