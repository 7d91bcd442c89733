/**
 * The import rule of docs/architecture.md: a folder of ts/ imports only from folders of earlier rows.
 * Folders of one row are siblings and do not know each other, but for base and types, whose JSON values are one type.
 */
const LAYERS = [
  ['base', 'types'],
  ['expr'],
  ['avro', 'io'],
  ['task'],
  ['scan', 'arrow'],
  ['exec'],
  ['reader'],
  ['iceberg', 'paimon'],
  ['catalog'],
]

const folder = (names) => `^ts/(${names.join('|')})/`
const layerRules = LAYERS.flatMap((layer, i) => {
  const later = [...LAYERS.slice(i + 1).flat(), 'cli']
  return layer.map((name) => {
    const banned = i === 0 ? later : [...later, ...layer.filter((other) => other !== name)]
    return {
      name: `${name}-looks-left`,
      comment: `ts/${name} may not import from ${banned.join(', ')}`,
      severity: 'error',
      from: { path: folder([name]) },
      to: { path: [folder(banned), '^ts/[^/]+$'] },
    }
  })
})

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...layerRules,
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'cli-uses-the-public-api',
      comment: 'What the command line can do, a program can do',
      severity: 'error',
      from: { path: '^ts/cli/' },
      to: { path: '^ts/', pathNot: ['^ts/cli/', '^ts/(paimon/)?index\\.ts$', '^ts/(base|types)/'] },
    },
    {
      name: 'shipped-code-has-its-dependencies',
      severity: 'error',
      from: { path: '^ts/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: 'apache-arrow' },
    },
    { name: 'nothing-unresolved', severity: 'error', from: { path: '^ts/' }, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
