import { Command } from 'commander'

import { stringifyJson } from '../../base/json.js'
import { type IcebergTable, LocalFileIO, type PaimonTable } from '../../index.js'
import { PaimonScan } from '../../paimon/index.js'
import type { JsonValue } from '../../types/types.js'
import { examine, type Findings, problemOf } from '../doctor/examine.js'
import { icebergSubject } from '../doctor/iceberg-subject.js'
import { paimonSubject } from '../doctor/paimon-subject.js'
import type { Subject } from '../doctor/subject.js'
import { ProgressLine } from '../progress.js'
import { openFor, type ScanCommandOptions, scanFor, withScan } from '../table-options.js'

type Options = ScanCommandOptions & { read?: boolean; json?: boolean }

/** `lakefold doctor`: whether a table can be read; exit code 1 if not. */
export function doctorCommand(): Command {
  return withScan(new Command('doctor'))
    .description('check that the metadata is readable and each file of a scan is there, whole')
    .option('--read', 'read all rows too, with their checksums')
    .option('--json', 'the findings as JSON')
    .action(async (location: string, options: Options) => {
      const report = await check(location, options)
      process.stdout.write(`${options.json ? json(location, report) : text(location, report)}\n`)
      if (report.problems.length > 0) process.exitCode = 1
    })
}

type Report = Findings & { readonly subject: Subject | undefined }

async function check(location: string, options: Options): Promise<Report> {
  let subject: Subject
  try {
    subject = await subjectOf(await openFor(location, options), options)
  } catch (error) {
    return { subject: undefined, problems: [problemOf(error)], rows: undefined }
  }
  const line = new ProgressLine(subject.files.length)
  try {
    const progress = (done: number, of: number) => line.show(`${done}/${of} checks`)
    return { subject, ...(await examine(subject, options.read === true, progress)) }
  } finally {
    line.clear()
  }
}

async function subjectOf(table: IcebergTable | PaimonTable, options: Options): Promise<Subject> {
  const io = new LocalFileIO({ rewriteLocations: options.rewrite ?? {} })
  const scan = await scanFor(table, options)
  return scan instanceof PaimonScan ? paimonSubject(scan, io) : icebergSubject(scan, io)
}

function text(location: string, { subject, problems, rows }: Report): string {
  const told = problems.map(({ code, message, file }) =>
    file === undefined || message.includes(file) ? `${code}: ${message}` : `${code}: ${file}: ${message}`,
  )
  const count = problems.length === 0 ? 'no problems' : `${problems.length} problem${problems.length > 1 ? 's' : ''}`
  if (subject === undefined) return [...told, `${location}: ${count}`].join('\n')
  const read = rows === undefined ? 'rows not read (--read reads them)' : `${rows} rows read`
  const state = `${subject.format}, snapshot ${subject.snapshotId ?? 'none'}, ${subject.files.length} files, ${read}`
  return [...told, `${location}: ${state}: ${count}`].join('\n')
}

function json(location: string, { subject, problems, rows }: Report): string {
  return stringifyJson({
    table: location,
    format: subject?.format ?? null,
    'snapshot-id': subject?.snapshotId ?? null,
    files: subject?.files.length ?? null,
    rows: rows ?? null,
    problems: problems as unknown as JsonValue,
  })
}
