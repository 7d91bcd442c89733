import avsc from 'avsc'

/** Longs as bigint, for avsc: the independent writer of these tests. */
export const bigintLong = avsc.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.alloc(8)
    buffer.writeBigInt64LE(value)
    return buffer
  },
  fromJSON: BigInt,
  toJSON: String,
  isValid: (value: unknown) => typeof value === 'bigint',
  compare: (a: bigint, b: bigint) => (a === b ? 0 : a < b ? -1 : 1),
})

export interface WriteOptions {
  codec?: string
  /** Compressors beside avsc's own null and deflate. */
  codecs?: Record<string, (data: Buffer, done: (error: null, packed: Buffer) => void) => void>
  metadata?: Record<string, string>
  blockSize?: number
}

/** An Avro object container file written by avsc; the schema is kept as given, ids too. */
export async function avroFile(
  schema: unknown,
  records: readonly unknown[],
  options: WriteOptions = {},
): Promise<Buffer> {
  const type = avsc.Type.forSchema(schema as avsc.Schema, { registry: { long: bigintLong } })
  const encoder = new avsc.streams.BlockEncoder(type, {
    codec: options.codec ?? 'null',
    codecs: { ...avsc.streams.BlockEncoder.defaultCodecs(), ...options.codecs },
    blockSize: options.blockSize ?? 65536,
    metadata: Object.fromEntries(
      Object.entries({ 'avro.schema': JSON.stringify(schema), ...options.metadata }).map(([k, v]) => [
        k,
        Buffer.from(v),
      ]),
    ),
  } as object)
  const chunks: Buffer[] = []
  encoder.on('data', (chunk: Buffer) => chunks.push(chunk))
  const done = new Promise((resolve, reject) => encoder.once('end', resolve).once('error', reject))
  for (const record of records) encoder.write(record)
  encoder.end()
  await done
  return Buffer.concat(chunks)
}
