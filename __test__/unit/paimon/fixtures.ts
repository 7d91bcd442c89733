import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { LakefoldError } from '../../../ts/base/errors.js'
import { LocalFileIO } from '../../../ts/io/local.js'
import { parseType } from '../../../ts/paimon/metadata/parse-type.js'
import { TablePaths } from '../../../ts/paimon/metadata/paths.js'
import type { PaimonField, PaimonType } from '../../../ts/paimon/metadata/types.js'

export const FIXTURES = fileURLToPath(new URL('../../fixtures/paimon', import.meta.url))
export const WAREHOUSE = join(FIXTURES, 'warehouse/fx.db')
export const DAMAGED = join(FIXTURES, 'damaged/dmg.db')
export const io = new LocalFileIO()

/** Metadata is read without a reader of rows: tables whose manifests are columnar are left to the tests of the core. */
export const COLUMNAR = new Set(['manifest_orc', 'manifest_parquet'])

export function tables(): string[] {
  return readdirSync(WAREHOUSE).sort()
}

export function pathsOf(table: string, branch?: string): TablePaths {
  return new TablePaths(join(WAREHOUSE, table), branch)
}

export function damaged(table: string): TablePaths {
  return new TablePaths(join(DAMAGED, table))
}

export interface PlanFile {
  readonly name: string
  readonly level: number
  readonly rowCount: number
  readonly schemaId: number
  readonly fileSize: number
  readonly minSequenceNumber: number
  readonly maxSequenceNumber: number
  readonly deleteRowCount?: number
  readonly minKey?: readonly unknown[]
  readonly maxKey?: readonly unknown[]
  readonly fileSource?: string
  readonly extraFiles?: readonly string[]
  readonly valueStatsCols?: readonly string[]
  readonly firstRowId?: number
  readonly writeCols?: readonly string[]
}

export interface PlanSplit {
  readonly partition: Readonly<Record<string, unknown>>
  readonly bucket: number
  readonly totalBuckets: number
  readonly bucketPath: string
  readonly files: readonly PlanFile[]
  readonly deletionFiles: readonly (null | Record<string, unknown>)[] | null
}

export interface Case {
  readonly id: string
  readonly table: string
  readonly kind: string
  readonly scan: Readonly<Record<string, unknown>>
  readonly plan?: { readonly snapshotId?: number; readonly splits?: readonly PlanSplit[] }
  readonly schemaId?: number
  readonly columns?: readonly { readonly name: string; readonly type: string }[]
  readonly rowsFile?: string
}

export function casesOf(table: string): readonly Case[] {
  return JSON.parse(readFileSync(join(FIXTURES, 'cases', `${table}.json`), 'utf8')) as Case[]
}

export function rowsOf(file: string): Record<string, unknown>[] {
  const text = readFileSync(join(FIXTURES, 'cases', file), 'utf8').trim()
  return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
}

const PLACE = { file: 'test', field: 'type' }

export function typeOf(text: string): PaimonType {
  return parseType(text, PLACE)
}

export function field(name: string, type: string, id = 0): PaimonField {
  return { id, name, type: typeOf(type) }
}

/** What a call throws; fails if it does not throw a LakefoldError. */
export async function failure(work: () => unknown): Promise<LakefoldError> {
  try {
    await work()
  } catch (error) {
    if (LakefoldError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
