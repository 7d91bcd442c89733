use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use arrow_select::concat::concat;
use lakefold_base::Result;

use crate::guard::own_arrow_error;

/// Copies an array that pins much more memory than it uses, so that a batch costs what it shows.
pub(crate) fn compact(array: ArrayRef) -> Result<ArrayRef> {
    // Views share what they hold with those before and behind them.
    if matches!(array.data_type(), DataType::Null | DataType::Utf8View) || array.is_empty() {
        return Ok(array);
    }
    let data = array.to_data();
    let Ok(used) = data.get_slice_memory_size() else { return Ok(array) };
    let held = data.get_buffer_memory_size();
    if held > 4096 && used < held / 2 {
        // A lone array is only sliced by concat; the empty one makes it copy.
        let empty = array.slice(0, 0);
        return concat(&[array.as_ref(), empty.as_ref()]).map_err(own_arrow_error);
    }
    Ok(array)
}
