import { LakefoldError } from '../../base/errors.js'
import { parseJson } from '../../base/json.js'
import { JsonObject } from '../../base/json-object.js'
import { decodeText } from '../../base/text.js'
import { nearNames } from '../../types/near-names.js'
import type { Schema } from '../../types/schema.js'
import { Options } from './option.js'
import { BUCKET_FUNCTION, BUCKET_KEY } from './options.js'
import { parseFields } from './parse-type.js'
import { sharedSchema } from './shared-type.js'
import { safe } from './snapshot.js'
import { type PaimonField, sameType } from './types.js'

/** Versions of the schema format; what an option is that is not set depends on it. */
const VERSION_07 = 1
const VERSION_08 = 2
const VERSION_CURRENT = 3

export interface TableSchemaInit {
  readonly version: number
  readonly id: number
  readonly fields: readonly PaimonField[]
  readonly highestFieldId: number
  readonly partitionKeys: readonly string[]
  readonly primaryKeys: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly comment?: string
  readonly timeMillis: bigint
}

/** One version of a table's schema, with its options. Immutable. */
export class TableSchema {
  readonly version: number
  readonly id: number
  readonly fields: readonly PaimonField[]
  readonly highestFieldId: number
  readonly partitionKeys: readonly string[]
  readonly primaryKeys: readonly string[]
  /** The options as written, with those that older versions took for granted. */
  readonly options: Options
  readonly comment: string | undefined
  readonly timeMillis: bigint
  readonly partitionFields: readonly PaimonField[]
  /** The primary key without the partition columns, in the declared order: what a data file is sorted by; empty for an append table. */
  readonly trimmedPrimaryKeys: readonly PaimonField[]
  /** What the bucket of a row is computed from; empty for an append table without a bucket key. */
  readonly bucketKeys: readonly PaimonField[]
  private readonly byName: ReadonlyMap<string, PaimonField>
  private readonly byId: ReadonlyMap<number, PaimonField>
  private shared: Schema | undefined

  /** CORRUPT_FILE naming `source` where a key names no column, or nothing is left of the primary key beside the partition. */
  constructor(
    init: TableSchemaInit,
    /** The file, or what the schema was given as, for errors. */
    readonly source: string,
  ) {
    this.version = init.version
    this.id = init.id
    this.fields = init.fields
    this.highestFieldId = init.highestFieldId
    this.partitionKeys = init.partitionKeys
    this.primaryKeys = init.primaryKeys
    this.comment = init.comment
    this.timeMillis = init.timeMillis
    this.options = new Options(withFallbacks(init), source)
    this.byName = new Map(this.fields.map((field) => [field.name, field]))
    this.byId = new Map(this.fields.map((field) => [field.id, field]))
    this.partitionFields = this.named('partitionKeys', this.partitionKeys)
    const primary = this.named('primaryKeys', this.primaryKeys)
    this.trimmedPrimaryKeys = primary.filter((field) => !this.partitionKeys.includes(field.name))
    if (primary.length > 0 && this.trimmedPrimaryKeys.length === 0) {
      throw this.corrupt('primaryKeys', 'has no columns beside those of the partition', this.primaryKeys)
    }
    const bucketKeys = this.options.get(BUCKET_KEY)
    this.bucketKeys =
      bucketKeys.length > 0 ? this.named(`options.${BUCKET_KEY.key}`, bucketKeys) : this.trimmedPrimaryKeys
  }

  field(name: string): PaimonField | undefined {
    return this.byName.get(name)
  }

  /** The top-level field with this id. */
  fieldById(id: number): PaimonField | undefined {
    return this.byId.get(id)
  }

  get hasPrimaryKey(): boolean {
    return this.primaryKeys.length > 0
  }

  /** The schema that filters bind to. */
  get asShared(): Schema {
    this.shared ??= sharedSchema(this.id, this.fields)
    return this.shared
  }

  /** Whether files of both schemas put a row into the same bucket: the ordered bucket keys by id, their types and the function agree. */
  bucketsLike(other: TableSchema): boolean {
    if (this === other) return true
    if (this.options.get(BUCKET_FUNCTION) !== other.options.get(BUCKET_FUNCTION)) return false
    return (
      this.bucketKeys.length === other.bucketKeys.length &&
      this.bucketKeys.every((key, i) => {
        const theirs = other.bucketKeys[i] as PaimonField
        return key.id === theirs.id && sameType(key.type, theirs.type, { nullability: false })
      })
    )
  }

  private named(where: string, names: readonly string[]): readonly PaimonField[] {
    return names.map((name, i) => {
      if (names.indexOf(name) !== i) throw this.corrupt(where, `names the column "${name}" twice`, name)
      const field = this.byName.get(name)
      if (field !== undefined) return field
      const near = nearNames(name, [...this.byName.keys()])
      const hint = near.length === 0 ? '' : ` (near: ${near.join(', ')})`
      throw this.corrupt(where, `names the column "${name}", which there is not${hint}`, name)
    })
  }

  private corrupt(field: string, what: string, value: unknown): LakefoldError {
    return new LakefoldError('CORRUPT_FILE', `${this.source}: ${field} ${what}`, {
      context: { file: this.source, field, value },
    })
  }
}

function withFallbacks(init: TableSchemaInit): ReadonlyMap<string, string> {
  const options = new Map(init.options)
  if (init.version <= VERSION_07 && !options.has('bucket')) options.set('bucket', '1')
  if (init.version <= VERSION_08 && !options.has('file.format')) options.set('file.format', 'orc')
  return options
}

/** Reads a schema file; CORRUPT_FILE or UNSUPPORTED naming it, the field and the value where it cannot be. */
export function parseTableSchema(bytes: Uint8Array, file: string): TableSchema {
  return tableSchemaOf(decodeText(bytes, file), file)
}

/** Reads a schema's JSON text, as a catalog may hand it over; `source` is named in errors. */
export function tableSchemaOf(text: string, source: string): TableSchema {
  const json = new JsonObject(parseJson(text, source), source)
  const version = json.optInt('version') ?? VERSION_07
  if (version < VERSION_07 || version > VERSION_CURRENT) {
    throw new LakefoldError('UNSUPPORTED', `${source}: a schema of version ${version} is not supported`, {
      context: { file: source, field: 'version', value: version },
    })
  }
  const fields = parseFields(json)
  const comment = json.optString('comment')
  return new TableSchema(
    {
      version,
      id: safe(json, 'id'),
      fields,
      highestFieldId: json.optInt('highestFieldId') ?? fields.reduce((max, field) => Math.max(max, field.id), -1),
      partitionKeys: json.optStrings('partitionKeys') ?? [],
      primaryKeys: json.optStrings('primaryKeys') ?? [],
      options: json.optStringMap('options') ?? new Map(),
      ...(comment === undefined ? {} : { comment }),
      timeMillis: json.optLong('timeMillis') ?? 0n,
    },
    source,
  )
}
