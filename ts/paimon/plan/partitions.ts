import { BinaryRow } from '../metadata/binary-row.js'
import type { Datum } from '../metadata/datum.js'
import type { PaimonField } from '../metadata/types.js'

/** A partition of a table: one object for each, so that they compare by identity. */
export interface Partition {
  /** The serialized row. */
  readonly bytes: Uint8Array
  readonly values: readonly Datum[]
  /** Unique text. */
  readonly key: string
}

/** The partitions that were met. */
export class Partitions {
  private readonly known = new Map<string, Partition>()
  private lastBytes: Uint8Array | undefined
  private last: Partition | undefined

  constructor(readonly fields: readonly PaimonField[]) {}

  /** The partition of a serialized row; CORRUPT_FILE naming `file` if it is not one. */
  of(bytes: Uint8Array, file: string): Partition {
    if (bytes === this.lastBytes && this.last !== undefined) return this.last
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
    let partition = this.known.get(key)
    if (partition === undefined) {
      const row = BinaryRow.deserialize(bytes, { file, field: '_PARTITION' })
      partition = { bytes, values: row.values(this.fields.map((field) => field.type)), key }
      this.known.set(key, partition)
    }
    this.lastBytes = bytes
    this.last = partition
    return partition
  }
}
