import { floorDiv } from '../../types/decimal.js'
import { formatDate } from '../../types/temporal.js'

/** The text that Java gives for a float or double: plain from 0.001 to below ten million, else with an exponent. */
export function javaFloat(value: number, bits: 32 | 64): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity'
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0'
  const sign = value < 0 ? '-' : ''
  const [mantissa, power] = shortest(Math.abs(value), bits).split('e') as [string, string]
  const digits = mantissa.replace('.', '')
  const exponent = Number(power)
  if (exponent < -3 || exponent > 6) return `${sign}${digits[0]}.${digits.slice(1) || '0'}E${exponent}`
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  return `${sign}${whole}.${digits.slice(exponent + 1) || '0'}`
}

/** The fewest digits that give the value back, with an exponent. */
function shortest(value: number, bits: 32 | 64): string {
  if (bits === 64) return value.toExponential()
  for (let digits = 0; digits < 9; digits++) {
    const text = value.toExponential(digits)
    if (Math.fround(Number(text)) === Math.fround(value)) return text
  }
  return value.toExponential()
}

/** Clock time of day; without seconds if they are zero when `short`, with 3, 6 or 9 digits of fraction if there is one. */
export function javaTime(nanosOfDay: bigint, short: boolean): string {
  const seconds = Number(nanosOfDay / 1_000_000_000n)
  const fraction = nanosOfDay % 1_000_000_000n
  const part = (value: number): string => value.toString().padStart(2, '0')
  const minutes = `${part(Math.floor(seconds / 3600))}:${part(Math.floor(seconds / 60) % 60)}`
  if (fraction === 0n) return short && seconds % 60 === 0 ? minutes : `${minutes}:${part(seconds % 60)}`
  const digits = fraction
    .toString()
    .padStart(9, '0')
    .replace(/(?:000){1,2}$/, '')
  return `${minutes}:${part(seconds % 60)}.${digits}`
}

const NANOS_PER_DAY = 86_400_000_000_000n

/** The text of a Java LocalDateTime. */
export function javaDateTime(nanos: bigint): string {
  const days = floorDiv(nanos, NANOS_PER_DAY)
  return `${formatDate(Number(days))}T${javaTime(nanos - days * NANOS_PER_DAY, true)}`
}

/** The text that a cast to string gives: a blank, seconds always, and at least `precision` digits of fraction. */
export function castDateTime(nanos: bigint, precision: number): string {
  const days = floorDiv(nanos, NANOS_PER_DAY)
  const ofDay = nanos - days * NANOS_PER_DAY
  const whole = ofDay - (ofDay % 1_000_000_000n)
  let fraction = (ofDay % 1_000_000_000n).toString().padStart(9, '0')
  while (fraction.length > precision && fraction.endsWith('0')) fraction = fraction.slice(0, -1)
  return `${formatDate(Number(days))} ${javaTime(whole, false)}${fraction === '' ? '' : `.${fraction}`}`
}
