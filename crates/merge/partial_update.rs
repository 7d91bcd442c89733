use arrow_array::Array;
use lakefold_base::{Code, Error, Result};
use lakefold_task::Engine as Wanted;
use std::cmp::Ordering;

use crate::engine::{Engine, Entry};
use crate::functions::{Function, create};
use crate::kind;
use crate::output::{Output, Pick};
use crate::spec::{Spec, nullable};
use crate::value::{Value, compare};

/// Fields that are not null overwrite; fields of a sequence group only if the group's sequence is not older.
pub(crate) struct PartialUpdate {
    ignore_delete: bool,
    remove_on_delete: bool,
    /// Whether the table has groups at all, of columns that are read or not.
    grouped: bool,
    groups: Vec<Group>,
    columns: Vec<Column>,
    row: Vec<Pick>,
}

/// The sequence columns of a group.
struct Group {
    sequence: Vec<usize>,
    /// Whether a `-D` deletes the row.
    deletes: bool,
}

struct Column {
    system: bool,
    required: bool,
    name: String,
    group: Option<usize>,
    function: Option<Box<dyn Function>>,
}

impl PartialUpdate {
    pub(crate) fn new(spec: &Spec) -> Result<Self> {
        let Wanted::PartialUpdate {
            ignore_delete,
            remove_record_on_delete,
            remove_record_on_sequence_group,
            groups: wanted,
            aggregates,
            default_function,
        } = &spec.engine
        else {
            return Err(Error::internal("not a partial update"));
        };
        let bad = |problem: &str| Error::new(Code::InvalidArgument, problem.to_string());
        if *ignore_delete && (*remove_record_on_delete || !remove_record_on_sequence_group.is_empty()) {
            return Err(bad("ignore-delete together with the removal of records"));
        }
        if *remove_record_on_delete && !wanted.is_empty() {
            return Err(bad("remove-record-on-delete together with sequence groups"));
        }
        let mut groups = Vec::new();
        let mut of_field: Vec<Option<usize>> = vec![None; spec.fields.len()];
        for group in wanted {
            let all: Vec<i32> = group.sequence.iter().chain(&group.fields).copied().collect();
            if spec.keys.iter().any(|key| all.contains(&spec.fields[*key].id)) {
                return Err(bad("a sequence group with a primary key field"));
            }
            // A group none of whose columns are read has no part in the merge.
            let sequence: Vec<usize> = group.sequence.iter().filter_map(|id| spec.column(*id)).collect();
            if sequence.len() != group.sequence.len() || sequence.is_empty() {
                if all.iter().any(|id| !group.sequence.contains(id) && spec.column(*id).is_some()) {
                    return Err(bad("a sequence group without its sequence fields"));
                }
                continue;
            }
            for column in all.iter().filter_map(|id| spec.column(*id)) {
                let taken = of_field[column].replace(groups.len());
                if taken.is_some_and(|other| other != groups.len()) {
                    return Err(bad("a field in two sequence groups").with("field", &spec.fields[column].name));
                }
            }
            let deletes = group.sequence.iter().any(|id| remove_record_on_sequence_group.contains(id));
            groups.push(Group { sequence, deletes });
        }
        let mut columns = Vec::with_capacity(spec.fields.len());
        for (column, field) in spec.fields.iter().enumerate() {
            let system = spec.is_system(column);
            let group = of_field[column];
            let orders = group.is_some_and(|g| groups[g].sequence.contains(&column));
            let own = aggregates.iter().find(|a| a.field_id == field.id);
            let name = own.and_then(|a| a.function.as_deref()).or(default_function.as_deref());
            let function = match name {
                _ if system || orders => None,
                _ if spec.keys.contains(&column) => Some("primary-key"),
                Some(name) if !matches!(name, "last_non_null_value" | "primary-key") && group.is_none() => {
                    return Err(bad("an aggregate function outside of a sequence group")
                        .with("function", name)
                        .with("field", &field.name));
                }
                name => name,
            };
            let function =
                function.map(|f| create(f, field, spec.schema.field(column).data_type(), own)).transpose()?;
            columns.push(Column { system, required: !nullable(field), name: field.name.clone(), group, function });
        }
        Ok(Self {
            ignore_delete: *ignore_delete,
            remove_on_delete: *remove_record_on_delete,
            grouped: !wanted.is_empty(),
            groups,
            row: vec![Pick::Null; columns.len()],
            columns,
        })
    }

    /// How a row's sequence compares with what is merged so far; none if it is all null and touches nothing.
    fn sequence(&self, group: usize, entry: Entry, output: &Output) -> Option<Ordering> {
        let columns = &self.groups[group].sequence;
        let new: Vec<Option<Value>> = columns.iter().map(|c| read(output, entry, *c)).collect();
        if new.iter().all(Option::is_none) {
            return None;
        }
        let orders = columns.iter().zip(&new).map(|(c, new)| compare(new, &value(output, &self.row[*c], *c)));
        Some(orders.into_iter().find(|o| o.is_ne()).unwrap_or(Ordering::Equal))
    }

    fn insert(&mut self, entry: Entry, output: &Output) -> Result<()> {
        let orders: Vec<Option<Ordering>> =
            (0..self.groups.len()).map(|group| self.sequence(group, entry, output)).collect();
        for column in 0..self.columns.len() {
            let Column { system, required, name, group, function } = &mut self.columns[column];
            if *system {
                continue;
            }
            let input = pick(output, entry, column);
            let is_null = matches!(input, Pick::Null);
            let apply = |function: &mut Box<dyn Function>, row: &mut Pick, older: bool| -> Result<()> {
                let accumulator = value(output, &std::mem::take(row), column);
                let input = read(output, entry, column);
                let result =
                    if older { function.add_older(accumulator, input) } else { function.add(accumulator, input) };
                *row = result?.map_or(Pick::Null, Pick::Made);
                Ok(())
            };
            let row = &mut self.row[column];
            match (*group, function) {
                (None, Some(function)) => apply(function, row, false)?,
                (None, None) if !is_null => *row = input,
                (None, None) if *required && !self.grouped => {
                    return Err(Error::corrupt("a required field is null in a partial update").with("field", &*name));
                }
                (None, None) => {}
                (Some(group), function) => match (orders[group], function) {
                    (None, _) => {}
                    (Some(Ordering::Less), Some(function)) => apply(function, row, true)?,
                    (Some(Ordering::Less), None) => {}
                    (Some(_), Some(function)) => apply(function, row, false)?,
                    (Some(_), None) => *row = input,
                },
            }
        }
        Ok(())
    }

    /// Takes a row back from its groups; says whether it deletes the whole row.
    fn retract(&mut self, entry: Entry, output: &Output) -> Result<bool> {
        let orders: Vec<Option<Ordering>> =
            (0..self.groups.len()).map(|group| self.sequence(group, entry, output)).collect();
        let deletes = |(group, order): (&Group, &Option<Ordering>)| group.deletes && order.is_some_and(Ordering::is_ge);
        if entry.kind == kind::DELETE && self.groups.iter().zip(&orders).any(deletes) {
            return Ok(true);
        }
        for column in 0..self.columns.len() {
            let Some(group) = self.columns[column].group else { continue };
            let Some(order) = orders[group] else { continue };
            if self.groups[group].sequence.contains(&column) {
                if order.is_ge() {
                    self.row[column] = pick(output, entry, column);
                }
                continue;
            }
            match &mut self.columns[column].function {
                Some(function) => {
                    let accumulator = value(output, &std::mem::take(&mut self.row[column]), column);
                    let result = function.retract(accumulator, read(output, entry, column))?;
                    self.row[column] = result.map_or(Pick::Null, Pick::Made);
                }
                None if order.is_ge() => self.row[column] = Pick::Null,
                None => {}
            }
        }
        Ok(false)
    }

    /// Starts over with all that a row holds: what later rows leave null keeps the values of a retraction.
    fn start(&mut self, entry: Entry, output: &Output) {
        for (column, row) in self.row.iter_mut().enumerate() {
            if !self.columns[column].system {
                *row = pick(output, entry, column);
            }
        }
    }
}

fn read(output: &Output, entry: Entry, column: usize) -> Option<Value> {
    Value::read(&output.batch(entry.slot).columns[column], entry.row as usize)
}

fn pick(output: &Output, entry: Entry, column: usize) -> Pick {
    match output.batch(entry.slot).columns[column].is_null(entry.row as usize) {
        true => Pick::Null,
        false => Pick::At(entry.slot, entry.row),
    }
}

impl Engine for PartialUpdate {
    fn by_column(&self) -> bool {
        true
    }

    fn merge(&mut self, group: &[Entry], output: &mut Output) -> Result<()> {
        self.columns.iter_mut().filter_map(|c| c.function.as_mut()).for_each(|f| f.reset());
        self.row.iter_mut().for_each(|p| *p = Pick::Null);
        let (mut started, mut inserted, mut deleted, mut last) = (false, false, false, None);
        for entry in group {
            deleted = false;
            if !entry.retracts() {
                self.insert(*entry, output)?;
                (started, inserted, last) = (true, true, Some(*entry));
                continue;
            }
            if !started {
                self.start(*entry, output);
                started = true;
            }
            if self.ignore_delete {
                continue;
            }
            last = Some(*entry);
            if self.grouped {
                if self.retract(*entry, output)? {
                    self.start(*entry, output);
                    deleted = true;
                }
            } else if self.remove_on_delete {
                if entry.kind == kind::DELETE {
                    self.start(*entry, output);
                    deleted = true;
                }
            } else {
                return Err(Error::corrupt(
                    "partial-update takes no -U and -D rows without ignore-delete, remove-record-on-delete or \
                     sequence groups",
                ));
            }
        }
        let last = last.or(group.last().copied());
        for (column, pick) in self.columns.iter().zip(&mut self.row) {
            if column.system
                && let Some(last) = last
            {
                *pick = Pick::At(last.slot, last.row);
            }
        }
        output.push_row(if deleted || !inserted { kind::DELETE } else { kind::INSERT }, &mut self.row);
        Ok(())
    }
}

/// What a pick of a column stands for.
fn value(output: &Output, pick: &Pick, column: usize) -> Option<Value> {
    match pick {
        Pick::Null => None,
        Pick::At(slot, row) => Value::read(&output.batch(*slot).columns[column], *row as usize),
        Pick::Made(value) => Some(value.clone()),
    }
}
