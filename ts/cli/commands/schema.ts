import { Command } from 'commander'

import { stringifyJson } from '../../base/json.js'
import { PaimonScan, schemaToJson as schemaToPaimonJson } from '../../paimon/index.js'
import { schemaToJson, typeName } from '../../types/json.js'
import { rowWriter } from '../output/row-writer.js'
import { describePaimonSchema } from '../paimon/schema.js'
import { openFor, type ScanCommandOptions, scanFor, withTable } from '../table-options.js'

/** `lakefold schema`: the columns that a scan returns, with their field ids. */
export function schemaCommand(): Command {
  return withTable(new Command('schema'))
    .description('show the columns')
    .option('--snapshot <id>', 'the schema of this snapshot')
    .option('--ref <name>', 'the schema that reads of this branch or tag have')
    .option('--json', 'the schema as in table metadata')
    .action(async (location: string, options: ScanCommandOptions & { json?: boolean }) => {
      const scan = await scanFor(await openFor(location, options), options)
      if (scan instanceof PaimonScan) {
        const { schema } = await scan.toTableScan()
        process.stdout.write(options.json ? `${schemaToPaimonJson(schema)}\n` : describePaimonSchema(schema))
        return
      }
      const schema = scan.schema()
      if (options.json) {
        process.stdout.write(`${stringifyJson(schemaToJson(schema))}\n`)
        return
      }
      const writer = rowWriter('table')
      const rows = [...schema.columns()].map(({ field, name }) =>
        writer.row([field.id, name, typeName(field.type), field.required ? 'required' : 'optional', field.doc ?? '']),
      )
      process.stdout.write(`${writer.header(['id', 'name', 'type', 'null', 'doc'])}${rows.join('')}${writer.end()}`)
    })
}
