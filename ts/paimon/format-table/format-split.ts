import type { Datum } from '../metadata/datum.js'
import type { FormatName } from './format-table.js'

/** A file of a format table, or a piece of one. Immutable. */
export class FormatSplit {
  constructor(
    /** In the order of the partition columns. */
    readonly partitionValues: readonly Datum[],
    readonly filePath: string,
    readonly fileSize: number,
    /** First byte of the piece; a line belongs to the piece that it starts in. */
    readonly offset: number,
    readonly length: number,
    readonly format: FormatName,
  ) {}
}
