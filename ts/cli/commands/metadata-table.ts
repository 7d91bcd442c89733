import { Command } from 'commander'

import type { IcebergTable } from '../../index.js'
import { type FormatOptions, formatOf, withFormat } from '../output/format-option.js'
import { writePaimonRefs } from '../paimon/refs.js'
import { UsageError } from '../report-error.js'
import { isPaimon, openFor, type TableOptions, withTable } from '../table-options.js'

/** A command that prints one of the metadata tables: of `table.inspect`, or the system table of that name of a Paimon table. */
export function metadataTableCommand(name: keyof IcebergTable['inspect'] & string, description: string): Command {
  return withFormat(withTable(new Command(name)))
    .description(description)
    .action(async (location: string, options: TableOptions & FormatOptions) => {
      const table = await openFor(location, options)
      if (isPaimon(table) && name === 'refs') return writePaimonRefs(table, formatOf(options), options.out)
      if (isPaimon(table) && name === 'history') {
        throw new UsageError(
          'history is for Iceberg tables; snapshots lists those of a Paimon table, and when they came',
        )
      }
      const { writeBatches } = await import('../output/write-batches.js')
      const rows = isPaimon(table) ? await table.system(name).toTable() : await table.inspect[name]()
      const columns = rows.schema.fields.map((field) => field.name)
      await writeBatches(columns, rows.batches, formatOf(options), options.out)
    })
}
