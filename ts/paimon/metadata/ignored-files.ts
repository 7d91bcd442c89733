import type { JsonValue } from '../../types/types.js'
import type { Options } from './option.js'
import { SCAN_IGNORE_CORRUPT_FILES, SCAN_IGNORE_LOST_FILES } from './options.js'

/** Whether files may have fewer rows than the metadata says, as the table's options let damaged or lost ones pass. */
export function mayLackRows({ options }: { readonly options: Options }): boolean {
  return options.get(SCAN_IGNORE_CORRUPT_FILES) || options.get(SCAN_IGNORE_LOST_FILES)
}

/**
 * The same of a file of a format table: the reference opens it before it looks at the options, so that only what fails later ends its rows, and no file
 * may be lost. Undefined where each failure is an error.
 */
export function ignoredOnceOpen({ options }: { readonly options: Options }): JsonValue | undefined {
  return options.get(SCAN_IGNORE_CORRUPT_FILES) ? { corrupt: true, lost: false, 'once-open': true } : undefined
}

/** Which failures of a data file end its rows instead of the read, as tasks have it. */
export function ignored({ options }: { readonly options: Options }): JsonValue {
  return { corrupt: options.get(SCAN_IGNORE_CORRUPT_FILES), lost: options.get(SCAN_IGNORE_LOST_FILES) }
}
