//! Decompression of blocks and pages, bounded.

use lakefold_base::{Code, Error, Result};
use std::cell::RefCell;
use std::io::{Cursor, Read};
use zstd::zstd_safe::{DCtx, get_error_name, zstd_sys::ZSTD_ErrorCode};

/// What zstd answers, negated, where the output does not fit.
const TOO_SMALL: usize = ZSTD_ErrorCode::ZSTD_error_dstSize_tooSmall as usize;

fn too_long(max: usize) -> Error {
    Error::new(Code::LimitExceeded, format!("decompresses to more than {max} bytes")).with("maxLength", max)
}

/// Reads all of a decoder, at most `max` bytes; memory grows with what is really there.
fn read_bounded(decoder: impl Read, max: usize, hint: usize, broken: &'static str) -> Result<Vec<u8>> {
    let mut out = Vec::with_capacity(hint.min(max));
    // One byte more than allowed tells "exactly full" from "too long".
    let limit = (max as u64).saturating_add(1);
    decoder.take(limit).read_to_end(&mut out).map_err(|e| Error::corrupt(broken).caused_by(e))?;
    if out.len() > max { Err(too_long(max)) } else { Ok(out) }
}

thread_local! {
    // Making one takes nearly as long as to decompress a block of a manifest.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// `start`, then what Zstandard frames decompress to, `length` bytes in all.
pub fn zstd_behind(start: &[u8], bytes: &[u8], length: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    out.try_reserve_exact(length.max(start.len()))
        .map_err(|e| Error::new(Code::LimitExceeded, format!("no memory for {length} bytes")).caused_by(e))?;
    out.extend_from_slice(start);
    let wanted = length.saturating_sub(start.len());
    if wanted > 0 {
        let mut behind = Cursor::new(&mut out);
        behind.set_position(start.len() as u64);
        CONTEXT.with_borrow_mut(|context| context.decompress(&mut behind, bytes)).map_err(broken_zstd)?;
    }
    match out.len() == length {
        true => Ok(out),
        false => Err(Error::corrupt(format!("decompresses to {} bytes, not to {length}", out.len()))),
    }
}

fn broken_zstd(code: usize) -> Error {
    Error::corrupt("broken zstd data").caused_by(std::io::Error::other(get_error_name(code)))
}

/// Decompresses Zstandard frames to at most `max` bytes.
pub fn zstd(bytes: &[u8], max: usize) -> Result<Vec<u8>> {
    if bytes.is_empty() {
        return Err(Error::corrupt("broken zstd data"));
    }
    // Manifests compress about six to one. Where that is too little, what fits the guess is really there: the next one is a few times as much.
    let mut guess = bytes.len().saturating_mul(8).min(max);
    loop {
        let mut out = Vec::with_capacity(guess);
        match CONTEXT.with_borrow_mut(|context| context.decompress(&mut out, bytes)) {
            Ok(_) => return Ok(out),
            Err(code) if code.wrapping_neg() == TOO_SMALL && guess < max => guess = guess.saturating_mul(4).min(max),
            Err(code) if code.wrapping_neg() == TOO_SMALL => return Err(too_long(max)),
            Err(code) => return Err(broken_zstd(code)),
        }
    }
}

/// Decompresses raw deflate data (RFC 1951) to at most `max` bytes; what follows its end is ignored.
pub fn deflate(bytes: &[u8], max: usize) -> Result<Vec<u8>> {
    // Manifests compress about five to one; the first guess is never more than a few times the input.
    read_bounded(flate2::bufread::DeflateDecoder::new(bytes), max, bytes.len() * 6, "broken deflate data")
}

/// Decompresses bzip2 data to at most `max` bytes.
pub fn bzip2(bytes: &[u8], max: usize) -> Result<Vec<u8>> {
    read_bounded(bzip2::bufread::BzDecoder::new(bytes), max, 0, "broken bzip2 data")
}

/// Decompresses a raw Snappy block (no framing, no checksum) to at most `max` bytes.
pub fn snappy(bytes: &[u8], max: usize) -> Result<Vec<u8>> {
    let broken = |e: snap::Error| Error::corrupt("broken snappy data").caused_by(e);
    let length = snap::raw::decompress_len(bytes).map_err(broken)?;
    if length > max {
        return Err(too_long(max));
    }
    // A snappy byte yields at most 64/3 bytes (a copy of 64 takes 3), so a greater claim is a lie.
    if length > bytes.len().saturating_mul(22) {
        return Err(Error::corrupt(format!("{} bytes of snappy data claim to hold {length}", bytes.len())));
    }
    snap::raw::Decoder::new().decompress_vec(bytes).map_err(broken)
}

/// As [`snappy`], with Avro's big-endian CRC-32 of the plain bytes at the end.
pub fn snappy_with_crc(bytes: &[u8], max: usize) -> Result<Vec<u8>> {
    let Some((packed, crc)) = bytes.split_last_chunk::<4>() else {
        return Err(Error::corrupt("the snappy checksum is missing"));
    };
    let plain = snappy(packed, max)?;
    if crc32fast::hash(&plain) != u32::from_be_bytes(*crc) {
        return Err(Error::corrupt("the snappy checksum is wrong"));
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(plain: &[u8]) -> Vec<u8> {
        ::zstd::stream::encode_all(plain, 3).unwrap()
    }

    #[test]
    fn zstd_gives_what_was_packed_however_small_it_got() {
        // The last is some thousand times as long as its frame.
        for plain in [b"".to_vec(), b"abc".to_vec(), (0..=255).cycle().take(100_000).collect(), vec![7; 1 << 20]] {
            assert_eq!(zstd(&packed(&plain), 1 << 20).unwrap(), plain);
        }
        let two = [packed(b"one "), packed(b"two")].concat();
        assert_eq!(zstd(&two, 100).unwrap(), b"one two");
    }

    #[test]
    fn zstd_behind_a_start_gives_the_length_that_is_said() {
        let frame = packed(b"some text");
        assert_eq!(zstd_behind(b"", &frame, 9).unwrap(), b"some text");
        assert_eq!(zstd_behind(b"ab", &frame, 11).unwrap(), b"absome text");
        assert_eq!(zstd_behind(b"ab", b"", 2).unwrap(), b"ab");
        for (frame, length) in [(&frame[..], 10), (&frame, 12), (&frame, 1), (&frame[1..], 11), (&[], 11)] {
            assert_eq!(zstd_behind(b"ab", frame, length).unwrap_err().code(), Code::CorruptFile, "{length}");
        }
    }

    #[test]
    fn zstd_stops_at_the_limit() {
        assert_eq!(zstd(&packed(&[7; 1000]), 1000).unwrap().len(), 1000);
        for (length, max) in [(1001, 1000), (1 << 20, 1000), (1, 0)] {
            assert_eq!(zstd(&packed(&vec![7; length]), max).unwrap_err().code(), Code::LimitExceeded, "{length}");
        }
    }

    #[test]
    fn broken_zstd_is_corrupt_and_leaves_nothing_behind() {
        let sound = packed(b"some text that is packed");
        let mut changed = sound.clone();
        changed[0] ^= 1;
        for broken in [&[][..], &sound[..sound.len() - 1], &changed, &[sound.as_slice(), &[1]].concat()] {
            assert_eq!(zstd(broken, 1 << 20).unwrap_err().code(), Code::CorruptFile);
            assert_eq!(zstd(&sound, 1 << 20).unwrap(), b"some text that is packed");
        }
    }
}
