"""PyIceberg and DuckDB behind one line protocol: a JSON request a line in, a JSON answer a line out.

Request: {"peer": "pyiceberg" | "pyiceberg-core" | "duckdb", "work": ..., "metadata": path, "filter": rest JSON or null, "select": [..] or null}.
Answer: {"ms": wall, "check": number that every peer must agree on, "peak": bytes} or {"error": text}.
"""

import json
import resource
import sys
import time


def folded(batches):
    """Rows seen; each batch is touched, so that lazy peers have to produce it."""
    rows = 0
    for batch in batches:
        rows += batch.num_rows
    return rows


def pyiceberg(request):
    from pyiceberg.expressions import AlwaysTrue, And, EqualTo, GreaterThanOrEqual, LessThan
    from pyiceberg.table import StaticTable

    def expression(node):
        if node is None:
            return AlwaysTrue()
        if node["type"] == "and":
            return And(expression(node["left"]), expression(node["right"]))
        kind = {"eq": EqualTo, "gt-eq": GreaterThanOrEqual, "lt": LessThan}[node["type"]]
        return kind(node["term"], node["value"])

    table = StaticTable.from_metadata(request["metadata"])
    scan = table.scan(row_filter=expression(request["filter"]), selected_fields=tuple(request["select"] or ("*",)))
    if request["work"] == "count":
        return scan.count()
    if request["work"] == "plan":
        return sum(1 for _ in scan.plan_files())
    return folded(scan.to_arrow_batch_reader())


DUCK = None


def duckdb(request):
    global DUCK
    if DUCK is None:
        import duckdb as module
        import duckdb_ext

        DUCK = module.connect()
        DUCK.execute("SET extension_directory = ?", (f"{list(duckdb_ext.__path__)[0]}/extensions",))
        DUCK.execute("SET autoinstall_known_extensions = false")
        DUCK.execute("LOAD avro")
        DUCK.execute("LOAD iceberg")
        DUCK.execute("SET threads = %d" % request.get("threads", 2))

    def where(node):
        if node["type"] == "and":
            return f"({where(node['left'])} AND {where(node['right'])})"
        op = {"eq": "=", "gt-eq": ">=", "lt": "<"}[node["type"]]
        value = node["value"]
        return f"{node['term']} {op} " + (str(value) if isinstance(value, (int, float)) else f"'{value}'")

    columns = ", ".join(request["select"] or ["*"])
    source = f"FROM iceberg_scan('{request['metadata']}')"
    tail = f" WHERE {where(request['filter'])}" if request["filter"] else ""
    if request["work"] == "count":
        return DUCK.execute(f"SELECT count(*) {source}{tail}").fetchone()[0]
    return folded(DUCK.execute(f"SELECT {columns} {source}{tail}").fetch_record_batch(65536))


for line in sys.stdin:
    request = json.loads(line)
    try:
        run = {"pyiceberg": pyiceberg, "duckdb": duckdb}[request["peer"]]
        start = time.perf_counter()
        check = run(request)
        ms = (time.perf_counter() - start) * 1000
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        print(json.dumps({"ms": ms, "check": check, "peak": peak}), flush=True)
    except Exception as error:  # a peer that cannot do the work says so in the table
        print(json.dumps({"error": f"{type(error).__name__}: {error}"[:300]}), flush=True)
