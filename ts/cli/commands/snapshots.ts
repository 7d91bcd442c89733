import type { Command } from 'commander'

import { metadataTableCommand } from './metadata-table.js'

/** `lakefold snapshots`. */
export function snapshotsCommand(): Command {
  return metadataTableCommand('snapshots', 'list the snapshots')
}
