import { stringifyJson } from '../../base/json.js'
import { DataSplit, type PaimonScan, type Split, splitToJson } from '../../paimon/index.js'
import type { JsonValue } from '../../types/types.js'
import { type RowFormat, rowWriter } from '../output/row-writer.js'
import { Sink } from '../output/sink.js'

const COLUMNS = ['folder', 'bucket', 'files', 'levels', 'rows', 'bytes', 'vectors', 'read']

/** Writes the splits of a Paimon scan, in order; as JSON those that `splitFromJson` reads. */
export async function writePaimonPlan(scan: PaimonScan, format: RowFormat, out: string | undefined): Promise<void> {
  const splits = await scan.planSplits()
  const sink = new Sink(out)
  if (format === 'json') {
    const text = (split: Split) =>
      split instanceof DataSplit ? splitToJson(split) : stringifyJson({ ...split } as unknown as JsonValue)
    await sink.write(`[${splits.map(text).join(',')}]\n`)
  } else {
    const writer = rowWriter(format)
    await sink.write(writer.header(COLUMNS))
    for (const split of splits) await sink.write(writer.row(splitRow(split, scan.location)))
    await sink.write(writer.end())
  }
  await sink.end()
}

function splitRow(split: Split, root: string): JsonValue[] {
  const inside = (path: string) => (path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path)
  if (!(split instanceof DataSplit)) return [inside(split.filePath), null, 1, null, null, split.length, 0, 'raw']
  const { dataFiles, deletionFiles } = split
  const levels = [...new Set(dataFiles.map(({ level }) => level))].sort((a, b) => a - b)
  return [
    inside(split.bucketPath),
    split.bucket,
    dataFiles.length,
    levels.join(','),
    split.rowCount,
    dataFiles.reduce((sum, { fileSize }) => sum + fileSize, 0n),
    deletionFiles?.filter((file) => file !== undefined).length ?? 0,
    split.rawConvertible ? 'raw' : 'merge',
  ]
}
