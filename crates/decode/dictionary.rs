//! Strings as dictionaries: keys into values that many rows, and batches, share.

use arrow_array::{ArrayRef, DictionaryArray, Int32Array, StringArray};
use arrow_cast::cast;
use arrow_schema::{DataType, SchemaRef};
use lakefold_base::Result;
use std::sync::Arc;

use crate::guard::own_arrow_error;

/// The type of a string column whose values are a dictionary.
pub(crate) fn dictionary_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// One text in every row, held once.
pub(crate) fn repeated(text: &str, rows: usize) -> Result<ArrayRef> {
    let keys = Int32Array::from_value(0, rows);
    let values = Arc::new(StringArray::from_iter_values([text]));
    Ok(Arc::new(DictionaryArray::try_new(keys, values).map_err(own_arrow_error)?))
}

/// Columns as a schema has them: strings become dictionaries or views where it wants such and they are none yet.
pub(crate) fn encoded(arrays: Vec<ArrayRef>, schema: &SchemaRef) -> Result<Vec<ArrayRef>> {
    let one = |(array, wanted): (ArrayRef, &DataType)| match wanted {
        DataType::Dictionary(..) | DataType::Utf8View if array.data_type() != wanted => {
            cast(&array, wanted).map_err(own_arrow_error)
        }
        _ => Ok(array),
    };
    arrays.into_iter().zip(schema.fields().iter().map(|field| field.data_type())).map(one).collect()
}
