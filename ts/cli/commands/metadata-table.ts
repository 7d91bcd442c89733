import { Command } from 'commander'

import type { IcebergTable } from '../../index.js'
import { type FormatOptions, formatOf, withFormat } from '../output/format-option.js'
import { writeBatches } from '../output/write-batches.js'
import { openFor, type TableOptions, withTable } from '../table-options.js'

/** A command that prints one of the metadata tables of `table.inspect`. */
export function metadataTableCommand(name: keyof IcebergTable['inspect'] & string, description: string): Command {
  return withFormat(withTable(new Command(name)))
    .description(description)
    .action(async (location: string, options: TableOptions & FormatOptions) => {
      const table = await openFor(location, options)
      const rows = await table.inspect[name]()
      const columns = rows.schema.fields.map((field) => field.name)
      await writeBatches(columns, rows.batches, formatOf(options), options.out)
    })
}
