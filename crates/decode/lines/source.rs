//! A file as a stream of bytes, read ahead in windows.

use bytes::Bytes;
use lakefold_store::Source;
use std::io::{BufRead, Read, Result};
use std::sync::Arc;

/// How much is read at once.
const WINDOW: u64 = 1 << 20;

/// How much is read at once behind the end of a piece, where only the rest of a line is looked for.
const BEHIND: u64 = 64 << 10;

/// Reads a file from some place on.
pub(super) struct SourceReader {
    source: Arc<dyn Source>,
    window: Bytes,
    next: u64,
    end_of_piece: u64,
}

impl SourceReader {
    /// From `start`; nothing but the end of a line is expected to be wanted behind `end_of_piece`.
    pub(super) fn new(source: Arc<dyn Source>, start: u64, end_of_piece: u64) -> Self {
        Self { source, window: Bytes::new(), next: start, end_of_piece }
    }
}

impl BufRead for SourceReader {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        if self.window.is_empty() && self.next < self.source.len() {
            let wanted = self.end_of_piece.saturating_sub(self.next).saturating_add(BEHIND).min(WINDOW);
            let to = self.next.saturating_add(wanted).min(self.source.len());
            self.window = self.source.read(self.next..to).map_err(std::io::Error::other)?;
            self.next = to;
        }
        Ok(&self.window)
    }

    fn consume(&mut self, amount: usize) {
        let _ = self.window.split_to(amount.min(self.window.len()));
    }
}

impl Read for SourceReader {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        let window = self.fill_buf()?;
        let n = buffer.len().min(window.len());
        buffer[..n].copy_from_slice(&window[..n]);
        self.consume(n);
        Ok(n)
    }
}
