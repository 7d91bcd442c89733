use super::{PLAIN, scans_of, tasks_of};
use crate::{Context, DeleteCache, Options, delete_rows, open};
use bytes::Bytes;
use lakefold_base::{Code, Error, Result};
use lakefold_store::{LocalStore, Source, Store};
use lakefold_task::ScanTask;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

struct Memory(Bytes);

impl Source for Memory {
    fn location(&self) -> &str {
        "memory"
    }
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read(&self, range: Range<u64>) -> Result<Bytes> {
        if range.start > range.end || range.end > self.len() {
            return Err(Error::corrupt("outside").in_file("memory"));
        }
        Ok(self.0.slice(range.start as usize..range.end as usize))
    }
}

impl Store for Memory {
    fn open(&self, _location: &str) -> Result<Arc<dyn Source>> {
        Ok(Arc::new(Memory(self.0.clone())))
    }
}

fn memory(bytes: Vec<u8>, options: Options) -> Arc<Context> {
    Arc::new(Context {
        store: Arc::new(Memory(bytes.into())),
        cancel: Arc::new(AtomicBool::new(false)),
        options,
        deletes: Arc::new(DeleteCache::new(delete_rows)),
        meter: Arc::default(),
        footers: Arc::default(),
        cuts: Arc::default(),
        dictionaries: Arc::default(),
        crew: Arc::new(crate::Crew::new(3, 1)),
    })
}

fn read(task: &ScanTask, bytes: Vec<u8>) -> Result<usize> {
    let context = memory(bytes, PLAIN);
    let mut reader = open(Arc::new(task.clone()), context)?;
    let mut rows = 0;
    while let Some(batch) = reader.next()? {
        rows += batch.num_rows();
    }
    Ok(rows)
}

/// With checksums checked, a flipped byte of the data gives an error or the same rows, never others.
#[test]
fn checksums_find_flipped_data() {
    let mut seed = 11;
    let mut found = 0;
    for table in ["all_types_v2", "nested_deep", "bloom_dict"] {
        let case = scans_of(table).into_iter().next().unwrap();
        let task = ScanTask { delete_files: vec![], ..tasks_of(&case).remove(0) };
        let source = LocalStore.open(&task.data_file.location).unwrap();
        let good = source.read(0..source.len()).unwrap().to_vec();
        let metadata = crate::footer::read(source.as_ref()).unwrap().metadata;
        let columns = metadata.row_group(0).columns();
        let lines = |bytes: Vec<u8>| -> Result<Vec<String>> {
            let mut lines = Vec::new();
            let mut reader = open(Arc::new(task.clone()), memory(bytes, Options { verify_crc: true, ..PLAIN }))?;
            while let Some(batch) = reader.next()? {
                super::render::rows(&task.projection, &batch, &mut lines);
            }
            Ok(lines)
        };
        let wanted = lines(good.clone()).unwrap();
        for _ in 0..60 {
            let (start, length) = columns[next(&mut seed) % columns.len()].byte_range();
            let mut bytes = good.clone();
            bytes[start as usize + next(&mut seed) % length as usize] ^= 1 << (next(&mut seed) % 8);
            match lines(bytes) {
                Ok(lines) => assert_eq!(lines, wanted),
                Err(error) => found += usize::from(error.message().contains("checksum")),
            }
        }
    }
    assert!(found > 60, "only {found} flips were found by their checksum");
}

fn next(seed: &mut u64) -> usize {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 33) as usize
}

/// Broken bytes end in an error that names the file or in rows, never in a panic that escapes or a dead process.
#[test]
fn flipped_and_cut_files_never_take_the_process_down() {
    let mut seed = 7;
    let mut errors = 0;
    for table in
        ["all_types_v2", "nested_deep", "parquet_pages", "variant_shredded", "bloom_dict", "addfiles_legacy_parquet"]
    {
        let case = scans_of(table).into_iter().next().unwrap();
        let task = ScanTask { delete_files: vec![], ..tasks_of(&case).remove(0) };
        let source = LocalStore.open(&task.data_file.location).unwrap();
        let good = source.read(0..source.len()).unwrap().to_vec();
        for round in 0..120 {
            let mut bytes = good.clone();
            if round % 6 == 0 {
                bytes.truncate(next(&mut seed) % good.len());
            } else {
                // Half of the blows go to the footer, where lengths are.
                let from = if round % 2 == 0 { good.len() * 2 / 3 } else { 0 };
                for _ in 0..1 + round % 4 {
                    let at = from + next(&mut seed) % (good.len() - from);
                    bytes[at] = next(&mut seed) as u8;
                }
            }
            if let Err(error) = read(&task, bytes) {
                errors += 1;
                assert!(matches!(error.code(), Code::CorruptFile | Code::Unsupported | Code::LimitExceeded), "{error}");
                assert!(error.context().any(|(key, _)| key == "file"), "{error}");
            }
        }
    }
    assert!(errors > 100, "only {errors} reads failed");
}

#[test]
fn files_that_are_not_parquet_are_refused_by_name() {
    let case = scans_of("all_types_v2").into_iter().next().unwrap();
    let task = tasks_of(&case).remove(0);
    for bytes in [vec![], b"PAR1".to_vec(), vec![0; 100], b"PAR1\xff\xff\xff\x7fPAR1".to_vec()] {
        let error = read(&task, bytes).unwrap_err();
        assert_eq!(error.code(), Code::CorruptFile);
    }
    let mut encrypted = b"PAR1".to_vec();
    encrypted.extend([0; 40]);
    encrypted.extend(b"\x04\0\0\0PARE");
    assert_eq!(read(&task, encrypted).unwrap_err().code(), Code::Unsupported);
}

#[test]
fn a_schema_deeper_than_any_stack_is_refused() {
    // FileMetaData { 2: list<struct> of elements that each have one child }
    let depth = 200_000_u32;
    let mut footer = vec![0x29, 0xfc];
    let mut size = depth;
    while size >= 0x80 {
        footer.push(size as u8 | 0x80);
        size >>= 7;
    }
    footer.push(size as u8);
    for _ in 0..depth {
        footer.extend([0x48, 1, b'a', 0x15, 2, 0]);
    }
    footer.push(0);
    let mut file = b"PAR1".to_vec();
    file.extend(&footer);
    file.extend((footer.len() as u32).to_le_bytes());
    file.extend(b"PAR1");
    let case = scans_of("all_types_v2").into_iter().next().unwrap();
    let error = read(&tasks_of(&case).remove(0), file).unwrap_err();
    assert!(matches!(error.code(), Code::Unsupported | Code::CorruptFile), "{error}");
}
