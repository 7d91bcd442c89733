import { LakefoldError } from '../base/errors.js'

/** Filters nested deeper than this are refused, so that no walk over a tree runs out of stack. */
const MAX_DEPTH = 1000

/** Throws LIMIT_EXCEEDED for a filter nested too deeply. */
export function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH) {
    throw new LakefoldError('LIMIT_EXCEEDED', `The filter is nested deeper than ${MAX_DEPTH} levels`, {
      context: { limit: MAX_DEPTH },
    })
  }
}
