import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const script: string = '../../../scripts/setup.mjs'
const { missingSteps } = (await import(script)) as { missingSteps(folder: string): string[] }

let folder: string
/** A file last changed `minute` minutes into the day. */
function file(path: string, minute: number): void {
  const full = join(folder, path)
  mkdirSync(dirname(full), { recursive: true })
  writeFileSync(full, '')
  utimesSync(full, minute * 60, minute * 60)
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lakefold-setup-'))
  for (const path of [
    'package-lock.json',
    'ts/index.ts',
    'crates/base/lib.rs',
    'Cargo.toml',
    'Cargo.lock',
    'build.rs',
  ]) {
    file(path, 1)
  }
})
afterEach(() => rmSync(folder, { recursive: true }))

function built(): void {
  file('node_modules/.package-lock.json', 2)
  file('lakefold.linux-x64-gnu.node', 3)
  file('dist/index.js', 4)
}

describe('what a checkout needs', () => {
  it('everything, in order, in a clean clone', () => {
    expect(missingSteps(folder)).toEqual(['packages', 'addon', 'library'])
  })
  it('nothing once it is built', () => {
    built()
    expect(missingSteps(folder)).toEqual([])
  })
  it('what its changed sources make', () => {
    built()
    file('ts/base/errors.ts', 9)
    expect(missingSteps(folder)).toEqual(['library'])
    file('crates/base/error.rs', 9)
    expect(missingSteps(folder)).toEqual(['addon', 'library'])
    file('package-lock.json', 9)
    expect(missingSteps(folder)).toEqual(['packages', 'addon', 'library'])
  })
})
