"""Logs in Spark: queries over a lake, and the verbs of action-log on many logs.

A lake is the directory that `action-log ship` fills: `model=NAME/log=IDENTIFIER/date=DAY/0*.jsonl`. Spark reads its segments as a
table (`records`, `actions`). States come from the tool: `fold`, `digest`, `verify`, `blame` and `find` run it on the workers, one
process for each partition, which answers for one log after the other.

    spark.sparkContext.addPyFile("actionlog_spark.py")
    from actionlog_spark import find_logs, fold
    fold(spark, find_logs("/data/customers"), path="/balance").where("status = 0").show()

Needs Python 3.9, PySpark 3.5 or 4, and `action-log` or the application's own tool on each worker, or sent with `--files`.
"""

import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import time

# The record of a log. `data` and `meta` are text: members of different models have different types.
RECORDS = (
    "seq BIGINT, time TIMESTAMP, type STRING, synced BIGINT, prev STRING, data STRING, meta STRING, crc STRING,"
    " _corrupt_record STRING, model STRING, log STRING, date DATE"
)
# The answer of a verb for a log.
ANSWERS = (
    "log STRING, verb STRING, model STRING, sha256 STRING, value STRING, error STRING, message STRING, worker STRING,"
    " answer STRING, revision BIGINT, actions BIGINT, microseconds BIGINT, status INT, id STRING"
)
# The time in which the tool reports a timeout by itself, in seconds. After that its process is stuck, and is killed.
_GRACE = 30.0
# The status of a log whose verb did not answer in time, as in the tool.
_TIMEOUT_STATUS = 124
_SEGMENT = re.compile(r"\d{16}\.jsonl")


# ---------------------------------------------------------------------------------------------------------------------- The table


def records(spark, lake, model=None, first_day=None, last_day=None, format="json"):
    """Returns the records of a lake, with the control records.

    A line that is not JSON is a row with its text in `_corrupt_record` and NULL in the other columns of `RECORDS`.

    lake: the directory, or a URI that Spark reads. With format="parquet", the target of `to_parquet`.
    model: only the logs of this model.
    first_day, last_day: the first and last day (UTC) of the records, as a date or `YYYY-MM-DD`. Segments that begin after the last
    day are not read. Those that begin before the first day are: they can have records of later days.
    Sets the time zone of the session to UTC, which is that of the days.
    """
    from pyspark.sql import functions as F

    spark.conf.set("spark.sql.session.timeZone", "UTC")
    # The types of the directories are given, too: a model called 2024 would be a number.
    reader = spark.read.schema(RECORDS)
    if format == "parquet":
        found = reader.parquet(_unglobbed(lake)).select(_names(RECORDS))
    elif format == "json":
        # Other files of a lake are manifests and unfinished copies. A line feed is the only end of a line. With the option
        # encoding, Spark would write the numbers in data and meta in its own form.
        options = {"pathGlobFilter": "0*.jsonl", "lineSep": "\n", "mode": "PERMISSIVE"}
        found = reader.options(**options).json(_unglobbed(lake))
    else:
        raise ValueError(f"the format is json or parquet, not {format}")
    if model is not None:
        found = found.where(F.col("model") == model)
    if last_day is not None:
        last_day = F.lit(str(last_day)).cast("date")
        is_before = F.col("time") < F.date_add(last_day, 1).cast("timestamp")
        found = found.where((F.col("date") <= last_day) & (is_before | F.col("time").isNull()))
    if first_day is not None:
        is_after = F.col("time") >= F.lit(str(first_day)).cast("date").cast("timestamp")
        found = found.where(is_after | F.col("time").isNull())
    return found


def actions(spark, lake, model=None, first_day=None, last_day=None, format="json"):
    """Returns the actions of a lake: `records` without the control records. A line that is not JSON stays a row, of type NULL."""
    from pyspark.sql import functions as F

    kind = F.col("type")
    return records(spark, lake, model, first_day, last_day, format).where(kind.isNull() | ~kind.startswith("@"))


def types_per_day(actions):
    """Returns the number of actions for each model, day (UTC) and type: `model, day, type, actions`."""
    from pyspark.sql import functions as F

    return actions.groupBy("model", F.to_date("time").alias("day"), "type").agg(F.count("*").alias("actions"))


def actions_by_actor(actions):
    """Returns the work of each actor: `model, actor, logs, actions, first, last`. An action without `meta.actor` has actor NULL."""
    from pyspark.sql import functions as F

    actor = F.get_json_object("meta", "$.actor").alias("actor")
    return actions.groupBy("model", actor).agg(
        F.countDistinct("log").alias("logs"),
        F.count("*").alias("actions"),
        F.min("time").alias("first"),
        F.max("time").alias("last"),
    )


def causes(actions):
    """Returns the actions with a cause, next to it: `model, log, seq, time, type, cause, cause_time, cause_type`.

    The cause is `meta.cause`, an earlier action of the same log. The last two columns are NULL if `actions` does not have it.
    """
    from pyspark.sql import functions as F

    effects = actions.withColumn("cause", F.get_json_object("meta", "$.cause").cast("bigint")).where("cause IS NOT NULL")
    found = actions.select(
        "model", "log", F.col("seq").alias("cause"), F.col("time").alias("cause_time"), F.col("type").alias("cause_type")
    )
    names = ["model", "log", "seq", "time", "type", "cause", "cause_time", "cause_type"]
    return effects.select(names[:6]).join(found, ["model", "log", "cause"], "left").select(names)


def to_parquet(spark, lake, target, model=None, first_day=None, last_day=None):
    """Writes the records of a lake as Parquet, partitioned by model and date, in files of similar size.

    It is derived data: delete it and write it again when the lake has grown. Fails if the target exists. A line that is not JSON
    ends the job, because the Parquet files would hide it: `action-log verify` finds the cause.
    """
    from pyspark.sql import functions as F

    found = records(spark, lake, model, first_day, last_day)
    corrupt = F.col("_corrupt_record")
    message = F.concat(F.lit("a line of the log "), "log", F.lit(" is not JSON: "), F.substring(corrupt, 1, 100))
    checked = F.when(corrupt.isNotNull(), F.raise_error(message).cast("string"))
    found = found.withColumn("_corrupt_record", checked)
    # As text, because DataFrame.hint of PySpark 3.5 takes no columns.
    balanced = spark.sql("SELECT /*+ REBALANCE(model, date) */ * FROM {found}", found=found)
    sorted_rows = balanced.sortWithinPartitions("model", "date", "log", "seq")
    sorted_rows.write.partitionBy("model", "date").mode("errorifexists").parquet(target)


def _names(schema):
    return [column.split()[0] for column in schema.split(",")]


def _unglobbed(path):
    """A path in which Spark does not expand patterns."""
    return re.sub(r"([\\{}\[\]*?])", r"\\\1", os.fspath(path))


# ------------------------------------------------------------------------------------------------------------ A verb for each log


def find_logs(directory):
    """Returns the paths of the logs in a directory, sorted: directories with segments, and the logs of a lake.

    A symbolic link is not followed. The workers need the same files at the same paths.
    """

    def fail(error):
        raise error

    found = []
    for path, folders, files in os.walk(os.path.abspath(directory), onerror=fail):
        name = os.path.basename(path)
        in_lake = name.startswith("log=") and os.path.basename(os.path.dirname(path)).startswith("model=")
        if in_lake or any(_SEGMENT.fullmatch(file) or file == "HEAD" for file in files):
            found.append(path)
            folders.clear()
        folders[:] = [folder for folder in folders if folder != "_logs" and not folder.endswith(".unfinished")]
    return sorted(found)


def fold(spark, logs, model=None, at=None, path=None, **run):
    """Returns the state of each log at a point: `state`. With a path (JSON Pointer), `value` has the value there as JSON."""
    return ask(spark, logs, ["state"], {"model": model, "at": at, "path": path}, **run)


def digest(spark, logs, model=None, at=None, **run):
    """Folds each log from its first action to a point, and compares it with the digests in it: `replay`. The result is `sha256`."""
    return ask(spark, logs, ["replay"], {"model": model, "at": at}, **run)


def verify(spark, logs, **run):
    """Checks every byte of each log: `verify`. `value` is the verdict, and `status` is 1 if it is not `clean`."""
    return ask(spark, logs, ["verify"], {}, **run)


def blame(spark, logs, path, model=None, at=None, **run):
    """Returns the action of each log that last changed the value at a path (JSON Pointer): `blame`."""
    return ask(spark, logs, ["blame", path], {"model": model, "at": at}, **run)


def find(spark, logs, condition, model=None, at=None, **run):
    """Returns the first revision of each log at which a condition holds, up to a point: `find`. Status 1: it never holds."""
    return ask(spark, logs, ["find", condition], {"model": model, "at": at}, **run)


def ask(spark, logs, words, options=None, *, tool="action-log", timeout=None, partitions=None):
    """Runs a verb of the tool on each log, and returns one row of `ANSWERS` for each.

    A log that is damaged, missing, or ends its process has `error` and `message`, and costs no other row: the tool's own codes,
    `crashed` if the process ended before it answered, `timeout` if it took too long.

    logs: a path; a list of paths or of dictionaries with `log` and options of the verb, such as {"log": …, "id": …, "at": 42};
    or a DataFrame with these columns. The options of a log replace `options`, and its `id` is repeated in its row. A relative path
    is relative to the working directory of this process, not of the worker.
    words: the verb and its arguments, for example ["state"].
    options: options of the verb for all logs, for example {"at": 42}. None is no option.
    tool: a path, or the name of a program that was sent with `--files` or is in the PATH of the workers.
    timeout: the time for one log in seconds, after which its process is killed. Without it, a reducer that never ends holds its
    partition forever.
    partitions: the number of processes that are started; by default four for each core, and those of the DataFrame.
    """
    context = spark.sparkContext
    words = list(words)
    folder = os.getcwd()
    options = {name: value for name, value in (options or {}).items() if value is not None}
    if os.sep in tool:
        tool = os.path.abspath(tool)
    if hasattr(logs, "rdd"):
        rows = logs if partitions is None else logs.repartition(partitions)
        requests = rows.rdd.map(lambda row: _request(row.asDict(), options, words[0], folder))
    else:
        named = [logs] if isinstance(logs, (str, os.PathLike, dict)) else logs
        texts = [_request(log, options, words[0], folder) for log in named]
        if partitions is None:
            partitions = 4 * context.defaultParallelism
        requests = context.parallelize(texts, max(1, min(partitions, len(texts))))

    def answer(requests):
        worker = f"{socket.gethostname()}/{os.getpid()}"
        for request, line in answers(requests, words, _program(tool), timeout):
            yield _row(request, line, words[0], worker)

    return spark.createDataFrame(requests.mapPartitions(answer), ANSWERS, verifySchema=False)


def _request(log, options, verb, folder):
    """The request for a log, as a line of `each -`."""
    members = dict(log) if isinstance(log, dict) else {"log": os.fspath(log)}
    members = {**options, **{name: value for name, value in members.items() if value is not None}}
    path = members.get("log")
    if not isinstance(path, str):
        raise ValueError(f"a log is a path, or has its path in 'log': {log!r}")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", path):
        raise ValueError(f"the tool reads files of the worker, not {path}: copy or mount the logs first")
    members["log"] = os.path.join(folder, path) if path else path
    # These verbs have a range instead of a point.
    if verb in ("replay", "find") and "at" in members:
        members["to"] = members.pop("at")
    return json.dumps(members)


def _program(tool):
    """The path of the tool on this worker."""
    if os.sep in tool:
        return tool
    from pyspark import SparkFiles

    sent = SparkFiles.get(tool)
    found = sent if os.access(sent, os.X_OK) else shutil.which(tool)
    if found is None:
        raise FileNotFoundError(
            f"{socket.gethostname()} has no program {tool}: send it with --files, or install it on each worker"
        )
    return found


def answers(requests, words, tool, timeout=None, grace=_GRACE):
    """Yields each request with the tool's line of JSON for it. Needs no Spark.

    The tool replaces a child process in which a reducer trapped or took too long. This function replaces the tool if it is killed
    itself, for example because the system has no memory: it asks for the log again, and gives up at the second time.

    Raises RuntimeError if the tool refuses the verb, or cannot run.
    """
    process = None
    try:
        for request in requests:
            line = None
            for attempt in (1, 2):
                process = process or _Process(words, tool, timeout)
                line = process.ask(request, None if timeout is None else timeout + grace)
                if line is not None:
                    break
                ended, process = process, None
                status = ended.end()
                if ended.is_stuck:
                    message = f"{tool} did not answer within {timeout + grace:g} seconds, and was killed"
                    line = _failure(_TIMEOUT_STATUS, "timeout", message)
                    break
                if status >= 0 and (status == 2 or attempt == 2):
                    raise RuntimeError(_refusal(words, tool, status))
                if attempt == 2:
                    name = signal.strsignal(-status)
                    line = _failure(128 - status, "crashed", f"{tool} was ended twice by a signal, the second time by {name}")
            yield request, line
    finally:
        if process is not None:
            process.end()


class _Process:
    """A process that answers for one log after the other."""

    def __init__(self, words, tool, timeout):
        # One child: Spark runs as many partitions at a time as there are cores.
        options = ["--jobs", "1"] + ([] if timeout is None else ["--timeout", str(timeout)])
        self.process = subprocess.Popen(
            [tool, "each", "-", "--quiet", *options, "--", *words],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.is_stuck = False

    def ask(self, request, patience):
        """Returns the answer as text; None if the process ended or is stuck."""
        deadline = None if patience is None else time.monotonic() + patience
        try:
            self.process.stdin.write(request.encode() + b"\n")
        except OSError:
            return None
        # Not select, which refuses descriptors from 1024 on.
        poll = select.poll()
        poll.register(self.process.stdout, select.POLLIN)
        chunks = []
        while not chunks or not chunks[-1].endswith(b"\n"):
            left = None if deadline is None else max(0.0, deadline - time.monotonic()) * 1_000
            if not poll.poll(left):
                self.is_stuck = True
                return None
            chunk = os.read(self.process.stdout.fileno(), 1 << 20)
            if not chunk:
                return None
            chunks.append(chunk)
        return b"".join(chunks).decode(errors="replace")

    def end(self):
        """Ends the process and its child. Returns its exit status; minus a signal if that ended it."""
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()
        # It ends when its input ends; a request to stop ends its child, too; a stopped process needs force.
        for stop in (lambda: None, self.process.terminate, self.process.kill):
            stop()
            try:
                return self.process.wait(timeout=2)
            except subprocess.TimeoutExpired:
                pass
        return self.process.wait()


def _refusal(words, tool, status):
    """The message of a tool that ended before it answered."""
    run = subprocess.run([tool, "each", "-", "--", *words], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return f"{tool} exited with status {status}: {run.stderr.decode(errors='replace').strip()}"


def _failure(status, code, message):
    """The line for a log for which the tool printed none."""
    return json.dumps({"status": status, "microseconds": 0, "error": {"code": code, "message": message}}, separators=(",", ":"))


def _row(request, line, verb, worker):
    """A row of `ANSWERS`."""
    request, row = json.loads(request), _members(line)
    answer = _members(row["answer"]) if row.get("answer", "").startswith("{") else {}
    error = _members(row.get("error", "{}"))
    work = _members(answer.get("work", "{}"))
    value = answer.get("verdict") if verb == "verify" else answer.get("value")
    count = answer.get("actions") or answer.get("actionsFolded") or work.get("actionsFolded")
    id = request.get("id")
    return (
        _valid(request["log"]),
        verb,
        _text(row.get("model")),
        _text(row.get("sha256")),
        _text(value) if verb == "verify" else value,
        _text(error.get("code")),
        _text(error.get("message")),
        worker,
        row.get("answer"),
        _number(row.get("revision")),
        _number(count),
        _number(row.get("microseconds")),
        int(row["status"]),
        None if id is None else _valid(str(id)),
    )


_DECODER = json.JSONDecoder()


def _members(text):
    """The members of a JSON object without white space, each as the tool wrote it: no number is changed."""
    found = {}
    index = 1
    while index < len(text) and text[index] == '"':
        name, index = _DECODER.raw_decode(text, index)
        start = index + 1
        _, index = _DECODER.raw_decode(text, start)
        found[name] = text[start:index]
        index += 1
    return found


def _text(json_text):
    value = None if json_text is None else json.loads(json_text)
    return _valid(value) if isinstance(value, str) else None


def _valid(text):
    """A text that Spark takes: a name that is not UTF-8 has surrogates in Python."""
    return text.encode("utf-8", "replace").decode()


def _number(json_text):
    value = None if json_text is None else json.loads(json_text)
    return value if isinstance(value, int) else None


# ------------------------------------------------------------------------------------------------------------------- One long log

_ENDS = ["first", "last", "prev", "crc", "epoch", "synced", "records", "actions", "bytes"]


def verify_segments(spark, logs, **run):
    """Checks the segments of logs in parallel: a row for each, with both ends of its checksum chain. See `breaks`.

    The rows have `log, segment, base, verdict, first, last, prev, crc, epoch, synced, records, actions, bytes, status, error,
    message, worker`. A segment of a lake that the manifest lists and the lake does not have is a row with the error `notFound`.
    `base` is the revision before the first one, which is 0 unless the log was pruned.
    Raises FileNotFoundError for a missing log, and ValueError for one without segments.
    """
    from pyspark.sql import functions as F

    named = [logs] if isinstance(logs, (str, os.PathLike)) else logs
    requests = [
        {"log": path, "id": f"{base}:{log}"} for log in map(os.path.abspath, named) for path, base in _segments(log)
    ]
    rows = ask(spark, requests, ["verify"], {}, **run)
    texts = F.json_tuple(F.get_json_object("answer", "$.segments[0]"), *_ENDS).alias(*_ENDS)
    rows = rows.select(
        F.substring_index("id", ":", 1).cast("bigint").alias("base"),
        F.regexp_extract("id", "(?s)^[0-9]+:(.*)$", 1).alias("of"),
        F.col("log").alias("segment"),
        F.col("value").alias("verdict"),
        *["status", "error", "message", "worker"],
        texts,
    )
    # The number in the name, because a damaged segment has no other.
    first = F.regexp_extract("segment", r"(\d{16})\.jsonl$", 1)
    columns = {name: F.col(name) if name in ("prev", "crc") else F.col(name).cast("bigint") for name in _ENDS}
    columns["first"] = first.cast("bigint")
    ends = [column.alias(name) for name, column in columns.items()]
    found = [F.col("of").alias("log"), "segment", "base", "verdict", *ends]
    return rows.select(*found, "status", "error", "message", "worker")


def breaks(segments):
    """Returns where logs are not continuous: the rows of `verify_segments` with a `reason`. None: the segments are intact together.

    Each segment must be intact, and continue the checksum chain and the revisions of the one before it. A missing newest segment
    is only found in a lake, whose manifest lists it.
    """
    from pyspark.sql import Window, functions as F

    order = Window.partitionBy("log").orderBy("first")
    before = {name: F.lag(name).over(order) for name in ("first", "last", "crc")}
    found = segments.withColumn("_first", before["first"]).withColumn("_last", before["last"]).withColumn("_crc", before["crc"])
    begins = F.col("_first").isNull()
    reason = (
        F.when(F.col("error").isNotNull(), F.concat("error", F.lit(": "), "message"))
        .when(F.col("verdict") != "clean", F.col("verdict"))
        .when(F.col("prev").isNull(), F.lit("the tool reports no ends of the segment: it is too old"))
        .when(begins & (F.col("first") != F.col("base") + 1), F.lit("the segments before it are missing"))
        .when(begins & (F.col("base") == 0) & (F.col("prev") != "00000000"), F.lit("the segments before it are missing"))
        .when(~begins & (F.col("first") != F.col("_last") + 1), F.lit("it does not follow the segment before it"))
        .when(~begins & (F.col("prev") != F.col("_crc")), F.lit("the segment before it has another end"))
        .when(~begins & F.col("_crc").isNull(), F.lit("the segment before it is unreadable"))
    )
    return found.withColumn("reason", reason).where("reason IS NOT NULL").drop("_first", "_last", "_crc")


def _segments(log):
    """The segments of a log, or of a log of a lake with those of its manifest: path and base."""
    names = os.listdir(log)
    base = 0
    if "base.json" in names:
        with open(os.path.join(log, "base.json"), encoding="utf-8") as file:
            base = json.load(file)["seq"]
    folders = [""] + [name for name in names if name.startswith("date=")]
    found = {
        os.path.join(log, folder, name)
        for folder in folders
        for name in os.listdir(os.path.join(log, folder))
        if _SEGMENT.fullmatch(name)
    }
    lake = os.path.dirname(os.path.dirname(log))
    manifest = os.path.join(lake, "_logs", os.path.basename(log)[len("log=") :], "manifest.jsonl")
    if os.path.basename(log).startswith("log=") and os.path.exists(manifest):
        with open(manifest, encoding="utf-8", errors="replace") as file:
            found |= {os.path.join(lake, path) for path in filter(None, map(_shipped, file))}
    if not found:
        raise ValueError(f"{log} has no segment")
    return [(path, base) for path in sorted(found, key=os.path.basename)]


def _shipped(line):
    """The path in a line of a manifest; None if the line is invalid: a manifest is derived, and the tool skips it, too."""
    try:
        entry = json.loads(line)
    except ValueError:
        return None
    path = entry.get("path") if isinstance(entry, dict) else None
    return path if isinstance(path, str) else None
