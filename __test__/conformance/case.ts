import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Json, parseJson } from './json.js'

/** One case, as the README beside the tables describes it. */
export interface Case {
  readonly id: string
  readonly table: string
  readonly metadata: string
  readonly scan: CaseScan
  readonly plan?: readonly CasePlanEntry[]
  readonly splits?: readonly CaseRange[]
  readonly tasks?: readonly (readonly CaseRange[])[]
  readonly metrics?: { readonly [name: string]: number }
  readonly rowsFile?: string
  readonly count?: number
  readonly error?: CaseError
  readonly evaluated?: { readonly count: number; readonly rowsFile: string }
  readonly check?: 'changelog-replay' | 'rows-or-error'
  readonly planInexact?: string
}

export interface CaseScan {
  readonly filter?: Json
  readonly select?: readonly string[]
  readonly caseSensitive?: boolean
  readonly snapshotId?: string
  readonly ref?: string
  readonly asOfTimestampMs?: number
  readonly ignoreResiduals?: boolean
  readonly splitSize?: number
  readonly splitLookback?: number
  readonly splitOpenFileCost?: number
  readonly incremental?: {
    readonly fromSnapshotIdExclusive?: string
    readonly fromSnapshotIdInclusive?: string
    readonly toSnapshotId?: string
    readonly branch?: string
  }
  readonly changelog?: boolean
}

export interface CaseError {
  readonly class: string
  readonly message: string
}

export interface CaseRange {
  readonly path: string
  readonly start: number | bigint
  readonly length: number | bigint
}

export interface CaseDelete {
  readonly path: string
  readonly content: string
  readonly format: string
  readonly recordCount: number | bigint
  readonly fileSizeInBytes: number | bigint
  readonly specId: number
  readonly dataSequenceNumber: number | bigint
  readonly contentOffset?: number | bigint
  readonly contentSizeInBytes?: number | bigint
  readonly referencedDataFile?: string
  readonly equalityIds?: readonly number[]
}

export interface CasePlanEntry extends CaseRange {
  readonly kind?: string
  readonly operation?: string
  readonly changeOrdinal?: number
  readonly commitSnapshotId?: string
  readonly format: string
  readonly specId: number
  readonly partition: { readonly [field: string]: Json }
  readonly recordCount: number | bigint
  readonly fileSizeInBytes: number | bigint
  readonly dataSequenceNumber: number | bigint | null
  readonly fileSequenceNumber: number | bigint | null
  readonly firstRowId?: number | bigint | null
  readonly deletes?: readonly CaseDelete[]
  readonly residual: Json
}

/** One entry of `damaged/cases.json`. */
export interface DamagedCase {
  readonly case: string
  readonly metadata: string
  readonly what: string
  readonly mustReport: string
  readonly brokenFile: string
}

/** All cases of a folder, by file name. */
export function loadCases(folder: string): Case[] {
  const dir = join(folder, 'cases')
  const files = readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .sort()
  return files.flatMap((name) => parseJson(readFileSync(join(dir, name), 'utf8')) as unknown as Case[])
}

/** The damaged inputs of a folder; none if it has no such list. */
export function loadDamaged(folder: string): DamagedCase[] {
  const path = join(folder, 'damaged', 'cases.json')
  return existsSync(path) ? (parseJson(readFileSync(path, 'utf8')) as unknown as DamagedCase[]) : []
}
