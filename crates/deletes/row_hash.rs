use arrow_array::cast::AsArray;
use arrow_array::types::ArrowPrimitiveType;
use arrow_array::{Array, ArrayRef, PrimitiveArray, downcast_primitive_array};
use arrow_buffer::ToByteSlice;
use arrow_schema::DataType;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher;

/// Hashes rows column by column, by a seed of its own. Equal keys have equal hashes if their columns have equal types.
pub(crate) struct RowHasher {
    hasher: DefaultHashBuilder,
    seed: u64,
    factor: u64,
    null: u64,
}

impl Default for RowHasher {
    fn default() -> Self {
        let hasher = DefaultHashBuilder::default();
        let [seed, factor, null] = [0_u8, 1, 2].map(|n| hasher.hash_one(n));
        Self { hasher, seed, factor: factor | 1, null }
    }
}

impl RowHasher {
    /// The hashes of all rows; columns as [`leaves`](crate::keys::leaves) gives them.
    pub(crate) fn rows(&self, columns: &[ArrayRef], rows: usize) -> Vec<u64> {
        let mut hashes = vec![self.seed; rows];
        for column in columns {
            self.column(column, &mut hashes);
        }
        hashes
    }

    fn mix(&self, hash: &mut u64, value: u64) {
        let wide = u128::from(*hash ^ value) * u128::from(self.factor);
        *hash = wide as u64 ^ (wide >> 64) as u64;
    }

    fn each(&self, array: &dyn Array, hashes: &mut [u64], value: impl Fn(usize) -> u64) {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        for (row, hash) in hashes.iter_mut().enumerate() {
            let null = nulls.is_some_and(|nulls| nulls.is_null(row));
            self.mix(hash, if null { self.null } else { value(row) });
        }
    }

    fn primitive<T: ArrowPrimitiveType>(&self, array: &PrimitiveArray<T>, hashes: &mut [u64]) {
        self.each(array, hashes, |row| {
            let value = array.value(row);
            let bytes = value.to_byte_slice();
            match (<[u8; 8]>::try_from(bytes), <[u8; 4]>::try_from(bytes)) {
                (Ok(bytes), _) => u64::from_ne_bytes(bytes),
                (_, Ok(bytes)) => u64::from(u32::from_ne_bytes(bytes)),
                _ => self.hasher.hash_one(bytes),
            }
        });
    }

    fn column(&self, array: &ArrayRef, hashes: &mut [u64]) {
        downcast_primitive_array! {
            array => self.primitive(array, hashes),
            DataType::Boolean => {
                let values = array.as_boolean().values();
                self.each(array, hashes, |row| u64::from(values.value(row)));
            }
            DataType::Utf8 => {
                let text = array.as_string::<i32>();
                self.each(array, hashes, |row| self.hasher.hash_one(text.value(row).as_bytes()));
            }
            DataType::Binary => {
                let bytes = array.as_binary::<i32>();
                self.each(array, hashes, |row| self.hasher.hash_one(bytes.value(row)));
            }
            DataType::FixedSizeBinary(_) => {
                let bytes = array.as_fixed_size_binary();
                self.each(array, hashes, |row| self.hasher.hash_one(bytes.value(row)));
            }
            // Keys of such columns meet in one bucket, where the keys themselves decide.
            _ => {}
        }
    }
}
