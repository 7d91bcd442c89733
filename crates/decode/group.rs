use arrow_array::{ArrayRef, RecordBatch};
use lakefold_base::{Error, Result};
use lakefold_store::Source;
use parquet::arrow::FieldLevels;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups, RowSelection};
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use std::sync::Arc;

use crate::chunks::SharedChunk;
use crate::crew::Crew;
use crate::decoder::Decoder;
use crate::guard::{arrow_error, carry, guarded, parquet_error};
use crate::meter::Meter;

/// One row group of an open file.
pub(crate) struct Group {
    /// The file.
    pub source: Arc<dyn Source>,
    /// Its footer's metadata.
    pub metadata: Arc<ParquetMetaData>,
    /// Which row group.
    pub index: usize,
    /// Whether to check page checksums.
    pub verify_crc: bool,
    /// Counts what is read and not yet decoded.
    pub meter: Arc<Meter>,
    /// Who may help.
    pub crew: Arc<Crew>,
}

impl Group {
    fn row_group(&self) -> &RowGroupMetaData {
        self.metadata.row_group(self.index)
    }

    /// Its rows.
    pub(crate) fn rows(&self) -> usize {
        self.row_group().num_rows() as usize
    }

    /// Decodes the selected rows, at most `batch_size` at once.
    pub(crate) fn decode(
        &self,
        decoder: &Decoder,
        selection: Option<RowSelection>,
        batch_size: usize,
    ) -> Result<GroupBatches> {
        if decoder.parts.is_empty() {
            let left = selection.as_ref().map_or(self.rows(), RowSelection::row_count);
            return Ok(GroupBatches::Empty { left, batch_size });
        }
        let batch_size = batch_size.min(self.rows()).max(1);
        let part = |levels: &FieldLevels| {
            guarded(|| {
                ParquetRecordBatchReader::try_new_with_row_groups(levels, self, batch_size, selection.clone())
                    .map_err(parquet_error)
            })
        };
        let mut readers = decoder.parts.iter().map(part).collect::<Result<Vec<_>>>()?;
        Ok(match readers.pop() {
            Some(reader) if readers.is_empty() => GroupBatches::Whole(Box::new(reader)),
            last => {
                readers.extend(last);
                GroupBatches::Parts(Parts { readers, places: decoder.places.clone(), crew: Arc::clone(&self.crew) })
            }
        })
    }
}

impl RowGroups for Group {
    fn num_rows(&self) -> usize {
        self.rows()
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let meta = self.row_group().column(column);
        let (start, length) = meta.byte_range();
        let chunk = SharedChunk::of(meta, &self.source, start..start + length, Some(&self.meter));
        if self.verify_crc {
            chunk.verify().map_err(|e| carry(e.with("column", meta.column_path().string())))?;
        }
        Ok(Box::new(OneChunk(Some(Box::new(chunk.pages(meta, self.rows())?)))))
    }

    fn row_groups(&self) -> Box<dyn Iterator<Item = &RowGroupMetaData> + '_> {
        Box::new(std::iter::once(self.row_group()))
    }

    fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }
}

struct OneChunk(Option<Box<dyn PageReader>>);

impl Iterator for OneChunk {
    type Item = ParquetResult<Box<dyn PageReader>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.take().map(Ok)
    }
}

impl PageIterator for OneChunk {}

/// The decoded rows of a row group.
pub(crate) enum GroupBatches {
    /// From column chunks.
    Whole(Box<ParquetRecordBatchReader>),
    /// From column chunks, some of them read by each of several readers.
    Parts(Parts),
    /// No column is wanted, only rows.
    Empty { left: usize, batch_size: usize },
}

impl GroupBatches {
    /// The next columns, with the number of their rows.
    pub(crate) fn next(&mut self) -> Result<Option<(Vec<ArrayRef>, usize)>> {
        match self {
            GroupBatches::Whole(reader) => columns(reader),
            GroupBatches::Parts(parts) => parts.next(),
            GroupBatches::Empty { left, batch_size } => {
                let rows = (*left).min(*batch_size);
                *left -= rows;
                Ok((rows > 0).then(|| (Vec::new(), rows)))
            }
        }
    }
}

fn columns(reader: &mut ParquetRecordBatchReader) -> Result<Option<(Vec<ArrayRef>, usize)>> {
    let batch: Option<RecordBatch> = guarded(|| reader.next().transpose().map_err(arrow_error))?;
    // In parts, so that the columns are nobody else's.
    Ok(batch.map(|batch| {
        let (_, columns, rows) = batch.into_parts();
        (columns, rows)
    }))
}

/// Readers of the same rows, which whoever has time lets go on.
pub(crate) struct Parts {
    readers: Vec<ParquetRecordBatchReader>,
    /// The reader of each column.
    places: Vec<usize>,
    crew: Arc<Crew>,
}

impl Parts {
    fn next(&mut self) -> Result<Option<(Vec<ArrayRef>, usize)>> {
        let mut readers = std::mem::take(&mut self.readers).into_iter();
        let Some(mut first) = readers.next() else { return Ok(None) };
        let step = |mut reader: ParquetRecordBatchReader| {
            move || {
                let columns = columns(&mut reader);
                (reader, columns)
            }
        };
        let offers: Vec<_> = readers.map(|reader| self.crew.offer(step(reader))).collect();
        let mut parts = vec![columns(&mut first)];
        self.readers.push(first);
        for offer in offers {
            let Some((reader, columns)) = offer.finish() else {
                return Err(Error::internal("a helping thread gave up"));
            };
            self.readers.push(reader);
            parts.push(columns);
        }
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let rows = parts.first().and_then(Option::as_ref).map(|(_, rows)| *rows);
        if parts.iter().any(|part| part.as_ref().map(|(_, rows)| *rows) != rows) {
            return Err(Error::corrupt("columns of a row group differ in their number of rows"));
        }
        let Some(rows) = rows else { return Ok(None) };
        let mut parts: Vec<_> = parts.into_iter().flatten().map(|(columns, _)| columns.into_iter()).collect();
        let column = |place: &usize| parts.get_mut(*place).and_then(Iterator::next);
        let columns: Option<Vec<ArrayRef>> = self.places.iter().map(column).collect();
        columns.map(|columns| Some((columns, rows))).ok_or_else(|| Error::internal("a column was not decoded"))
    }
}
