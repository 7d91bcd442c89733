"""pypaimon and pypaimon-rust behind one line protocol: a JSON request a line in, a JSON answer a line out.

Request: {"peer": "pypaimon" | "pypaimon-rust", "work": "scan" | "plan", "metadata": table folder in a warehouse, "filter": {"term", "value"} or
null, "threads": n, "sums": [column..] or null}. Answer: {"ms": wall, "check": rows or files, "sums": [text..], "peak": bytes} or {"error": text}.
"""

import json
import os
import resource
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.compute as pc


def folded(batches, names):
    """Rows seen and the sums of columns."""
    rows, sums = 0, [0] * len(names)
    for batch in batches:
        rows += batch.num_rows
        for i, name in enumerate(names):
            column = batch.column(batch.schema.get_field_index(name))
            decimal = pa.types.is_decimal(column.type)
            value = pc.sum(column.cast(pa.decimal128(38, column.type.scale)) if decimal else column).as_py()
            sums[i] += int(value.scaleb(column.type.scale)) if decimal and value is not None else value or 0
    return rows, sums


def names_of(location):
    database, name = os.path.split(location)
    warehouse, database = os.path.split(database)
    return warehouse, f"{database.removesuffix('.db')}.{name}"


def rust(request):
    from pypaimon_rust.datafusion import PaimonCatalog

    warehouse, name = names_of(request["metadata"])
    builder = PaimonCatalog({"warehouse": warehouse}).get_table(name).new_read_builder()
    if request["filter"]:
        leaf = {"method": "equal", "index": 0, "field": request["filter"]["term"], "literals": [request["filter"]["value"]]}
        builder = builder.with_filter(leaf)
    splits = builder.new_scan().plan().splits()
    if request["work"] == "plan":
        raise NotImplementedError("a plan tells no files")
    threads = request["threads"]
    read = lambda part: folded(builder.new_read().read_arrow(part), request.get("sums") or [])  # noqa: E731
    # Each thread takes split after split.
    with ThreadPoolExecutor(threads) as pool:
        parts = list(pool.map(lambda split: read([split]), splits))
    return sum(rows for rows, _ in parts), [sum(column) for column in zip(*(sums for _, sums in parts))]


def python(request):
    from pypaimon import CatalogFactory

    warehouse, name = names_of(request["metadata"])
    table = CatalogFactory.create({"warehouse": warehouse}).get_table(name)
    # Its own code, not pypaimon-rust.
    table = table.copy({"read.native.enabled": "false", "scan.native-plan.enabled": "false"})
    builder = table.new_read_builder()
    if request["filter"]:
        predicates = builder.new_predicate_builder()
        builder = builder.with_filter(predicates.equal(request["filter"]["term"], request["filter"]["value"]))
    splits = builder.new_scan().plan().splits()
    if request["work"] == "plan":
        return sum(len(split.files) for split in splits), []
    return folded(builder.new_read().to_arrow_batch_reader(splits), request.get("sums") or [])


for line in sys.stdin:
    request = json.loads(line)
    try:
        start = time.perf_counter()
        check, sums = {"pypaimon": python, "pypaimon-rust": rust}[request["peer"]](request)
        ms = (time.perf_counter() - start) * 1000
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        answer = {"ms": ms, "check": check, "sums": [str(s) for s in sums] or None, "peak": peak}
        print(json.dumps(answer), flush=True)
    except Exception as error:  # a peer that cannot do the work says so in the table
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}), flush=True)
