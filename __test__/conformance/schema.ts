import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

import type { CaseScan } from './case.js'
import { type Json, parseJson } from './json.js'

/** A column of a case's schema, straight from the metadata file: the runner does not ask the reader what its types are. */
export interface Column {
  readonly name: string
  readonly required: boolean
  readonly type: ColumnType
}

export type ColumnType =
  | { readonly kind: 'primitive'; readonly name: string; readonly args: readonly number[] }
  | { readonly kind: 'struct'; readonly fields: readonly Column[] }
  | { readonly kind: 'list'; readonly element: ColumnType }
  | { readonly kind: 'map'; readonly key: ColumnType; readonly value: ColumnType }

type Obj = { [key: string]: Json }
const text = (value: Json | undefined): string => String(value)

const read = new Map<string, Obj>()

/** Reads a metadata file, gzip or plain; once. */
export function readMetadata(path: string): Obj {
  const known = read.get(path)
  if (known !== undefined) return known
  const bytes = readFileSync(path)
  const plain = bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes
  const metadata = parseJson(plain.toString('utf8')) as Obj
  read.set(path, metadata)
  return metadata
}

const primitive = (name: string, args: number[] = []): ColumnType => ({ kind: 'primitive', name, args })

export function parseType(type: Json): ColumnType {
  if (typeof type === 'string') {
    const match = /^\s*([a-z_]+)\s*[[(]?\s*(\d+)?\s*,?\s*(\d+)?/.exec(type)
    if (match === null) throw new Error(`a type that the runner does not know: ${type}`)
    return primitive(match[1] as string, match.slice(2).filter(Boolean).map(Number))
  }
  const object = type as Obj
  if (object.type === 'struct') return { kind: 'struct', fields: (object.fields as Obj[]).map(parseField) }
  if (object.type === 'list') return { kind: 'list', element: parseType(object.element as Json) }
  return { kind: 'map', key: parseType(object.key as Json), value: parseType(object.value as Json) }
}

function parseField(field: Obj): Column {
  return { name: text(field.name), required: field.required === true, type: parseType(field.type as Json) }
}

const METADATA_COLUMNS: readonly Column[] = [
  ['_file', 'string'],
  ['_pos', 'long'],
  ['_spec_id', 'int'],
  ['_deleted', 'boolean'],
  ['_row_id', 'long'],
  ['_last_updated_sequence_number', 'long'],
  ['_change_type', 'string'],
  ['_change_ordinal', 'int'],
  ['_commit_snapshot_id', 'long'],
].map(([name, type]) => ({ name: name as string, required: false, type: primitive(type as string) }))

/** The schema that a case's scan reads by: the snapshot's for an id, a tag or a time, the table's for the rest. */
export function schemaOf(metadata: Obj, scan: CaseScan): readonly Column[] {
  const schemas = (metadata.schemas as Obj[] | undefined) ?? [metadata.schema as Obj]
  const byId = (id: Json | undefined): Obj | undefined => schemas.find((s) => text(s['schema-id'] ?? 0) === text(id))
  const current = byId(metadata['current-schema-id'] ?? 0) ?? (schemas[0] as Obj)
  const snapshot = (id: string | undefined) =>
    ((metadata.snapshots as Obj[] | undefined) ?? []).find((s) => text(s['snapshot-id']) === id)
  const pinned = snapshot(pinnedSnapshot(metadata, scan))
  const schema = (pinned?.['schema-id'] === undefined ? undefined : byId(pinned['schema-id'])) ?? current
  const columns = (schema.fields as Obj[]).map(parseField)
  return [...columns, ...METADATA_COLUMNS.filter((m) => !columns.some((c) => c.name === m.name))]
}

/** Names of the partition fields, of all specs, that hold values of fixed or binary columns. */
export function hexPartitions(metadata: Obj): Set<string> {
  const schemas = (metadata.schemas as Obj[] | undefined) ?? [metadata.schema as Obj]
  const specs = (metadata['partition-specs'] as Obj[] | undefined)?.map((s) => s.fields as Obj[]) ?? [
    (metadata['partition-spec'] as Obj[] | undefined) ?? [],
  ]
  const hexIds = new Set<string>()
  const visit = (fields: readonly Obj[]): void => {
    for (const field of fields) {
      if (typeof field.type === 'string' && /^(fixed|binary)/.test(field.type)) hexIds.add(text(field.id))
      const nested = field.type as Obj
      if (nested?.type === 'struct') visit(nested.fields as Obj[])
    }
  }
  for (const schema of schemas) visit(schema.fields as Obj[])
  const keepsType = /^(identity|truncate)/i
  return new Set(
    specs
      .flat()
      .filter((f) => hexIds.has(text(f['source-id'])) && keepsType.test(text(f.transform)))
      .map((f) => text(f.name)),
  )
}

function pinnedSnapshot(metadata: Obj, scan: CaseScan): string | undefined {
  if (scan.snapshotId !== undefined) return scan.snapshotId
  if (scan.ref !== undefined) {
    const ref = (metadata.refs as { [name: string]: Obj } | undefined)?.[scan.ref]
    return ref?.type === 'tag' ? text(ref['snapshot-id']) : undefined
  }
  if (scan.asOfTimestampMs === undefined) return undefined
  let best: Obj | undefined
  for (const entry of (metadata['snapshot-log'] as Obj[] | undefined) ?? []) {
    const at = Number(entry['timestamp-ms'])
    if (at <= Number(scan.asOfTimestampMs) && (best === undefined || at > Number(best['timestamp-ms']))) best = entry
  }
  return best === undefined ? undefined : text(best['snapshot-id'])
}

/** Finds a column by a dotted name; a name that itself holds dots is tried whole first. */
export function findColumn(columns: readonly Column[], name: string, caseSensitive = true): Column | undefined {
  const fold = (s: string) => (caseSensitive ? s : s.toLowerCase())
  const whole = columns.find((c) => fold(c.name) === fold(name))
  if (whole !== undefined) return whole
  for (let dot = name.indexOf('.'); dot > 0; dot = name.indexOf('.', dot + 1)) {
    const parent = columns.find((c) => fold(c.name) === fold(name.slice(0, dot)))
    if (parent?.type.kind !== 'struct') continue
    const child = findColumn(parent.type.fields, name.slice(dot + 1), caseSensitive)
    if (child !== undefined) return { ...child, required: child.required && parent.required }
  }
  return undefined
}
