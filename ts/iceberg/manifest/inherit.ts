import type { LoadedEntry } from './cache.js'
import { corrupt, ManifestContentFile, required } from './content-file.js'
import type { RawEntry } from './entry-schema.js'
import type { EntryStatus, ManifestFile, ManifestHeader } from './types.js'

const STATUSES: readonly EntryStatus[] = ['existing', 'added', 'deleted']

/**
 * Gives the entries what their manifest's list entry hands down (Iceberg spec, "Sequence Number Inheritance", "First Row ID Inheritance").
 * All entries of the manifest, in its order: row ids count every live file, whether it is planned or not.
 */
export function inherit(raw: readonly RawEntry[], manifest: ManifestFile, header: ManifestHeader): LoadedEntry[] {
  const assignsRowIds = header.content === 'data' && manifest.firstRowId !== undefined
  let nextRowId = manifest.firstRowId ?? 0n
  return raw.map((entry) => {
    const code = required(entry.status, 'status', manifest.path)
    const status = STATUSES[code]
    if (status === undefined) throw corrupt(manifest.path, 'status', code, 'must be 0, 1 or 2')
    const data = required(entry.file, 'data_file', manifest.path)
    // Without a value in the list the table had no row lineage when it was written: stored ids do not count.
    let firstRowId = assignsRowIds ? data.firstRowId : undefined
    if (assignsRowIds && firstRowId === undefined && status !== 'deleted') {
      firstRowId = nextRowId
      nextRowId += data.recordCount ?? 0n
    }
    const inheritsSequence = status === 'added' || manifest.sequenceNumber === 0n
    const sequence = inheritsSequence ? manifest.sequenceNumber : undefined
    const dataSequenceNumber = entry.sequenceNumber ?? sequence
    if (dataSequenceNumber === undefined) {
      throw corrupt(
        manifest.path,
        'sequence_number',
        undefined,
        `is missing for ${data.path}, whose status is ${status}`,
      )
    }
    const inherited = {
      specId: header.specId,
      dataSequenceNumber,
      // Early v2 writers did not have the field, so that entries that they carried over stay without.
      fileSequenceNumber: entry.fileSequenceNumber ?? sequence,
      firstRowId,
    }
    return {
      status,
      snapshotId: entry.snapshotId ?? manifest.addedSnapshotId,
      file: new ManifestContentFile(data, inherited, header.content, manifest.path),
    }
  })
}
