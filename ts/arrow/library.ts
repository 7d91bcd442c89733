/** What readers make of apache-arrow. */
export type ArrowLibrary = typeof import('./batches.js')

let library: Promise<ArrowLibrary> | undefined

/**
 * Loads apache-arrow, once. Not imported with the package, of whose import it would be four fifths: plans and counts
 * need none of it.
 */
export function loadArrow(): Promise<ArrowLibrary> {
  library ??= import('./batches.js')
  return library
}
