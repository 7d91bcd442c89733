import { type Data, DataType, makeData, RecordBatch, Schema, Struct, Vector } from 'apache-arrow'
import { LakefoldError } from '../base/errors.js'
import type { Claim } from '../base/native.js'
import { remember } from './release.js'

/** Where the values of dictionaries come from; the same id gives the same vector, so that batches share it. */
export type DictionarySource = (id: number, type: DataType) => Vector

const NO_BYTES = new Uint8Array(0)

/** Walks a claim in the depth-first order that the ledger wrote it in. */
class Assembler {
  readonly #claim: Claim
  readonly #dictionaryOf: DictionarySource
  #node = 0
  #slot = 0
  #dictionary = 0

  constructor(claim: Claim, dictionaryOf: DictionarySource) {
    this.#claim = claim
    this.#dictionaryOf = dictionaryOf
  }

  #bytes(): Uint8Array {
    const { slots, buffers } = this.#claim
    const at = this.#slot++ * 3
    const buffer = buffers[slots[at]!]
    return buffer === undefined ? NO_BYTES : new Uint8Array(buffer, slots[at + 1]!, slots[at + 2]!)
  }

  /** Fixed-width values, as the typed array of their type. */
  #values(ArrayType: ValuesArray): unknown {
    const { buffer, byteOffset, byteLength } = this.#bytes()
    return new ArrayType(buffer, byteOffset, byteLength / ArrayType.BYTES_PER_ELEMENT)
  }

  /** Offsets hold one value more than the rows, also when there are none. */
  #offsets(wide: boolean): Int32Array | BigInt64Array {
    const { buffer, byteOffset, byteLength } = this.#bytes()
    if (wide) return byteLength === 0 ? new BigInt64Array(1) : new BigInt64Array(buffer, byteOffset, byteLength / 8)
    return byteLength === 0 ? new Int32Array(1) : new Int32Array(buffer, byteOffset, byteLength / 4)
  }

  array(type: DataType): Data {
    const { nodes } = this.#claim
    const at = this.#node++ * 2
    const length = nodes[at]!
    const nullCount = nodes[at + 1]!
    if (DataType.isNull(type)) return makeData({ type, length })
    const validity = this.#bytes()
    const nullBitmap = nullCount > 0 ? validity : undefined
    const base = { length, nullCount, nullBitmap }
    if (DataType.isStruct(type)) {
      return makeData({ ...base, type, children: type.children.map((child) => this.array(child.type)) })
    }
    if (DataType.isList(type) || DataType.isMap(type)) {
      const valueOffsets = this.#offsets(false) as Int32Array
      const child = this.array(type.children[0]!.type)
      return DataType.isMap(type)
        ? makeData({ ...base, type, valueOffsets, child })
        : makeData({ ...base, type, valueOffsets, child })
    }
    if (DataType.isFixedSizeList(type)) {
      return makeData({ ...base, type, child: this.array(type.children[0]!.type) })
    }
    if (DataType.isUtf8(type) || DataType.isBinary(type)) {
      const valueOffsets = this.#offsets(false) as Int32Array
      const data = this.#bytes()
      return DataType.isUtf8(type)
        ? makeData({ ...base, type, valueOffsets, data })
        : makeData({ ...base, type, valueOffsets, data })
    }
    if (DataType.isLargeUtf8(type) || DataType.isLargeBinary(type)) {
      const valueOffsets = this.#offsets(true) as BigInt64Array
      const data = this.#bytes()
      return DataType.isLargeUtf8(type)
        ? makeData({ ...base, type, valueOffsets, data })
        : makeData({ ...base, type, valueOffsets, data })
    }
    if (DataType.isDictionary(type)) {
      const data = this.#values(type.indices.ArrayType as unknown as ValuesArray) as Int32Array
      const dictionary = this.#dictionaryOf(this.#claim.dictionaries[this.#dictionary++]!, type.dictionary)
      return makeData({ ...base, type, data, dictionary })
    }
    const ArrayType = type.ArrayType as ValuesArray | undefined
    if (ArrayType?.BYTES_PER_ELEMENT === undefined) {
      throw new LakefoldError('INTERNAL', `No way to hold Arrow type ${String(type)}`, {
        context: { type: String(type) },
      })
    }
    return makeData({ ...base, type, data: this.#values(ArrayType) } as Parameters<typeof makeData>[0])
  }
}

interface ValuesArray {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): unknown
  readonly BYTES_PER_ELEMENT: number
}

/** The row type of each schema, made once. */
const structs = new WeakMap<Schema, Struct>()

function structOf(schema: Schema): Struct {
  let struct = structs.get(schema)
  if (struct === undefined) {
    struct = new Struct(schema.fields)
    structs.set(schema, struct)
  }
  return struct
}

/** What a batch has before it has columns, in whichever version of apache-arrow this is. */
const blank = new RecordBatch(new Schema([]), undefined)

/**
 * A batch without its constructor, which makes a schema anew for each batch and looks up every column's name among all
 * others, to no effect where the columns have one length and the schema fits them.
 */
function newBatch(schema: Schema, data: Data<Struct>): RecordBatch {
  const batch = Object.assign(Object.create(RecordBatch.prototype) as object, blank) as { schema: Schema; data: Data }
  batch.schema = schema
  batch.data = data
  if ('_metadata' in batch) batch._metadata = new Map()
  return batch as RecordBatch
}

/** A claimed batch as an Arrow record batch over the claimed memory itself; nothing is copied. */
export function assembleBatch(claim: Claim, schema: Schema, dictionaryOf: DictionarySource): RecordBatch {
  const assembler = new Assembler(claim, dictionaryOf)
  const children = schema.fields.map((field) => assembler.array(field.type))
  const batch = newBatch(schema, makeData({ type: structOf(schema), length: claim.rows, nullCount: 0, children }))
  remember(batch, claim.buffers)
  return batch
}

/** A claimed dictionary as a vector. */
export function assembleDictionary(claim: Claim, type: DataType): Vector {
  const nested = () => {
    throw new LakefoldError('INTERNAL', 'A dictionary inside a dictionary')
  }
  return new Vector([new Assembler(claim, nested).array(type)])
}
