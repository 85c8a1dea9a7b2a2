"""The tasks in Python, with json or orjson, and SQLite where its C interface is not there."""

import json
import os
import re
import resource
import sqlite3
import sys
import time


def lines(log, limit):
    """The lines of a log's actions as bytes, without those of its control records."""
    found = []
    for name in sorted(name for name in os.listdir(log) if re.fullmatch(r"\d{16}\.jsonl", name)):
        with open(f"{log}/{name}", "rb") as file:
            for line in file:
                if b'"type":"@' not in line:
                    found.append(line[:-1])
                if len(found) == limit:
                    return found
    return found


def report(hash, nanoseconds, **metrics):
    metrics["peakMebibytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"hash": hash, "nanoseconds": nanoseconds, "metrics": metrics}))


def timed(warm_up, work):
    """Runs a piece of work that returns a hash, once to warm up and once with the clock."""
    warm_up()
    begin = time.perf_counter_ns()
    hash = work()
    report(hash, time.perf_counter_ns() - begin)


def decode(module, log, count):
    loads, texts = module.loads, lines(log, count)

    def work():
        total = 0
        for text in texts:
            total += loads(text)["seq"]
        return total

    timed(work, work)


def encode(module, log, count):
    records = [module.loads(text) for text in lines(log, count)]
    if module is json:
        encoder = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False)
        dumps = encoder.encode
    else:
        dumps = module.dumps

    def work():
        total = 0
        for record in records:
            total += len(dumps(record))
        return total

    timed(work, work)


def append_sqlite(log, count, path, sync):
    """Rows to a database: the text of each line is there already."""
    texts = [text.decode() for text in lines(log, min(count, 200_000))]
    batch = 10_000 if sync == "none" else int(sync)
    database = sqlite3.connect(path, isolation_level=None)
    database.execute(f"pragma journal_mode={'off' if sync == 'none' else 'wal'}").fetchall()
    database.execute(f"pragma synchronous={'off' if sync == 'none' else 'full'}")
    database.execute("create table log (seq integer primary key, line text not null)")
    begin = time.perf_counter_ns()
    for start in range(0, count, batch):
        database.execute("begin")
        rows = ((index + 1, texts[index % len(texts)]) for index in range(start, min(start + batch, count)))
        database.executemany("insert into log values (?, ?)", rows)
        database.execute("commit")
    nanoseconds = time.perf_counter_ns() - begin
    database.close()
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.unlink(path + suffix)
    report(count, nanoseconds)


def main():
    name, task, log, count, *rest = sys.argv[1:]
    if name == "sqlite" and task == "append":
        append_sqlite(log, int(count), *rest)
    elif name in ("json", "orjson") and task in ("decode", "encode"):
        module = json if name == "json" else __import__("orjson")
        {"decode": decode, "encode": encode}[task](module, log, int(count))
    else:
        print(f"{name} in Python has no task '{task}'")
        sys.exit(69)


main()
