use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use lakefold_base::{Error, Result};
use parquet::variant::{VariantArray, unshred_variant};
use std::sync::Arc;

use crate::guard::arrow_error;
use crate::types::variant_fields;

/// A variant group as decoded, shredded or not, as plain `metadata` and `value`
/// (Parquet spec, "Variant Shredding").
pub(crate) fn unshredded(array: &ArrayRef) -> Result<ArrayRef> {
    let variant = VariantArray::try_new(array.as_ref()).map_err(arrow_error)?;
    let variant = unshred_variant(&variant).map_err(arrow_error)?;
    let inner = variant.into_inner();
    let column = |name: &str| {
        let column = inner.column_by_name(name).ok_or_else(|| Error::corrupt(format!("a variant without {name}")))?;
        arrow_cast::cast(column, &DataType::Binary).map_err(arrow_error)
    };
    let arrays = vec![column("metadata")?, column("value")?];
    let rebuilt = StructArray::try_new(variant_fields(), arrays, inner.nulls().cloned()).map_err(arrow_error)?;
    Ok(Arc::new(rebuilt))
}
