import { LakefoldError } from '../base/errors.js'
import type { NestedField } from '../types/types.js'

/** The ids of the columns that are to come as dictionaries; INVALID_ARGUMENT for a name that is no column of strings. */
export function dictionaryIds(projection: readonly NestedField[], wanted: boolean | readonly string[]): number[] {
  const texts = projection.filter((field) => field.type.kind === 'string')
  if (typeof wanted === 'boolean') return wanted ? texts.map((field) => field.id) : []
  return wanted.map((name) => {
    const field = texts.find((candidate) => candidate.name === name)
    if (field === undefined) {
      throw new LakefoldError(
        'INVALID_ARGUMENT',
        `dictionaries names "${name}", which is no column of strings that is read`,
        {
          context: { field: 'dictionaries', value: name },
        },
      )
    }
    return field.id
  })
}
