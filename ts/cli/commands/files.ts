import type { Command } from 'commander'

import { metadataTableCommand } from './metadata-table.js'

/** `lakefold files`. */
export function filesCommand(): Command {
  return metadataTableCommand('files', 'list the data and delete files of the current snapshot')
}
