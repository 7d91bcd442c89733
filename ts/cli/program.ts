import { Command } from 'commander'

import { countCommand } from './commands/count.js'
import { doctorCommand } from './commands/doctor.js'
import { explainCommand } from './commands/explain.js'
import { filesCommand } from './commands/files.js'
import { historyCommand } from './commands/history.js'
import { manifestsCommand } from './commands/manifests.js'
import { partitionsCommand } from './commands/partitions.js'
import { planCommand } from './commands/plan.js'
import { refsCommand } from './commands/refs.js'
import { scanCommand } from './commands/scan.js'
import { schemaCommand } from './commands/schema.js'
import { snapshotsCommand } from './commands/snapshots.js'

/** The `lakefold` command line. Its usage errors are thrown, not printed, so that all errors look alike. */
export function buildProgram(): Command {
  const program = new Command('lakefold')
    .description('Plans and reads lakehouse tables.')
    .exitOverride()
    .configureOutput({ writeErr: () => undefined })
  const commands = [
    scanCommand(),
    planCommand(),
    explainCommand(),
    countCommand(),
    schemaCommand(),
    snapshotsCommand(),
    refsCommand(),
    filesCommand(),
    manifestsCommand(),
    partitionsCommand(),
    historyCommand(),
    doctorCommand(),
  ]
  for (const command of commands) program.addCommand(command.copyInheritedSettings(program))
  return program
}
