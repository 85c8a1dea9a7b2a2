"""Times of the module for Spark, each after a round that warms up. The start of Spark is a metric and not included.

    spark.py fold LOGS COUNT TOOL [MASTER]   a value of each of COUNT logs of a directory
    spark.py types LAKE COUNT [MASTER]       types per day of the COUNT actions of a lake; the same from Parquet is a metric
    spark.py verify LOG COUNT TOOL [MASTER]  the segments of a log of COUNT actions in parallel; the log as a whole is a metric

MASTER is local[2], or for example local[1] or local-cluster[2,1,1024].
"""

import json
import os
import re
import sys
import tempfile
import time

READERS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../logs/readers/spark")


def session(master):
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1"}
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.addPyFile(f"{READERS}/actionlog_spark.py")
    return spark


def timed(work):
    """The result of a piece of work, and its nanoseconds."""
    begin = time.perf_counter_ns()
    result = work()
    return result, time.perf_counter_ns() - begin


def expect(holds, what):
    if not holds:
        sys.exit(f"spark.py: {what}")


def fold(spark, module, logs, count, tool):
    paths = module.find_logs(logs)
    # One process for each core, as 'each' has.
    cores = spark.sparkContext.defaultParallelism
    module.fold(spark, paths[:cores], path="/animals", tool=tool, partitions=cores).collect()
    found = module.fold(spark, paths, path="/animals", tool=tool, partitions=cores).select("sha256", "status", "revision")
    rows, nanoseconds = timed(found.collect)
    failed = [row for row in rows if row.status != 0]
    expect(len(rows) == count and not failed, f"{len(rows)} rows for {count} logs: {failed[:3]}")
    actions = sum(row.revision for row in rows) / nanoseconds * 1e9
    return int(rows[0].sha256[:16], 16), nanoseconds, {"actionsPerSecond": actions}


def types(spark, module, lake, count):
    def rows(path, format):
        return module.types_per_day(module.actions(spark, path, format=format)).collect()

    with tempfile.TemporaryDirectory() as folder:
        target = f"{folder}/parquet"
        _, writing = timed(lambda: module.to_parquet(spark, lake, target))
        rows(lake, "json"), rows(target, "parquet")
        lines, nanoseconds = timed(lambda: rows(lake, "json"))
        columns, derived = timed(lambda: rows(target, "parquet"))
    total = sum(row.actions for row in lines)
    expect(total == count and sorted(lines) == sorted(columns), f"{total} actions instead of {count}")
    metrics = {"roundNanoseconds": nanoseconds, "parquetNanoseconds": derived, "writingParquetNanoseconds": writing}
    return total, nanoseconds, metrics


def verify(spark, module, log, count, tool):
    def breaks():
        rows = module.verify_segments(spark, log, tool=tool).cache()
        found = (rows.count(), module.breaks(rows).count())
        rows.unpersist()
        return found

    breaks()
    found, nanoseconds = timed(breaks)
    segments = sum(1 for name in os.listdir(log) if re.fullmatch(r"\d{16}\.jsonl", name))
    expect(found == (segments, 0), f"{found[0]} segments instead of {segments}, {found[1]} breaks")
    row, whole = timed(lambda: module.verify(spark, log, tool=tool).first())
    expect(row.value == "clean" and row.actions == count, f"{row.value}: {row.message}, {row.actions} actions")
    return row.actions, nanoseconds, {"wholeNanoseconds": whole, "speedup": whole / nanoseconds}


def main(task, path, count, *rest):
    tasks = {"fold": fold, "types": types, "verify": verify}
    needed = 0 if task == "types" else 1
    expect(task in tasks and needed <= len(rest) <= needed + 1, __doc__)
    master = rest[needed] if len(rest) > needed else "local[2]"
    sys.path.insert(0, READERS)
    import actionlog_spark as module

    spark, start = timed(lambda: session(master))
    hash, nanoseconds, metrics = tasks[task](spark, module, path, int(count), *rest[:needed])
    spark.stop()
    print(json.dumps({"hash": hash, "nanoseconds": nanoseconds, "metrics": {"startNanoseconds": start, **metrics}}))


main(*sys.argv[1:])
