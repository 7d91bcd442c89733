import {
  character,
  choice,
  flag,
  integer,
  names,
  optChoice,
  optDuration,
  optInteger,
  optLong,
  optText,
  size,
  text,
} from './option.js'

const MIB = 1024 ** 2
const UNSUPPORTED = { code: 'UNSUPPORTED' } as const

/** -1: dynamic or unaware, -2: postponed, else the number of buckets. */
export const BUCKET = integer('bucket', -1)
export const BUCKET_KEY = names('bucket-key')
export const BUCKET_FUNCTION = choice('bucket-function.type', 'default', ['default', 'mod', 'hive'], UNSUPPORTED)
export const TYPE = text('type', 'table')
export const BRANCH = text('branch', 'main')
export const FALLBACK_BRANCH = optText('scan.fallback-branch')

export const MERGE_ENGINE = choice(
  'merge-engine',
  'deduplicate',
  ['deduplicate', 'partial-update', 'aggregation', 'first-row'],
  UNSUPPORTED,
)
export const CHANGELOG_PRODUCER = choice(
  'changelog-producer',
  'none',
  ['none', 'input', 'full-compaction', 'lookup'],
  UNSUPPORTED,
)
export const SEQUENCE_FIELD = names('sequence.field')
export const SEQUENCE_SORT_ORDER = choice('sequence.field.sort-order', 'ascending', ['ascending', 'descending'])
export const ROWKIND_FIELD = optText('rowkind.field')
export const IGNORE_DELETE = flag('ignore-delete', false, {
  also: ['first-row.ignore-delete', 'deduplicate.ignore-delete', 'partial-update.ignore-delete'],
})
export const PARTIAL_UPDATE_REMOVE_ON_DELETE = flag('partial-update.remove-record-on-delete', false)
export const PARTIAL_UPDATE_REMOVE_ON_GROUP = names('partial-update.remove-record-on-sequence-group')
export const AGGREGATION_REMOVE_ON_DELETE = flag('aggregation.remove-record-on-delete', false)
export const DEFAULT_AGGREGATE_FUNCTION = optText('fields.default-aggregate-function')
export const NUM_LEVELS = optInteger('num-levels')
export const NUM_SORTED_RUNS_COMPACTION_TRIGGER = integer('num-sorted-run.compaction-trigger', 5)

export const DELETION_VECTORS_ENABLED = flag('deletion-vectors.enabled', false)
export const DELETION_VECTORS_MERGE_ON_READ = flag('deletion-vectors.merge-on-read', false)
export const INDEX_FILE_IN_DATA_FILE_DIR = flag('index-file-in-data-file-dir', false)

export const PARTITION_DEFAULT_NAME = text('partition.default-name', '__DEFAULT_PARTITION__')
/** Whether partition folders spell values as the row holds them (a date as its day number). */
export const PARTITION_LEGACY_NAME = flag('partition.legacy-name', true)

export const FILE_FORMAT = text('file.format', 'parquet')
export const DATA_FILE_PATH_DIRECTORY = optText('data-file.path-directory')
export const FILE_INDEX_READ_ENABLED = flag('file-index.read.enabled', true)
export const ORC_TIMESTAMP_LTZ_LEGACY = flag('orc.timestamp-ltz.legacy.type', true)

export const SPLIT_TARGET_SIZE = size('source.split.target-size', 128 * MIB)
export const SPLIT_OPEN_FILE_COST = size('source.split.open-file-cost', 4 * MIB)
export const BLOB_SPLIT_BY_FILE_SIZE = flag('blob.split-by-file-size', false)
export const BLOB_AS_DESCRIPTOR = flag('blob-as-descriptor', false)
export const READ_BATCH_SIZE = integer('read.batch-size', 1024)
export const SCAN_PLAN_SORT_PARTITION = flag('scan.plan-sort-partition', false)
export const SCAN_MANIFEST_PARALLELISM = optInteger('scan.manifest.parallelism')
export const SCAN_BUCKET = optInteger('scan.bucket')
export const SCAN_IGNORE_CORRUPT_FILES = flag('scan.ignore-corrupt-files', false)
export const SCAN_IGNORE_LOST_FILES = flag('scan.ignore-lost-files', false)
export const MANIFEST_ENTRY_CACHE_MAX_SNAPSHOTS = integer('scan.manifest-entry-cache.max-snapshots', 0)

export const SCAN_MODE = choice(
  'scan.mode',
  'default',
  [
    'default',
    'latest-full',
    'full',
    'latest',
    'latest-delta',
    'compacted-full',
    'from-timestamp',
    'from-creation-timestamp',
    'from-file-creation-time',
    'from-snapshot',
    'from-snapshot-full',
    'incremental',
  ],
  { also: ['log.scan'] },
)
export const SCAN_SNAPSHOT_ID = optLong('scan.snapshot-id')
export const SCAN_TAG_NAME = optText('scan.tag-name')
export const SCAN_WATERMARK = optLong('scan.watermark')
/** A local date-time. */
export const SCAN_TIMESTAMP = optText('scan.timestamp')
export const SCAN_TIMESTAMP_MILLIS = optLong('scan.timestamp-millis', { also: ['log.scan.timestamp-millis'] })
export const SCAN_FILE_CREATION_TIME_MILLIS = optLong('scan.file-creation-time-millis')
export const SCAN_CREATION_TIME_MILLIS = optLong('scan.creation-time-millis')
export const SCAN_VERSION = optText('scan.version')
export const SCAN_BOUNDED_WATERMARK = optLong('scan.bounded.watermark')
export const FULL_COMPACTION_DELTA_COMMITS = optInteger('full-compaction.delta-commits')

export const INCREMENTAL_BETWEEN = optText('incremental-between')
export const INCREMENTAL_BETWEEN_TIMESTAMP = optText('incremental-between-timestamp')
export const INCREMENTAL_BETWEEN_SCAN_MODE = choice('incremental-between-scan-mode', 'auto', [
  'auto',
  'delta',
  'changelog',
  'diff',
])
export const INCREMENTAL_BETWEEN_TAG_TO_SNAPSHOT = flag('incremental-between-tag-to-snapshot', false)
export const INCREMENTAL_TO_AUTO_TAG = optText('incremental-to-auto-tag')

export const CONSUMER_ID = optText('consumer-id')
export const CONSUMER_IGNORE_PROGRESS = flag('consumer.ignore-progress', false)
export const STREAMING_READ_OVERWRITE = flag('streaming-read-overwrite', false)
export const STREAMING_READ_APPEND_OVERWRITE = flag('streaming-read-append-overwrite', false)
export const STREAMING_READ_SNAPSHOT_DELAY = optDuration('streaming.read.snapshot.delay')

export const ROW_TRACKING_ENABLED = flag('row-tracking.enabled', false)
export const DATA_EVOLUTION_ENABLED = flag('data-evolution.enabled', false)

export const FORMAT_TABLE_PATH_ONLY_VALUE = flag('format-table.partition-path-only-value', false)
export const FORMAT_TABLE_FILE_FORMAT = optChoice('file.format', ['parquet', 'orc', 'csv', 'text', 'json'], UNSUPPORTED)

/** Without a key of its own, the line delimiter of a text format is told by `lineSep`, but that of JSON. */
export const CSV_LINE_DELIMITER = text('csv.line-delimiter', '\n', { also: ['lineSep'] })
export const CSV_FIELD_DELIMITER = character('csv.field-delimiter', ',', { also: ['field-delimiter', 'seq'] })
export const CSV_QUOTE = character('csv.quote-character', '"', { also: ['quote'] })
export const CSV_ESCAPE = character('csv.escape-character', '\\', { also: ['escape'] })
export const CSV_HEADER = flag('csv.include-header', false, { also: ['header'] })
export const CSV_NULL_LITERAL = text('csv.null-literal', '', { also: ['nullvalue'] })
export const CSV_MODE = choice('csv.mode', 'permissive', ['permissive', 'dropmalformed', 'failfast'], {
  also: ['mode'],
})
export const JSON_LINE_DELIMITER = text('json.line-delimiter', '\n')
export const JSON_IGNORE_PARSE_ERRORS = flag('json.ignore-parse-errors', false)
export const TEXT_LINE_DELIMITER = text('text.line-delimiter', '\n', { also: ['lineSep'] })
