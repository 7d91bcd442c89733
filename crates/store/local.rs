use crate::{Source, Store};
use bytes::Bytes;
use lakefold_base::{COUNTERS, Code, Error, Result};
use std::fs::{File, Metadata};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// The local file system: plain paths and `file:` locations.
#[derive(Debug, Default, Clone, Copy)]
pub struct LocalStore;

struct LocalFile {
    location: String,
    file: File,
    len: u64,
}

/// `file:/x`, `file:///x` and `/x` are one file. Percent signs are literal, as in Hadoop paths.
fn to_path(location: &str) -> PathBuf {
    let rest = location.strip_prefix("file:").unwrap_or(location);
    match rest.strip_prefix("//") {
        Some(authority) if rest.len() < location.len() => match authority.find('/') {
            Some(slash) => PathBuf::from(&authority[slash..]),
            None => PathBuf::from(rest),
        },
        _ => PathBuf::from(rest),
    }
}

fn io_error(error: std::io::Error, location: &str) -> Error {
    let code = match error.kind() {
        std::io::ErrorKind::NotFound => Code::FileNotFound,
        std::io::ErrorKind::PermissionDenied => Code::AccessDenied,
        _ => Code::IoError,
    };
    let message = match code {
        Code::FileNotFound => "file not found",
        Code::AccessDenied => "access denied",
        _ => "cannot read the file",
    };
    Error::new(code, message).in_file(location).caused_by(error)
}

impl Store for LocalStore {
    fn open(&self, location: &str) -> Result<Arc<dyn Source>> {
        let path = to_path(location);
        let regular = |meta: Metadata| {
            if meta.is_file() {
                return Ok(meta.len());
            }
            Err(Error::new(Code::IoError, "not a regular file").in_file(location))
        };
        // Before it is opened: opening a named pipe waits for its writer.
        regular(std::fs::metadata(&path).map_err(|e| io_error(e, location))?)?;
        let file = File::open(path).map_err(|e| io_error(e, location))?;
        let len = regular(file.metadata().map_err(|e| io_error(e, location))?)?;
        COUNTERS.files_opened.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(LocalFile { location: location.to_string(), file, len }))
    }
}

impl Source for LocalFile {
    fn location(&self) -> &str {
        &self.location
    }

    fn len(&self) -> u64 {
        self.len
    }

    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        // Checked before anything is allocated: the range may come from a corrupt footer.
        if range.start > range.end || range.end > self.len {
            return Err(Error::corrupt(format!(
                "bytes {}..{} lie outside the file of {} bytes",
                range.start, range.end, self.len
            ))
            .in_file(&self.location));
        }
        let length = (range.end - range.start) as usize;
        let mut buffer = Vec::new();
        // A sparse file may be longer than memory.
        buffer.try_reserve_exact(length).map_err(|e| {
            Error::new(Code::LimitExceeded, format!("no memory for {length} bytes"))
                .in_file(&self.location)
                .caused_by(e)
        })?;
        append_at(&self.file, &mut buffer, length, range.start).map_err(|e| io_error(e, &self.location))?;
        COUNTERS.reads.fetch_add(1, Ordering::Relaxed);
        COUNTERS.bytes_read.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        Ok(Bytes::from(buffer))
    }
}

/// Appends exactly `length` bytes from `offset` on, which a buffer has room for, without clearing that room first.
#[cfg(unix)]
fn append_at(file: &File, buffer: &mut Vec<u8>, length: usize, offset: u64) -> std::io::Result<()> {
    let (start, end) = (buffer.len(), buffer.len() + length);
    while buffer.len() < end {
        let at = offset + (buffer.len() - start) as u64;
        match rustix::io::pread(file, rustix::buffer::spare_capacity(buffer), at) {
            Ok(0) => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // The room may have been larger than asked for.
    buffer.truncate(end);
    Ok(())
}

#[cfg(windows)]
fn append_at(file: &File, buffer: &mut Vec<u8>, length: usize, mut offset: u64) -> std::io::Result<()> {
    let mut at = buffer.len();
    buffer.resize(at + length, 0);
    while at < buffer.len() {
        match std::os::windows::fs::FileExt::seek_read(file, &mut buffer[at..], offset)? {
            0 => return Err(std::io::ErrorKind::UnexpectedEof.into()),
            n => {
                at += n;
                offset += n as u64;
            }
        }
    }
    Ok(())
}
