// Every error is a LakefoldError with a stable code and the facts in its context.
import { LakefoldError, openTable } from 'lakefold'

import { bundled } from './table.js'

try {
  await openTable('/no/such/table')
} catch (error) {
  if (LakefoldError.is(error)) console.log(error.code)
}

const table = await bundled('mixed_deletes')
try {
  await table.scan().filter(['=', 'nmae', 'x']).planFiles()
} catch (error) {
  if (LakefoldError.is(error)) console.log(error.code, error.context.column)
}

/* prints
FILE_NOT_FOUND
UNKNOWN_COLUMN nmae
*/
