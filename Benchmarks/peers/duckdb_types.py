"""Types per day of a lake in DuckDB, after a round that warms up.

    duckdb_types.py types LAKE COUNT    the number of actions of each type and day, of the COUNT actions of a lake
"""

import json
import os
import sys
import time

import duckdb

# The view of the readers' page, which gives each column its type.
VIEW = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../logs/readers/actions.sql")
QUERY = "SELECT time::DATE AS day, type, count(*) FROM actions GROUP BY ALL ORDER BY ALL"


def types(lake, count):
    database = duckdb.connect()
    database.execute("SET VARIABLE log = ?", [f"{lake}/model=*/log=*/date=*/0*.jsonl"])
    with open(VIEW) as file:
        database.execute(file.read())
    database.execute(QUERY).fetchall()
    begin = time.perf_counter_ns()
    rows = database.execute(QUERY).fetchall()
    nanoseconds = time.perf_counter_ns() - begin
    total = sum(row[2] for row in rows)
    if total != count:
        sys.exit(f"duckdb_types.py: {total} actions instead of {count}")
    print(json.dumps({"hash": total, "nanoseconds": nanoseconds, "metrics": {"roundNanoseconds": nanoseconds}}))


if sys.argv[1] != "types":
    print(f"duckdb has no task '{sys.argv[1]}'")
    sys.exit(69)
types(sys.argv[2], int(sys.argv[3]))
