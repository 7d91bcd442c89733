/** A decimal number, `unscaled` times 10 to the power of minus `scale`. */
export interface Decimal {
  readonly unscaled: bigint
  readonly scale: number
}

/** Digits and exponents beyond this are refused, so that a short text cannot ask for a huge number. */
const MAX_DIGITS = 1000

/** Reads decimal text, with an optional exponent; undefined for other text. The scale may be negative. */
export function parseDecimal(text: string): Decimal | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/.exec(text)
  if (match === null || text.length > MAX_DIGITS) return undefined
  const fraction = match[3] ?? ''
  const digits = (match[2] ?? '') + fraction
  const exponent = Number(match[4] ?? '0')
  if (digits === '' || Math.abs(exponent) > MAX_DIGITS) return undefined
  const magnitude = BigInt(digits)
  return { unscaled: match[1] === '-' ? -magnitude : magnitude, scale: fraction.length - exponent }
}

/** Division that rounds toward negative infinity. */
export function floorDiv(a: bigint, b: bigint): bigint {
  const quotient = a / b
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient
}

/** The greatest value at `scale` that is not above `decimal`, and whether it is the same number. */
export function rescale(decimal: Decimal, scale: number): { readonly unscaled: bigint; readonly exact: boolean } {
  if (decimal.scale <= scale) {
    return { unscaled: decimal.unscaled * 10n ** BigInt(scale - decimal.scale), exact: true }
  }
  const divisor = 10n ** BigInt(decimal.scale - scale)
  return { unscaled: floorDiv(decimal.unscaled, divisor), exact: decimal.unscaled % divisor === 0n }
}

/** Decimal text with exactly `scale` digits after the point, without exponent. */
export function formatDecimal(unscaled: bigint, scale: number): string {
  const sign = unscaled < 0n ? '-' : ''
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString()
  if (scale <= 0) return sign + (unscaled === 0n ? digits : digits + '0'.repeat(-scale))
  const padded = digits.padStart(scale + 1, '0')
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`
}

/** The fewest bytes of big-endian two's complement that hold the value, at least one. */
export function minimalBigEndian(value: bigint): Uint8Array {
  let length = 1
  while (BigInt.asIntN(length * 8, value) !== value) length++
  const hex = BigInt.asUintN(length * 8, value)
    .toString(16)
    .padStart(length * 2, '0')
  return new Uint8Array(Buffer.from(hex, 'hex'))
}
