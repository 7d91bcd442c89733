import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['__test__/**/*.test.ts'],
    exclude: ['**/node_modules/**', '__test__/interop/**'],
    pool: 'forks',
    testTimeout: 60_000,
  },
})
