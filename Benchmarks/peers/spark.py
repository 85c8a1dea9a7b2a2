"""A value of each of many logs, by the module for Spark: spark.py fold LOGS COUNT TOOL [MASTER]

MASTER is local[2], or for example local[1] or local-cluster[2,1,1024]. The start of Spark is not included.
"""

import json
import os
import sys
import time


def main(task, logs, count, tool, master="local[2]"):
    if task != "fold":
        sys.exit(f"there is no task '{task}'")
    readers = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../logs/readers/spark")
    sys.path.insert(0, readers)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from actionlog_spark import find_logs, fold
    from pyspark.sql import SparkSession

    settings = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false", "spark.driver.host": "127.0.0.1"}
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.sparkContext.addPyFile(f"{readers}/actionlog_spark.py")
    paths = find_logs(logs)
    cores = spark.sparkContext.defaultParallelism
    # One process for each core, as 'each' has.
    fold(spark, paths[:cores], path="/animals", tool=tool, partitions=cores).collect()
    begin = time.perf_counter_ns()
    rows = fold(spark, paths, path="/animals", tool=tool, partitions=cores).select("sha256", "status", "revision").collect()
    nanoseconds = time.perf_counter_ns() - begin
    if len(rows) != int(count) or any(row.status != 0 for row in rows):
        sys.exit(f"{len(rows)} rows for {count} logs: {[row for row in rows if row.status != 0][:3]}")
    actions = sum(row.revision for row in rows) / nanoseconds * 1e9
    spark.stop()
    metrics = {"actionsPerSecond": actions}
    print(json.dumps({"hash": int(rows[0].sha256[:16], 16), "nanoseconds": nanoseconds, "metrics": metrics}))


main(*sys.argv[1:])
