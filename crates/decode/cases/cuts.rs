use super::{PLAIN, rows, scans_of, tasks_of};
use lakefold_task::ScanTask;

/// Cuts a task's file at equal distances.
fn cut(task: &ScanTask, pieces: u64) -> Vec<ScanTask> {
    let size = task.data_file.file_size_in_bytes;
    let at = |i: u64| size * i / pieces;
    (0..pieces).map(|i| ScanTask { start: at(i), length: at(i + 1) - at(i), ..task.clone() }).collect()
}

#[test]
fn any_cut_of_a_file_covers_each_row_once() {
    let mut files = 0;
    for table in ["row_groups", "parquet_pages", "avro_data", "orc_data", "codecs", "posdel_unpart"] {
        for case in scans_of(table).iter().take(1) {
            for task in tasks_of(case) {
                let whole = ScanTask { start: 0, length: task.data_file.file_size_in_bytes, ..task };
                let wanted = rows(std::slice::from_ref(&whole), PLAIN).unwrap();
                for pieces in [2, 3, 7] {
                    assert_eq!(
                        rows(&cut(&whole, pieces), PLAIN).unwrap(),
                        wanted,
                        "{pieces} pieces of {}",
                        whole.data_file.path
                    );
                }
                files += 1;
            }
        }
    }
    assert!(files > 15, "{files} files");
}
