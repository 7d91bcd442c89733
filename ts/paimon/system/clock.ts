/** Milliseconds since the epoch as the wall clock of this process's zone shows them: what the reference's system tables hold. */
export function wallClock(millis: bigint): bigint {
  return millis - BigInt(Math.round(new Date(Number(millis)).getTimezoneOffset() * 60_000))
}
