"""Makes the bench tables that PyIceberg writes: `tables.py OUT NAME...`. Each is made once; a marker file says it is whole."""

import os
import shutil
import sys

import duckdb
import duckdb_ext
import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

OUT = os.path.abspath(sys.argv[1])
SCALE = float(os.environ.get("BENCH_SCALE", "1"))


def connect():
    con = duckdb.connect()
    con.execute("SET extension_directory = ?", (f"{list(duckdb_ext.__path__)[0]}/extensions",))
    con.execute("SET autoinstall_known_extensions = false")
    con.execute("SET threads = 2")
    return con


def write(name, table, files, properties=None):
    """Writes `table` as `files` data files of one append: PyIceberg packs whole record batches, see `chunks`."""
    catalog = SqlCatalog("bench", uri="sqlite:///:memory:", warehouse=f"file://{OUT}")
    catalog.create_namespace_if_not_exists("bench")
    target = max(1, table.nbytes // files)
    props = {
        "format-version": "2",
        "write.parquet.compression-codec": "zstd",
        "write.target-file-size-bytes": str(2**62 if files == 1 else target),
        **(properties or {}),
    }
    iceberg = catalog.create_table(f"bench.{name}", schema=table.schema, location=f"file://{OUT}/{name}", properties=props)
    iceberg.append(table)


def lineitem():
    con = connect()
    con.execute("LOAD tpch")
    con.execute(f"CALL dbgen(sf={SCALE})")
    return con.execute("SELECT * FROM lineitem ORDER BY l_shipdate, l_orderkey, l_linenumber").fetch_arrow_table()


def chunks(table, files):
    """The same rows in `files` record batches of equal length, so that each becomes one file."""
    table = table.combine_chunks()
    rows = -(-table.num_rows // files)
    return pa.Table.from_batches([b for b in table.to_batches(max_chunksize=rows)])


def make_lineitem():
    write("lineitem", chunks(lineitem(), 16), 16)


def make_one_big():
    con = connect()
    table = con.execute(f"""
        SELECT i AS id, hash(i) % 1000000007 AS k, random() AS a, random() AS b,
               md5(i::VARCHAR) AS s, (i * 7919) % 100000 AS g
        FROM range({int(24_000_000 * SCALE)}) t(i)""").fetch_arrow_table()
    table = table.cast(pa.schema([("id", pa.int64()), ("k", pa.int64()), ("a", pa.float64()), ("b", pa.float64()),
                                  ("s", pa.string()), ("g", pa.int64())]))
    write("one_big", table, 1, {"write.parquet.row-group-limit": "500000"})


def make_many_small():
    con = connect()
    n = int(5_000_000 * SCALE)
    table = con.execute(f"SELECT i AS id, i % 97 AS k, i * 0.5 AS v, 'row ' || i AS s FROM range({n}) t(i)").fetch_arrow_table()
    table = table.cast(pa.schema([("id", pa.int64()), ("k", pa.int64()), ("v", pa.float64()), ("s", pa.string())]))
    write("many_small", chunks(table, n // 1000), n // 1000)


def make_wide():
    con = connect()
    columns = ", ".join(f"(i * {j + 3}) % {1000 + j} AS c{j}" if j % 2 else f"(i * {j + 3} % 100003) * 0.25 AS c{j}" for j in range(500))
    table = con.execute(f"SELECT {columns} FROM range({int(100_000 * SCALE)}) t(i)").fetch_arrow_table()
    table = table.cast(pa.schema([(f"c{j}", pa.int64() if j % 2 else pa.float64()) for j in range(500)]))
    write("wide", chunks(table, 4), 4)


def make_strings():
    con = connect()
    table = con.execute(f"""
        SELECT i AS id, repeat(md5(i::VARCHAR), 8) AS body, md5((i // 3)::VARCHAR) AS k, 'https://example/' || (i % 5000) || '/page' AS url
        FROM range({int(1_000_000 * SCALE)}) t(i)""").fetch_arrow_table()
    table = table.cast(pa.schema([("id", pa.int64()), ("body", pa.string()), ("k", pa.string()), ("url", pa.string())]))
    write("strings", chunks(table, 4), 4)


def make_nested():
    con = connect()
    table = con.execute(f"""
        SELECT i AS id, {{'a': i, 'b': 'x' || (i % 1000), 'in': {{'c': i * 0.5}}}} AS st,
               range(i % 7) AS xs, [{{'k': j, 'v': 'v' || j}} for j in range(i % 4)] AS ss
        FROM range({int(1_000_000 * SCALE)}) t(i)""").fetch_arrow_table()
    schema = pa.schema([
        ("id", pa.int64()),
        ("st", pa.struct([("a", pa.int64()), ("b", pa.string()), ("in", pa.struct([("c", pa.float64())]))])),
        ("xs", pa.list_(pa.int64())),
        ("ss", pa.list_(pa.struct([("k", pa.int64()), ("v", pa.string())]))),
    ])
    write("nested", chunks(table.cast(schema), 4), 4)


for wanted in sys.argv[2:]:
    marker = f"{OUT}/{wanted}.done"
    if os.path.exists(marker):
        continue
    shutil.rmtree(f"{OUT}/{wanted}", ignore_errors=True)
    globals()[f"make_{wanted}"]()
    open(marker, "w").close()
    print(wanted, flush=True)
