// What is measured: each work, on which table, and who can do it. Cases are plain data; run.mjs does the timing.

const month = {
  type: 'and',
  left: { type: 'gt-eq', term: 'l_shipdate', value: '1995-03-01' },
  right: { type: 'lt', term: 'l_shipdate', value: '1995-04-01' },
}
const point = { type: 'eq', term: 'l_orderkey', value: 3000001 }
const dayAndUser = {
  type: 'and',
  left: {
    type: 'and',
    left: { type: 'gt-eq', term: 'ts', value: '2022-04-10T00:00:00+00:00' },
    right: { type: 'lt', term: 'ts', value: '2022-04-11T00:00:00+00:00' },
  },
  right: { type: 'eq', term: 'user_id', value: 123456 },
}

/** No file holds such rows, as the statistics of each tell. */
const noFile = { type: 'lt', term: 'quantity', value: 1 }
const oneKey = { type: 'eq', term: 'id', value: 77777 }
const sums = ['id', 'customer', 'amount']

const readers = ['lakefold', 'iceberg-rust', 'pyiceberg', 'duckdb']
const planners = ['lakefold', 'java', 'iceberg-rust', 'pyiceberg']
const paimonReaders = ['lakefold', 'paimon-java', 'pypaimon-rust', 'pypaimon']

/** @typedef {{ name: string, table: string, work: string, peers: string[], filter?: object, select?: string[], options?: object, threads?: number, release?: boolean, slow?: string[], paimon?: boolean, sums?: string[] }} Work */

/** Works on Paimon tables. `as iceberg` is lakefold reading the same files through the Iceberg metadata beside them. */
const paimon = [
  { name: 'paimon merge', table: 'pk_merge', work: 'scan', peers: paimonReaders, sums, slow: ['pypaimon'] },
  {
    name: 'paimon merge 1 thread',
    table: 'pk_merge',
    work: 'scan',
    peers: paimonReaders.slice(0, 3),
    sums,
    threads: 1,
  },
  { name: 'paimon merge one bucket', table: 'pk_one', work: 'scan', peers: paimonReaders.slice(0, 3), sums },
  { name: 'paimon dv', table: 'pk_dv', work: 'scan', peers: paimonReaders, sums, slow: ['pypaimon'] },
  { name: 'paimon append', table: 'append', work: 'scan', peers: [...paimonReaders, 'as iceberg'], sums },
  {
    name: 'paimon plan',
    table: 'plan_100k',
    work: 'plan',
    peers: ['lakefold', 'paimon-java', 'pypaimon'],
    filter: oneKey,
    slow: ['pypaimon'],
  },
  { name: 'paimon plan all', table: 'plan_100k', work: 'plan', peers: ['lakefold', 'paimon-java'] },
  {
    name: 'paimon plan value',
    table: 'plan_100k',
    work: 'plan',
    peers: ['lakefold', 'paimon-java'],
    filter: noFile,
  },
  { name: 'paimon plan cached', table: 'plan_100k', work: 'plan-cached', peers: ['lakefold'], filter: oneKey },
]

/** @type {Work[]} `slow` peers run once; the first run of each peer is a warm-up, which also adds up the columns of `sums`. */
export const works = [
  { name: 'full', table: 'lineitem', work: 'scan', peers: [...readers, 'bare', 'hyparquet'], slow: ['hyparquet'] },
  {
    name: 'full dictionaries',
    table: 'lineitem',
    work: 'scan',
    peers: readers,
    options: { dictionaries: ['l_returnflag', 'l_linestatus', 'l_shipinstruct', 'l_shipmode'] },
  },
  { name: 'full 1 thread', table: 'lineitem', work: 'scan', peers: ['lakefold', 'bare'], threads: 1 },
  { name: 'full kept', table: 'lineitem', work: 'scan', peers: ['lakefold'], release: false },
  { name: 'full 4 threads', table: 'lineitem', work: 'scan', peers: ['lakefold', 'bare'], threads: 4 },
  {
    name: 'month',
    table: 'lineitem',
    work: 'scan',
    peers: readers,
    filter: month,
    select: ['l_orderkey', 'l_shipdate', 'l_extendedprice', 'l_discount'],
  },
  { name: 'point', table: 'lineitem', work: 'scan', peers: readers, filter: point },
  { name: 'count', table: 'lineitem', work: 'count', peers: ['lakefold', 'pyiceberg', 'duckdb'] },
  { name: 'deletes dv', table: 'lineitem_dv', work: 'scan', peers: readers },
  { name: 'deletes pos', table: 'lineitem_pos', work: 'scan', peers: readers },
  { name: 'deletes eq', table: 'lineitem_eq', work: 'scan', peers: readers },
  { name: 'plan', table: 'plan_200x500', work: 'plan', peers: planners, slow: ['iceberg-rust', 'pyiceberg'] },
  { name: 'plan deletes', table: 'plan_200x500_deletes', work: 'plan', peers: ['lakefold', 'java'] },
  {
    name: 'plan filtered',
    table: 'plan_200x500',
    work: 'plan',
    peers: ['lakefold', 'java', 'pyiceberg'],
    filter: dayAndUser,
  },
  { name: 'plan cached', table: 'plan_200x500', work: 'plan-cached', peers: ['lakefold'] },
  { name: 'many_small', table: 'many_small', work: 'scan', peers: readers },
  { name: 'one_big 1 thread', table: 'one_big', work: 'scan', peers: ['lakefold', 'bare'], threads: 1 },
  { name: 'one_big', table: 'one_big', work: 'scan', peers: [...readers, 'bare'] },
  { name: 'one_big 4 threads', table: 'one_big', work: 'scan', peers: ['lakefold', 'bare'], threads: 4 },
  ...[64, 128, 256].map((mib) => ({
    name: `one_big ${mib} MiB`,
    table: 'one_big',
    work: 'scan',
    peers: ['lakefold'],
    options: { memoryLimit: mib * 2 ** 20 },
  })),
  { name: 'wide', table: 'wide', work: 'scan', peers: [...readers, 'bare'] },
  { name: 'strings', table: 'strings', work: 'scan', peers: [...readers, 'bare'] },
  { name: 'nested', table: 'nested', work: 'scan', peers: [...readers, 'bare'] },
  ...paimon.map((work) => ({ ...work, paimon: true })),
]
