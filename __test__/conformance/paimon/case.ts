import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { type Json, parseJson } from '../json.js'

export type Kind = 'scan' | 'incremental' | 'stream' | 'system' | 'format' | 'partitions' | 'error'

/** One case, as the README beside the tables describes it. */
export interface PaimonCase {
  readonly id: string
  /** `fx.<name>`. */
  readonly table: string
  readonly kind: Kind
  readonly scan: PaimonScan
  readonly plan?: CasePlan
  readonly plans?: readonly CasePlan[]
  readonly planCheck?: 'subset' | 'superset' | 'rows-only'
  readonly columns?: readonly { readonly name: string; readonly type: string }[]
  readonly rowsFile?: string
  readonly count?: number
  readonly altRowsFile?: string
  readonly altCount?: number
  readonly rowKinds?: boolean
  readonly unorderedArrays?: readonly string[]
  readonly partitions?: readonly Values[]
  readonly error?: { readonly class: string; readonly message: string }
}

export type Values = { readonly [name: string]: Json }

export interface PaimonScan {
  readonly predicate?: CasePredicate
  readonly partitionFilter?: readonly { readonly [name: string]: string }[]
  readonly bucket?: number
  readonly limit?: number
  readonly select?: readonly string[]
  readonly rowRanges?: readonly (readonly [number, number])[]
  readonly snapshotId?: number
  readonly tag?: string
  readonly timestampMs?: number
  readonly watermark?: number
  readonly branch?: string
  readonly options?: { readonly [key: string]: string }
  readonly incremental?: {
    readonly from?: number | string
    readonly to?: number | string
    readonly mode?: 'delta' | 'changelog' | 'diff' | 'auto'
    readonly fromTimestampMs?: number
    readonly toTimestampMs?: number
  }
  readonly streaming?: boolean
  readonly restoreSnapshotId?: number
  readonly systemTable?: string
}

export type CasePredicate =
  | { readonly op: 'and' | 'or'; readonly args: readonly CasePredicate[] }
  | {
      readonly op: Exclude<string, 'and' | 'or'>
      readonly field: string
      readonly value?: Json
      readonly values?: readonly Json[]
      readonly literalType?: string
    }

export interface CasePlan {
  readonly snapshotId: number | null
  readonly nextSnapshotId?: number
  readonly watermark?: number
  readonly splits: readonly CaseSplit[]
}

/** A split of data files, of a difference, or of a format table. */
export interface CaseSplit {
  readonly partition: Values
  readonly bucket?: number
  readonly totalBuckets?: number
  readonly bucketPath?: string
  readonly rawConvertible?: boolean
  readonly isStreaming?: boolean
  readonly rowCount?: number
  readonly mergedRowCount?: number
  readonly files?: readonly CaseFile[]
  readonly beforeFiles?: readonly CaseFile[]
  readonly deletionFiles?: readonly (CaseDeletion | null)[] | null
  readonly file?: string
  readonly fileSize?: number
  readonly offset?: number
  readonly length?: number
}

/** A data file; members by the names of the cases. */
export type CaseFile = { readonly name: string; readonly level: number } & Values
export type CaseDeletion = Values

/** One entry of `damaged/cases.json`. */
export interface PaimonDamaged {
  readonly id: string
  readonly dir: string
  readonly mustReport: string
  readonly scan: PaimonScan
  readonly reference: { readonly outcome: 'error' | 'rows'; readonly stage?: string; readonly count?: number }
}

const parsed = (path: string) => parseJson(readFileSync(path, 'utf8')) as unknown

/** All cases of a folder, by file name. */
export function loadPaimonCases(folder: string): PaimonCase[] {
  const dir = join(folder, 'cases')
  const files = readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .sort()
  return files.flatMap((name) => parsed(join(dir, name)) as PaimonCase[])
}

/** The damaged tables of a folder; none if it has no such list. */
export function loadPaimonDamaged(folder: string): PaimonDamaged[] {
  const path = join(folder, 'damaged', 'cases.json')
  return existsSync(path) ? (parsed(path) as PaimonDamaged[]) : []
}
