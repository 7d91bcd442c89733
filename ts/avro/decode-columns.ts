import { type ManifestBlocks, type NativeRecords, native } from '../base/native.js'
import type { AvroContainer, AvroPart } from './container.js'

/** So few records are decoded at once: another thread would take longer to get to them. */
const FEW_RECORDS = 64
/** So few bytes of blocks likewise. */
const FEW_BYTES = 2 ** 13

function blocksOf(container: AvroContainer, { bytes, offset }: AvroPart, program: string): ManifestBlocks {
  const { file, codec, sync, settled } = container
  return { bytes, offset, file, codec, sync, program, settled }
}

/** The records of a part of a container as columns (see `ColumnBuffer`), by a program's text. On a thread of Node's pool. */
export async function decodeColumns(container: AvroContainer, part: AvroPart, program: string): Promise<Uint8Array> {
  const blocks = blocksOf(container, part, program)
  return part.bytes.length <= FEW_BYTES ? native().manifestDecode(blocks) : native().manifestDecodeAsync(blocks)
}

/** All records of a container as columns, here and now. */
export function decodeColumnsHere(container: AvroContainer, program: string): Uint8Array {
  return native().manifestDecode(blocksOf(container, container.all, program))
}

/** Records of which some columns are decoded, and that wait to be told which of them are wanted. */
export class GlancedRecords {
  private constructor(
    readonly columns: Uint8Array,
    private readonly records: NativeRecords,
  ) {}

  /** Decodes the columns of a program's text, on a thread of Node's pool. */
  static async of(container: AvroContainer, part: AvroPart, program: string): Promise<GlancedRecords> {
    const { columns, records } = await native().manifestGlanceAsync(blocksOf(container, part, program))
    return new GlancedRecords(columns, records)
  }

  /** The records at these places, which ascend, as columns; all others are gone after that. */
  async select(places: Uint32Array, program: string): Promise<Uint8Array> {
    return places.length <= FEW_RECORDS
      ? native().manifestSelect(this.records, places, program)
      : native().manifestSelectAsync(this.records, places, program)
  }
}
