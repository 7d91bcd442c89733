use super::{render, types};
use crate::{Context, DeleteCache, Options, TaskReader, delete_rows, open};
use lakefold_base::Result;
use lakefold_store::LocalStore;
use lakefold_task::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../__test__/fixtures/paimon")
}

/// A table of the fixtures with the schema of one case.
pub(super) struct Table {
    dir: PathBuf,
    schema: Vec<Field>,
    options: HashMap<String, String>,
    primary: Vec<String>,
    partitions: Vec<String>,
}

fn names(json: &Value) -> Vec<String> {
    json.as_array().unwrap().iter().map(|n| n.as_str().unwrap().to_string()).collect()
}

impl Table {
    pub(super) fn of(case: &Value) -> Self {
        let name = case["table"].as_str().unwrap().trim_start_matches("fx.");
        let dir = root().join("warehouse/fx.db").join(name);
        let json = schema_file(&dir, case["schemaId"].as_i64().unwrap());
        let options = json["options"].as_object().unwrap();
        Self {
            schema: types::fields(&json["fields"]),
            options: options.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap().to_string())).collect(),
            primary: names(&json["primaryKeys"]),
            partitions: names(&json["partitionKeys"]),
            dir,
        }
    }

    fn field(&self, name: &str) -> &Field {
        self.schema.iter().find(|f| f.name == name).unwrap()
    }

    fn id(&self, name: &str) -> i32 {
        self.field(name).id
    }

    fn ids(&self, names: &str) -> Vec<i32> {
        names.split(',').map(|n| self.id(n.trim())).collect()
    }

    fn option(&self, key: &str) -> Option<&str> {
        self.options.get(key).map(String::as_str)
    }

    fn flag(&self, keys: &[&str]) -> bool {
        keys.iter().any(|k| self.option(k) == Some("true"))
    }

    fn aggregates(&self) -> Vec<Aggregate> {
        let of = |field: &Field| {
            let prefix = format!("fields.{}.", field.name);
            let mut options: BTreeMap<String, String> = self
                .options
                .iter()
                .filter_map(|(k, v)| Some((k.strip_prefix(&prefix)?.to_string(), v.clone())))
                .collect();
            let function = options.remove("aggregate-function");
            (function.is_some() || !options.is_empty()).then_some(Aggregate { field_id: field.id, function, options })
        };
        self.schema.iter().filter_map(of).collect()
    }

    fn engine(&self) -> Engine {
        let default_function = self.option("fields.default-aggregate-function").map(str::to_string);
        match self.option("merge-engine").unwrap_or("deduplicate") {
            "deduplicate" => {
                Engine::Deduplicate { ignore_delete: self.flag(&["ignore-delete", "deduplicate.ignore-delete"]) }
            }
            "first-row" => Engine::FirstRow { ignore_delete: self.flag(&["ignore-delete", "first-row.ignore-delete"]) },
            "partial-update" => Engine::PartialUpdate {
                ignore_delete: self.flag(&["ignore-delete", "partial-update.ignore-delete"]),
                remove_record_on_delete: self.flag(&["partial-update.remove-record-on-delete"]),
                remove_record_on_sequence_group: self
                    .option("partial-update.remove-record-on-sequence-group")
                    .map_or_else(Vec::new, |n| self.ids(n)),
                groups: self
                    .options
                    .iter()
                    .filter_map(|(k, v)| {
                        let sequence = k.strip_prefix("fields.")?.strip_suffix(".sequence-group")?;
                        Some(SequenceGroup { sequence: self.ids(sequence), fields: self.ids(v) })
                    })
                    .collect(),
                aggregates: self.aggregates(),
                default_function,
            },
            "aggregation" => Engine::Aggregation {
                remove_record_on_delete: self.flag(&["aggregation.remove-record-on-delete"]),
                aggregates: self.aggregates(),
                default_function,
            },
            other => panic!("engine {other}"),
        }
    }

    fn merge(&self, files: Vec<RowFile>, keep_deletes: bool) -> Merge {
        let order = match self.option("sequence.field.sort-order") {
            Some("descending") => SortOrder::Desc,
            _ => SortOrder::Asc,
        };
        let sequence = self.option("sequence.field").map_or_else(Vec::new, |n| self.ids(n));
        Merge {
            keys: self.primary.iter().filter(|n| !self.partitions.contains(n)).map(|n| self.id(n)).collect(),
            sequence: sequence.into_iter().map(|field_id| SequenceField { field_id, order }).collect(),
            engine: self.engine(),
            keep_deletes,
            retract: false,
            // Each file is a run of its own: no worse than the reference's runs, only more of them.
            sections: vec![files.into_iter().map(|f| vec![f]).collect()],
            part: None,
        }
    }

    fn files(&self, split: &Value, key: &str) -> Vec<RowFile> {
        let deletions = split["deletionFiles"].as_array().cloned().unwrap_or_default();
        let of = |(index, file): (usize, &Value)| {
            let in_table = || {
                let partition = split["partition"].as_object().unwrap();
                let levels = partition.iter().map(|(k, v)| format!("{k}={}/", v.as_str().unwrap_or(&v.to_string())));
                format!("{}bucket-{}", levels.collect::<String>(), split["bucket"])
            };
            let bucket = self.dir.join(split["bucketPath"].as_str().map_or_else(in_table, str::to_string));
            let name = file["name"].as_str().unwrap();
            let location = match file["externalPath"].as_str() {
                Some(path) => path.replace("file:/lake/paimon", &root().join("warehouse").to_string_lossy()),
                None => bucket.join(name).to_string_lossy().into_owned(),
            };
            let format = match name.rsplit('.').next().unwrap() {
                "orc" => FileFormat::Orc,
                "avro" => FileFormat::Avro,
                "blob" => FileFormat::Blob,
                _ => FileFormat::Parquet,
            };
            let delete = deletions.get(index).filter(|d| d.is_object() && key == "files").map(|d| {
                let path = self.dir.join(d["path"].as_str().unwrap()).to_string_lossy().into_owned();
                DeleteFile {
                    content: DeleteContent::PaimonDv,
                    path: path.clone(),
                    location: path,
                    format: FileFormat::Puffin,
                    file_size_in_bytes: 0,
                    record_count: d["cardinality"].as_i64().unwrap_or(-1),
                    data_sequence_number: 0,
                    spec_id: 0,
                    content_offset: d["offset"].as_u64(),
                    content_size_in_bytes: d["length"].as_u64(),
                    referenced_data_file: Some(location.clone()),
                    equality_ids: None,
                    equality_fields: None,
                    lower_path: None,
                    upper_path: None,
                }
            });
            let mut fields = types::fields(&schema_file(&self.dir, file["schemaId"].as_i64().unwrap())["fields"]);
            if format == FileFormat::Blob {
                let written = names(&file["writeCols"]);
                fields.retain(|f| written.contains(&f.name));
            }
            RowFile {
                data_file: DataFile {
                    path: location.clone(),
                    location,
                    format,
                    file_size_in_bytes: file["fileSize"].as_u64().unwrap_or(0),
                    record_count: file["rowCount"].as_i64().unwrap_or(-1),
                    fields: Some(fields),
                    lines: None,
                    blob_descriptors: false,
                    local_instants: false,
                    ignore: Default::default(),
                },
                delete_files: delete.into_iter().collect(),
                first_row_id: file["firstRowId"].as_i64(),
                max_sequence_number: file["maxSequenceNumber"].as_i64(),
            }
        };
        split[key].as_array().unwrap().iter().enumerate().map(of).collect()
    }

    /// The groups of a split with files of the same row ids.
    fn stitches(&self, split: &Value) -> Vec<Stitch> {
        let mut groups: BTreeMap<i64, Vec<(Value, RowFile)>> = BTreeMap::new();
        for (json, file) in split["files"].as_array().unwrap().iter().zip(self.files(split, "files")) {
            groups.entry(file.first_row_id.unwrap()).or_default().push((json.clone(), file));
        }
        let stitch = |(first_row_id, mut files): (i64, Vec<(Value, RowFile)>)| {
            files.sort_by_key(|(_, f)| std::cmp::Reverse(f.max_sequence_number));
            let row_count = files[0].1.data_file.record_count as u64;
            let part = |(json, file): (Value, RowFile)| {
                let fields = file.data_file.fields.clone().unwrap();
                let written = json["writeCols"].as_array().map(|_| names(&json["writeCols"]));
                let held = fields.iter().filter(|f| written.as_ref().is_none_or(|w| w.contains(&f.name)));
                Part { field_ids: held.map(|f| f.id).collect(), files: vec![file] }
            };
            Stitch { parts: files.into_iter().map(part).collect(), first_row_id, row_count }
        };
        groups.into_iter().map(stitch).collect()
    }

    fn tasks(&self, split: &Value, kinds: bool, projection: &[Field], streaming: bool) -> Vec<ScanTask> {
        let mut partition = Vec::new();
        for (name, value) in split["partition"].as_object().unwrap() {
            let field = self.field(name);
            partition.push(PartitionField {
                field_id: 1000 + field.id,
                name: name.clone(),
                source_ids: vec![field.id],
                transform: "identity".into(),
                field_type: field.field_type.clone(),
                value: value.clone(),
            });
        }
        let task = |file: &RowFile, rows: Rows| ScanTask {
            version: VERSION,
            data_file: file.data_file.clone(),
            start: 0,
            length: u64::MAX,
            snapshot_id: None,
            spec_id: 0,
            data_sequence_number: file.max_sequence_number.unwrap_or(0),
            file_sequence_number: None,
            first_row_id: file.first_row_id,
            partition: partition.clone(),
            partition_type: Vec::new(),
            schema: self.schema.clone(),
            projection: projection.to_vec(),
            residual: Filter::Const(true),
            residual_text: None,
            name_mapping: None,
            delete_files: if rows == Rows::Plain { file.delete_files.clone() } else { Vec::new() },
            only_deleted_by: None,
            row_ranges: None,
            constants: BTreeMap::new(),
            rows,
        };
        let files = self.files(split, "files");
        if self.flag(&["data-evolution.enabled"]) && split["rawConvertible"] == false {
            let stitches = self.stitches(split);
            return stitches.into_iter().map(|s| task(&s.parts[0].files[0].clone(), Rows::Stitch(s))).collect();
        }
        if split.get("beforeFiles").is_some() && !self.primary.is_empty() {
            let before = vec![self.files(split, "beforeFiles").into_iter().map(|f| vec![f]).collect()];
            let all: Vec<RowFile> = files.iter().cloned().chain(self.files(split, "beforeFiles")).collect();
            // The reference read these without deletions, though with kinds.
            let diff = Diff { before, merge: self.merge(files, false) };
            let Some(first) = all.first() else { return Vec::new() };
            return vec![task(first, Rows::Diff(Box::new(diff)))];
        }
        if streaming || self.primary.is_empty() {
            return vec![task(&files[0].clone(), Rows::Concat(Concat { files, keep_deletes: kinds }))];
        }
        if split["rawConvertible"] == true {
            return files.iter().map(|f| task(f, Rows::Plain)).collect();
        }
        vec![task(&files[0].clone(), Rows::Merge(Box::new(self.merge(files, kinds))))]
    }

    /// The rows of a case's plan, merges in so many parts.
    pub(super) fn rows(&self, case: &Value, parts: usize) -> Result<Vec<Value>> {
        let kinds = case.get("rowKinds").is_some();
        let streaming = case["kind"] != "scan";
        let mut projection: Vec<Field> = Vec::new();
        for column in case["columns"].as_array().unwrap() {
            let name = column["name"].as_str().unwrap();
            projection.push(match name {
                "_ROW_ID" | "_SEQUENCE_NUMBER" => Field {
                    id: if name == "_ROW_ID" { reserved::ROW_ID } else { reserved::LAST_UPDATED_SEQUENCE_NUMBER },
                    name: name.into(),
                    required: false,
                    field_type: Type::Long,
                    initial_default: None,
                },
                _ => self.field(name).clone(),
            });
        }
        if kinds {
            projection.push(Field {
                id: reserved::ROW_KIND,
                name: "_kind".into(),
                required: false,
                field_type: Type::String,
                initial_default: None,
            });
        }
        let mut rows = Vec::new();
        // Batches far smaller than files, so that runs and groups cross their ends.
        let context = context(7);
        for split in case["plan"]["splits"].as_array().unwrap() {
            let tasks = self.tasks(split, kinds, &projection, streaming);
            for task in tasks.iter().flat_map(|task| divided(task, parts)) {
                // Through the text form, as tasks travel.
                let task = ScanTask::from_json(&json!(task).to_string())?;
                let mut reader = open(Arc::new(task), Arc::clone(&context))?;
                while let Some(batch) = TaskReader::next(&mut reader)? {
                    for row in 0..batch.num_rows() {
                        let pairs = projection.iter().zip(batch.columns());
                        let pair = |(f, c): (&Field, _)| (f.name.clone(), render::value(&f.field_type, c, row));
                        rows.push(Value::Object(pairs.map(pair).collect()));
                    }
                }
            }
        }
        Ok(rows)
    }
}

/// A task, or the parts that it is divided into.
fn divided(task: &ScanTask, parts: usize) -> Vec<ScanTask> {
    match &task.rows {
        Rows::Merge(merge) if parts > 1 => {
            let part = |index| Merge { part: Some(KeyPart { index, count: parts }), ..merge.as_ref().clone() };
            (0..parts).map(|index| ScanTask { rows: Rows::Merge(Box::new(part(index))), ..task.clone() }).collect()
        }
        _ => vec![task.clone()],
    }
}

fn context(batch_size: usize) -> Arc<Context> {
    Arc::new(Context {
        store: Arc::new(LocalStore),
        cancel: Default::default(),
        options: Options { batch_size, batch_bytes: 1 << 20, prune: true, verify_crc: true },
        deletes: Arc::new(DeleteCache::new(delete_rows)),
        meter: Arc::default(),
        footers: Arc::default(),
        cuts: Arc::default(),
        dictionaries: Arc::default(),
        crew: Arc::new(crate::Crew::new(3, 1)),
    })
}

fn schema_file(dir: &Path, id: i64) -> Value {
    let path = dir.join(format!("schema/schema-{id}"));
    serde_json::from_str(&std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path:?}: {e}"))).unwrap()
}
