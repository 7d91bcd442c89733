use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{FieldRef, Fields};
use lakefold_base::Result;
use lakefold_store::Source;
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, RowGroups, RowSelection};
use parquet::arrow::{FieldLevels, ProjectionMask, parquet_to_arrow_field_levels, parquet_to_arrow_schema};
use parquet::column::page::{PageIterator, PageReader};
use parquet::errors::Result as ParquetResult;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};
use parquet::file::reader::SerializedPageReader;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::chunks::{Chunk, SharedChunk};
use crate::dictionary::dictionary_type;
use crate::guard::{arrow_error, carry, guarded, parquet_error};
use crate::layout::Layout;
use crate::meter::Meter;
use crate::tree::{FileKind, FileNode, Note};

/// How the leaves of a projection are decoded, the same for all row groups of a file.
pub(crate) struct Decoder {
    levels: FieldLevels,
    any: bool,
}

impl Decoder {
    /// Those of the leaves that are in `dictionaries`, columns of strings, come as dictionaries.
    pub(crate) fn new(layout: &Layout, leaves: &BTreeSet<usize>, dictionaries: &BTreeSet<usize>) -> Result<Self> {
        let mask = ProjectionMask::leaves(&layout.canonical, leaves.iter().copied());
        let hint = if dictionaries.is_empty() { None } else { Some(with_dictionaries(layout, dictionaries)?) };
        let levels = parquet_to_arrow_field_levels(&layout.canonical, mask, hint.as_ref()).map_err(parquet_error)?;
        Ok(Self { levels, any: !leaves.is_empty() })
    }
}

/// The file's fields as they are decoded, some columns of strings as dictionaries.
fn with_dictionaries(layout: &Layout, leaves: &BTreeSet<usize>) -> Result<Fields> {
    let schema = parquet_to_arrow_schema(&layout.canonical, None).map_err(parquet_error)?;
    let field = |(field, node): (&FieldRef, &FileNode)| match &node.kind {
        FileKind::Leaf { column, note: Note::Utf8 } if leaves.contains(column) => {
            Arc::new(field.as_ref().clone().with_data_type(dictionary_type()))
        }
        _ => Arc::clone(field),
    };
    Ok(schema.fields().iter().zip(&layout.roots).map(field).collect())
}

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
        if !decoder.any {
            let left = selection.as_ref().map_or(self.rows(), RowSelection::row_count);
            return Ok(GroupBatches::Empty { left, batch_size });
        }
        let batch_size = batch_size.min(self.rows()).max(1);
        let reader = guarded(|| {
            ParquetRecordBatchReader::try_new_with_row_groups(&decoder.levels, self, batch_size, selection)
                .map_err(parquet_error)
        })?;
        Ok(GroupBatches::Reader(Box::new(reader)))
    }
}

impl RowGroups for Group {
    fn num_rows(&self) -> usize {
        self.rows()
    }

    fn column_chunks(&self, column: usize) -> ParquetResult<Box<dyn PageIterator>> {
        let meta = self.row_group().column(column);
        let (start, length) = meta.byte_range();
        let chunk =
            SharedChunk(Arc::new(Chunk::new(Arc::clone(&self.source), start..start + length, Some(&self.meter))));
        if self.verify_crc {
            chunk.verify().map_err(|e| carry(e.with("column", meta.column_path().string())))?;
        }
        let reader = SerializedPageReader::new(Arc::new(chunk), meta, self.rows(), None)?;
        Ok(Box::new(OneChunk(Some(Box::new(reader)))))
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
    Reader(Box<ParquetRecordBatchReader>),
    /// No column is wanted, only rows.
    Empty { left: usize, batch_size: usize },
}

impl GroupBatches {
    /// The next columns, with the number of their rows.
    pub(crate) fn next(&mut self) -> Result<Option<(Vec<ArrayRef>, usize)>> {
        match self {
            GroupBatches::Reader(reader) => {
                let batch: Option<RecordBatch> = guarded(|| reader.next().transpose().map_err(arrow_error))?;
                // In parts, so that the columns are nobody else's.
                Ok(batch.map(|batch| {
                    let (_, columns, rows) = batch.into_parts();
                    (columns, rows)
                }))
            }
            GroupBatches::Empty { left, batch_size } => {
                let rows = (*left).min(*batch_size);
                *left -= rows;
                Ok((rows > 0).then(|| (Vec::new(), rows)))
            }
        }
    }
}
