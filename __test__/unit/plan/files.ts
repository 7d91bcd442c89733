import type { ContentFile } from '../../../ts/iceberg/manifest/types.js'

const unknown = () => undefined

/** A content file with everything unknown but what is given. */
export function file(given: Partial<ContentFile> & { readonly path: string }): ContentFile {
  return {
    content: 'data',
    format: 'parquet',
    specId: 0,
    partition: [],
    recordCount: 10n,
    fileSizeInBytes: 100n,
    splitOffsets: undefined,
    sortOrderId: undefined,
    equalityIds: undefined,
    keyMetadata: undefined,
    firstRowId: undefined,
    referencedDataFile: undefined,
    contentOffset: undefined,
    contentSizeInBytes: undefined,
    dataSequenceNumber: 1n,
    fileSequenceNumber: undefined,
    valueCount: unknown,
    nullCount: unknown,
    nanCount: unknown,
    lowerBound: unknown,
    upperBound: unknown,
    ...given,
  }
}

/** Metrics of one column. */
export function metrics(
  id: number,
  known: { values?: bigint; nulls?: bigint; nans?: bigint; lower?: Uint8Array; upper?: Uint8Array },
): Pick<ContentFile, 'valueCount' | 'nullCount' | 'nanCount' | 'lowerBound' | 'upperBound'> {
  const of =
    <T>(value: T) =>
    (asked: number) =>
      asked === id ? value : undefined
  return {
    valueCount: of(known.values),
    nullCount: of(known.nulls),
    nanCount: of(known.nans),
    lowerBound: of(known.lower),
    upperBound: of(known.upper),
  }
}
