import type { Command } from 'commander'

import { metadataTableCommand } from './metadata-table.js'

/** `lakefold partitions`. */
export function partitionsCommand(): Command {
  return metadataTableCommand('partitions', 'list the partitions with their rows and files')
}
