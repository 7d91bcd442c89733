/** What follows the last `/` of a location: a table, maybe of a branch, and maybe one of its system tables. */
export interface TableName {
  readonly location: string
  readonly branch?: string
  readonly systemTable?: string
}

/** Takes `t$files` and `t$branch_b$files` apart; a location without `$` is itself. */
export function parseTableName(location: string): TableName {
  const match = /^([^$]*[^$/])(?:\$branch_([^$/]+))?(?:\$([a-z_]+))?\/*$/.exec(location)
  if (match === null || (match[2] === undefined && match[3] === undefined)) return { location }
  const [, table = location, branch, systemTable] = match
  if (branch === undefined && systemTable?.startsWith('branch_'))
    return { location: table, branch: systemTable.slice(7) }
  return { location: table, ...(branch !== undefined && { branch }), ...(systemTable !== undefined && { systemTable }) }
}
