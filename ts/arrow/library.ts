/** What readers make of apache-arrow. */
export type ArrowLibrary = typeof import('./batches.js')

/**
 * Loads apache-arrow, if it is not there yet. Not imported with the package, of whose import it would be four fifths: plans and counts
 * need none of it.
 */
export function loadArrow(): Promise<ArrowLibrary> {
  return import('./batches.js')
}
