import type { Command } from 'commander'

import { metadataTableCommand } from './metadata-table.js'

/** `lakefold refs`. */
export function refsCommand(): Command {
  return metadataTableCommand('refs', 'list branches and tags')
}
