import type { AvroContainer } from '../../avro/container.js'
import { LakefoldError } from '../../base/errors.js'
import { parseJson } from '../../base/json.js'
import { parseSchema } from '../../types/json.js'
import type { PartitionSpec } from '../../types/partition.js'
import { partitionTypes } from '../metadata/partition-type.js'
import { parseSpecFieldList } from '../metadata/spec.js'
import type { TableMetadata } from '../metadata/table-metadata.js'
import type { ManifestFile, ManifestHeader } from './types.js'

/**
 * What the header of a manifest says (Iceberg spec, "Manifests"); old v1 ones have only a schema and a spec. The tuples have the types
 * of the table's spec that the list names; if the table has no such spec any more, of the one in the header.
 */
export function readHeader(container: AvroContainer, manifest: ManifestFile, metadata: TableMetadata): ManifestHeader {
  const { file } = container
  const content = container.text('content')?.toLowerCase() ?? 'data'
  if (content !== 'data' && content !== 'deletes') {
    throw headerError(file, 'content', content, 'must be data or deletes')
  }
  if (content !== manifest.content) {
    throw headerError(file, 'content', content, `contradicts the manifest list, which says ${manifest.content}`)
  }
  const formatVersion = integer(container, 'format-version') ?? 1
  const headerSpecId = integer(container, 'partition-spec-id')
  const specId = manifest.embedded ? (headerSpecId ?? 0) : manifest.specId
  const tableSpec = metadata.findSpec(specId)
  if (tableSpec !== undefined) {
    return { specId, spec: tableSpec, partitionTypes: metadata.partitionTypes(tableSpec), content, formatVersion }
  }
  return { specId, ...headerSpec(container, specId, metadata), content, formatVersion }
}

function headerSpec(
  container: AvroContainer,
  specId: number,
  metadata: TableMetadata,
): Pick<ManifestHeader, 'spec' | 'partitionTypes'> {
  const { file } = container
  const specText = container.text('partition-spec')
  if (specText === undefined) {
    throw headerError(file, 'partition-spec', undefined, `is missing, and the table has no spec ${specId}`)
  }
  const spec: PartitionSpec = { specId, fields: parseSpecFieldList(parseJson(specText, file), file) }
  const schemaText = container.text('schema')
  const own = schemaText === undefined ? [] : [parseSchema(parseJson(schemaText, file), { file })]
  return { spec, partitionTypes: partitionTypes(spec, [...own, ...metadata.schemas]) }
}

function integer(container: AvroContainer, key: string): number | undefined {
  const text = container.text(key)
  if (text === undefined) return undefined
  if (/^-?\d{1,9}$/.test(text)) return Number(text)
  throw headerError(container.file, key, text, 'must be an integer')
}

function headerError(file: string, field: string, value: unknown, what: string): LakefoldError {
  const shown = value === undefined ? '' : ` ${JSON.stringify(value)}`
  return new LakefoldError('CORRUPT_FILE', `${file}: ${field}${shown} in its header ${what}`, {
    context: { file, field, value },
  })
}
