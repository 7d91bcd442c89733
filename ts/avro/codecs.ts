import * as zlib from 'node:zlib'
import { LakefoldError } from '../base/errors.js'
import { native } from '../base/native.js'

/** Decompresses one block to at most `limit` bytes, or throws. */
export type Decompress = (data: Uint8Array, limit: number) => Uint8Array

// Node has zstd since 22.15.
const nodeZstd = (zlib as { zstdDecompressSync?: (data: Uint8Array, options: object) => Uint8Array }).zstdDecompressSync

const codecs: ReadonlyMap<string, Decompress> = new Map<string, Decompress>([
  ['null', (data) => data],
  ['deflate', (data, limit) => zlib.inflateRawSync(data, { maxOutputLength: limit })],
  ['snappy', snappyWithCrc],
  [
    'zstandard',
    nodeZstd === undefined
      ? (data, limit) => native().zstdDecompress(data, limit)
      : (data, limit) => nodeZstd(data, { maxOutputLength: limit }),
  ],
])

/** The decompressor of a codec by its name in the file's header; UNSUPPORTED naming the file and codec if there is none. */
export function avroCodec(name: string, file: string): Decompress {
  const codec = codecs.get(name)
  if (codec === undefined) {
    throw new LakefoldError('UNSUPPORTED', `${file}: the Avro codec "${name}" is not supported`, {
      context: { file, codec: name },
    })
  }
  return codec
}

/** Avro's snappy blocks end with the big-endian CRC-32 of the plain bytes. */
function snappyWithCrc(data: Uint8Array, limit: number): Uint8Array {
  if (data.length < 4) throw new RangeError('the snappy checksum is missing')
  const end = data.length - 4
  const plain = native().snappyDecompress(data.subarray(0, end), limit)
  const expected = new DataView(data.buffer, data.byteOffset + end, 4).getUint32(0)
  if (zlib.crc32(plain) !== expected) throw new RangeError('the snappy checksum is wrong')
  return plain
}
