import { type TableSchema, typeText } from '../../paimon/index.js'
import { rowWriter } from '../output/row-writer.js'

/** The columns of a Paimon schema as a table for people. */
export function describePaimonSchema({ fields, primaryKeys, partitionKeys }: TableSchema): string {
  const writer = rowWriter('table')
  const rows = fields.map(({ id, name, type, description }) => {
    const roles = [
      ...(primaryKeys.includes(name) ? ['primary key'] : []),
      ...(partitionKeys.includes(name) ? ['partition'] : []),
    ]
    return writer.row([
      id,
      name,
      typeText({ ...type, nullable: true }),
      type.nullable ? 'optional' : 'required',
      roles.join(', '),
      description ?? '',
    ])
  })
  return `${writer.header(['id', 'name', 'type', 'null', 'key', 'doc'])}${rows.join('')}${writer.end()}`
}
