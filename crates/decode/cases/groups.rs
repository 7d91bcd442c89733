use super::{PLAIN, context, expected, in_key_order, plain_cases, render, rows, scans_of, table, tasks_of};
use crate::{Options, TaskGroup};
use arrow_array::RecordBatch;
use lakefold_base::{Code, Result};
use lakefold_task::ScanTask;

fn group(tasks: &[ScanTask], options: Options) -> TaskGroup {
    let documents = tasks.iter().map(|task| serde_json::to_string(task).unwrap()).collect();
    TaskGroup::new(documents, context(options))
}

fn drain(group: &mut TaskGroup) -> (Vec<RecordBatch>, Result<()>) {
    let mut batches = Vec::new();
    loop {
        match group.next() {
            Ok(Some(batch)) => batches.push(batch),
            Ok(None) => return (batches, Ok(())),
            Err(error) => return (batches, Err(error)),
        }
    }
}

#[test]
fn the_tasks_of_a_plan_read_as_a_group_give_the_rows_of_the_reference_in_few_batches() {
    let (mut groups, mut merged) = (0, 0);
    for case in plain_cases(|_| false).into_iter().step_by(4) {
        let Some(tasks) = table::tasks(&case).filter(|tasks| tasks.len() > 1) else { continue };
        for batch_size in [3, 1 << 20] {
            let options = Options { batch_size, ..PLAIN };
            let (batches, end) = drain(&mut group(&tasks, options));
            end.unwrap();
            assert!(batches.iter().all(|b| b.num_rows() > 0 && b.num_rows() <= batch_size));
            // None could have taken the next one in as well.
            assert!(batches.windows(2).all(|b| b[0].num_rows() + b[1].num_rows() > batch_size), "{}", case["id"]);
            let mut lines = Vec::new();
            batches.iter().for_each(|batch| render::rows(&tasks[0].projection, batch, &mut lines));
            merged += usize::from(batches.len() < tasks.len());
            // In order: a lone task after the other gives the same.
            let mut one_by_one = Vec::new();
            for task in &tasks {
                let (batches, end) = drain(&mut group(std::slice::from_ref(task), options));
                end.unwrap();
                batches.iter().for_each(|batch| render::rows(&task.projection, batch, &mut one_by_one));
            }
            assert_eq!(lines, one_by_one, "{}", case["id"]);
            lines.sort();
            let id = case["id"].as_str().unwrap();
            assert_eq!(in_key_order(id, lines), in_key_order(id, expected(&case)), "{id}");
        }
        groups += 1;
    }
    assert!(groups > 30 && merged > 30, "{groups} groups, {merged} merged");
}

#[test]
fn an_error_comes_after_the_rows_of_the_tasks_before_it_and_names_its_file() {
    let mut tasks = tasks_of(&scans_of("posdel_unpart")[0]);
    assert!(tasks.len() > 2);
    let before = rows(&tasks[..2], PLAIN).unwrap().len();
    tasks[2].data_file.path = "gone".to_string();
    tasks[2].data_file.location = "/nowhere/gone".to_string();
    let mut group = group(&tasks, PLAIN);
    let (batches, end) = drain(&mut group);
    assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), before);
    let error = end.unwrap_err();
    assert_eq!(error.code(), Code::FileNotFound);
    assert!(error.context().any(|(_, value)| value.ends_with("gone")), "{error:?}");
    assert!(group.next().unwrap().is_none());
}
