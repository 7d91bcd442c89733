use crate::flatten::Flat;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, make_array};
use arrow_buffer::{Buffer, NullBuffer, buffer::BooleanBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, SchemaRef};
use lakefold_base::{Error, Result};

/// Puts a flattened batch together again, for consumers in Rust.
pub(crate) fn batch(flat: &Flat, schema: &SchemaRef, rows: usize) -> Result<RecordBatch> {
    let mut cursor = Cursor { flat, node: 0, slot: 0, dictionary: 0 };
    let columns: Result<Vec<ArrayRef>> =
        schema.fields().iter().map(|field| Ok(make_array(cursor.array(field.data_type())?))).collect();
    let options = RecordBatchOptions::new().with_row_count(Some(rows));
    RecordBatch::try_new_with_options(schema.clone(), columns?, &options)
        .map_err(|e| Error::internal("a batch left the ledger in pieces").caused_by(e))
}

struct Cursor<'a> {
    flat: &'a Flat,
    node: usize,
    slot: usize,
    dictionary: usize,
}

impl Cursor<'_> {
    fn buffer(&mut self) -> Option<Buffer> {
        let slot = self.flat.slots.get(self.slot).copied().flatten();
        self.slot += 1;
        slot.and_then(|index| self.flat.buffers.get(index)).cloned()
    }

    /// Offsets always hold at least one value.
    fn offsets(&mut self, width: usize) -> Buffer {
        self.buffer().unwrap_or_else(|| Buffer::from(vec![0u8; width]))
    }

    fn values(&mut self) -> Buffer {
        self.buffer().unwrap_or_else(|| Buffer::from_vec(Vec::<i128>::new()))
    }

    fn array(&mut self, data_type: &DataType) -> Result<ArrayData> {
        let broken = |e| Error::internal("a column left the ledger in pieces").caused_by(e);
        let Some(node) = self.flat.nodes.get(self.node).copied() else {
            return Err(Error::internal("a batch of the ledger has too few nodes"));
        };
        self.node += 1;
        let builder = ArrayData::builder(data_type.clone()).len(node.length);
        if *data_type == DataType::Null {
            return builder.build().map_err(broken);
        }
        let nulls = self.buffer().map(|bits| NullBuffer::new(BooleanBuffer::new(bits, 0, node.length)));
        let builder = builder.nulls(nulls);
        let builder = match data_type {
            DataType::Struct(fields) => {
                let children: Result<Vec<ArrayData>> = fields.iter().map(|f| self.array(f.data_type())).collect();
                builder.child_data(children?)
            }
            DataType::List(field) | DataType::Map(field, _) => {
                let offsets = self.offsets(4);
                builder.add_buffer(offsets).add_child_data(self.array(field.data_type())?)
            }
            DataType::LargeList(field) => {
                let offsets = self.offsets(8);
                builder.add_buffer(offsets).add_child_data(self.array(field.data_type())?)
            }
            DataType::FixedSizeList(field, _) => builder.add_child_data(self.array(field.data_type())?),
            DataType::Utf8 | DataType::Binary => {
                let offsets = self.offsets(4);
                builder.add_buffer(offsets).add_buffer(self.values())
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                let offsets = self.offsets(8);
                builder.add_buffer(offsets).add_buffer(self.values())
            }
            DataType::Dictionary(..) => {
                let keys = self.values();
                let Some(values) = self.flat.dictionaries.get(self.dictionary) else {
                    return Err(Error::internal("a batch of the ledger has too few dictionaries"));
                };
                self.dictionary += 1;
                builder.add_buffer(keys).add_child_data(values.to_data())
            }
            _ => builder.add_buffer(self.values()),
        };
        builder.build().map_err(broken)
    }
}
