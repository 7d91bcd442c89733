//! One stripe as an ORC file of its own: checked, not compressed, with the wanted columns only.

use super::codec::Codec;
use super::lengths::total;
use super::tail::MAX_FOOTER;
use super::types::{Wanted, kind};
use bytes::Bytes;
use lakefold_base::{Code, Error, Result};
use lakefold_store::Source;
use orc_rust::proto::column_encoding::Kind as Encoding;
use orc_rust::proto::stream::Kind as StreamKind;
use orc_rust::proto::r#type::Kind;
use orc_rust::proto::{ColumnEncoding, CompressionKind, Footer, PostScript, Stream, StripeFooter, StripeInformation};
use prost::Message;
use std::collections::HashMap;
use std::sync::Arc;

/// Decompressed bytes of the wanted columns of one stripe.
const MAX_STRIPE: usize = 1 << 30;
/// Items of lists and maps that a stripe may claim whatever its size.
const FREE_ITEMS: u64 = 1 << 24;
/// Most values that a byte of a run-length encoding stands for, about.
const VALUES_PER_BYTE: u64 = 1024;
/// Wanted streams that lie closer are read together.
const GAP: u64 = 64 << 10;

fn broken(problem: impl std::fmt::Display) -> Error {
    Error::corrupt(format!("broken ORC stripe: {problem}"))
}

/// A wanted stream: its new column, its kind, and where it lies.
struct Piece {
    column: u32,
    kind: StreamKind,
    start: u64,
    length: u64,
}

/// A stripe as a file of its own, and the time zone that its writer was in.
pub(super) struct Extracted {
    pub(super) bytes: Bytes,
    pub(super) zone: Option<String>,
}

/// Reads a stripe whose place the tail's check found right.
pub(super) fn extract(
    source: &Arc<dyn Source>,
    codec: Codec,
    info: &StripeInformation,
    wanted: &Wanted,
    columns: usize,
) -> Result<Extracted> {
    let data_end = info.offset() + info.index_length() + info.data_length();
    let raw = source.read(data_end..data_end + info.footer_length())?;
    let plain = codec.decompress(&raw, MAX_FOOTER)?;
    let footer = StripeFooter::decode(plain.as_slice()).map_err(|e| broken("the footer").caused_by(e))?;
    if !footer.encryption.is_empty() {
        return Err(Error::unsupported("an encrypted ORC file"));
    }
    if footer.columns.len() != columns {
        return Err(broken(format!("encodings of {} columns, not {columns}", footer.columns.len())));
    }
    let pieces = pieces(&footer, info.offset(), data_end, wanted)?;
    let streams = read(source, codec, &pieces)?;
    let encodings: Vec<ColumnEncoding> = wanted.columns.iter().map(|&old| footer.columns[old].clone()).collect();
    check_claims(wanted, &encodings, &pieces, &streams)?;
    let zone = footer.writer_timezone;
    let bytes = assemble(wanted, encodings, &pieces, &streams, zone.clone(), info.number_of_rows());
    Ok(Extracted { bytes, zone })
}

fn pieces(footer: &StripeFooter, start: u64, end: u64, wanted: &Wanted) -> Result<Vec<Piece>> {
    let new: HashMap<usize, u32> = wanted.columns.iter().enumerate().map(|(i, &old)| (old, i as u32)).collect();
    let mut at = start;
    let mut out: Vec<Piece> = Vec::new();
    for stream in &footer.streams {
        let length = stream.length();
        let stop = at.checked_add(length).filter(|stop| *stop <= end);
        let stop = stop.ok_or_else(|| broken(format!("a stream of {length} bytes at {at}")))?;
        let data = [
            StreamKind::Present,
            StreamKind::Data,
            StreamKind::Length,
            StreamKind::DictionaryData,
            StreamKind::Secondary,
        ];
        let kind = stream.kind.and_then(|kind| StreamKind::try_from(kind).ok()).filter(|kind| data.contains(kind));
        if let (Some(kind), Some(&column)) = (kind, new.get(&(stream.column() as usize))) {
            if out.iter().any(|piece| piece.column == column && piece.kind == kind) {
                return Err(broken(format!("two streams of column {} and kind {kind:?}", stream.column())));
            }
            out.push(Piece { column, kind, start: at, length });
        }
        at = stop;
    }
    Ok(out)
}

fn read(source: &Arc<dyn Source>, codec: Codec, pieces: &[Piece]) -> Result<Vec<Vec<u8>>> {
    let mut out = Vec::with_capacity(pieces.len());
    let mut left = MAX_STRIPE;
    let mut i = 0;
    while i < pieces.len() {
        let start = pieces[i].start;
        let mut end = start + pieces[i].length;
        let mut j = i + 1;
        while j < pieces.len() && pieces[j].start - end <= GAP {
            end = pieces[j].start + pieces[j].length;
            j += 1;
        }
        let bytes = source.read(start..end)?;
        for piece in &pieces[i..j] {
            let at = (piece.start - start) as usize;
            let plain = codec.decompress(&bytes[at..at + piece.length as usize], left)?;
            left -= plain.len();
            out.push(plain);
        }
        i = j;
    }
    Ok(out)
}

/// Holds dictionary sizes and the lengths of lists and maps against the bytes that are there: orc-rust allocates
/// for them before it reads.
fn check_claims(wanted: &Wanted, encodings: &[ColumnEncoding], pieces: &[Piece], streams: &[Vec<u8>]) -> Result<()> {
    let bytes: u64 = streams.iter().map(|stream| stream.len() as u64).sum();
    for (column, encoding) in encodings.iter().enumerate() {
        let Ok(how) = Encoding::try_from(encoding.kind.unwrap_or(0)) else {
            return Err(Error::unsupported(format!("ORC column encoding {:?}", encoding.kind)));
        };
        let find = |kind| pieces.iter().position(|p| p.column as usize == column && p.kind == kind);
        let lengths = find(StreamKind::Length).map_or(&[][..], |i| &streams[i]);
        let is_text = matches!(kind(&wanted.types[column])?, Kind::String | Kind::Varchar | Kind::Char);
        if matches!(how, Encoding::Dictionary | Encoding::DictionaryV2) {
            let size = u64::from(encoding.dictionary_size());
            if !is_text || size > lengths.len() as u64 * VALUES_PER_BYTE {
                return Err(broken(format!("a dictionary of {size} entries, lengths of {} bytes", lengths.len())));
            }
        }
        if matches!(kind(&wanted.types[column])?, Kind::List | Kind::Map) {
            let items = total(lengths, matches!(how, Encoding::DirectV2))?;
            if items > FREE_ITEMS.max(bytes.saturating_mul(VALUES_PER_BYTE)) {
                let problem = format!("{items} list or map items in a stripe of {bytes} bytes");
                return Err(Error::new(Code::LimitExceeded, problem));
            }
        }
    }
    Ok(())
}

fn assemble(
    wanted: &Wanted,
    columns: Vec<ColumnEncoding>,
    pieces: &[Piece],
    streams: &[Vec<u8>],
    writer_timezone: Option<String>,
    rows: u64,
) -> Bytes {
    let size = streams.iter().map(Vec::len).sum::<usize>();
    let mut file = Vec::with_capacity(3 + size + 4096);
    file.extend_from_slice(b"ORC");
    streams.iter().for_each(|stream| file.extend_from_slice(stream));
    let entry = |(piece, stream): (&Piece, &Vec<u8>)| Stream {
        kind: Some(piece.kind as i32),
        column: Some(piece.column),
        length: Some(stream.len() as u64),
    };
    let footer = StripeFooter {
        streams: pieces.iter().zip(streams).map(entry).collect(),
        columns,
        writer_timezone,
        encryption: vec![],
    }
    .encode_to_vec();
    file.extend_from_slice(&footer);
    let info = StripeInformation {
        offset: Some(3),
        index_length: Some(0),
        data_length: Some(size as u64),
        footer_length: Some(footer.len() as u64),
        number_of_rows: Some(rows),
        ..Default::default()
    };
    let content = file.len() as u64;
    let footer = Footer {
        header_length: Some(3),
        content_length: Some(content),
        stripes: vec![info],
        types: wanted.types.clone(),
        number_of_rows: Some(rows),
        ..Default::default()
    }
    .encode_to_vec();
    file.extend_from_slice(&footer);
    let script = PostScript {
        footer_length: Some(footer.len() as u64),
        compression: Some(CompressionKind::None as i32),
        version: vec![0, 12],
        metadata_length: Some(0),
        writer_version: Some(6),
        magic: Some("ORC".to_string()),
        ..Default::default()
    }
    .encode_to_vec();
    file.extend_from_slice(&script);
    // A postscript of these fields has some 30 bytes.
    file.push(script.len() as u8);
    Bytes::from(file)
}
