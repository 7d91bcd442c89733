import { placedError } from './errors.js'

/** Throws UNSUPPORTED where a record has another version than the one that is read. */
export function checkVersion(version: number, known: number, file: string): void {
  if (version === known) return
  throw placedError(
    'UNSUPPORTED',
    { file, field: '_VERSION' },
    `is ${version}; only version ${known} is supported`,
    version,
  )
}
