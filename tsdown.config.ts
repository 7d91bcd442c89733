import { existsSync } from 'node:fs'
import { defineConfig, type UserConfig } from 'tsdown'

/** What users import; areas that are not there yet are left out. */
const libraries = present({
  index: 'ts/index.ts',
  expr: 'ts/expr/index.ts',
  iceberg: 'ts/iceberg/index.ts',
  paimon: 'ts/paimon/index.ts',
})
/** What Node starts by file: the worker is found by URL beside the chunk that starts it. */
const programs = present({ worker: 'ts/exec/worker.ts', cli: 'ts/cli/main.ts' })

function present(entries: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(entries).filter(([, source]) => existsSync(source)))
}

const common: UserConfig = {
  platform: 'node',
  target: 'node20.17',
  dts: true,
  shims: true,
  sourcemap: true,
  // The script empties the folder: these two builds share it.
  clean: false,
  outDir: 'dist',
}

export default defineConfig([
  {
    ...common,
    entry: { ...libraries, ...programs },
    format: 'esm',
    outExtensions: () => ({ js: '.js', dts: '.d.ts' }),
  },
  { ...common, entry: libraries, format: 'cjs', outExtensions: () => ({ js: '.cjs', dts: '.d.cts' }) },
])
