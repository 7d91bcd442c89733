import type { Command } from 'commander'

import { metadataTableCommand } from './metadata-table.js'

/** `lakefold manifests`. */
export function manifestsCommand(): Command {
  return metadataTableCommand('manifests', 'list the manifests of the current snapshot')
}
