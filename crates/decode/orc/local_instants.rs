//! Instants that were written as wall clocks: Paimon's `orc.timestamp-ltz.legacy.type`, by which the value is the local
//! time of the stored instant in the zone of the writer.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowTimestampType, TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType,
    TimestampSecondType,
};
use arrow_array::{Array, ArrayRef, ListArray, MapArray, PrimitiveArray, StructArray};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::Tz;
use lakefold_base::{Error, Result};
use std::sync::Arc;

/// The zone that a stripe names; none if its instants need no change.
pub(super) fn zone(name: Option<&str>) -> Result<Option<Tz>> {
    match name {
        None | Some("" | "UTC" | "GMT" | "Z" | "Etc/UTC") => Ok(None),
        Some(name) => name
            .parse()
            .map(Some)
            .map_err(|_| Error::unsupported(format!("the time zone {name:?} of an ORC stripe")).with("value", name)),
    }
}

/// The column with each of its instants, at any depth, moved to the wall clock of a zone.
pub(super) fn localized(array: &ArrayRef, zone: Tz) -> Result<ArrayRef> {
    let built = |e: ArrowError| Error::internal("cannot build an array").caused_by(e);
    Ok(match array.data_type() {
        DataType::Timestamp(unit, Some(_)) => match unit {
            TimeUnit::Second => moved::<TimestampSecondType>(array, zone, 1)?,
            TimeUnit::Millisecond => moved::<TimestampMillisecondType>(array, zone, 1_000)?,
            TimeUnit::Microsecond => moved::<TimestampMicrosecondType>(array, zone, 1_000_000)?,
            TimeUnit::Nanosecond => moved::<TimestampNanosecondType>(array, zone, 1_000_000_000)?,
        },
        DataType::Struct(fields) => {
            let source = array.as_struct();
            let children = source.columns().iter().map(|c| localized(c, zone)).collect::<Result<_>>()?;
            let (fields, nulls) = (fields.clone(), source.nulls().cloned());
            Arc::new(StructArray::try_new_with_length(fields, children, nulls, array.len()).map_err(built)?)
        }
        DataType::List(element) => {
            let source = array.as_list::<i32>();
            let values = localized(source.values(), zone)?;
            let (offsets, nulls) = (source.offsets().clone(), source.nulls().cloned());
            Arc::new(ListArray::try_new(element.clone(), offsets, values, nulls).map_err(built)?)
        }
        DataType::Map(entries, sorted) => {
            let source = array.as_map();
            let pairs = localized(&(Arc::new(source.entries().clone()) as ArrayRef), zone)?;
            let (offsets, nulls) = (source.offsets().clone(), source.nulls().cloned());
            let pairs = pairs.as_struct().clone();
            Arc::new(MapArray::try_new(entries.clone(), offsets, pairs, nulls, *sorted).map_err(built)?)
        }
        _ => Arc::clone(array),
    })
}

fn moved<T: ArrowTimestampType>(array: &ArrayRef, zone: Tz, ticks: i64) -> Result<ArrayRef> {
    let source = array.as_primitive::<T>();
    let local = |instant: i64| {
        let seconds = instant.div_euclid(ticks);
        let beyond = || Error::corrupt(format!("an instant of {seconds} seconds"));
        let at = DateTime::from_timestamp(seconds, 0).ok_or_else(beyond)?;
        let offset = i64::from(zone.offset_from_utc_datetime(&at.naive_utc()).fix().local_minus_utc());
        offset.checked_mul(ticks).and_then(|offset| instant.checked_add(offset)).ok_or_else(beyond)
    };
    let values: PrimitiveArray<T> = source.try_unary(local)?;
    Ok(Arc::new(values.with_data_type(array.data_type().clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::TimestampMicrosecondArray;

    #[test]
    fn instants_become_wall_clocks_of_the_zone() {
        let instants = TimestampMicrosecondArray::from(vec![
            Some(1_705_338_000_123_456),
            None,
            Some(1_721_059_200_500_000),
            Some(-18_489_600_000_000),
        ]);
        let array: ArrayRef = Arc::new(instants.with_timezone("UTC"));
        let zone = zone(Some("America/New_York")).unwrap().unwrap();
        let found = localized(&array, zone).unwrap();
        let found = found.as_primitive::<TimestampMicrosecondType>();
        // 2024-01-15T12:00:00.123456, 2024-07-15T12:00:00.5, 1969-05-31T20:00 in New York.
        let wanted = vec![Some(1_705_320_000_123_456), None, Some(1_721_044_800_500_000), Some(-18_504_000_000_000)];
        assert_eq!(found.iter().collect::<Vec<_>>(), wanted);
    }

    #[test]
    fn zones_that_change_nothing_or_are_unknown() {
        assert!(zone(None).unwrap().is_none() && zone(Some("UTC")).unwrap().is_none());
        assert!(zone(Some("Mars/Olympus")).is_err());
    }
}
