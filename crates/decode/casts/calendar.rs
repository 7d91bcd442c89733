//! Days, times and timestamps as the reference writes them.

const NANOS_A_DAY: i128 = 86_400_000_000_000;

/// `YYYY-MM-DD` (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
pub(super) fn date(days: i64) -> String {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let of_era = z.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    if year < 0 { format!("-{:04}-{month:02}-{day:02}", -year) } else { format!("{year:04}-{month:02}-{day:02}") }
}

fn clock(seconds: i128) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// `hh:mm:ss` and, with fraction digits, at least one of them and no zeros after it.
pub(super) fn time(millis: i32, digits: u8) -> String {
    let millis = i128::from(millis).rem_euclid(86_400_000);
    let mut text = clock(millis / 1000);
    if digits > 0 {
        let fraction = format!("{:03}", millis % 1000);
        let fraction = &fraction[..fraction.len().min(usize::from(digits))];
        let kept = fraction.trim_end_matches('0');
        text.push('.');
        text.push_str(if kept.is_empty() { "0" } else { kept });
    }
    text
}

/// Date, blank, time, and the fraction: as many digits as the type has, more where the value needs them.
pub(super) fn timestamp(nanos: i128, digits: u8) -> String {
    let (days, of_day) = (nanos.div_euclid(NANOS_A_DAY), nanos.rem_euclid(NANOS_A_DAY));
    let mut fraction = format!("{:09}", of_day % 1_000_000_000);
    while fraction.len() > usize::from(digits) && fraction.ends_with('0') {
        fraction.pop();
    }
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("{} {}{dot}{fraction}", date(i64::try_from(days).unwrap_or(0)), clock(of_day / 1_000_000_000))
}
