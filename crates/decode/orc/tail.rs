use super::codec::Codec;
use lakefold_base::{Error, Result};
use lakefold_store::Source;
use orc_rust::proto::{Footer, PostScript};
use prost::Message;
use std::sync::Arc;

const FIRST_READ: u64 = 16 << 10;
/// Footers hold types, stripes and one statistic a column.
pub(super) const MAX_FOOTER: usize = 16 << 20;

/// What stands at the end of a file.
pub(super) struct Tail {
    pub(super) codec: Codec,
    pub(super) footer: Footer,
}

fn broken(problem: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("broken ORC file: {problem}"))
}

/// Reads postscript and footer, with every length held against the file's size.
pub(super) fn read_tail(source: &Arc<dyn Source>) -> Result<Tail> {
    let len = source.len();
    let first = len.min(FIRST_READ);
    let bytes = source.read(len - first..len)?;
    let Some((&script_len, rest)) = bytes.split_last() else { return Err(broken("it is empty")) };
    let Some(at) = rest.len().checked_sub(usize::from(script_len)) else {
        return Err(broken(format!("a postscript of {script_len} bytes")));
    };
    let script = PostScript::decode(&rest[at..]).map_err(|e| broken("the postscript").caused_by(e))?;
    if script.magic.as_deref() != Some("ORC") {
        return Err(broken("no magic text in the postscript"));
    }
    let codec = Codec::new(script.compression.unwrap_or(0), script.compression_block_size)?;
    let size = script.footer_length.unwrap_or(0);
    let end = len - 1 - u64::from(script_len);
    let fits = script.metadata_length.unwrap_or(0).checked_add(size).is_some_and(|both| both <= end);
    if size == 0 || !fits || size > MAX_FOOTER as u64 {
        return Err(broken(format!("a footer of {size} bytes in a file of {len}")));
    }
    let raw = if size <= at as u64 { bytes.slice(at - size as usize..at) } else { source.read(end - size..end)? };
    let plain = codec.decompress(&raw, MAX_FOOTER)?;
    let footer = Footer::decode(plain.as_slice()).map_err(|e| broken("the footer").caused_by(e))?;
    if footer.encryption.is_some() {
        return Err(Error::unsupported("an encrypted ORC file"));
    }
    let mut rows = 0u64;
    for stripe in &footer.stripes {
        let parts = [stripe.index_length(), stripe.data_length(), stripe.footer_length()];
        let stop = parts.iter().try_fold(stripe.offset(), |sum, n| sum.checked_add(*n));
        if stop.is_none_or(|stop| stop > end) || stripe.footer_length() > MAX_FOOTER as u64 {
            return Err(broken(format!("a stripe of {parts:?} bytes at {}", stripe.offset())));
        }
        if stripe.number_of_rows() > i32::MAX as u64 {
            return Err(broken(format!("a stripe of {} rows", stripe.number_of_rows())));
        }
        rows += stripe.number_of_rows();
    }
    if rows != footer.number_of_rows() {
        return Err(broken(format!("{rows} rows in stripes, {} in the footer", footer.number_of_rows())));
    }
    Ok(Tail { codec, footer })
}
