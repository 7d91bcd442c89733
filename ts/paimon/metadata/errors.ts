import { type ErrorCode, LakefoldError } from '../../base/errors.js'

/** Where a value stands, for errors: the file, and the field in it. */
export interface Place {
  readonly file: string
  readonly field: string
}

/** A place whose field is spelled out when it is asked for: most never are. */
export class LazyPlace implements Place {
  constructor(
    readonly file: string,
    private readonly spell: () => string,
  ) {}

  get field(): string {
    return this.spell()
  }
}

/** An error that names file, field and value. */
export function placedError(code: ErrorCode, place: Place, what: string, value?: unknown): LakefoldError {
  const field = place.field === '' ? '' : `${place.field} `
  return new LakefoldError(code, `${place.file}: ${field}${what}`, {
    context: { file: place.file, field: place.field, ...(value === undefined ? {} : { value }) },
  })
}

/** Throws CORRUPT_FILE naming the place. */
export function corruptAt(place: Place, what: string, value?: unknown): never {
  throw placedError('CORRUPT_FILE', place, what, value)
}
