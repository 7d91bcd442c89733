/** Dates and times of the cases' texts, both ways, on integers: nothing here goes through a JavaScript Date. */

const DAY = 86_400_000_000_000n

function daysFromCivil(year: bigint, month: bigint, day: bigint): bigint {
  const y = month <= 2n ? year - 1n : year
  const era = (y >= 0n ? y : y - 399n) / 400n
  const yearOfEra = y - era * 400n
  const dayOfYear = (153n * (month > 2n ? month - 3n : month + 9n) + 2n) / 5n + day - 1n
  return era * 146_097n + yearOfEra * 365n + yearOfEra / 4n - yearOfEra / 100n + dayOfYear - 719_468n
}

/** `[+-]YYYY-MM-DD` to days since 1970-01-01. */
export function parseDate(text: string): bigint {
  const match = /^([+-]?\d{4,})-(\d\d)-(\d\d)$/.exec(text)
  if (match === null) throw new Error(`not a date: ${text}`)
  return daysFromCivil(
    BigInt((match[1] as string).replace('+', '')),
    BigInt(match[2] as string),
    BigInt(match[3] as string),
  )
}

/** `hh:mm[:ss[.f]]` to nanoseconds of the day. */
export function parseTime(text: string): bigint {
  const match = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?$/.exec(text)
  if (match === null) throw new Error(`not a time: ${text}`)
  const seconds = BigInt(match[1] as string) * 3600n + BigInt(match[2] as string) * 60n + BigInt(match[3] ?? '0')
  return seconds * 1_000_000_000n + BigInt((match[4] ?? '').padEnd(9, '0'))
}

/** ISO date and time, with or without an offset, to nanoseconds since the epoch. */
export function parseTimestamp(text: string): bigint {
  const match = /^([+-]?\d{4,}-\d\d-\d\d)[T ]([\d:.]+)(Z|[+-]\d\d:?\d\d)?$/.exec(text)
  if (match === null) throw new Error(`not a timestamp: ${text}`)
  const offset = match[3] === undefined || match[3] === 'Z' ? 0n : parseOffset(match[3])
  return parseDate(match[1] as string) * DAY + parseTime(match[2] as string) - offset
}

function parseOffset(text: string): bigint {
  const minutes = BigInt(text.slice(1, 3)) * 60n + BigInt(text.slice(-2))
  return (text[0] === '-' ? -minutes : minutes) * 60_000_000_000n
}

const floorDiv = (a: bigint, b: bigint) => (a >= 0n ? a / b : -((-a + b - 1n) / b))
const two = (value: bigint) => value.toString().padStart(2, '0')

/** Days since 1970-01-01 to ISO text; years beyond 9999 and before 0 carry a sign, as in Java. */
export function formatDate(days: bigint): string {
  const shifted = days + 719_468n
  const era = floorDiv(shifted, 146_097n)
  const dayOfEra = shifted - era * 146_097n
  const yearOfEra = (dayOfEra - dayOfEra / 1460n + dayOfEra / 36_524n - dayOfEra / 146_096n) / 365n
  const dayOfYear = dayOfEra - (365n * yearOfEra + yearOfEra / 4n - yearOfEra / 100n)
  const shiftedMonth = (5n * dayOfYear + 2n) / 153n
  const day = dayOfYear - (153n * shiftedMonth + 2n) / 5n + 1n
  const month = shiftedMonth < 10n ? shiftedMonth + 3n : shiftedMonth - 9n
  const year = yearOfEra + era * 400n + (month <= 2n ? 1n : 0n)
  const sign = year < 0n ? '-' : year > 9999n ? '+' : ''
  return `${sign}${(year < 0n ? -year : year).toString().padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** Ticks of the day to `hh:mm:ss.` and `digits` digits. */
export function formatTime(ticks: bigint, digits: 6 | 9): string {
  const perSecond = 10n ** BigInt(digits)
  const seconds = ticks / perSecond
  const fraction = (ticks % perSecond).toString().padStart(digits, '0')
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}.${fraction}`
}

/** Ticks since the epoch to ISO text with `digits` digits. */
export function formatTimestamp(ticks: bigint, digits: 6 | 9): string {
  const perDay = 86_400n * 10n ** BigInt(digits)
  const days = floorDiv(ticks, perDay)
  return `${formatDate(days)}T${formatTime(ticks - days * perDay, digits)}`
}
