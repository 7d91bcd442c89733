//! Position deletes (Iceberg spec, "Position Delete Files").

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_schema::DataType;
use lakefold_base::{Error, Result};
use roaring::RoaringTreemap;
use std::collections::HashMap;
use std::sync::Arc;

/// Collects the rows of one position delete file into a bitmap for each data file path.
/// Paths compare as text; duplicates and any order are fine.
#[derive(Debug)]
pub struct PositionCollector {
    delete_file: String,
    by_path: HashMap<String, RoaringTreemap>,
}

impl PositionCollector {
    /// An empty collection; `delete_file` is named in errors.
    pub fn new(delete_file: impl Into<String>) -> Self {
        PositionCollector { delete_file: delete_file.into(), by_path: HashMap::new() }
    }

    fn bad(&self, problem: String) -> Error {
        Error::corrupt(format!("broken position delete file: {problem}")).in_file(&self.delete_file)
    }

    /// Adds the rows of a batch with the columns `file_path` (text) and `pos` (long), in this order.
    /// A null or a negative position is `CorruptFile`, naming the delete file.
    pub fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let [paths, positions] = batch.columns() else {
            return Err(self.bad(format!("{} columns, expected file_path and pos", batch.num_columns())));
        };
        for (name, column) in [("file_path", paths), ("pos", positions)] {
            if column.logical_null_count() > 0 {
                return Err(self.bad(format!("null in {name}")).with("field", name));
            }
        }
        let paths = self.as_text(paths)?;
        let Some(positions) = positions.as_primitive_opt::<Int64Type>() else {
            return Err(self.bad(format!("pos is {}", positions.data_type())).with("field", "pos"));
        };
        let values = positions.values();
        if let Some(negative) = values.iter().find(|p| **p < 0) {
            return Err(self.bad(format!("position {negative}")).with("field", "pos").with("value", negative));
        }
        let mut row = 0;
        while row < values.len() {
            let path = paths.value(row);
            let end = (row + 1..values.len()).find(|&r| paths.value(r) != path).unwrap_or(values.len());
            let map = match self.by_path.get_mut(path) {
                Some(map) => map,
                None => self.by_path.entry(path.to_string()).or_default(),
            };
            map.extend(values[row..end].iter().map(|p| *p as u64));
            row = end;
        }
        Ok(())
    }

    fn as_text(&self, paths: &ArrayRef) -> Result<StringArray> {
        if let Some(text) = paths.as_string_opt::<i32>() {
            return Ok(text.clone());
        }
        match paths.data_type() {
            DataType::LargeUtf8 | DataType::Utf8View | DataType::Dictionary(..) => cast(paths, &DataType::Utf8)
                .ok()
                .and_then(|array| array.as_string_opt::<i32>().cloned())
                .ok_or_else(|| self.bad("file_path is not text".to_string())),
            other => Err(self.bad(format!("file_path is {other}")).with("field", "file_path")),
        }
    }

    /// The bitmaps by data file path.
    pub fn finish(self) -> HashMap<String, Arc<RoaringTreemap>> {
        self.by_path
            .into_iter()
            .map(|(path, mut map)| {
                map.optimize();
                (path, Arc::new(map))
            })
            .collect()
    }
}
