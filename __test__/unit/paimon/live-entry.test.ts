import { describe, expect, it } from 'vitest'
import { type FileEntry, mergeEntries } from '../../../ts/paimon/plan/live-entry.js'

const partition = { key: '', bytes: new Uint8Array(), values: [] } as unknown as FileEntry['partition']

function entry(
  kind: FileEntry['kind'],
  fileName: string,
  more: Partial<FileEntry['file']> = {},
  bucket = 0,
): FileEntry {
  const file = { fileName, level: 0, extraFiles: [], ...more } as unknown as FileEntry['file']
  return { kind, partition, bucket, totalBuckets: 1, file, manifest: 'm' }
}

const live = (...entries: FileEntry[]) => mergeEntries(entries).map(({ file }) => `${file.fileName}@${file.level}`)

describe('entries that delete', () => {
  it('take their file away, in any order', () => {
    const [add, del, other] = [entry('ADD', 'a'), entry('DELETE', 'a'), entry('ADD', 'b')]
    for (const order of [
      [add, del, other],
      [del, other, add],
      [other, del, add],
    ]) {
      expect(live(...order)).toEqual(['b@0'])
    }
  })

  it('take none of another level, bucket, place, extra files or index', () => {
    expect(live(entry('DELETE', 'a'), entry('ADD', 'a', { level: 5 }), entry('ADD', 'a'))).toEqual(['a@5'])
    expect(live(entry('DELETE', 'a'), entry('ADD', 'a', {}, 1))).toEqual(['a@0'])
    for (const more of [
      { externalPath: 's3://x/a' },
      { extraFiles: ['a.index'] },
      { embeddedFileIndex: new Uint8Array([1]) },
    ]) {
      expect(live(entry('DELETE', 'a'), entry('ADD', 'a', more))).toEqual(['a@0'])
      expect(live(entry('DELETE', 'a', more), entry('ADD', 'a', more))).toEqual([])
    }
  })

  it('of files that are not there are nothing', () => {
    expect(live(entry('DELETE', 'gone'), entry('ADD', 'b'))).toEqual(['b@0'])
  })
})
