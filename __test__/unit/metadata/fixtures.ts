import { readdirSync, readFileSync } from 'node:fs'
import { parseJson } from '../../../ts/base/json.js'
import { LocalFileIO } from '../../../ts/io/local.js'

export const FIXTURES = new URL('../../fixtures/iceberg/', import.meta.url).pathname

export const tables = readdirSync(`${FIXTURES}tables`)

export const fixtureIo = new LocalFileIO({ rewriteLocations: { 'file:/lake/iceberg': `${FIXTURES}tables` } })

/** Every metadata file of a table. */
export function metadataFiles(table: string): string[] {
  const folder = `${FIXTURES}tables/${table}/metadata`
  return readdirSync(folder)
    .filter((name) => name.endsWith('.metadata.json'))
    .map((name) => `${folder}/${name}`)
}

export interface Case {
  readonly id: string
  readonly metadata: string
  readonly scan: Readonly<Record<string, unknown>>
  readonly plan?: readonly PlanEntry[]
}

export interface PlanEntry {
  readonly path: string
  readonly specId: number
  readonly partition: Readonly<Record<string, unknown>>
  readonly recordCount: number | bigint
  readonly fileSizeInBytes: number | bigint
  readonly dataSequenceNumber: number | bigint
  readonly fileSequenceNumber: number | bigint
  readonly firstRowId?: number | bigint | null
}

/** The cases of a table, integers exact. */
export function casesOf(table: string): readonly Case[] {
  return parseJson(readFileSync(`${FIXTURES}cases/${table}.json`, 'utf8')) as unknown as Case[]
}

export interface DamagedCase {
  readonly case: string
  readonly metadata: string
  readonly brokenFile: string
}

export const damaged = JSON.parse(readFileSync(`${FIXTURES}damaged/cases.json`, 'utf8')) as readonly DamagedCase[]

/** Reads a damaged copy: its locations are those of the whole table. */
export function damagedIo(broken: DamagedCase): LocalFileIO {
  return new LocalFileIO({ rewriteLocations: { 'file:/lake/iceberg': `${FIXTURES}damaged/${broken.case}` } })
}
