import { LakefoldError } from '../../base/errors.js'
import { BinaryRow } from '../metadata/binary-row.js'
import type { Datum } from '../metadata/datum.js'
import { valueStatsFields } from '../metadata/simple-stats.js'
import { type PaimonField, type PaimonType, typeText } from '../metadata/types.js'
import type { FileSchemas } from '../plan/file-stats.js'
import type { FileEntry } from '../plan/live-entry.js'
import { castBound } from './cast-bound.js'
import { internalText, mapText } from './value-text.js'

/** A file's value statistics as the reference prints them. */
export interface StatsTexts {
  readonly nullCounts: string
  readonly min: string
  readonly max: string
}

/** One of today's columns and where the file's statistics have it; no index: the file lacks the column, or its statistics do. */
interface Place {
  readonly wanted: PaimonField
  readonly found?: { readonly index: number; readonly type: PaimonType }
  readonly absent?: boolean
}

/** Statistics by the names of today's columns, which are matched by id; bounds of a column of another type are cast. */
export function statsTexts(entry: FileEntry, schemas: FileSchemas): StatsTexts {
  const { file, manifest } = entry
  const { minValues, maxValues, nullCounts } = file.valueStats
  const places = placesOf(entry, schemas)
  const bound = (bytes: Uint8Array, which: string) => {
    const row = BinaryRow.deserialize(bytes, { file: manifest, field: `_FILE._VALUE_STATS.${which}` })
    return mapText(places.map((place) => [place.wanted.name, boundText(row, place)]))
  }
  const counts = places.map(({ wanted, found, absent }): [string, string] => {
    // A column that the file lacks is null in each of its rows.
    if (absent) return [wanted.name, String(file.rowCount)]
    return [wanted.name, found === undefined ? 'null' : String(nullCounts?.[found.index] ?? 'null')]
  })
  return { nullCounts: mapText(counts), min: bound(minValues, '_MIN_VALUES'), max: bound(maxValues, '_MAX_VALUES') }
}

function placesOf({ file }: FileEntry, schemas: FileSchemas): readonly Place[] {
  const { current } = schemas
  if (file.valueStatsCols === undefined && file.writeCols !== undefined && file.schemaId === current.id) {
    // A quirk of the reference that its consumers know: the statistics of a file with some of the columns count as those of the first ones.
    return current.fields
      .slice(0, file.writeCols.length)
      .map((wanted, index) => ({ wanted, found: { index, type: wanted.type } }))
  }
  const written = schemas.of(file.schemaId)
  const known = new Map<number, { readonly index: number; readonly type: PaimonType }>()
  valueStatsFields(file, written).forEach((field, index) => {
    if (field !== undefined) known.set(field.id, { index, type: field.type })
  })
  return current.fields.map((wanted) => {
    const found = known.get(wanted.id)
    if (found !== undefined) return { wanted, found }
    return { wanted, absent: written.fieldById(wanted.id) === undefined }
  })
}

function boundText(row: BinaryRow, { wanted, found }: Place): string {
  if (found === undefined || found.index >= row.arity) return 'null'
  const value = readable(row, found.index, found.type)
  if (value === null) return 'null'
  const same = typeText({ ...found.type, nullable: true }) === typeText({ ...wanted.type, nullable: true })
  const bound = same ? { value, type: found.type } : castBound(value, found.type, wanted.type)
  return internalText(bound.value, bound.type)
}

/** A bound that cannot be read as its column is none. */
function readable(row: BinaryRow, index: number, type: PaimonType): Datum {
  try {
    return row.get(index, type)
  } catch (error) {
    if (LakefoldError.is(error) && error.code === 'CORRUPT_FILE') return null
    throw error
  }
}
