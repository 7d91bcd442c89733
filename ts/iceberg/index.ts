/** The public names of `lakefold/iceberg`. */

export { IcebergTable } from './table.js'
