import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseJson } from '../../../ts/base/json.js'
import { bind } from '../../../ts/expr/bind.js'
import { parseFilter } from '../../../ts/expr/parse.js'
import { toRest } from '../../../ts/expr/rest.js'
import { parseTableMetadata } from '../../../ts/iceberg/metadata/parse.js'
import type { TableMetadata } from '../../../ts/iceberg/metadata/table-metadata.js'
import { ChangelogScan, IncrementalAppendScan } from '../../../ts/iceberg/scan/incremental.js'
import { TableScan } from '../../../ts/iceberg/scan/table-scan.js'
import { LocalFileIO } from '../../../ts/io/local.js'
import type { FileScanTask } from '../../../ts/task/scan-task.js'
import type { Schema } from '../../../ts/types/schema.js'
import type { JsonValue } from '../../../ts/types/types.js'

export const FIXTURES = fileURLToPath(new URL('../../fixtures/iceberg/', import.meta.url))

export type Json = { readonly [key: string]: JsonValue }

export interface Case {
  readonly id: string
  readonly metadata: string
  readonly scan: Json
  readonly plan?: readonly Json[]
  readonly splits?: readonly Json[]
  readonly tasks?: readonly (readonly Json[])[]
  readonly metrics?: Json
  readonly error?: Json
  readonly evaluated?: Json
  readonly planInexact?: string
  readonly check?: string
}

export function casesOf(table: string): Case[] {
  return parseJson(readFileSync(`${FIXTURES}cases/${table}.json`, 'utf8')) as unknown as Case[]
}

export const tables = readdirSync(`${FIXTURES}cases`)
  .filter((name) => name.endsWith('.json'))
  .map((name) => name.slice(0, -'.json'.length))

export const io = new LocalFileIO({ rewriteLocations: { 'file:/lake/iceberg': `${FIXTURES}tables` } })
const loaded = new Map<string, TableMetadata>()

export function metadataOf(path: string): TableMetadata {
  let metadata = loaded.get(path)
  if (metadata === undefined) {
    metadata = parseTableMetadata(readFileSync(FIXTURES + path), path)
    loaded.set(path, metadata)
  }
  return metadata
}

export type AnyScan = TableScan | IncrementalAppendScan | ChangelogScan

/** The scan that a case describes. */
export function scanOf(testCase: Case): AnyScan {
  const { scan } = testCase
  const metadata = metadataOf(testCase.metadata)
  let built: AnyScan = scan.incremental === undefined ? snapshotScan(metadata, scan) : incrementalScan(metadata, scan)
  if (scan.caseSensitive === false) built = built.caseInsensitive()
  if (scan.filter !== undefined) built = built.filter(scan.filter as Parameters<TableScan['filter']>[0])
  if (scan.select !== undefined) built = built.select(...(scan.select as readonly string[]))
  if (scan.ignoreResiduals === true) built = built.ignoreResiduals()
  return built
}

function snapshotScan(metadata: TableMetadata, scan: Json): TableScan {
  let built = TableScan.of(metadata, io)
  if (scan.ref !== undefined) built = built.useRef(scan.ref as string)
  if (scan.snapshotId !== undefined) built = built.useSnapshot(scan.snapshotId as string)
  if (scan.asOfTimestampMs !== undefined) built = built.asOf(scan.asOfTimestampMs as number)
  return built
}

function incrementalScan(metadata: TableMetadata, scan: Json): AnyScan {
  const range = scan.incremental as Json
  let built = scan.changelog === true ? ChangelogScan.of(metadata, io) : IncrementalAppendScan.of(metadata, io)
  const { fromSnapshotIdExclusive: after, fromSnapshotIdInclusive: from, toSnapshotId: to } = range
  if (after !== undefined) built = built.fromSnapshotExclusive(after as string)
  if (from !== undefined) built = built.fromSnapshotInclusive(from as string)
  if (to !== undefined) built = built.toSnapshot(to as string)
  return built
}

/** A task in the words of the cases. */
export function describeTask(task: FileScanTask, schema: Schema): Json {
  const file = task.dataFile
  return {
    path: file.path,
    start: task.start,
    length: task.length,
    format: file.format.toUpperCase(),
    specId: file.specId,
    partition: Object.fromEntries(
      file.partitionFields.map(({ name, type }, i) => {
        const value = file.partitionValues[i]!
        const isHex = typeof value === 'string' && (type === 'binary' || `${type}`.startsWith('fixed'))
        return [name, isHex ? value.toUpperCase() : value]
      }),
    ),
    recordCount: Number(file.recordCount),
    fileSizeInBytes: file.fileSizeInBytes,
    dataSequenceNumber: Number(task.dataSequenceNumber),
    ...(file.fileSequenceNumber === undefined ? {} : { fileSequenceNumber: Number(file.fileSequenceNumber) }),
    ...(file.firstRowId === undefined ? {} : { firstRowId: Number(file.firstRowId) }),
    deletes: sortedDeletes(task.deleteFiles.map(describeDelete)),
    residual: meaning(parseJson(task.residual), schema),
    ...changeOf(task),
  }
}

/** A planned file of a case, comparable with {@link describeTask}. */
export function expectedTask(planned: Json, schema: Schema, caseSensitive: boolean): Json {
  const { kind: _, deletes, ...rest } = planned
  return {
    ...rest,
    deletes: sortedDeletes((deletes ?? []) as Json[]),
    residual: meaning(planned.residual!, schema, caseSensitive),
  }
}

function changeOf(task: FileScanTask): Json {
  const { constants } = task.parts
  if (constants.size === 0) return {}
  return {
    operation: constants.get(2147483543)!,
    changeOrdinal: constants.get(2147483542)!,
    commitSnapshotId: String(constants.get(2147483541)),
  }
}

function describeDelete(file: FileScanTask['deleteFiles'][number]): Json {
  return {
    path: file.path,
    content: file.content === 'equality' ? 'EQUALITY_DELETES' : 'POSITION_DELETES',
    format: file.format.toUpperCase(),
    recordCount: Number(file.recordCount),
    fileSizeInBytes: file.fileSizeInBytes,
    specId: file.specId,
    dataSequenceNumber: Number(file.dataSequenceNumber),
    ...(file.equalityIds === undefined ? {} : { equalityIds: file.equalityIds }),
    ...(file.contentOffset === undefined ? {} : { contentOffset: file.contentOffset }),
    ...(file.contentSizeInBytes === undefined ? {} : { contentSizeInBytes: file.contentSizeInBytes }),
    ...(file.referencedDataFile === undefined ? {} : { referencedDataFile: file.referencedDataFile }),
  }
}

function sortedDeletes(deletes: readonly Json[]): readonly Json[] {
  return deletes.toSorted((a, b) => {
    const [x, y] = [`${a.path}`, `${b.path}`]
    return x < y ? -1 : x > y ? 1 : Number(a.contentOffset ?? 0) - Number(b.contentOffset ?? 0)
  })
}

/** A residual as its meaning: bound, printed as REST JSON, operands and set members in one order. */
export function meaning(residual: JsonValue, schema: Schema, caseSensitive = true): JsonValue {
  const bound = bind(parseFilter(residual as Parameters<typeof parseFilter>[0]), schema, { caseSensitive })
  return sorted(toRest(bound))
}

function sorted(node: JsonValue): JsonValue {
  if (typeof node !== 'object' || node === null) return node
  const { type, left, right, values, ...rest } = node as Json
  if (type === 'and' || type === 'or') {
    const operands = [...operandsOf(left!, type), ...operandsOf(right!, type)].map((child) => sorted(child))
    return { type, operands: operands.toSorted(byText) }
  }
  return { type: type!, ...rest, ...(values === undefined ? {} : { values: (values as JsonValue[]).toSorted(byText) }) }
}

function operandsOf(node: JsonValue, type: string): JsonValue[] {
  const { type: own, left, right } = node as Json
  return own === type ? [...operandsOf(left!, type), ...operandsOf(right!, type)] : [node]
}

const text = (value: JsonValue) => JSON.stringify(value, (_, v) => (typeof v === 'bigint' ? `${v}n` : v))
const byText = (a: JsonValue, b: JsonValue) => (text(a) < text(b) ? -1 : 1)
