import { Command } from 'commander'

import { stringifyJson } from '../../base/json.js'
import { schemaToJson, typeName } from '../../types/json.js'
import { rowWriter } from '../output/row-writer.js'
import { icebergScan, type ScanCommandOptions, withTable } from '../table-options.js'

/** `lakefold schema`: the columns that a scan returns, with their field ids. */
export function schemaCommand(): Command {
  return withTable(new Command('schema'))
    .description('show the columns')
    .option('--snapshot <id>', 'the schema of this snapshot')
    .option('--ref <name>', 'the schema that reads of this branch or tag have')
    .option('--json', 'the schema as in table metadata')
    .action(async (location: string, options: ScanCommandOptions & { json?: boolean }) => {
      const schema = (await icebergScan('schema', location, options)).schema()
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
