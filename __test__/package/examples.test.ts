import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'

const folder = join(import.meta.dirname, '../../examples')
const examples = readdirSync(folder).filter((name) => name.endsWith('.ts') && name !== 'table.ts')

/** Examples run as a user runs them, against the built package, and print what their last comment says. */
describe('examples print what they say', () => {
  for (const name of examples) {
    it(name, async () => {
      const [, prints] = /\/\* prints\n([\s\S]*)\*\/\s*$/.exec(readFileSync(join(folder, name), 'utf8')) ?? []
      expect(prints).toBeDefined()
      const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', join(folder, name)])
      expect(stdout).toBe(prints)
    })
  }
})
