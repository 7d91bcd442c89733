import type { ReaderError } from '../error-kinds.js'

/** Which codes say the same as the reference's message. */
const KINDS: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^Unknown field/, ['UNKNOWN_COLUMN']],
  [/^Not a partition field/, ['UNKNOWN_COLUMN', 'INVALID_ARGUMENT']],
  [/^For input string: 'not-a-date'/, ['INVALID_LITERAL']],
  [/snapshotId .*out of available|snapshotId range|currently no snapshot/, ['UNKNOWN_SNAPSHOT', 'INVALID_ARGUMENT']],
  [/^Failed to (create FileRecordReader|read batch)/, ['CORRUPT_FILE']],
  // Of format tables, whose errors come as the formats give them; of an option's value that is no number the last one says the
  // same, so that it is told by the value that stands in the scenarios' files.
  [
    /is not a Parquet file|^Protocol message|^not a gzip file|^Unexpected end of input|^Failed to parse JSON|^For input string: "two"$/,
    ['CORRUPT_FILE'],
  ],
  [/^File '.*not found/, ['FILE_NOT_FOUND']],
  [/^The bucket number of two snapshots/, ['UNSUPPORTED']],
  [/^Tag '|^Table .*does not exist/, ['UNKNOWN_REF']],
]

/** Undefined if the error is of the kind that the case asks for. */
export function compareError(
  expected: { readonly class: string; readonly message: string },
  ours: ReaderError | undefined,
  thrown: unknown,
): string | undefined {
  if (ours === undefined) return `not a LakefoldError: ${String((thrown as Error)?.stack ?? thrown)}`
  const kinds = KINDS.find(([pattern]) => pattern.test(expected.message))?.[1] ?? ['INVALID_ARGUMENT']
  if (kinds.includes(ours.code)) return undefined
  return `error ${ours.code} (${ours.message}), not ${kinds.join(' or ')} (${expected.message.slice(0, 100)})`
}
