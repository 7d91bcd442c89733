//! Dates, times and timestamps in text, by the rules of the reference's own parsers, oddities too.

use crate::civil::days_from_civil;

const NANOS_A_DAY: i128 = 86_400_000_000_000;
const MILLIS_A_DAY: i64 = 86_400_000;

/// Blanks and control characters cut, as Java does.
fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// Digits alone, within 32 bits.
fn number(text: &str) -> Option<i64> {
    let text = trim(text);
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse::<i32>().ok()).flatten().map(i64::from)
}

fn leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn last_day(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970: `year[-month[-day]]` with years to 9999; what follows a blank is left out.
pub(super) fn date(text: &str) -> Option<i32> {
    let text = match text.find(' ') {
        Some(at) if at > 0 => &text[..at],
        _ => text,
    };
    let mut parts = text.splitn(3, '-');
    let year = number(parts.next()?)?;
    let month = parts.next().map_or(Some(1), number)?;
    let day = parts.next().map_or(Some(1), number)?;
    let known = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=last_day(year, month)).contains(&day);
    known.then(|| days_from_civil(year, month, day)).and_then(|days| i32::try_from(days).ok())
}

/// Millis of the day: `hour[:minute[:second[.fraction]]]` and an offset, which is added after a `+` and taken off after a
/// `-`. A sum outside of the day is no time of day.
pub(super) fn time(text: &str) -> Option<i32> {
    let sign = if text.contains('-') { -1 } else { 1 };
    let zone = text.find('-').or_else(|| text.find('+'));
    let (offset_hours, offset_minutes) = match zone.map(|at| &text[at + 1..]) {
        None => (0, 0),
        Some(zone) => match zone.split_once(':') {
            None => (number(zone)?, 0),
            Some((hours, minutes)) => (number(hours)?, number(minutes)?),
        },
    };
    let clock = &text[..zone.unwrap_or(text.len())];
    let colons = clock.matches(':').count();
    if colons < 2 && text.matches(':').count() > colons {
        // The reference takes the offset's colon for one of the clock.
        return None;
    }
    let mut parts = clock.splitn(3, ':');
    let hour = number(parts.next()?)?;
    let minute = parts.next().map_or(Some(0), number)?;
    let (second, millis) = match parts.next() {
        None => (0, 0),
        Some(rest) => match rest.split_once('.') {
            None => (number(rest)?, 0),
            Some((second, fraction)) => (number(second)?, fraction_millis(trim(fraction))),
        },
    };
    let (hour, minute) = (hour + sign * offset_hours, minute + sign * offset_minutes);
    let total = hour * 3_600_000 + minute * 60_000 + second * 1000 + millis;
    (0..MILLIS_A_DAY).contains(&total).then_some(total as i32)
}

/// Three digits, rounded by the fourth; what is no digit counts as zero.
fn fraction_millis(text: &str) -> i64 {
    let digit = |c: char| c.to_digit(10).map_or(0, i64::from);
    let mut millis = 0;
    let mut weight = 100;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        millis += weight * digit(c);
        if weight == 1 {
            return millis + i64::from(rest.next().is_some_and(|c| c >= '5'));
        }
        weight /= 10;
    }
    millis
}

/// Nanoseconds since 1970 of `year-month-day[ hour:minute:second[.fraction]]`. Numbers but the year may be missing; a day
/// that its month has not becomes the month's last, and 24:00:00 the next day's start.
pub(super) fn timestamp(text: &str) -> Option<i128> {
    let mut cursor = Cursor { bytes: text.as_bytes(), at: 0 };
    let year = cursor.year()?;
    cursor.literal(b'-')?;
    let month = cursor.short();
    cursor.literal(b'-')?;
    let day = cursor.short();
    let start = cursor.at;
    let clock = cursor.clock();
    if clock.is_none() {
        cursor.at = start;
    }
    if cursor.at < cursor.bytes.len() {
        return None;
    }
    let within = |value: Option<i64>, low: i64, high: i64, missing: i64| match value {
        None => Some(missing),
        Some(value) => (low..=high).contains(&value).then_some(value),
    };
    let (month_value, day_value) = (within(month, 1, 12, 1)?, within(day, 1, 31, 1)?);
    let full = month.is_some() && day.is_some();
    let day_value = if full { day_value.min(last_day(year, month_value)) } else { day_value };
    if day_value > last_day(year, month_value) {
        return None;
    }
    let mut days = i128::from(days_from_civil(year, month_value, day_value));
    let Clock { hour, minute, second, nanos } = clock.unwrap_or_default();
    let (minute_value, second_value) = (within(minute, 0, 59, 0)?, within(second, 0, 59, 0)?);
    let nanos_value = nanos.unwrap_or(0);
    // Java leaves a clock with a gap unresolved, and then 24 is no hour.
    let gap = minute.is_none() && (second.is_some() || nanos.is_some())
        || minute.is_some() && second.is_none() && nanos.is_some();
    let hour_value = match hour {
        Some(24) if !gap && minute_value + second_value + nanos_value == 0 => {
            days += i128::from(full);
            0
        }
        hour => within(hour, 0, 23, 0)?,
    };
    let seconds = (hour_value * 60 + minute_value) * 60 + second_value;
    Some(days * NANOS_A_DAY + i128::from(seconds) * 1_000_000_000 + i128::from(nanos_value))
}

#[derive(Default)]
struct Clock {
    hour: Option<i64>,
    minute: Option<i64>,
    second: Option<i64>,
    nanos: Option<i64>,
}

struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Cursor<'_> {
    fn literal(&mut self, byte: u8) -> Option<()> {
        (self.bytes.get(self.at) == Some(&byte)).then(|| self.at += 1)
    }

    /// Up to `most` digits from here; more than 18 are no value of any field.
    fn digits(&mut self, most: usize) -> (usize, i64) {
        let rest = &self.bytes[self.at..];
        let count = rest.iter().take(most).take_while(|b| b.is_ascii_digit()).count();
        let value = rest[..count].iter().fold(0_i64, |v, b| v.saturating_mul(10).saturating_add((b - b'0').into()));
        self.at += count;
        (count, value)
    }

    /// Four digits, or more after a `+`; there is no year 0.
    fn year(&mut self) -> Option<i64> {
        let signed = self.literal(b'+').is_some();
        let (count, year) = self.digits(19);
        let fits = if signed { count > 4 } else { count == 4 };
        (fits && (1..=999_999_999).contains(&year)).then_some(year)
    }

    /// Two digits, and then any number that has the same value; or that number alone.
    fn short(&mut self) -> Option<i64> {
        let start = self.at;
        let (count, value) = self.digits(2);
        let two = (count == 2).then_some(value);
        if two.is_none() {
            self.at = start;
        }
        let start = self.at;
        let any = self.signed();
        match (two, any) {
            (None, any) => any,
            (Some(two), Some(any)) if two == any => Some(two),
            (two, _) => {
                self.at = start;
                two
            }
        }
    }

    /// One digit or more, perhaps after a `-`.
    fn signed(&mut self) -> Option<i64> {
        let start = self.at;
        let negative = self.literal(b'-').is_some();
        let (count, value) = self.digits(19);
        if count == 0 || negative && value == 0 {
            self.at = start;
            return None;
        }
        Some(if negative { -value } else { value })
    }

    fn clock(&mut self) -> Option<Clock> {
        self.literal(b' ')?;
        let hour = self.short();
        self.literal(b':')?;
        let minute = self.short();
        self.literal(b':')?;
        let second = self.short();
        let nanos = self.literal(b'.').map(|()| {
            let (count, value) = self.digits(9);
            value * 10_i64.pow(9 - count as u32)
        });
        Some(Clock { hour, minute, second, nanos })
    }
}
