use lakefold_base::{Code, Error, Result};

/// Items without bytes that one block may declare: nulls and empty records cost nothing to claim.
const FREE_ITEMS: u64 = 1 << 24;

/// Reads Avro's binary encoding from bytes in memory; never beyond them.
pub(super) struct Input<'a> {
    rest: &'a [u8],
    free_items: u64,
}

impl<'a> Input<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Input { rest: bytes, free_items: FREE_ITEMS }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn remaining(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn take(&mut self, n: usize) -> Result<&'a [u8]> {
        if n > self.rest.len() {
            return Err(Error::corrupt(format!("a value of {n} bytes where {} are left", self.rest.len())));
        }
        let (head, tail) = self.rest.split_at(n);
        self.rest = tail;
        Ok(head)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((head, tail)) => {
                self.rest = tail;
                Ok(*head)
            }
            None => Err(Error::corrupt(format!("a value of {N} bytes where {} are left", self.rest.len()))),
        }
    }

    #[inline]
    pub(super) fn long(&mut self) -> Result<i64> {
        let mut value = 0u64;
        for (i, &byte) in self.rest.iter().enumerate().take(10) {
            let bits = u64::from(byte & 0x7f);
            if i == 9 && bits > 1 {
                break;
            }
            value |= bits << (7 * i);
            if byte < 0x80 {
                self.rest = &self.rest[i + 1..];
                return Ok((value >> 1) as i64 ^ -((value & 1) as i64));
            }
        }
        Err(Error::corrupt("a broken variable-length integer"))
    }

    pub(super) fn int(&mut self) -> Result<i32> {
        let value = self.long()?;
        i32::try_from(value).map_err(|_| Error::corrupt(format!("int {value} is out of range")))
    }

    /// A length in bytes.
    pub(super) fn length(&mut self) -> Result<usize> {
        let value = self.long()?;
        match usize::try_from(value) {
            Ok(n) if n <= self.rest.len() => Ok(n),
            _ => Err(Error::corrupt(format!("a length of {value} bytes where {} are left", self.rest.len()))),
        }
    }

    /// Checks that `count` items of at least `min_size` bytes each can follow.
    pub(super) fn check_items(&mut self, count: u64, min_size: usize) -> Result<()> {
        if let Some(most) = self.rest.len().checked_div(min_size) {
            if count > most as u64 {
                return Err(Error::corrupt(format!("{count} items in {} bytes", self.rest.len())));
            }
            return Ok(());
        }
        if count > self.free_items {
            return Err(Error::new(Code::LimitExceeded, format!("{count} items without bytes in one block")));
        }
        self.free_items -= count;
        Ok(())
    }

    /// The item count of the next array or map block, 0 at the end; the size of a block with one is not needed.
    pub(super) fn items(&mut self, min_size: usize) -> Result<usize> {
        let count = self.long()?;
        if count < 0 {
            self.length()?;
        }
        let count = count.unsigned_abs();
        self.check_items(count, min_size)?;
        Ok(count as usize)
    }

    /// Like [`Self::items`], but passes over blocks that say their size; then 0 items are left of each.
    pub(super) fn skip_sized(&mut self, min_size: usize) -> Result<usize> {
        loop {
            let count = self.long()?;
            if count >= 0 {
                self.check_items(count as u64, min_size)?;
                return Ok(count as usize);
            }
            let size = self.length()?;
            self.take(size)?;
        }
    }
}
