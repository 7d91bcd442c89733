//! What footers tell of the system columns of key-value files, so that these need not be read.

use lakefold_base::Result;
use lakefold_merge::kind;
use lakefold_store::Source;
use lakefold_task::{DataFile, Field, FileFormat};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::statistics::Statistics;
use std::ops::RangeInclusive;
use std::sync::Arc;

use crate::chunks::SharedChunk;
use crate::footer::Footer;
use crate::footers;
use crate::guard::guarded;
use crate::run::Piece;
use crate::source::Context;
use crate::tree::{FileKind, FileNode, Note};

/// What all files of a merge say.
pub(crate) struct Told {
    /// The order of the runs by age, if all rows of each are newer than all of the one before it.
    pub order: Option<Vec<usize>>,
    /// Whether no row is a retraction.
    pub adds: bool,
}

/// What one file says.
pub(crate) struct File {
    /// The least and the largest sequence number, if there are rows; none at all if that is not known.
    numbers: Option<Option<RangeInclusive<i64>>>,
    adds: bool,
}

/// Where a system column is.
enum Leaf {
    /// Nowhere.
    None,
    At(usize),
    Unknown,
}

/// Looks at the footers of the runs' files, if those are few.
pub(crate) fn told(context: &Arc<Context>, runs: &[Vec<Piece>]) -> Result<Told> {
    let nothing = Told { order: None, adds: false };
    let mut pieces = runs.iter().flatten();
    // Where damage ends the rows, they depend on whatever is read.
    let whole = |file: &DataFile| file.format == FileFormat::Parquet && file.ignore.nothing();
    // Footers are kept until their files are read.
    if !context.options.prune
        || runs.iter().map(Vec::len).sum::<usize>() > footers::MOST / 2
        || !pieces.all(|piece| whole(&piece.file.data_file))
    {
        return Ok(nothing);
    }
    let mut adds = true;
    let mut spans = Vec::new();
    for (run, pieces) in runs.iter().enumerate() {
        for piece in pieces {
            let file = &piece.file.data_file;
            // What a file that is damaged or not there means is decided where it is read.
            let footer = guarded(|| {
                let source = context.store.open(&file.location)?;
                let footer = context.footers.read(source.as_ref(), true)?;
                footer.told.get_or_init(|| of(&footer, file.fields.as_deref(), &source));
                Ok(footer)
            });
            let Some(told) = footer.as_ref().ok().and_then(|footer| footer.told.get()) else { return Ok(nothing) };
            adds &= told.adds;
            spans.push((run, told.numbers.clone()));
        }
    }
    Ok(Told { order: order(runs.len(), spans), adds })
}

fn of(footer: &Footer, fields: Option<&[Field]>, source: &Arc<dyn Source>) -> File {
    let leaf = |name: &str| {
        // Of files that do not keep their schema elsewhere, columns are not found by name.
        let own = fields.is_some_and(|fields| !fields.iter().any(|field| field.name == name));
        let mut named = footer.layout.roots.iter().filter(|root| root.name == name);
        match (own, named.next(), named.next()) {
            (true, None, _) => Leaf::None,
            (true, Some(FileNode { kind: FileKind::Leaf { column, note: Note::Plain }, .. }), None) => {
                Leaf::At(*column)
            }
            _ => Leaf::Unknown,
        }
    };
    let groups = || footer.metadata.row_groups().iter().filter(|group| group.num_rows() > 0);
    // A column that is damaged is read, to fail where it is.
    let sound = |chunk: &ColumnChunkMetaData| {
        let (start, length) = chunk.byte_range();
        let pages = SharedChunk::raw(source, start..start.saturating_add(length));
        guarded(|| pages.walk(|_, _| Ok(()))).is_ok()
    };
    let span = |chunk: &ColumnChunkMetaData| span(chunk).filter(|_| sound(chunk));
    let numbers = match leaf("_SEQUENCE_NUMBER") {
        Leaf::At(column) => groups().map(|group| span(group.column(column))).try_fold(None, |all, span| {
            let span = span?;
            Some(Some(join(all, span)))
        }),
        _ => None,
    };
    let adds = match leaf("_VALUE_KIND") {
        // Such a file holds insertions.
        Leaf::None => true,
        Leaf::At(column) => groups().all(|group| {
            span(group.column(column))
                .is_some_and(|kinds| kinds.start() == kinds.end() && i8::try_from(*kinds.start()).is_ok_and(adds))
        }),
        Leaf::Unknown => false,
    };
    File { numbers, adds }
}

/// Whether a kind is one that takes nothing back.
fn adds(kind: i8) -> bool {
    kind::text(kind).is_some() && !kind::retracts(kind)
}

/// The least and the largest value of a column of integers without nulls.
fn span(chunk: &ColumnChunkMetaData) -> Option<RangeInclusive<i64>> {
    let statistics = chunk.statistics()?;
    let complete = chunk.column_descr().max_def_level() == 0 || statistics.null_count_opt() == Some(0);
    let span = match statistics {
        Statistics::Int32(values) => i64::from(*values.min_opt()?)..=i64::from(*values.max_opt()?),
        Statistics::Int64(values) => *values.min_opt()?..=*values.max_opt()?,
        _ => return None,
    };
    (complete && span.start() <= span.end()).then_some(span)
}

fn join(all: Option<RangeInclusive<i64>>, more: RangeInclusive<i64>) -> RangeInclusive<i64> {
    match all {
        Some(all) => *all.start().min(more.start())..=*all.end().max(more.end()),
        None => more,
    }
}

/// The runs by age. A run without rows may be anywhere.
fn order(runs: usize, spans: Vec<(usize, Option<Option<RangeInclusive<i64>>>)>) -> Option<Vec<usize>> {
    let mut of_run: Vec<Option<RangeInclusive<i64>>> = vec![None; runs];
    for (run, span) in spans {
        if let Some(span) = span? {
            of_run[run] = Some(join(of_run[run].take(), span));
        }
    }
    let mut order: Vec<usize> = (0..runs).collect();
    order.sort_by_key(|run| of_run[*run].as_ref().map(|span| *span.start()));
    let spans: Vec<_> = order.iter().filter_map(|run| of_run[*run].as_ref()).collect();
    spans.windows(2).all(|pair| pair[0].end() < pair[1].start()).then_some(order)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, Int64Type};
    use lakefold_store::{LocalStore, Store};
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use std::path::{Path, PathBuf};

    /// Files of key-value tables that the reference wrote.
    fn written(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                written(&path, found);
            } else if name.starts_with("data-") && name.ends_with(".parquet") {
                found.push(path);
            }
        }
    }

    #[test]
    fn footers_tell_what_the_columns_of_the_reference_hold() {
        let mut files = Vec::new();
        written(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../__test__/fixtures/paimon"), &mut files);
        let (mut told, mut retracting) = (0, 0);
        for path in files {
            // Some are damaged on purpose.
            let Ok(reader) = ParquetRecordBatchReaderBuilder::try_new(std::fs::File::open(&path).unwrap()) else {
                continue;
            };
            let Ok(batches) = reader.build().unwrap().collect::<std::result::Result<Vec<_>, _>>() else { continue };
            let Some(numbers) = batches.first().and_then(|batch| batch.column_by_name("_SEQUENCE_NUMBER")) else {
                continue;
            };
            assert_eq!(numbers.null_count(), 0);
            let numbers = || batches.iter().map(|b| b.column_by_name("_SEQUENCE_NUMBER").unwrap());
            let numbers: Vec<i64> =
                numbers().flat_map(|array| array.as_primitive::<Int64Type>().values().to_vec()).collect();
            let kinds = batches.iter().filter_map(|batch| batch.column_by_name("_VALUE_KIND"));
            let kinds: Vec<i8> = kinds
                .flat_map(|kinds| {
                    let bytes = arrow_cast::cast(kinds, &arrow_schema::DataType::Int32).unwrap();
                    bytes.as_primitive::<Int32Type>().values().iter().map(|kind| *kind as i8).collect::<Vec<_>>()
                })
                .collect();
            let source = LocalStore.open(path.to_str().unwrap()).unwrap();
            let footer = crate::footer::read(source.as_ref()).unwrap();
            let File { numbers: span, adds } = of(&footer, Some(&[]), &source);
            let (least, largest) = (numbers.iter().min().unwrap(), numbers.iter().max().unwrap());
            assert_eq!(span, Some(Some(*least..=*largest)), "{}", path.display());
            let same = kinds.windows(2).all(|pair| pair[0] == pair[1]);
            assert_eq!(adds, same && kinds.iter().all(|kind| !kind::retracts(*kind)), "{}", path.display());
            told += 1;
            retracting += usize::from(!adds);
            // A table without a schema of its own, or with a column of that name, is not looked at.
            assert!(of(&footer, None, &source).numbers.is_none());
        }
        assert!(told > 300 && retracting > 10, "{told} {retracting}");
    }

    #[test]
    fn runs_are_in_order_only_where_their_numbers_do_not_meet() {
        let span = |run: usize, first: i64, last: i64| (run, Some(Some(first..=last)));
        assert_eq!(order(2, vec![span(0, 5, 9), span(1, 1, 4)]), Some(vec![1, 0]));
        assert_eq!(order(2, vec![span(0, 4, 9), span(1, 1, 4)]), None);
        // All files of a run count.
        assert_eq!(order(2, vec![span(0, 1, 2), span(0, 7, 8), span(1, 3, 4)]), None);
        assert_eq!(order(2, vec![span(0, 1, 2), span(0, 3, 4), span(1, 5, 6)]), Some(vec![0, 1]));
        assert_eq!(order(3, vec![span(0, 9, 9), (1, Some(None)), span(2, 8, 8)]), Some(vec![1, 2, 0]));
        assert_eq!(order(2, vec![span(0, 1, 2), (1, None)]), None);
        assert_eq!(order(0, Vec::new()), Some(Vec::new()));
    }
}
