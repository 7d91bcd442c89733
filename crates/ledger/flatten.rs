use arrow_array::cast::AsArray;
use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{Array, ArrayRef, RecordBatch, downcast_integer};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, Buffer, MutableBuffer, NullBuffer, OffsetBuffer};
use arrow_schema::DataType;
use lakefold_base::{Error, Result};
use std::collections::HashMap;

/// The longest buffer that is copied together with others rather than handed out as it is.
const SMALL_BUFFER: usize = 32 << 10;

/// As in Arrow's own messages: every typed array finds its alignment.
const ALIGNMENT: usize = 64;

/// One array of a batch, in depth-first field order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// Its length.
    pub length: usize,
    /// Its nulls; 0 means that it has no validity bitmap.
    pub null_count: usize,
}

/// A batch as nodes and buffers, each buffer zero-based and exactly as long as its values.
///
/// Buffers of a node, in order: validity; then by type: nothing (null, struct, fixed-size list),
/// values (fixed width, booleans as bits, dictionary keys), offsets (list, map), offsets and values
/// (utf8, binary). A node of type null has no slot at all.
#[derive(Debug, Default)]
pub(crate) struct Flat {
    pub nodes: Vec<Node>,
    /// Index into `buffers`; none for a bitmap that is not there and for a buffer without bytes.
    pub slots: Vec<Option<usize>>,
    /// No two begin at the same address: V8 must not see an address twice.
    pub buffers: Vec<Buffer>,
    /// The values of each dictionary node, in order.
    pub dictionaries: Vec<ArrayRef>,
    /// The memory that small buffers were gathered in.
    pub packed: Option<Buffer>,
    by_address: HashMap<usize, usize>,
}

impl Flat {
    pub(crate) fn of_batch(batch: &RecordBatch) -> Result<Self> {
        let mut flat = Flat::default();
        for column in batch.columns() {
            flat.array(column)?;
        }
        Ok(flat)
    }

    pub(crate) fn of_array(array: &ArrayRef) -> Result<Self> {
        let mut flat = Flat::default();
        flat.array(array)?;
        Ok(flat)
    }

    fn slot(&mut self, buffer: Buffer) {
        if buffer.is_empty() {
            return self.slots.push(None);
        }
        let address = buffer.as_ptr() as usize;
        let index = match self.by_address.get(&address) {
            Some(&index) => {
                if self.buffers.get(index).is_some_and(|held| held.len() < buffer.len()) {
                    self.buffers[index] = buffer;
                }
                index
            }
            None => {
                self.buffers.push(buffer);
                self.by_address.insert(address, self.buffers.len() - 1);
                self.buffers.len() - 1
            }
        };
        self.slots.push(Some(index));
    }

    fn node(&mut self, length: usize, nulls: Option<&NullBuffer>) {
        let nulls = nulls.filter(|n| n.null_count() > 0);
        self.nodes.push(Node { length, null_count: nulls.map_or(0, NullBuffer::null_count) });
        match nulls {
            Some(nulls) => self.slot(bits(nulls.inner())),
            None => self.slots.push(None),
        }
    }

    /// Writes offsets that begin at zero and returns the range of values that they cover.
    fn offsets<O: ArrowNativeType>(&mut self, offsets: &OffsetBuffer<O>) -> (usize, usize) {
        let first = offsets.first().map_or(0, |o| o.as_usize());
        let last = offsets.last().map_or(0, |o| o.as_usize());
        if first == 0 {
            self.slot(offsets.inner().inner().clone());
        } else {
            let zero_based: Vec<O> = offsets.iter().map(|o| O::usize_as(o.as_usize() - first)).collect();
            self.slot(Buffer::from_vec(zero_based));
        }
        (first, last - first)
    }

    fn array(&mut self, array: &ArrayRef) -> Result<()> {
        let length = array.len();
        let nulls = array.nulls();
        match array.data_type() {
            DataType::Null => self.nodes.push(Node { length, null_count: length }),
            DataType::Boolean => {
                self.node(length, nulls);
                self.slot(bits(array.as_boolean().values()));
            }
            DataType::Utf8 | DataType::Binary => {
                self.node(length, nulls);
                match array.as_string_opt::<i32>() {
                    Some(text) => self.bytes(text.offsets(), text.values()),
                    None => self.bytes(array.as_binary::<i32>().offsets(), array.as_binary::<i32>().values()),
                }
            }
            DataType::LargeUtf8 | DataType::LargeBinary => {
                self.node(length, nulls);
                match array.as_string_opt::<i64>() {
                    Some(text) => self.bytes(text.offsets(), text.values()),
                    None => self.bytes(array.as_binary::<i64>().offsets(), array.as_binary::<i64>().values()),
                }
            }
            DataType::List(_) => {
                self.node(length, nulls);
                let list = array.as_list::<i32>();
                let (first, count) = self.offsets(list.offsets());
                self.array(&list.values().slice(first, count))?;
            }
            DataType::LargeList(_) => {
                self.node(length, nulls);
                let list = array.as_list::<i64>();
                let (first, count) = self.offsets(list.offsets());
                self.array(&list.values().slice(first, count))?;
            }
            DataType::Map(..) => {
                self.node(length, nulls);
                let map = array.as_map();
                let (first, count) = self.offsets(map.offsets());
                let entries: ArrayRef = std::sync::Arc::new(map.entries().slice(first, count));
                self.array(&entries)?;
            }
            DataType::Struct(_) => {
                self.node(length, nulls);
                for child in array.as_struct().columns() {
                    self.array(child)?;
                }
            }
            DataType::FixedSizeList(..) => {
                self.node(length, nulls);
                self.array(array.as_fixed_size_list().values())?;
            }
            DataType::Dictionary(key, _) => {
                self.node(length, nulls);
                macro_rules! keys {
                    ($t:ty) => {
                        self.keys::<$t>(array)
                    };
                }
                downcast_integer! {
                    key.as_ref() => (keys),
                    other => return Err(Error::internal(format!("dictionary keys of type {other}")))
                }
            }
            fixed => {
                let width = match fixed {
                    DataType::FixedSizeBinary(width) => Some(*width as usize),
                    other => other.primitive_width(),
                };
                let Some(width) = width else {
                    return Err(Error::unsupported(format!("batches with a column of Arrow type {fixed}")));
                };
                self.node(length, nulls);
                let data = array.to_data();
                match data.buffers().first() {
                    Some(buffer) => self.slot(buffer.slice_with_length(data.offset() * width, length * width)),
                    None => self.slots.push(None),
                }
            }
        }
        Ok(())
    }

    fn bytes<O: ArrowNativeType>(&mut self, offsets: &OffsetBuffer<O>, values: &Buffer) {
        let (first, count) = self.offsets(offsets);
        self.slot(values.slice_with_length(first, count));
    }

    fn keys<K: ArrowDictionaryKeyType>(&mut self, array: &ArrayRef) {
        let dictionary = array.as_dictionary::<K>();
        self.slot(dictionary.keys().values().inner().clone());
        self.dictionaries.push(dictionary.values().clone());
    }

    /// Gathers small buffers in one allocation: to V8 each allocation costs as much as copying a few of them.
    fn pack(&mut self) {
        let small = |buffer: &&mut Buffer| buffer.len() <= SMALL_BUFFER;
        let (count, total) = self
            .buffers
            .iter_mut()
            .filter(small)
            .fold((0, 0), |(count, total), buffer| (count + 1, total + buffer.len().next_multiple_of(ALIGNMENT)));
        if count < 2 {
            return;
        }
        let mut memory = MutableBuffer::with_capacity(total);
        for buffer in self.buffers.iter_mut().filter(small) {
            memory.extend_from_slice(buffer);
            memory.resize(memory.len().next_multiple_of(ALIGNMENT), 0);
        }
        let packed = Buffer::from(memory);
        let mut at = 0;
        for buffer in self.buffers.iter_mut().filter(small) {
            let length = buffer.len();
            *buffer = packed.slice_with_length(at, length);
            at += length.next_multiple_of(ALIGNMENT);
        }
        self.packed = Some(packed);
    }

    /// Whether a buffer lies in the memory of small ones; then where.
    pub(crate) fn place_in_packed(&self, buffer: &Buffer) -> Option<usize> {
        let packed = self.packed.as_ref()?;
        (packed.data_ptr() == buffer.data_ptr()).then(|| buffer.ptr_offset())
    }

    /// Copies what must not be handed out: allocations that someone else still holds (a write in JavaScript
    /// would change what Rust reads) and those of which less than half is used (a slice pins its parent). Gathers small
    /// buffers. To be called when the batch itself is gone. Returns, for each buffer, the index of its allocation,
    /// and the size of each allocation.
    pub(crate) fn isolate(&mut self) -> (Vec<usize>, Vec<u64>) {
        #[derive(Default)]
        struct Allocation {
            own: usize,
            strong: usize,
            used: usize,
            held: usize,
        }
        const SMALL: usize = 4096;
        self.pack();
        let mut allocations: HashMap<usize, Allocation> = HashMap::new();
        for buffer in &self.buffers {
            let entry = allocations.entry(buffer.data_ptr().as_ptr() as usize).or_default();
            entry.own += 1;
            entry.strong = buffer.strong_count();
            entry.used += buffer.len();
            entry.held = buffer.capacity();
        }
        let (mut of_buffer, mut sizes) = (Vec::with_capacity(self.buffers.len()), Vec::new());
        let mut seen: HashMap<usize, usize> = HashMap::new();
        let packed = self.packed.as_ref().map(|packed| packed.data_ptr().as_ptr() as usize);
        for buffer in &mut self.buffers {
            let address = buffer.data_ptr().as_ptr() as usize;
            let copy = allocations
                .get(&address)
                .filter(|_| packed != Some(address))
                .is_some_and(|a| a.strong > a.own || (a.used < a.held / 2 && a.held - a.used > SMALL));
            if copy {
                *buffer = Buffer::from_slice_ref(buffer.as_slice());
                of_buffer.push(sizes.len());
                sizes.push(buffer.capacity() as u64);
            } else {
                let index = *seen.entry(address).or_insert_with(|| {
                    sizes.push(buffer.capacity() as u64);
                    sizes.len() - 1
                });
                of_buffer.push(index);
            }
        }
        self.by_address.clear();
        (of_buffer, sizes)
    }
}

/// The bits from bit 0 on, without a trailing rest.
fn bits(bits: &BooleanBuffer) -> Buffer {
    let buffer = bits.sliced();
    let length = bits.len().div_ceil(8);
    if buffer.len() > length { buffer.slice_with_length(0, length) } else { buffer }
}
