import { LakefoldError } from '../../ts/base/errors.js'

/** The typed error that `run` throws; anything else is thrown on. */
export function failure(run: () => unknown): LakefoldError {
  try {
    run()
  } catch (error) {
    if (LakefoldError.is(error)) return error
    throw error
  }
  throw new Error('no error')
}
