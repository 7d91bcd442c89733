"""Reads the latest state of every fixture table with PyIceberg: <out>/<table>.arrow, or <table>.error with why not."""

import os
import re
import sys

import pyarrow as pa
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import StaticTable

LAKE, OUT = sys.argv[1:3]
WRITTEN_AT = "file:/lake/iceberg"


class MovedFileIO(PyArrowFileIO):
    """Opens the tables where they are now; they were written elsewhere."""

    def _moved(self, location):
        return location.replace(WRITTEN_AT, LAKE, 1)

    def new_input(self, location):
        return super().new_input(self._moved(location))


def latest(folder):
    version = lambda name: int(re.match(r"v?(\d+)", name).group(1))
    names = [n for n in os.listdir(folder) if n.endswith(".metadata.json")]
    return os.path.join(folder, max(names, key=version))


for table in sorted(os.listdir(LAKE)):
    target = os.path.join(OUT, table)
    try:
        metadata = latest(os.path.join(LAKE, table, "metadata"))
        static = StaticTable.from_metadata(metadata, {"py-io-impl": "peer.MovedFileIO"})
        rows = static.scan().to_arrow()
        with pa.OSFile(target + ".arrow", "wb") as sink, pa.ipc.new_stream(sink, rows.schema) as writer:
            writer.write_table(rows)
    except Exception as error:
        with open(target + ".error", "w") as out:
            out.write(f"{type(error).__name__}: {error}".split("\n")[0][:200])
