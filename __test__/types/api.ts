import type { Schema as ArrowSchema, RecordBatch, Table } from 'apache-arrow'
import { expectTypeOf } from 'vitest'

import type { BatchReader, FileScanTask, IcebergTable, ScanOptions, TableScan } from '../../ts/index.js'
import { col, LakefoldError, openTable } from '../../ts/index.js'

// Type tests: tsc checks them with everything else; nothing here runs.
declare const table: IcebergTable
declare const scan: TableScan
declare const reader: BatchReader
declare const task: FileScanTask

/** Scans: setters give scans, reads give promises of exact values. */
export function scans(): void {
  const types = async () => {
    expectTypeOf(table.scan()).toEqualTypeOf<TableScan>()
    expectTypeOf(
      scan.filter(col('a').gt(1n)).select('a', 'b.c').useRef('x').caseInsensitive(),
    ).toEqualTypeOf<TableScan>()
    expectTypeOf(scan.useSnapshot).parameter(0).toEqualTypeOf<bigint | string | number>()
    expectTypeOf(await scan.count()).toEqualTypeOf<bigint>()
    expectTypeOf(await scan.planFiles()).toEqualTypeOf<FileScanTask[]>()
    expectTypeOf(await scan.planFilesJson({ full: true })).toEqualTypeOf<string>()
    expectTypeOf(await scan.toBatches()).toEqualTypeOf<RecordBatch[]>()
    expectTypeOf(await scan.toTable()).toEqualTypeOf<Table>()
    expectTypeOf(await scan.toBatchReader()).toEqualTypeOf<BatchReader>()
    for await (const each of scan.tasks()) expectTypeOf(each).toEqualTypeOf<FileScanTask>()
  }
  expectTypeOf(types).returns.resolves.toBeVoid()
}

/** Filters: literals of every type, four spellings, no null. */
export function filters(): void {
  expectTypeOf(scan.filter).toBeCallableWith(['=', 'a', 1])
  expectTypeOf(scan.filter).toBeCallableWith('a = 1')
  expectTypeOf(scan.filter).toBeCallableWith({ type: 'eq', term: 'a', value: 1 })
  expectTypeOf(scan.filter).toBeCallableWith(col('a').in(['x', 'y']).or(col('b').isNull()).not())
  // @ts-expect-error: null is no literal; isNull() asks for it
  const types = () => col('a').eq(null)
  expectTypeOf(types).toBeFunction()
}

/** The reader is async iterable and disposable. */
export function readers(): void {
  expectTypeOf(reader).toExtend<AsyncIterable<RecordBatch>>()
  expectTypeOf(reader).toExtend<AsyncDisposable>()
  expectTypeOf(reader.schema).toEqualTypeOf<ArrowSchema>()
  expectTypeOf(reader.nextBatch).returns.resolves.toEqualTypeOf<RecordBatch | null>()
  expectTypeOf(reader.fold<number>).returns.resolves.toEqualTypeOf<number>()
}

/** Tasks, options and errors. */
export function others(): void {
  expectTypeOf(task.dataSequenceNumber).toEqualTypeOf<bigint>()
  expectTypeOf(task.residual).toEqualTypeOf<string>()
  expectTypeOf<ScanOptions>().toExtend<{ numWorkers?: number; limit?: number; signal?: AbortSignal }>()
  expectTypeOf(LakefoldError.is).guards.toEqualTypeOf<LakefoldError>()
  expectTypeOf(openTable).parameter(0).toEqualTypeOf<string>()
}
