use lakefold_base::{Error, Result};
use lakefold_store::Source;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};
use std::sync::{Arc, OnceLock};

use crate::guard::{guarded, parquet_error};
use crate::layout::{Layout, layout};
use crate::told::File;

/// The footer is usually in the first read from the end.
const FIRST_READ: u64 = 64 * 1024;
const TAIL: u64 = 8;

/// What the end of a Parquet file says, and its schema in canonical form.
pub(crate) struct Footer {
    /// The metadata as the file has it.
    pub metadata: Arc<ParquetMetaData>,
    /// Its schema.
    pub layout: Layout,
    /// What it tells of its system columns, once somebody asked.
    pub told: OnceLock<File>,
}

/// Reads the footer. The size comes from the store, as a manifest's may be wrong.
pub(crate) fn read(source: &dyn Source) -> Result<Footer> {
    guarded(|| parse(source)).map_err(|e| e.in_file(source.location()))
}

fn parse(source: &dyn Source) -> Result<Footer> {
    let size = source.len();
    if size < TAIL + 4 {
        return Err(Error::corrupt(format!("not a Parquet file: {size} bytes")));
    }
    let start = size.saturating_sub(FIRST_READ);
    let end = source.read(start..size)?;
    let (rest, tail) = end.split_at(end.len() - TAIL as usize);
    match &tail[4..] {
        b"PAR1" => {}
        b"PARE" => return Err(Error::unsupported("encrypted Parquet: the footer is encrypted")),
        _ => return Err(Error::corrupt("not a Parquet file: no magic bytes at the end")),
    }
    let length = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    if length > size - TAIL - 4 {
        return Err(Error::corrupt(format!("the footer's length {length} passes the file's {size} bytes")));
    }
    let bytes = if length <= rest.len() as u64 {
        end.slice(rest.len() - length as usize..rest.len())
    } else {
        source.read(size - TAIL - length..size - TAIL)?
    };
    crate::thrift::check_footer(&bytes)?;
    let metadata = ParquetMetaDataReader::decode_metadata(&bytes).map_err(parquet_error)?;
    check(&metadata, size)?;
    let layout = layout(metadata.file_metadata().schema_descr())?;
    Ok(Footer { metadata: Arc::new(metadata), layout, told: OnceLock::new() })
}

/// Facts that everything after this trusts.
fn check(metadata: &ParquetMetaData, size: u64) -> Result<()> {
    let columns = metadata.file_metadata().schema_descr().num_columns();
    for (index, group) in metadata.row_groups().iter().enumerate() {
        let fail = |text: String| Err(Error::corrupt(text).with("row-group", index));
        if group.num_rows() < 0 {
            return fail(format!("a row group of {} rows", group.num_rows()));
        }
        if group.num_columns() != columns {
            return fail(format!("a row group of {} columns in a file of {columns}", group.num_columns()));
        }
        for chunk in group.columns() {
            let path = chunk.column_path().string();
            if chunk.file_path().is_some_and(|p| !p.is_empty()) {
                return Err(Error::unsupported("a column chunk in another file").with("column", path));
            }
            let start = chunk.dictionary_page_offset().filter(|o| *o > 0).unwrap_or(chunk.data_page_offset());
            let end = start.checked_add(chunk.compressed_size());
            if start < 0 || chunk.compressed_size() < 0 || end.is_none_or(|e| e as u64 > size) {
                return fail(format!("column {path} lies outside the file"));
            }
        }
    }
    Ok(())
}
