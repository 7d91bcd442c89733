use super::convert::{conform, native_fields};
use super::local_instants;
use super::stripe::{Extracted, extract};
use super::tail::{Tail, read_tail};
use super::types::{Wanted, check, fields};
use crate::guard::guarded;
use crate::source::{DataFileReader, RawBatch, RawBatches, ReadRequest};
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, StructArray};
use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, SchemaRef};
use bytes::Bytes;
use chrono_tz::Tz;
use lakefold_base::{COUNTERS, Error, Result};
use lakefold_store::Source;
use orc_rust::{ArrowReader, ArrowReaderBuilder};
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// An open ORC file.
pub struct OrcFile {
    source: Arc<dyn Source>,
    tail: Tail,
    schema: SchemaRef,
    /// Whether instants were written as wall clocks.
    local_instants: bool,
}

impl OrcFile {
    /// Reads and checks postscript and footer. Encryption, LZO and newer types are `Unsupported`.
    pub fn open(source: Arc<dyn Source>) -> Result<Self> {
        let open = || {
            let tail = read_tail(&source)?;
            check(&tail.footer.types)?;
            let schema = Arc::new(Schema::new(fields(&tail.footer.types, 0)?));
            Ok((tail, schema))
        };
        let (tail, schema) = guarded(open).map_err(|e| e.in_file(source.location()))?;
        Ok(OrcFile { source, tail, schema, local_instants: false })
    }

    /// Tells whether instants are the wall clock of the stored instant in the writer's zone.
    pub fn with_local_instants(self, local_instants: bool) -> Self {
        OrcFile { local_instants, ..self }
    }
}

impl DataFileReader for OrcFile {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    /// A stripe belongs to the range in which its offset lies.
    fn read(self: Box<Self>, request: ReadRequest) -> Result<Box<dyn RawBatches>> {
        let asked = Fields::from(request.fields.clone());
        let prepare = || {
            let types = &self.tail.footer.types;
            let full = with_witnesses(&asked, self.schema.fields())?;
            let wanted = Wanted::new(types, &full)?;
            let native = Arc::new(Schema::new(native_fields(&wanted.types, 0, &full)?));
            Ok((full, wanted, native))
        };
        let (full, wanted, native) = prepare().map_err(|e: Error| e.in_file(self.source.location()))?;
        let schema = Arc::new(Schema::new(asked));
        let stripe = Stripe::None;
        Ok(Box::new(Rows { file: *self, request, full, wanted, native, schema, next: 0, row: 0, stripe, zone: None }))
    }
}

/// A struct of which no child is wanted still shows its nulls; orc-rust needs a child for that.
fn with_witnesses(asked: &Fields, own: &Fields) -> Result<Fields> {
    asked
        .iter()
        .map(|field| {
            let found = own.iter().find(|own| own.name() == field.name());
            let found = found.ok_or_else(|| Error::internal(format!("field {:?} is not in the file", field.name())))?;
            witness(field, found)
        })
        .collect()
}

fn witness(asked: &FieldRef, own: &FieldRef) -> Result<FieldRef> {
    let again = |data_type| Arc::new(Field::new(asked.name(), data_type, asked.is_nullable()));
    Ok(match (asked.data_type(), own.data_type()) {
        (DataType::Struct(children), DataType::Struct(own)) if children.is_empty() => {
            let first = own.iter().find(|child| !matches!(child.data_type(), DataType::Union(..)));
            let first = first.ok_or_else(|| Error::unsupported("an ORC struct without children"))?;
            again(DataType::Struct(Fields::from(vec![first.clone()])))
        }
        (DataType::Struct(children), DataType::Struct(own)) => again(DataType::Struct(with_witnesses(children, own)?)),
        (DataType::List(element), DataType::List(own)) => again(DataType::List(witness(element, own)?)),
        (DataType::Map(entries, sorted), DataType::Map(own, _)) => {
            again(DataType::Map(witness(entries, own)?, *sorted))
        }
        _ => asked.clone(),
    })
}

/// Takes the witnesses out again.
fn without_witnesses(array: &ArrayRef, full: &FieldRef, asked: &FieldRef) -> Result<ArrayRef> {
    use arrow_array::cast::AsArray;
    use arrow_array::{Array, ListArray, MapArray};
    if full.data_type() == asked.data_type() {
        return Ok(array.clone());
    }
    let built = match (full.data_type(), asked.data_type()) {
        (DataType::Struct(from), DataType::Struct(to)) => {
            let source = array.as_struct();
            let columns = source.columns().iter().zip(from).zip(to);
            let children = columns.map(|((c, f), t)| without_witnesses(c, f, t)).collect::<Result<_>>()?;
            StructArray::try_new_with_length(to.clone(), children, source.nulls().cloned(), array.len())
                .map(|a| Arc::new(a) as ArrayRef)
        }
        (DataType::List(from), DataType::List(to)) => {
            let source = array.as_list::<i32>();
            let values = without_witnesses(source.values(), from, to)?;
            ListArray::try_new(to.clone(), source.offsets().clone(), values, source.nulls().cloned())
                .map(|a| Arc::new(a) as ArrayRef)
        }
        (DataType::Map(from, _), DataType::Map(to, sorted)) => {
            let source = array.as_map();
            let entries = without_witnesses(&(Arc::new(source.entries().clone()) as ArrayRef), from, to)?;
            let (offsets, nulls) = (source.offsets().clone(), source.nulls().cloned());
            MapArray::try_new(to.clone(), offsets, entries.as_struct().clone(), nulls, *sorted)
                .map(|a| Arc::new(a) as ArrayRef)
        }
        _ => return Err(Error::internal("a witness outside of structs")),
    };
    built.map_err(|e| Error::internal("cannot build an array").caused_by(e))
}

struct Rows {
    file: OrcFile,
    request: ReadRequest,
    full: Fields,
    wanted: Wanted,
    native: SchemaRef,
    schema: SchemaRef,
    /// The next stripe.
    next: usize,
    /// Ordinal of the next row.
    row: u64,
    stripe: Stripe,
    /// Where the clock of the stripe's instants hung, if they are to be told by it.
    zone: Option<Tz>,
}

enum Stripe {
    None,
    /// Without columns: rows left.
    Bare(u64),
    /// With rows left.
    Open(Box<ArrowReader<Bytes>>, u64),
}

impl Rows {
    /// The next stripe of the range; earlier ones only count. False at the end.
    fn open_stripe(&mut self) -> Result<bool> {
        let start = self.request.start;
        let end = start.saturating_add(self.request.length);
        loop {
            self.request.context.check()?;
            let Some(info) = self.file.tail.footer.stripes.get(self.next) else { return Ok(false) };
            self.next += 1;
            if !(start..end).contains(&info.offset()) {
                self.row += info.number_of_rows();
                continue;
            }
            COUNTERS.groups_read.fetch_add(1, Ordering::Relaxed);
            let rows = info.number_of_rows();
            if self.full.is_empty() {
                self.stripe = Stripe::Bare(rows);
                return Ok(true);
            }
            let columns = self.file.tail.footer.types.len();
            let Extracted { bytes, zone } =
                extract(&self.file.source, self.file.tail.codec, info, &self.wanted, columns)?;
            if self.file.local_instants && self.wanted.has_instants() {
                self.zone = local_instants::zone(zone.as_deref())?;
            }
            let batch_size = self.batch_size(bytes.len(), rows);
            let builder = ArrowReaderBuilder::try_new(bytes).map_err(failed)?;
            let reader = builder.with_schema(self.native.clone()).with_batch_size(batch_size).build();
            self.stripe = Stripe::Open(Box::new(reader), rows);
            return Ok(true);
        }
    }

    /// Rows a batch, so that it keeps to the limits for rows and, about, for bytes.
    fn batch_size(&self, stripe_bytes: usize, stripe_rows: u64) -> usize {
        // Run lengths hide what values take in memory: at least a word each.
        let row = (stripe_bytes as u64 / stripe_rows.max(1)).max(8 * self.wanted.columns.len() as u64).max(1);
        let fit = self.request.context.options.batch_bytes as u64 / row;
        self.request.batch_size.min(fit.min(1 << 20) as usize).max(1)
    }

    fn advance(&mut self) -> Result<Option<RawBatch>> {
        loop {
            match &mut self.stripe {
                Stripe::None => {}
                Stripe::Bare(left) if *left > 0 => {
                    let rows = (*left).min(self.request.batch_size.max(1) as u64);
                    *left -= rows;
                    return self.hand_out(Vec::new(), rows as usize).map(Some);
                }
                Stripe::Open(reader, left) if *left > 0 => {
                    let Some(batch) = reader.next().transpose().map_err(failed)? else {
                        return Err(Error::corrupt(format!("an ORC stripe ends {left} rows early")));
                    };
                    let rows = batch.num_rows();
                    *left = (*left)
                        .checked_sub(rows as u64)
                        .filter(|_| rows > 0)
                        .ok_or_else(|| Error::corrupt("an ORC stripe with other rows than it says"))?;
                    let columns = self.shape(&batch)?;
                    return self.hand_out(columns, rows).map(Some);
                }
                Stripe::Bare(_) | Stripe::Open(..) => self.stripe = Stripe::None,
            }
            if matches!(self.stripe, Stripe::None) && !self.open_stripe()? {
                return Ok(None);
            }
        }
    }

    fn shape(&self, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
        if batch.num_columns() != self.full.len() {
            return Err(Error::corrupt(format!("{} ORC columns, not {}", batch.num_columns(), self.full.len())));
        }
        let columns = batch.columns().iter().zip(&self.full).zip(self.schema.fields());
        let shaped = columns.map(|((array, full), asked)| without_witnesses(&conform(array, full)?, full, asked));
        match self.zone {
            Some(zone) => shaped.map(|column| local_instants::localized(&column?, zone)).collect(),
            None => shaped.collect(),
        }
    }

    fn hand_out(&mut self, columns: Vec<ArrayRef>, rows: usize) -> Result<RawBatch> {
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let batch = RecordBatch::try_new_with_options(self.schema.clone(), columns, &options)
            .map_err(|e| Error::corrupt("broken values").caused_by(e))?;
        let first_row = self.row;
        self.row += rows as u64;
        Ok(RawBatch { batch, first_row })
    }
}

fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::corrupt("the ORC file cannot be decoded").caused_by(error)
}

impl RawBatches for Rows {
    fn next(&mut self) -> Result<Option<RawBatch>> {
        guarded(|| self.advance()).map_err(|e| e.in_file(self.file.source.location()))
    }
}
