import type { Command } from 'commander'

import { metadataTableCommand } from './metadata-table.js'

/** `lakefold history`. */
export function historyCommand(): Command {
  return metadataTableCommand('history', 'show which snapshots were current, and when')
}
