//! Tests. Delete files are told by their location: `p a:1 b:2` holds positions, `k 1 2 -` keys with a null.

use super::*;
use crate::Options;
use crate::memory_file::FIXTURES;
use arrow_array::{ArrayRef, Int64Array, StringArray};
use lakefold_deletes::{footer_range, read_footer};
use lakefold_store::LocalStore;
use lakefold_task::{DataFile, Filter, Rows, VERSION};

static OPENED: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn fake(
    _: &Arc<Context>,
    location: &str,
    format: FileFormat,
    fields: &[Field],
    names: Option<&[NameMapping]>,
) -> Result<DeleteRows> {
    assert_eq!(format, FileFormat::Parquet);
    OPENED.lock().unwrap().push(location.to_string());
    // Long enough for other threads to come by.
    std::thread::sleep(std::time::Duration::from_millis(5));
    let mut words = location.split(' ');
    let columns: Vec<(&str, ArrayRef, bool)> = match words.next().unwrap() {
        "p" => {
            assert_eq!(fields.iter().map(|f| f.id).collect::<Vec<_>>(), [2147483546, 2147483545]);
            assert_eq!(names.unwrap()[1].names, ["pos"]);
            let rows: Vec<(&str, i64)> =
                words.map(|w| w.split_once(':').unwrap()).map(|(p, n)| (p, n.parse().unwrap())).collect();
            let paths: ArrayRef = Arc::new(StringArray::from_iter_values(rows.iter().map(|r| r.0)));
            let positions: ArrayRef = Arc::new(Int64Array::from_iter_values(rows.iter().map(|r| r.1)));
            vec![("file_path", paths, true), ("pos", positions, true)]
        }
        "k" => vec![("k", Arc::new(words.map(|w| w.parse().ok()).collect::<Int64Array>()), true)],
        other => return Err(Error::new(Code::FileNotFound, other).in_file(location)),
    };
    let batch = RecordBatch::try_from_iter_with_nullable(columns).unwrap();
    // Row by row: the cache has to take any batches.
    Ok(Box::new((0..batch.num_rows()).map(move |row| Ok(batch.slice(row, 1)))))
}

fn context() -> Arc<Context> {
    Arc::new(Context {
        store: Arc::new(LocalStore),
        cancel: Arc::default(),
        options: Options { batch_size: 1000, batch_bytes: 1 << 20, prune: true, verify_crc: false },
        deletes: Arc::new(DeleteCache::new(fake)),
        meter: Arc::default(),
        footers: Arc::default(),
        cuts: Arc::default(),
        dictionaries: Arc::default(),
        crew: Arc::new(crate::Crew::new(3, 1)),
    })
}

fn opened(location: &str) -> usize {
    OPENED.lock().unwrap().iter().filter(|l| *l == location).count()
}

fn file(content: DeleteContent, location: &str) -> DeleteFile {
    DeleteFile {
        content,
        path: location.to_string(),
        location: location.to_string(),
        format: if content == DeleteContent::PuffinDv { FileFormat::Puffin } else { FileFormat::Parquet },
        file_size_in_bytes: 1,
        record_count: 1,
        data_sequence_number: 1,
        spec_id: 0,
        content_offset: None,
        content_size_in_bytes: None,
        referenced_data_file: None,
        equality_ids: None,
        equality_fields: None,
        lower_path: None,
        upper_path: None,
    }
}

fn keys(location: &str) -> DeleteFile {
    let field = Field { id: 3, name: "k".to_string(), required: false, field_type: Type::Long, initial_default: None };
    DeleteFile {
        equality_ids: Some(vec![3]),
        equality_fields: Some(vec![field]),
        ..file(DeleteContent::Equality, location)
    }
}

fn task(path: &str, record_count: i64, delete_files: Vec<DeleteFile>) -> ScanTask {
    ScanTask {
        version: VERSION,
        data_file: DataFile {
            path: path.to_string(),
            location: path.to_string(),
            format: FileFormat::Parquet,
            file_size_in_bytes: 1,
            record_count,
            fields: None,
            lines: None,
            blob_descriptors: false,
            local_instants: false,
            ignore: Default::default(),
        },
        start: 0,
        length: 1,
        snapshot_id: None,
        spec_id: 0,
        data_sequence_number: 0,
        file_sequence_number: None,
        first_row_id: None,
        partition: Vec::new(),
        partition_type: Vec::new(),
        schema: Vec::new(),
        projection: Vec::new(),
        residual: Filter::Const(true),
        residual_text: None,
        name_mapping: None,
        delete_files,
        only_deleted_by: None,
        row_ranges: None,
        constants: Default::default(),
        rows: Rows::Plain,
    }
}

fn positions(deletes: &Deletes) -> Vec<u64> {
    deletes.positions.as_ref().map_or(Vec::new(), |map| map.iter().collect())
}

fn hits(deletes: &Deletes, values: Vec<Option<i64>>) -> Vec<bool> {
    let column: ArrayRef = Arc::new(Int64Array::from(values));
    let batch = RecordBatch::try_from_iter_with_nullable([("k", column, true)]).unwrap();
    let mut all = vec![false; batch.num_rows()];
    for group in &deletes.equality {
        assert_eq!(group.fields().iter().map(|f| f.id).collect::<Vec<_>>(), [3]);
        for (row, hit) in group.contains(&batch).unwrap().iter().enumerate() {
            all[row] |= hit.unwrap();
        }
    }
    all
}

#[test]
fn positions_are_the_union_of_all_files_and_of_no_other_path() {
    let context = context();
    let files = || ["p a:1 b:2 a:9", "p a:1 a:3", "p b:7"].map(|l| file(DeleteContent::Positions, l)).to_vec();
    let load = |path| positions(&load_deletes(&task(path, 10, files()), &context).unwrap().hide);
    assert_eq!(load("a"), [1, 3, 9]);
    assert_eq!(load("b"), [2, 7]);
    assert!(load("c").is_empty());
    assert_eq!(opened("p a:1 b:2 a:9"), 1);
    assert!(context.deletes.bytes() > 0);
}

#[test]
fn one_reads_while_others_wait() {
    let context = context();
    let load = || load_deletes(&task("q", 10, vec![file(DeleteContent::Positions, "p q:4"), keys("k 77")]), &context);
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..8).map(|_| scope.spawn(|| load().unwrap().hide)).collect();
        for handle in handles {
            let deletes = handle.join().unwrap();
            assert_eq!(positions(&deletes), [4]);
            assert_eq!(hits(&deletes, vec![Some(77), Some(78)]), [true, false]);
        }
    });
    assert_eq!((opened("p q:4"), opened("k 77")), (1, 1));
}

#[test]
fn tasks_see_the_equality_files_that_apply_to_them() {
    let context = context();
    let load = |files: &[&str]| {
        let files = files.iter().map(|l| keys(l)).collect();
        let deletes = load_deletes(&task("e", 10, files), &context).unwrap().hide;
        assert!(deletes.equality.len() <= 1);
        hits(&deletes, vec![Some(101), Some(102), Some(103), None])
    };
    assert_eq!(load(&["k 101 102", "k 102 -"]), [true, true, false, true]);
    assert_eq!(load(&["k 102 -"]), [false, true, false, true]);
    assert_eq!(load(&["k 101 102"]), [true, true, false, false]);
    assert_eq!(load(&[]), [false; 4]);
    assert_eq!((opened("k 101 102"), opened("k 102 -")), (1, 1));
}

#[test]
fn equality_ids_are_a_set_and_name_the_columns() {
    let two = |ids: [i32; 2], order: [i32; 2]| {
        let field =
            |id| Field { id, name: format!("c{id}"), required: false, field_type: Type::Long, initial_default: None };
        let mut delete = keys("k 1");
        delete.equality_ids = Some(ids.to_vec());
        delete.equality_fields = Some(order.map(field).to_vec());
        delete
    };
    let (first, signature) = key_columns(&two([3, 4], [4, 3])).unwrap();
    assert_eq!(first.iter().map(|f| f.id).collect::<Vec<_>>(), [3, 4]);
    assert_eq!(key_columns(&two([4, 3], [3, 4])).unwrap().1, signature);
    for broken in [
        two([3, 5], [3, 4]),
        DeleteFile { equality_ids: None, ..keys("k 1") },
        DeleteFile { equality_ids: Some(vec![]), ..keys("k 1") },
    ] {
        let error = load_deletes(&task("a", 1, vec![broken]), &context()).err().unwrap();
        assert_eq!(error.code(), Code::CorruptFile);
        assert!(error.to_string().contains("file: k 1"), "{error}");
    }
}

#[test]
fn only_sound_bounds_let_a_file_be_skipped() {
    let may = |lower: Option<&str>, upper: Option<&str>| {
        let (lower_path, upper_path) = (lower.map(str::to_string), upper.map(str::to_string));
        may_name(&DeleteFile { lower_path, upper_path, ..file(DeleteContent::Positions, "p") }, "s3://b/f.parquet")
    };
    assert!(may(None, None));
    assert!(may(Some("s3://b/a"), Some("s3://b/z")));
    assert!(may(Some("s3://b/f.parquet"), Some("s3://b/f.parquet")));
    assert!(!may(Some("s3://b/g"), Some("s3://b/z")));
    assert!(!may(Some("s3://b/a"), Some("s3://b/e")));
    assert!(!may(None, Some("s3://b/e")) && !may(Some("s3://b/g"), None));
    // Cut, not incremented.
    assert!(may(Some("s3://b/"), Some("s3://b/f.par")));
    // Inverted.
    assert!(may(Some("s3://b/z"), Some("s3://b/a")));
}

#[test]
fn counts_come_from_delete_files_alone() {
    let context = context();
    let files =
        || vec![file(DeleteContent::Positions, "p n:0 n:9 n:10 n:11"), file(DeleteContent::Positions, "p n:9 n:1")];
    assert_eq!(count_deleted(&task("n", 10, files()), &context).unwrap(), 3);
    assert_eq!(count_deleted(&task("n", 12, files()), &context).unwrap(), 5);
    assert_eq!(count_deleted(&task("n", 0, files()), &context).unwrap(), 0);
    assert_eq!(count_deleted(&task("n", 10, vec![]), &context).unwrap(), 0);
    for wrong in [task("n", -1, files()), task("n", 10, vec![keys("k 5")])] {
        assert_eq!(count_deleted(&wrong, &context).unwrap_err().code(), Code::InvalidArgument);
    }
    let only = ScanTask { only_deleted_by: Some(vec![]), ..task("n", 10, vec![]) };
    assert!(count_deleted(&only, &context).is_err());
}

#[test]
fn a_file_that_cannot_be_read_is_an_error_each_time() {
    let context = context();
    for content in [DeleteContent::Positions, DeleteContent::Equality] {
        let delete = DeleteFile { content, ..keys("gone") };
        for _ in 0..2 {
            let error = load_deletes(&task("a", 1, vec![delete.clone()]), &context).err().unwrap();
            assert_eq!(error.code(), Code::FileNotFound);
            assert!(error.to_string().contains("file: gone"));
        }
    }
    let error = load_deletes(&task("a", 1, vec![file(DeleteContent::Positions, "p a:-1")]), &context).err().unwrap();
    assert_eq!(error.code(), Code::CorruptFile);
    assert!(error.to_string().contains("file: p a:-1"));
}

/// The vectors that a Puffin file lists, as a manifest would describe them.
fn vectors(puffin: &str) -> Vec<DeleteFile> {
    let bytes = std::fs::read(puffin).unwrap();
    let size = bytes.len() as u64;
    let range = footer_range(puffin, size, bytes.last_chunk().unwrap()).unwrap();
    let footer = read_footer(puffin, size, &bytes[range.start as usize..]).unwrap();
    let describe = |blob: lakefold_deletes::Blob| DeleteFile {
        record_count: blob.properties["cardinality"].parse().unwrap(),
        content_offset: Some(blob.offset),
        content_size_in_bytes: Some(blob.length),
        referenced_data_file: Some(blob.properties["referenced-data-file"].clone()),
        ..file(DeleteContent::PuffinDv, puffin)
    };
    footer.blobs.into_iter().map(describe).collect()
}

fn load_vector(delete: &DeleteFile, context: &Arc<Context>) -> Result<Vec<u64>> {
    let path = delete.referenced_data_file.clone().unwrap();
    Ok(positions(&load_deletes(&task(&path, 1 << 40, vec![delete.clone()]), context)?.hide))
}

const PUFFIN: &str = "dv_v3/data/00000-24-1ec63ef4-dcba-40cb-b044-e923e4f0bda1-00001-deletes.puffin";

#[test]
fn vectors_of_one_file_are_told_apart() {
    let context = context();
    let all = vectors(&format!("{FIXTURES}/tables/{PUFFIN}"));
    assert!(all.len() > 1);
    for vector in &all {
        let found = load_vector(vector, &context).unwrap();
        assert_eq!(found.len() as i64, vector.record_count);
        assert_eq!(found, load_vector(vector, &context).unwrap());
    }
    // The same bytes under another count, path, or place.
    let wrong = [
        DeleteFile { record_count: all[0].record_count + 1, ..all[0].clone() },
        DeleteFile { content_offset: all[0].content_offset.map(|o| o + 1), ..all[0].clone() },
        DeleteFile { content_size_in_bytes: Some(u64::MAX), ..all[0].clone() },
        DeleteFile { content_offset: None, ..all[0].clone() },
    ];
    for vector in wrong {
        assert_eq!(load_vector(&vector, &context).unwrap_err().code(), Code::CorruptFile);
    }
    let other = task("another", 10, vec![all[0].clone()]);
    assert_eq!(load_deletes(&other, &context).err().unwrap().code(), Code::CorruptFile);
}

#[test]
fn damaged_vectors_name_the_puffin_file() {
    for case in ["dv_bad_crc", "dv_bad_length", "dv_bad_magic", "dv_truncated", "dv_wrong_cardinality"] {
        let context = context();
        let location = format!("{FIXTURES}/damaged/{case}/{PUFFIN}");
        let good = vectors(&format!("{FIXTURES}/tables/{PUFFIN}"));
        let errors: Vec<_> = good
            .into_iter()
            .map(|vector| DeleteFile { path: location.clone(), location: location.clone(), ..vector })
            .filter_map(|vector| load_vector(&vector, &context).err())
            .collect();
        assert!(!errors.is_empty(), "{case}");
        for error in errors {
            assert_eq!(error.code(), Code::CorruptFile, "{case}");
            assert!(error.context().any(|(key, value)| key == "file" && value == location), "{case}: {error}");
            assert!(error.context().any(|(key, _)| key == "data-file"), "{case}: {error}");
        }
    }
}
