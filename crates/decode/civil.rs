//! ISO texts of dates and times, as single-value JSON has them, to days and nanoseconds since 1970.

/// Days since 1970-01-01 of a proleptic Gregorian date (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let y = if month <= 2 { year - 1 } else { year };
    let era = y.div_euclid(400);
    let year_of_era = y.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

fn number(text: &str) -> Option<i64> {
    (!text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit())).then(|| text.parse().ok())?
}

/// `YYYY-MM-DD`, years beyond 9999 or below 0 with a sign.
pub(crate) fn parse_date(text: &str) -> Option<i64> {
    let (sign, rest) = match text.as_bytes().first()? {
        b'-' => (-1, &text[1..]),
        b'+' => (1, &text[1..]),
        _ => (1, text),
    };
    let mut parts = rest.splitn(3, '-');
    let (year, month, day) = (sign * number(parts.next()?)?, number(parts.next()?)?, number(parts.next()?)?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=last).contains(&day).then(|| days_from_civil(year, month, day))
}

/// `hh:mm[:ss[.fraction]]`, up to nine digits.
pub(crate) fn parse_time_nanos(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, ':');
    let (hour, minute) = (number(parts.next()?)?, number(parts.next()?)?);
    let (second, nanos) = match parts.next() {
        None => (0, 0),
        Some(rest) => match rest.split_once('.') {
            None => (number(rest)?, 0),
            Some((whole, fraction)) => {
                let scale = 10_i64.pow(9_u32.checked_sub(u32::try_from(fraction.len()).ok()?)?);
                (number(whole)?, number(fraction)? * scale)
            }
        },
    };
    (hour < 24 && minute < 60 && second < 60).then_some(((hour * 60 + minute) * 60 + second) * 1_000_000_000 + nanos)
}

/// Date and time with `T` or a blank between, an offset (`Z`, `+hh:mm`) applied.
pub(crate) fn parse_timestamp_nanos(text: &str) -> Option<i128> {
    let at = text.find(['T', ' '])?;
    let days = parse_date(&text[..at])?;
    let clock = &text[at + 1..];
    let (clock, offset_minutes) = match clock.find(['Z', '+', '-']) {
        None => (clock, 0),
        Some(i) if &clock[i..] == "Z" => (&clock[..i], 0),
        Some(i) => {
            let sign = if clock[i..].starts_with('-') { -1 } else { 1 };
            let (hours, minutes) = clock[i + 1..].split_once(':')?;
            (&clock[..i], sign * (number(hours)? * 60 + number(minutes)?))
        }
    };
    let nanos = parse_time_nanos(clock)?;
    Some(i128::from(days) * 86_400_000_000_000 + i128::from(nanos) - i128::from(offset_minutes) * 60_000_000_000)
}
