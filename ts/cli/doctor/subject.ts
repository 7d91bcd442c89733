import type { BatchReader } from '../../index.js'

/** What is checked: a state of a table. */
export interface Subject {
  readonly format: 'iceberg' | 'paimon'
  readonly snapshotId: bigint | undefined
  /** The files that its rows come from, each once. */
  readonly files: readonly SubjectFile[]
  /** Its rows, in pieces that are read one by one, so that one damaged file does not hide the next. */
  readonly pieces: readonly SubjectPiece[]
  /** Size of a file in bytes. */
  readonly size: (location: string) => Promise<number>
}

export interface SubjectFile {
  readonly path: string
  /** In bytes, as the metadata tells it; undefined where it does not. */
  readonly size: bigint | undefined
}

export interface SubjectPiece {
  /** The files of the piece, for people. */
  readonly name: string
  read(): BatchReader | Promise<BatchReader>
}
