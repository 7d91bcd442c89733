import { floorDiv } from './decimal.js'

/** Ticks of a type that counts time: the whole ticks, rounded down, and whether nothing was cut. */
export interface Ticks {
  readonly ticks: bigint
  readonly exact: boolean
}

const SECONDS_PER_DAY = 86_400n
/** Ticks per second of time and timestamps. */
export const MICROS = 1_000_000n
/** Ticks per second of the `_ns` types. */
export const NANOS = 1_000_000_000n

const DATE = /^([+-]?)(\d{4,9})-(\d\d)-(\d\d)$/
const TIME = /^(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,100}))?)?$/
const OFFSET = /(Z|[+-]\d\d(?::?\d\d(?::?\d\d)?)?)$/i

function leap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function daysInMonth(year: number, month: number): number {
  return month === 2 ? (leap(year) ? 29 : 28) : month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Days from 1970-01-01 to a date of the proleptic Gregorian calendar. */
export function daysOf(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

/** Year, month and day of a day number. */
export function civilOf(days: number): { readonly year: number; readonly month: number; readonly day: number } {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const doe = shifted - era * 146_097
  const yoe = Math.floor((doe - Math.floor(doe / 1460) + Math.floor(doe / 36_524) - Math.floor(doe / 146_096)) / 365)
  const doy = doe - (365 * yoe + Math.floor(yoe / 4) - Math.floor(yoe / 100))
  const mp = Math.floor((5 * doy + 2) / 153)
  const month = mp < 10 ? mp + 3 : mp - 9
  return {
    year: yoe + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: doy - Math.floor((153 * mp + 2) / 5) + 1,
  }
}

/** Days since 1970-01-01 of `YYYY-MM-DD`; years beyond four digits or below zero carry a sign. Undefined for other text. */
export function parseDate(text: string): number | undefined {
  const match = DATE.exec(text)
  if (match === null) return undefined
  const digits = match[2] as string
  // As in Java: a year of more than four digits needs its sign, one of four has none but '-'.
  if (digits.length > 4 ? match[1] === '' : match[1] === '+') return undefined
  const year = match[1] === '-' ? -Number(digits) : Number(digits)
  const month = Number(match[3])
  const day = Number(match[4])
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined
  return daysOf(year, month, day)
}

/** Ticks since midnight of `hh:mm[:ss[.f]]`, any number of fraction digits. Undefined for other text. */
export function parseTime(text: string, perSecond: bigint): Ticks | undefined {
  const match = TIME.exec(text)
  if (match === null) return undefined
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3] ?? '0')]
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const digits = perSecond.toString().length - 1
  const fraction = (match[4] ?? '').padEnd(digits, '0')
  return {
    ticks: BigInt(hour * 3600 + minute * 60 + second) * perSecond + BigInt(fraction.slice(0, digits)),
    exact: /^0*$/.test(fraction.slice(digits)),
  }
}

/** Which shapes of timestamp text are legal. */
export interface TimestampShape {
  /** Whether an offset such as `Z` or `+01:00` must be there, may be, or must not. */
  readonly offset: 'required' | 'optional' | 'forbidden'
  /** Whether a blank may stand for the `T`, and the time may be missing (midnight). */
  readonly lenient: boolean
}

/** Ticks since the epoch, the offset applied (none means UTC). Undefined for text of another shape. */
export function parseTimestamp(text: string, perSecond: bigint, shape: TimestampShape): Ticks | undefined {
  const split = /^([^T ]*)(?:([T ])(.*))?$/i.exec(text)
  if (split === null) return undefined
  const days = parseDate(split[1] as string)
  if (days === undefined) return undefined
  const start = BigInt(days) * SECONDS_PER_DAY * perSecond
  if (split[2] === undefined) {
    return shape.lenient ? { ticks: start, exact: true } : undefined
  }
  if (split[2] === ' ' && !shape.lenient) return undefined
  let time = split[3] as string
  let offset = 0
  const zone = OFFSET.exec(time)
  if (zone === null ? shape.offset === 'required' : shape.offset === 'forbidden') return undefined
  if (zone !== null) {
    const seconds = offsetSeconds(zone[1] as string)
    if (seconds === undefined) return undefined
    offset = seconds
    time = time.slice(0, zone.index).trimEnd()
  }
  const ofDay = parseTime(time, perSecond)
  if (ofDay === undefined) return undefined
  return { ticks: start + ofDay.ticks - BigInt(offset) * perSecond, exact: ofDay.exact }
}

function offsetSeconds(text: string): number | undefined {
  if (/^z$/i.test(text)) return 0
  const digits = text.slice(1).replaceAll(':', '')
  const [hours, minutes, seconds] = [0, 2, 4].map((at) => Number(digits.slice(at, at + 2) || '0')) as [
    number,
    number,
    number,
  ]
  const total = hours * 3600 + minutes * 60 + seconds
  if (minutes > 59 || seconds > 59 || total > 18 * 3600) return undefined
  return text[0] === '-' ? -total : total
}

/** `YYYY-MM-DD`, with a sign where the year needs one. */
export function formatDate(days: number): string {
  const { year, month, day } = civilOf(days)
  const digits = Math.abs(year).toString().padStart(4, '0')
  const sign = year < 0 ? '-' : year > 9999 ? '+' : ''
  return `${sign}${digits}-${month.toString().padStart(2, '0')}-${day.toString().padStart(2, '0')}`
}

/** `hh:mm:ss`, and the whole fraction (6 or 9 digits) if there is one. */
export function formatTime(ticks: bigint, perSecond: bigint): string {
  const seconds = Number(floorDiv(ticks, perSecond))
  const fraction = ticks - BigInt(seconds) * perSecond
  const part = (value: number): string => value.toString().padStart(2, '0')
  const clock = `${part(Math.floor(seconds / 3600))}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}`
  return fraction === 0n ? clock : `${clock}.${fraction.toString().padStart(perSecond.toString().length - 1, '0')}`
}

/** ISO text with `T` and without offset. */
export function formatTimestamp(ticks: bigint, perSecond: bigint): string {
  const perDay = SECONDS_PER_DAY * perSecond
  const days = floorDiv(ticks, perDay)
  return `${formatDate(Number(days))}T${formatTime(ticks - days * perDay, perSecond)}`
}
