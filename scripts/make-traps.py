"""Writes the tables of __test__/fixtures/traps: known ways to be wrong that need a table made for them.

Data by PyArrow or DuckDB, manifests by PyIceberg; metadata.json by hand, since no writer would write most of these.
Needs: pip install pyiceberg pyarrow duckdb mmh3. Locations begin with file:/lake/traps.
"""

import json
import os
import shutil
import struct
import sys
from decimal import Decimal

import duckdb
import mmh3
import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import (
    DataFile,
    DataFileContent,
    FileFormat,
    ManifestContent,
    ManifestEntry,
    ManifestEntryStatus,
    ManifestWriterV2,
    write_manifest_list,
)
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import BucketTransform, HourTransform, IdentityTransform, TruncateTransform
from pyiceberg.typedef import Record
from pyiceberg.types import (
    DecimalType,
    IntegerType,
    LongType,
    NestedField,
    StringType,
    TimestampNanoType,
)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "__test__", "fixtures", "traps")
LAKE = "file:/lake/traps"
SNAPSHOT = 9007199254740993
PATH_ID, POS_ID = 2147483546, 2147483545
NO_SPEC = PartitionSpec(spec_id=0)


class DeleteManifestWriter(ManifestWriterV2):
    def content(self):
        return ManifestContent.DELETES

    @property
    def _meta(self):
        return {**super()._meta, "content": "deletes"}


def with_ids(table, ids):
    """The table with field ids on its columns; a column without one gets none."""
    fields = [
        f.with_metadata({b"PARQUET:field_id": str(ids[f.name]).encode()} if f.name in ids else {}) for f in table.schema
    ]
    return table.cast(pa.schema(fields))


class Table:
    def __init__(self, name, schema, spec=NO_SPEC, version=2, doc_fields=None):
        self.name, self.schema, self.spec, self.version = name, schema, spec, version
        self.folder = os.path.join(ROOT, name)
        shutil.rmtree(self.folder, ignore_errors=True)
        for part in ("data", "metadata"):
            os.makedirs(os.path.join(self.folder, part))
        self.data_entries, self.delete_entries = [], []
        self.fields = doc_fields
        self.ids = {f.name: f.field_id for f in schema.fields}
        self.summary = {}

    def location(self, file):
        return f"{LAKE}/{self.name}/data/{file}"

    def path(self, file):
        return os.path.join(self.folder, "data", file)

    def entry(self, file, content, count, seq, partition, **more):
        size = more.pop("size", None) or os.path.getsize(self.path(file))
        data_file = DataFile.from_args(
            content=content,
            file_path=self.location(file),
            file_format=FileFormat.PARQUET,
            partition=Record(*partition),
            record_count=count,
            file_size_in_bytes=size,
            column_sizes=None,
            value_counts=more.get("value_counts"),
            null_value_counts=more.get("null_counts"),
            nan_value_counts=None,
            lower_bounds=more.get("lower"),
            upper_bounds=more.get("upper"),
            key_metadata=None,
            split_offsets=None,
            equality_ids=more.get("equality_ids"),
            sort_order_id=None,
        )
        data_file.spec_id = self.spec.spec_id
        return ManifestEntry.from_args(
            status=ManifestEntryStatus.EXISTING,
            snapshot_id=SNAPSHOT,
            sequence_number=seq,
            file_sequence_number=seq,
            data_file=data_file,
        )

    def data(self, file, columns, seq=1, partition=(), ids=None, write=None, **more):
        table = with_ids(pa.table(columns), self.ids if ids is None else ids)
        pq.write_table(table, self.path(file), **(write or {}))
        self.data_entries.append(self.entry(file, DataFileContent.DATA, table.num_rows, seq, partition, **more))

    def positions(self, file, rows, seq=2, partition=(), write=None, **more):
        paths = pa.array([p if p is None else self.location(p) for p, _ in rows], pa.string())
        table = pa.table({"file_path": paths, "pos": pa.array([i for _, i in rows], pa.int64())})
        pq.write_table(with_ids(table, {"file_path": PATH_ID, "pos": POS_ID}), self.path(file), **(write or {}))
        content = DataFileContent.POSITION_DELETES
        self.delete_entries.append(self.entry(file, content, len(rows), seq, partition, **more))

    def equality(self, file, columns, equality_ids, seq=2, partition=(), ids=None, write=None):
        table = with_ids(pa.table(columns), self.ids if ids is None else ids)
        pq.write_table(table, self.path(file), **(write or {}))
        content = DataFileContent.EQUALITY_DELETES
        entry = self.entry(file, content, table.num_rows, seq, partition, equality_ids=equality_ids)
        self.delete_entries.append(entry)

    def manifest(self, writer_class, name, entries):
        path = os.path.join(self.folder, "metadata", name)
        output = PyArrowFileIO().new_output(path)
        with writer_class(self.spec, self.schema, output, SNAPSHOT, "deflate") as writer:
            for entry in entries:
                writer.add_entry(entry)
        manifest = writer.to_manifest_file()
        manifest._data[0] = f"{LAKE}/{self.name}/metadata/{name}"
        manifest._data[4] = 1  # sequence number
        manifest._data[5] = 1  # least sequence number
        return manifest

    def finish(self):
        manifests = [self.manifest(ManifestWriterV2, "data-m0.avro", self.data_entries)]
        if self.delete_entries:
            manifests.append(self.manifest(DeleteManifestWriter, "deletes-m0.avro", self.delete_entries))
        list_path = os.path.join(self.folder, "metadata", "snap-0.avro")
        with write_manifest_list(2, PyArrowFileIO().new_output(list_path), SNAPSHOT, None, 9, "deflate") as writer:
            writer.add_manifests(manifests)
        fields = self.fields or json.loads(self.schema.model_dump_json())["fields"]
        spec = json.loads(self.spec.model_dump_json())
        metadata = {
            "format-version": self.version,
            "table-uuid": "00000000-0000-0000-0000-000000000001",
            "location": f"{LAKE}/{self.name}",
            "last-sequence-number": 9,
            "last-updated-ms": 1700000000000,
            "last-column-id": 100,
            "current-schema-id": 0,
            "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
            "default-spec-id": self.spec.spec_id,
            "partition-specs": [spec],
            "last-partition-id": 1000,
            "default-sort-order-id": 0,
            "sort-orders": [{"order-id": 0, "fields": []}],
            "properties": {},
            "current-snapshot-id": SNAPSHOT,
            "snapshots": [
                {
                    "snapshot-id": SNAPSHOT,
                    "sequence-number": 9,
                    "timestamp-ms": 1700000000000,
                    "manifest-list": f"{LAKE}/{self.name}/metadata/snap-0.avro",
                    "summary": {"operation": "append", **self.summary},
                    "schema-id": 0,
                }
            ],
        }
        if self.version == 3:
            metadata["next-row-id"] = 0
            metadata["snapshots"][0].update({"first-row-id": 0, "added-rows": 0})
        with open(os.path.join(self.folder, "metadata", "v1.metadata.json"), "w") as out:
            json.dump(metadata, out, indent=1)


def ints(*values, type=pa.int64()):
    return pa.array(values, type)


def schema(**types):
    fields = [NestedField(i, name, kind, required=False) for i, (name, kind) in enumerate(types.items(), 1)]
    return Schema(*fields)


def utf8(text):
    return text.encode()


def position_tables():
    t = Table("all_rows_deleted", schema(id=LongType()))
    t.data("a.parquet", {"id": ints(*range(20))}, write={"row_group_size": 3})
    t.data("b.parquet", {"id": ints(100, 101)})
    t.positions("d.parquet", [("a.parquet", i) for i in range(20)], write={"row_group_size": 4})
    t.finish()

    t = Table("inverted_path_bounds", schema(id=LongType()))
    t.data("a.parquet", {"id": ints(1, 2, 3)})
    bounds = {"lower": {PATH_ID: utf8("zzz")}, "upper": {PATH_ID: utf8("aaa")}}
    t.positions("d.parquet", [("a.parquet", 1)], **bounds)
    t.finish()

    for name, rows in {
        "null_path": [(None, 1)],
        "null_position": [("a.parquet", None)],
        "negative_position": [("a.parquet", -1)],
    }.items():
        t = Table(name, schema(id=LongType()))
        t.data("a.parquet", {"id": ints(1, 2, 3)})
        t.positions("bad-deletes.parquet", [("a.parquet", 0), *rows])
        t.finish()

    t = Table("delete_is_a_folder", schema(id=LongType()))
    t.data("a.parquet", {"id": ints(1, 2, 3)})
    t.positions("bad-deletes.parquet", [("a.parquet", 0)])
    t.finish()
    os.remove(t.path("bad-deletes.parquet"))
    os.mkdir(t.path("bad-deletes.parquet"))
    with open(os.path.join(t.path("bad-deletes.parquet"), "keep"), "w") as keep:
        keep.write("a folder where a file should be\n")

    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "cat"), spec_id=0)
    t = Table("delete_of_another_partition", schema(id=LongType(), cat=StringType()), spec)
    t.data("a.parquet", {"id": ints(1, 2), "cat": ["x", "x"]}, partition=("x",))
    where = utf8(t.location("a.parquet"))
    bounds = {"lower": {PATH_ID: where}, "upper": {PATH_ID: where}}
    t.positions("d.parquet", [("a.parquet", 0)], partition=("y",), **bounds)
    t.finish()

    t = Table("ordinary_special_names", schema(pos=LongType(), file_path=StringType()))
    t.data("a.parquet", {"pos": ints(10, 11, 12), "file_path": ["x", "y", "z"]})
    t.positions("d.parquet", [("a.parquet", 1)])
    t.finish()


def equality_tables():
    t = Table("equality_null_rows", schema(id=LongType(), k=IntegerType()))
    t.data("a.parquet", {"id": ints(1, 2, 3), "k": ints(5, None, 6, type=pa.int32())})
    t.data("old.parquet", {"id": ints(10, 11)})
    t.equality("d.parquet", {"k": ints(5, type=pa.int32())}, [2])
    t.finish()

    t = Table("equality_two_key_sets", schema(id=LongType(), k=IntegerType()))
    t.data("a.parquet", {"id": ints(1, 2, 3, 4), "k": ints(5, 6, 7, 8, type=pa.int32())})
    t.equality("d1.parquet", {"id": ints(2)}, [1])
    t.equality("d2.parquet", {"k": ints(7, 5, type=pa.int32())}, [2])
    t.equality("d3.parquet", {"id": ints(4), "k": ints(5, type=pa.int32())}, [1, 2])
    t.finish()

    t = Table("equality_promoted_key", schema(id=LongType()))
    t.data("int.parquet", {"id": ints(1, 2, 3, type=pa.int32())})
    t.data("long.parquet", {"id": ints(1, 2, 4, 5_000_000_000)})
    t.equality("d-int.parquet", {"id": ints(1, type=pa.int32())}, [1])
    t.equality("d-long.parquet", {"id": ints(2, 5_000_000_000)}, [1])
    t.finish()

    fields = [
        {"id": 1, "name": "id", "required": False, "type": "long"},
        {"id": 2, "name": "k", "required": False, "type": "int", "initial-default": 7},
    ]
    t = Table("equality_default_key", schema(id=LongType(), k=IntegerType()), version=3, doc_fields=fields)
    t.data("old.parquet", {"id": ints(1, 2)})
    t.data("new.parquet", {"id": ints(3, 4, 5), "k": ints(7, 8, None, type=pa.int32())})
    t.equality("d.parquet", {"k": ints(7, type=pa.int32())}, [2])
    t.finish()

    t = Table("equality_huge", schema(id=LongType()))
    t.data("a.parquet", {"id": ints(*range(299_995, 300_005))})
    delta = {"use_dictionary": False, "column_encoding": {"id": "DELTA_BINARY_PACKED"}, "compression": "zstd"}
    t.equality("d.parquet", {"id": pa.array(range(300_000), pa.int64())}, [1], write=delta)
    t.finish()


def metadata_tables():
    t = Table("wrong_summary", schema(id=LongType()))
    t.summary = {"total-records": "999", "total-delete-files": "0", "added-records": "0"}
    t.data("a.parquet", {"id": ints(1, 2, 3)})
    t.positions("d.parquet", [("a.parquet", 2), ("a.parquet", 2), ("a.parquet", 77)])
    t.finish()

    unknown = {"value_counts": {1: -1, 2: -1}, "null_counts": {1: -1, 2: -1}}
    t = Table("unknown_counts", schema(id=LongType(), v=StringType()))
    t.data("a.parquet", {"id": ints(1, 2, None), "v": ["x", None, "y"]}, **unknown)
    t.finish()

    def eight(value):
        return struct.pack("<q", value)

    t = Table("bad_bounds", schema(id=LongType(), d=DecimalType(9, 2)))
    dec = pa.array([Decimal("1.50"), Decimal("-2.25")], pa.decimal128(9, 2))
    counts = {"value_counts": {1: 2, 2: 2}, "null_counts": {1: 0, 2: 0}}
    t.data("inverted.parquet", {"id": ints(1, 9), "d": dec}, lower={1: eight(9)}, upper={1: eight(1)}, **counts)
    t.data("long.parquet", {"id": ints(3, 4), "d": dec}, lower={2: b"\x7f" * 20}, upper={2: b"\x80" * 20}, **counts)
    t.data("short.parquet", {"id": ints(5, 6), "d": dec}, lower={1: b"\x01\x02\x03", 2: b""}, upper={1: b""}, **counts)
    t.finish()

    t = Table("wrong_file_size", schema(id=LongType()))
    t.data("a.parquet", {"id": ints(1, 2)}, size=50)
    t.data("b.parquet", {"id": ints(3, 4)}, size=1_000_000)
    t.finish()


def file_tables():
    t = Table("no_ids_no_mapping", schema(id=LongType(), name=StringType()))
    t.data("a.parquet", {"any": ints(1, 2), "thing": ["x", "y"]}, ids={})
    t.finish()

    t = Table("annotated_int", schema(id=LongType()))
    query = "SELECT i::INTEGER AS id FROM range(-2, 3) r(i)"
    duckdb.sql(f"COPY ({query}) TO '{t.path('a.parquet')}' (FORMAT parquet, FIELD_IDS {{id: 1}})")
    t.data_entries.append(t.entry("a.parquet", DataFileContent.DATA, 5, 1, ()))
    t.finish()

    t = Table("all_null_delta_pages", schema(id=LongType(), v=LongType()))
    encodings = {
        "use_dictionary": False,
        "column_encoding": {"id": "DELTA_BINARY_PACKED", "v": "DELTA_BINARY_PACKED"},
        "write_page_index": True,
        "data_page_size": 64,
        "write_batch_size": 16,
    }
    values = [None] * 200 + list(range(200))
    t.data("a.parquet", {"id": ints(*range(400)), "v": ints(*values)}, write=encodings)
    t.finish()

    # Statistics, and so a column index, of one column alone.
    t = Table("partial_page_index", schema(id=LongType(), v=LongType()))
    some = {**encodings, "write_statistics": ["id"]}
    t.data("a.parquet", {"id": ints(*range(400)), "v": ints(*values)}, write=some)
    indexes = pq.ParquetFile(t.path("a.parquet")).metadata.row_group(0)
    assert indexes.column(0).has_column_index and not indexes.column(1).has_column_index
    t.finish()

    t = Table("absent_column", schema(id=LongType(), v=LongType(), s=StringType()))
    t.data("old.parquet", {"id": ints(1)})
    t.data("new.parquet", {"id": ints(2, 3), "v": ints(None, 5), "s": pa.array([None, "ab"])})
    t.finish()


def transform_tables():
    spec = PartitionSpec(PartitionField(2, 1000, TruncateTransform(10), "v_trunc"), spec_id=0)
    t = Table("truncate_edge", schema(id=LongType(), v=IntegerType()), spec)
    for i, v in enumerate([-2147483640, -1, 0, 2147483647]):
        partition = (v - v % 10,)
        t.data(f"{i}.parquet", {"id": ints(i), "v": ints(v, type=pa.int32())}, partition=partition)
    t.finish()

    t = Table("truncate_edge_long", schema(id=LongType(), v=LongType()), spec)
    for i, v in enumerate([-9223372036854775800, -1, 0, 9223372036854775807]):
        t.data(f"{i}.parquet", {"id": ints(i), "v": ints(v)}, partition=(v - v % 10,))
    t.finish()

    spec = PartitionSpec(PartitionField(2, 1000, BucketTransform(16), "d_bucket"), spec_id=0)
    t = Table("bucket_negative_decimals", schema(id=LongType(), d=DecimalType(9, 0)), spec)
    for i, unscaled in enumerate([-1, -128, -129, -256, 127, 128, 255, 0]):
        # The shortest two's complement (Iceberg spec, appendix B).
        length = next(n for n in range(1, 17) if -(1 << (8 * n - 1)) <= unscaled < 1 << (8 * n - 1))
        bucket = (mmh3.hash(unscaled.to_bytes(length, "big", signed=True)) & 0x7FFFFFFF) % 16
        columns = {"id": ints(i), "d": pa.array([Decimal(unscaled)], pa.decimal128(9, 0))}
        t.data(f"{i}.parquet", columns, partition=(bucket,))
    t.finish()

    hour = 3_600_000_000_000
    spec = PartitionSpec(PartitionField(2, 1000, HourTransform(), "ts_hour"), spec_id=0)
    t = Table("hour_of_nanoseconds", schema(id=LongType(), ts=TimestampNanoType()), spec, version=3)
    for i, nanos in enumerate([-1, 0, hour - 1, hour, hour + 1]):
        columns = {"id": ints(i), "ts": pa.array([nanos], pa.timestamp("ns"))}
        bound = {2: struct.pack("<q", nanos)}
        t.data(f"{i}.parquet", columns, partition=(nanos // hour,), lower=bound, upper=bound)
    t.finish()


def main():
    position_tables()
    equality_tables()
    metadata_tables()
    file_tables()
    transform_tables()
    return 0


if __name__ == "__main__":
    sys.exit(main())
