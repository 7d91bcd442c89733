import {
  type Data,
  Field,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
} from 'apache-arrow'

/** What an update is before and after it; both are one row of the log. */
const BEFORE = '-U'
const AFTER = '+U'

/**
 * Batches of changes as the log of changes has them: each column an array, of one value, or of the values before and after an update.
 * The values stay where they are: only the bounds of the arrays are new. Without `pairs`, as for the rows of a table at
 * some time, both rows of an update are for themselves.
 */
export async function* binlogBatches(changes: AsyncIterable<RecordBatch>, pairs: boolean): AsyncGenerator<RecordBatch> {
  let held: RecordBatch | undefined
  for await (const batch of changes) {
    if (!pairs) {
      yield grouped(batch, 0, batch.numRows, pairs)
      continue
    }
    let from = 0
    const kinds = kindsOf(batch)
    if (held !== undefined && kinds[0] === AFTER) {
      yield pairedAcross(held, batch)
      from = 1
    } else if (held !== undefined) yield grouped(held, 0, 1, pairs)
    held = undefined
    let to = batch.numRows
    if (to > from && kinds[to - 1] === BEFORE) held = batch.slice(--to, to + 1)
    if (to > from) yield grouped(batch, from, to, pairs)
  }
  if (held !== undefined) yield grouped(held, 0, 1, pairs)
}

/** The log as a table, of changes with this schema. */
export function binlogTable(changes: Schema, batches: readonly RecordBatch[]): Table {
  return new Table(binlogSchema(changes), [...batches])
}

/** The schema of the log of a table whose changes have this one, the kind first. */
function binlogSchema(changes: Schema): Schema {
  const [kind, ...columns] = changes.fields as [Field, ...Field[]]
  const lists = columns.map((field) => new Field(field.name, new List(new Field('element', field.type, true)), true))
  return new Schema([kind, ...lists])
}

function kindsOf(batch: RecordBatch): readonly (string | null)[] {
  return [...(batch.getChildAt(0) ?? [])] as (string | null)[]
}

/** The changes `from` to `to` of a batch; with `pairs`, an update before and the one after it as one. */
function grouped(batch: RecordBatch, from: number, to: number, pairs: boolean): RecordBatch {
  const kinds = kindsOf(batch)
  const bounds = [from]
  const shown: (string | null)[] = []
  for (let row = from; row < to; ) {
    const pair = pairs && kinds[row] === BEFORE && row + 1 < to && kinds[row + 1] === AFTER
    shown.push(kinds[pair ? row + 1 : row] ?? null)
    row += pair ? 2 : 1
    bounds.push(row)
  }
  const schema = binlogSchema(batch.schema)
  const children = schema.fields.slice(1).map((field, i) =>
    makeData({
      type: field.type as List,
      length: shown.length,
      nullCount: 0,
      valueOffsets: Int32Array.from(bounds),
      child: batch.data.children[i + 1] as Data,
    }),
  )
  return batchOf(schema, [vectorFromArray(shown, new Utf8()).data[0] as Data, ...children], shown.length)
}

/** An update whose rows stand at the end of one batch and the beginning of the next. */
function pairedAcross(before: RecordBatch, after: RecordBatch): RecordBatch {
  const schema = binlogSchema(before.schema)
  const children = schema.fields.slice(1).map((field, i) => {
    const pair = [before.getChildAt(i + 1)?.get(0), after.getChildAt(i + 1)?.get(0)]
    return vectorFromArray([pair], field.type as List).data[0] as Data
  })
  return batchOf(schema, [vectorFromArray([AFTER], new Utf8()).data[0] as Data, ...children], 1)
}

function batchOf(schema: Schema, children: Data[], length: number): RecordBatch {
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }))
}
