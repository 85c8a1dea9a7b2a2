"""Tests of actionlog_spark, with real processes. `python3 test_actionlog_spark.py [Processes | Cluster]`

    ACTIONLOG_TOOL          the tool; by default action-log in the PATH
    ACTIONLOG_FRAGILE_TOOL  the package's impure-tool, with a model whose reducer traps or hangs; without it, those tests are skipped

Cluster starts Spark with two executors, processes of their own, on this computer. It needs PySpark and Java.
"""

import contextlib
import glob
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
LOGS = os.path.dirname(os.path.dirname(HERE))
NAMES = sorted(name for name in os.listdir(LOGS) if os.path.exists(f"{LOGS}/{name}/HEAD"))
TOOL = os.environ.get("ACTIONLOG_TOOL") or shutil.which("action-log")
FRAGILE = os.environ.get("ACTIONLOG_FRAGILE_TOOL")
# The time for a log that never answers, in seconds: long enough for a busy machine to answer for the others.
LIMIT = 8
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# A backtrace of a trap takes seconds. The workers of Spark inherit this.
os.environ["SWIFT_BACKTRACE"] = "enable=no"
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import actionlog_spark as module  # noqa: E402

# A tool that forwards to the real one, or to that of the fragile model, and ends or stops itself at logs of certain names. It writes
# down the name of each log, and the executor: the parent of the daemon that forks Python's workers.
FAULTY = """#!%(python)s
import json, os, signal, subprocess, sys, time
def parent(process):
    with open("/proc/%%d/stat" %% process) as file:
        return int(file.read().rsplit(") ", 1)[1].split()[1])

try:
    executor = parent(parent(os.getppid()))
except OSError:
    executor = 0
os.environ["FRAGILE"] = "1"
running = {}
while line := sys.stdin.buffer.readline():
    name = os.path.basename(json.loads(line)["log"])
    with open(%(trace)r, "a") as trace:
        trace.write("%%s %%d\\n" %% (name, executor))
    if name.startswith("kills") or name.startswith("once") and open(%(trace)r).read().count(name + " ") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    if name.startswith("stops"):
        os.kill(os.getpid(), signal.SIGSTOP)
    if name.startswith("exits"):
        sys.exit(3)
    time.sleep(%(delay)s)
    tool = %(fragile)r if name.startswith("fragile") else %(tool)r
    if tool not in running:
        running[tool] = subprocess.Popen([tool] + sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    each = running[tool]
    each.stdin.write(line)
    each.stdin.flush()
    sys.stdout.buffer.write(each.stdout.readline())
    sys.stdout.buffer.flush()
"""


def run(*words, **options):
    return subprocess.run(words, check=True, capture_output=True, **options).stdout


def lake_of(logs, target):
    """Ships copies of logs, so that every action is in a sealed segment."""
    for log in logs:
        copy = shutil.copytree(log, f"{target}-source/{os.path.basename(log)}")
        run(TOOL, "ship", copy, target, "--seal")


def tool_alone(logs, *words):
    """The answers of one process of the tool, without times and paths."""
    lines = "".join(json.dumps(log if isinstance(log, dict) else {"log": log}) + "\n" for log in logs)
    each = subprocess.run([TOOL, "each", "-", "--", *words], input=lines.encode(), capture_output=True)
    found = []
    for line in each.stdout.splitlines():
        row = json.loads(line)
        error = row.get("error", {})
        found.append(comparable(row["path"], row["status"], row.get("model"), row.get("revision"), row.get("sha256"),
                                error.get("code"), error.get("message"), json.dumps(row.get("answer"))))
    return found


def comparable(log, status, model, revision, sha256, error, message, answer):
    answer = json.loads(answer) if answer else None
    if isinstance(answer, dict):
        answer.pop("microseconds", None)
    return (log, status, model, revision, sha256, error, message, json.dumps(answer, sort_keys=True))


def compared(rows):
    return [comparable(*(row[name] for name in "log status model revision sha256 error message answer".split())) for row in rows]


class Folder(unittest.TestCase):
    """A test with a temporary folder."""

    @classmethod
    def setUpClass(cls):
        if not TOOL:
            raise unittest.SkipTest("needs action-log: name it in ACTIONLOG_TOOL")
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.addClassCleanup(cls.temporary.cleanup)

    def path(self, name):
        return os.path.join(self.folder, name)

    def faulty_tool(self, name, delay=0.0):
        """A faulty tool, and the file with the names of the logs that it was asked for."""
        path, trace = self.path(name), self.path(name + ".trace")
        with open(path, "w") as file:
            file.write(FAULTY % {"python": sys.executable, "tool": TOOL, "fragile": FRAGILE, "trace": trace, "delay": delay})
        os.chmod(path, 0o755)
        return path, trace

    def asked(self, trace):
        """The names of the logs that a faulty tool was asked for."""
        with open(trace) as file:
            return [line.split()[0] for line in file]

    def copy(self, log, name):
        return shutil.copytree(os.path.join(LOGS, log), self.path(name))

    def flip(self, log):
        """Flips a bit in the middle of the first segment of a log."""
        with open(f"{log}/0000000000000001.jsonl", "r+b") as file:
            file.seek(4_000)
            byte = file.read(1)
            file.seek(4_000)
            file.write(bytes([byte[0] ^ 1]))

    def damaged_logs(self, name):
        """Logs of each kind of damage, next to intact ones."""
        os.mkdir(self.path(name))
        intact = [self.copy("animals", f"{name}/first"), self.copy("counter", f"{name}/line\nfeed {{%41}}")]
        flipped, torn = self.copy("animals", f"{name}/flipped"), self.copy("animals", f"{name}/torn")
        segment = "0000000000000001.jsonl"
        self.flip(flipped)
        os.truncate(f"{torn}/{segment}", os.path.getsize(f"{torn}/{segment}") - 5)
        missing = self.copy("animals", f"{name}/without-segment")
        os.remove(f"{missing}/{segment}")
        os.mkdir(self.path(f"{name}/empty"))
        return [intact[0], flipped, torn, missing, self.path(f"{name}/empty"), self.path(f"{name}/nowhere"), intact[1]]


class Processes(Folder):
    """The process of the tool, without Spark."""

    def rows(self, logs, words=("state",), tool=TOOL, options=None, **limits):
        requests = [module._request(log, options or {}, words[0], self.folder) for log in logs]
        found = module.answers(requests, list(words), tool, **limits)
        return [dict(zip(module._names(module.ANSWERS), module._row(request, line, words[0], "here"))) for request, line in found]

    def test_damage_costs_one_row(self):
        logs = self.damaged_logs("damaged")
        for verb in ("state", "replay", "verify"):
            rows = self.rows(logs, [verb])
            self.assertEqual(compared(rows), tool_alone(logs, verb))
            self.assertEqual([rows[0]["status"], rows[-1]["status"]], [0, 0])
            self.assertTrue(all(row["status"] != 0 for row in rows[3:6]), rows)
        self.assertNotEqual(rows[1]["value"], "clean")
        self.assertEqual(rows[0]["value"], "clean")

    def test_killed_tool_costs_one_row(self):
        logs = [self.copy("animals", name) for name in ("before", "kills", "between", "once", "after")]
        tool, trace = self.faulty_tool("killed-tool")
        rows = self.rows(logs, tool=tool)
        self.assertEqual([row["status"] for row in rows], [0, 128 + signal.SIGKILL, 0, 0, 0])
        self.assertEqual(rows[1]["error"], "crashed")
        self.assertEqual([row["log"] for row in rows], logs)
        self.assertEqual(self.asked(trace), ["before", "kills", "kills", "between", "once", "once", "after"])

    def test_stuck_tool_costs_one_row(self):
        logs = [self.copy("counter", name) for name in ("running", "stops", "continuing")]
        tool, _ = self.faulty_tool("stuck-tool")
        rows = self.rows(logs, tool=tool, timeout=LIMIT, grace=2)
        self.assertEqual([(row["status"], row["error"]) for row in rows], [(0, None), (124, "timeout"), (0, None)])

    @unittest.skipUnless(FRAGILE, "needs ACTIONLOG_FRAGILE_TOOL")
    def test_trap_and_hang_cost_one_row_each(self):
        logs = [self.path(f"fragile-{seed}") for seed in (1, 2, 3, 4)]
        for seed, log in enumerate(logs, 1):
            run(FRAGILE, "record", "fragile", log, "--workload", "9", "--seed", str(seed))
        os.environ["FRAGILE"] = "1"
        self.addCleanup(os.environ.pop, "FRAGILE")
        rows = self.rows(logs, tool=FRAGILE, options={"path": "/count"}, timeout=LIMIT)
        self.assertEqual([row["error"] for row in rows], [None, "crashed", "timeout", None])
        self.assertEqual([row["value"] for row in rows], ["9", None, None, "9"])
        self.assertGreater(rows[1]["status"], 128)
        self.assertEqual(rows[2]["status"], 124)

    def test_refusal_ends_the_run(self):
        with self.assertRaisesRegex(RuntimeError, "there is no command 'fly'"):
            self.rows([os.path.join(LOGS, "animals")], ["fly"])
        tool, trace = self.faulty_tool("exiting-tool")
        with self.assertRaisesRegex(RuntimeError, "exited with status 3"):
            self.rows([self.path("exits"), self.path("after")], tool=tool)
        self.assertEqual(self.asked(trace), ["exits", "exits"])

    def test_options_of_a_log_replace_those_of_all(self):
        log = os.path.join(LOGS, "animals")
        logs = [log, {"log": log, "at": 5, "id": 7}, {"log": log, "at": "-3", "id": "x"}, {"log": log, "color": 1}]
        rows = self.rows(logs, options={"at": 9, "path": "/animals/status"})
        self.assertEqual([row["revision"] for row in rows], [9, 5, 20, None])
        self.assertEqual([row["id"] for row in rows], [None, "7", "x", None])
        self.assertEqual(rows[1]["value"], '{"success":{}}')
        self.assertEqual((rows[3]["status"], rows[3]["error"]), (2, "usage"))
        self.assertEqual(self.rows(logs[:2], ["replay"], options={"at": 9})[1]["revision"], 5)

    def test_requests_name_absolute_paths(self):
        self.assertEqual(json.loads(module._request("a/b", {}, "state", "/x"))["log"], "/x/a/b")
        self.assertEqual(json.loads(module._request({"log": "/a"}, {"at": 1}, "find", "/x")), {"to": 1, "log": "/a"})
        for log in ("s3://bucket/log", {"id": 1}, {"log": 5}):
            with self.assertRaises(ValueError):
                module._request(log, {}, "state", "/x")
        name = os.fsdecode(b"\xff")
        self.assertEqual(self.rows([self.path(name)])[0]["log"], self.path("?"))

    def test_members_keep_the_text_of_the_tool(self):
        text = '{"a":-0,"b":1e21,"c":{"d":[1.10,"\\"}"]},"e":12345678901234567890123}'
        self.assertEqual(module._members(text), {"a": "-0", "b": "1e21", "c": '{"d":[1.10,"\\"}"]}', "e": "12345678901234567890123"})
        self.assertEqual(module._members("{}"), {})

    def test_logs_of_a_folder_and_of_a_lake(self):
        source = self.path("found")
        for name in ("b", "a/c", "a/d.unfinished"):
            self.copy("counter", f"found/{name}")
        os.makedirs(f"{source}/empty")
        self.assertEqual(module.find_logs(source), [f"{source}/a/c", f"{source}/b"])
        lake_of([f"{source}/b"], self.path("found-lake"))
        found = module.find_logs(self.path("found-lake"))
        self.assertEqual(len(found), 1)
        self.assertTrue(os.path.basename(found[0]).startswith("log="))
        with self.assertRaises(FileNotFoundError):
            module.find_logs(self.path("not-there"))


def missing_for_spark():
    try:
        import pyspark  # noqa: F401
    except ImportError:
        return "needs PySpark"
    return None if shutil.which("java") or os.environ.get("JAVA_HOME") else "needs Java"


class Cluster(Folder):
    """Two executors of Spark, in processes of their own."""

    @classmethod
    def setUpClass(cls):
        reason = missing_for_spark()
        if reason:
            raise unittest.SkipTest(reason)
        super().setUpClass()
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        # The workers import nothing but the file that is sent to them.
        os.environ["PYSPARK_PYTHON"] = sys.executable
        import pyspark
        from pyspark.sql import SparkSession

        builder = SparkSession.builder.master(os.environ.get("ACTIONLOG_SPARK_MASTER", "local-cluster[2,1,1024]"))
        settings = {
            "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "2", "spark.sql.warehouse.dir": f"{cls.folder}/warehouse",
            "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1", "spark.local.dir": f"{cls.folder}/spark",
            "spark.sql.session.timeZone": "America/New_York", "spark.ui.showConsoleProgress": "false",
            # Most of the time is that of starting, and of compiling queries of a few rows.
            "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
            "spark.driver.extraJavaOptions": JAVA, "spark.executor.extraJavaOptions": JAVA,
        }
        for name, value in settings.items():
            builder = builder.config(name, value)
        cls.spark = builder.getOrCreate()
        # The executors' folders, which Spark keeps in its own.
        home = os.environ.get("SPARK_HOME") or os.path.dirname(pyspark.__file__)
        cls.addClassCleanup(shutil.rmtree, os.path.join(home, "work", cls.spark.sparkContext.applicationId), ignore_errors=True)
        cls.addClassCleanup(cls.spark.stop)
        cls.spark.sparkContext.setLogLevel("OFF")
        cls.spark.sparkContext.addPyFile(f"{HERE}/actionlog_spark.py")
        cls.spark.sparkContext.addFile(TOOL)
        cls.tool = os.path.basename(TOOL)

    def ask(self, function, *arguments, **options):
        return getattr(module, function)(self.spark, *arguments, **{"tool": self.tool, **options})

    def test_rows_are_those_of_the_tool_alone(self):
        logs = [os.path.join(LOGS, name) for name in NAMES]
        self.assertEqual(compared(self.ask("fold", logs).collect()), tool_alone(logs, "state"))
        digests = self.ask("digest", module.find_logs(LOGS)).select("log", "sha256").collect()
        with open(f"{LOGS}/README.md") as page:
            text = page.read()
        self.assertEqual(len(digests), len(logs))
        for log, sha256 in digests:
            self.assertIn(f"| `{os.path.basename(log)}` | ", text)
            self.assertIn(f" | {sha256} |", text)

    def test_each_verb_has_its_answer(self):
        log = os.path.join(LOGS, "animals")
        found = self.ask("blame", log, "/animals/data/Cat/name").first()
        self.assertEqual((found.verb, found.status, found.value), ("blame", 0, '"Cat"'))
        found = self.ask("find", log, "/animals/data/Kangaroo exists", at=23).first()
        expected = json.loads(run(TOOL, "find", log, "/animals/data/Kangaroo exists", "--json"))
        self.assertEqual((found.status, found.revision), (0, expected["revision"]))
        table = self.spark.createDataFrame([(log, 5, "a"), (log, 9, "b")], "log STRING, at INT, id STRING")
        rows = self.ask("fold", table, path="/animals/status").orderBy("id").collect()
        self.assertEqual([(row.id, row.revision, row.status) for row in rows], [("a", 5, 0), ("b", 9, 0)])
        self.assertEqual(self.ask("verify", [log]).select("value", "actions", "revision").first(), ("clean", 23, 23))
        self.assertEqual(self.ask("verify", []).count(), 0)

    def test_damage_and_deaths_cost_one_row_each(self):
        damaged = self.damaged_logs("in-cluster")
        self.assertEqual(compared(self.ask("fold", damaged, partitions=3).collect()), tool_alone(damaged, "state"))
        tool, _ = self.faulty_tool("cluster-tool")
        logs = [self.copy("counter", f"deaths/{name}") for name in ("a", "kills", "b", "once", "c")]
        rows = self.ask("fold", logs, tool=tool, partitions=2).collect()
        self.assertEqual([(row.log, row.error) for row in rows], [(log, "crashed" if "kills" in log else None) for log in logs])
        with self.assertRaisesRegex(Exception, "has no program absent-tool: send it with --files"):
            self.ask("fold", logs, tool="absent-tool").collect()

    @unittest.skipUnless(FRAGILE, "needs ACTIONLOG_FRAGILE_TOOL")
    def test_faults_among_200_logs_cost_one_row_each(self):
        """Distinct logs, one of them damaged, one that traps, one that hangs; and an executor is killed in the middle."""
        if not os.path.exists("/proc/self/stat"):
            self.skipTest("needs /proc")
        if self.spark.sparkContext.master.startswith("local["):
            self.skipTest("needs executors in processes of their own")
        os.mkdir(self.path("many"))
        for number in range(200):
            run(TOOL, "record", "animals", self.path(f"many/{number:03}"), "--workload", str(20 + number),
                "--seed", str(number), "--durability", "written")
        logs = module.find_logs(self.path("many"))
        self.assertEqual(len(logs), 200)
        self.flip(logs[57])
        expected = {row[0]: row for row in tool_alone(logs, "state")}
        self.assertEqual([log for log in logs if expected[log][1] != 0], [logs[57]])
        self.assertEqual(len({row[4] for row in expected.values()}), 200)
        for seed, place in ((2, 20), (3, 150)):
            log = self.path(f"fragile-{seed}")
            run(FRAGILE, "record", "fragile", log, "--workload", "9", "--seed", str(seed))
            logs.insert(place, log)
        tool, trace = self.faulty_tool("slow-tool", delay=0.02)
        found = []
        job = threading.Thread(
            target=lambda: found.extend(self.ask("fold", logs, tool=tool, timeout=LIMIT, partitions=8).collect()))
        job.start()
        asked = []
        while job.is_alive() and len(asked) < 40:
            time.sleep(0.01)
            if os.path.exists(trace):
                with open(trace) as file:
                    asked = file.readlines()
        self.assertTrue(job.is_alive())
        self.assertLess(len(asked), 150)
        executor = int(asked[-1].split()[1])
        self.assertGreater(executor, 1)
        os.kill(executor, signal.SIGKILL)
        job.join()
        # Some were asked again, and each has one row.
        self.assertGreater(len(self.asked(trace)), len(logs))
        self.assertEqual([row.log for row in found], logs)
        self.assertGreaterEqual(len({row.worker for row in found}), 2)
        bad = {os.path.basename(row.log): row.error for row in found if row.status != 0}
        self.assertEqual(bad, {"057": "damaged", "fragile-2": "crashed", "fragile-3": "timeout"})
        for row, cells in zip(found, compared(found)):
            self.assertEqual(cells, expected.get(row.log, cells))

    def test_lake_is_a_table(self):
        lake = self.path("lake [1] {a}")
        logs = [os.path.join(LOGS, name) for name in NAMES]
        long = self.path("long")
        run(TOOL, "record", "animals", long, "--workload", "3000", "--segment-size", "256K", "--durability", "written")
        lake_of(logs + [long], lake)
        segments = glob.glob(glob.escape(lake) + "/*/*/*/0*.jsonl")
        self.assertGreater(len(segments), len(NAMES) + 2)
        for name in ("0000000000009999.jsonl.unfinished", "marks.jsonl", "after-gap.jsonl"):
            shutil.copy(segments[0], os.path.dirname(segments[0]) + "/" + name)
        shutil.copy(segments[0], lake + "/notes.txt")
        # The same counts as those of the tool.
        counts = {}
        for log in logs + [long]:
            stats = json.loads(run(TOOL, "stats", log, "--json"))
            for kind in stats["types"]:
                key = (stats["model"], kind["type"])
                counts[key] = counts.get(key, 0) + kind["actions"]
        table = module.actions(self.spark, lake)
        rows = module.types_per_day(table).collect()
        found = {}
        for row in rows:
            found[(row.model, row.type)] = found.get((row.model, row.type), 0) + row.actions
        self.assertEqual(found, counts)
        self.assertEqual(self.spark.conf.get("spark.sql.session.timeZone"), "UTC")
        self.assertEqual({str(row.day) for row in rows if row.model == "counter"}, {"2026-11-21"})
        # Text as it is in the log, and times to the microsecond.
        first = module.actions(self.spark, lake, "counter").orderBy("seq").first()
        with open(f"{LOGS}/counter/0000000000000001.jsonl") as file:
            record = next(json.loads(line) for line in file if '"seq":1,' in line)
        self.assertEqual((json.loads(first.data), json.loads(first.meta)), (record["data"], record["meta"]))
        self.assertEqual(first.time.isoformat(timespec="microseconds") + "Z", record["time"])
        # Days: the segments of later days are not read.
        committed = module.actions(self.spark, lake, first_day="2026-11-21", last_day="2026-11-21").where("model != 'animals'")
        self.assertEqual(committed.count(), sum(number for (model, _), number in counts.items() if model != "animals"))
        self.assertEqual(module.actions(self.spark, lake, last_day="2026-11-20").count(), 0)
        plan = committed._jdf.queryExecution().toString()
        self.assertRegex(plan, r"PartitionFilters: \[[^\]]*date#\d+ <= 2026-11-21")
        actors = module.actions_by_actor(module.actions(self.spark, lake, "counter")).collect()
        self.assertEqual(sum(row.actions for row in actors), 10)
        # The derived copy has the same rows.
        target = self.path("parquet")
        module.to_parquet(self.spark, lake, target)
        copy = module.actions(self.spark, target, format="parquet")
        self.assertEqual(sorted(module.types_per_day(copy).collect()), sorted(rows))
        self.assertEqual(copy.select(table.columns).exceptAll(table).count(), 0)
        self.assertEqual(copy.count(), table.count())
        with self.assertRaises(Exception):
            module.to_parquet(self.spark, lake, target)
        # A changed line is a row, not a missing one.
        changed = next(path for path in segments if "model=counter" in path)
        with open(changed) as file:
            lines = file.read().split("\n")
        with open(changed, "w") as file:
            file.write("\n".join(line.replace('"seq":5,', '"seq":5;') for line in lines))
        counter = module.actions(self.spark, lake, "counter", last_day="2026-11-21")
        self.assertEqual(counter.count(), 10)
        broken = counter.where("type IS NULL").collect()
        self.assertEqual(len(broken), 1)
        self.assertIn('"seq":5;', broken[0]._corrupt_record)
        with self.assertRaisesRegex(Exception, "is not JSON"):
            module.to_parquet(self.spark, lake, self.path("parquet-2"))
        verified = self.ask("verify", segments).where("status != 0").collect()
        self.assertEqual([row.log for row in verified], [changed])

    def test_states_of_a_lake(self):
        """Sealed, open and pruned logs in a lake: a state in Spark is that of the log, and begins with the lake's snapshots."""
        lake, states = self.path("states-lake"), {}
        os.mkdir(self.path("states"))
        for seed in range(6):
            log = self.path(f"states/{seed}")
            run(TOOL, "record", "animals", log, "--workload", "400", "--seed", str(seed), "--segment-size", "32K",
                "--snapshot-every", "100", "--durability", "written")
            digests = [json.loads(run(TOOL, "replay", log, "--to", to, "--json"))["sha256"] for to in ("50", "-0")]
            states[json.loads(run(TOOL, "verify", log, "--json"))["log"]] = digests
            run(TOOL, "ship", log, lake, *["--seal"][: seed % 2])
            if seed > 3:
                # The lake keeps what the log gives up.
                run(TOOL, "prune", log, "--before", "300", "--reason", "test", "--archive", lake, "--yes")
                refused = subprocess.run([TOOL, "state", log, "--at", "50"], capture_output=True)
                self.assertEqual(refused.returncode, 2)
                run(TOOL, "ship", log, lake)
        logs = module.find_logs(lake)
        self.assertEqual([os.path.basename(log) for log in logs], sorted(f"log={log}" for log in states))
        rows = self.ask("fold", logs, partitions=3).collect()
        self.assertEqual(compared(rows), tool_alone(logs, "state"))
        for at, found in ((1, rows), (0, self.ask("fold", logs, at=50).collect())):
            self.assertEqual({row.log.split("log=")[1]: row.sha256 for row in found}, {log: states[log][at] for log in states})
        for row in rows:
            answer = json.loads(row.answer)
            self.assertEqual((answer["fromSnapshot"], row.actions), (row.revision // 100 * 100, row.revision % 100))
        # Without the snapshots the states are the same, folded from the first action.
        self.assertEqual(
            [(row.sha256, row.actions) for row in self.ask("digest", logs).collect()], [(row.sha256, row.revision) for row in rows])
        self.assertEqual({row.value for row in self.ask("verify", logs).collect()}, {"clean"})
        # A missing segment costs the rows of its log. A snapshot after it does not stand in for it.
        missing = sorted(glob.glob(f"{logs[0]}/date=*/0*.jsonl"), key=os.path.basename)[1]
        os.remove(missing)
        # Its name is behind those of the others, which are hexadecimal.
        os.mkdir(f"{lake}/model=animals/log=nothing")
        logs = module.find_logs(lake)
        rows = self.ask("verify", logs).collect()
        self.assertEqual([row.status == 0 for row in rows], [False, True, True, True, True, True, False])
        self.assertIn("missingSegment", rows[0].answer)
        self.assertEqual(compared(self.ask("fold", logs).collect()), tool_alone(logs, "state"))

    def test_names_and_numbers_are_text(self):
        lake = self.path("odd-lake")
        line = '{"seq":1,"time":"2026-11-21T09:00:00.000001Z","type":"t","synced":0,"prev":"00000000","data":%s,"crc":"00000000"}\n'
        data = '{"a":1.10,"b":1e21,"c":12345678901234567890123,"d":"\u2028\\u0000"}'
        for model in ("2024", "a%2Fb"):
            os.makedirs(f"{lake}/model={model}/log=007/date=2026-11-21")
            with open(f"{lake}/model={model}/log=007/date=2026-11-21/0000000000000001.jsonl", "w", encoding="utf-8") as file:
                file.write(line % data)
        module.to_parquet(self.spark, lake, self.path("odd-parquet"))
        for path, format in ((lake, "json"), (self.path("odd-parquet"), "parquet")):
            rows = module.actions(self.spark, path, format=format).orderBy("model").collect()
            self.assertEqual([(row.model, row.log) for row in rows], [("2024", "007"), ("a/b", "007")])
            self.assertEqual([row.time.microsecond for row in rows], [1, 1])
            if not self.spark.version.startswith("3."):
                self.assertEqual({row.data for row in rows}, {data})

    def test_causes_are_joined(self):
        log = self.path("caused")
        lines = ['{"type":"didTapIncrementButton"}', '{"type":"didTapIncrementButton","meta":{"cause":1,"actor":{"name":"ann"}}}']
        run(TOOL, "record", "counter", log, input="\n".join(lines).encode())
        lake_of([log], self.path("caused-lake"))
        table = module.actions(self.spark, self.path("caused-lake"))
        row = module.causes(table).first()
        self.assertEqual((row.seq, row.cause, row.cause_type), (2, 1, "didTapIncrementButton"))
        self.assertEqual({row.actor for row in module.actions_by_actor(table).collect()}, {None, '{"name":"ann"}'})


    def long_log(self, name):
        """A log of several segments with snapshots. Each call has the same actions."""
        log = self.path(name)
        run(TOOL, "record", "animals", log, "--workload", "3000", "--segment-size", "256K", "--snapshot-every", "500",
            "--durability", "written")
        segments = sorted(glob.glob(f"{log}/0*.jsonl"))
        self.assertGreater(len(segments), 3)
        return log, segments

    def test_breaks_between_segments_are_found(self):
        log, segments = self.long_log("segments")
        copies = {name: shutil.copytree(log, self.path(f"broken/{name}")) for name in ("a", "b", "c", "d", "e")}
        names = [os.path.basename(segment) for segment in segments]
        os.remove(f"{copies['a']}/{names[0]}")
        os.remove(f"{copies['b']}/{names[1]}")
        with open(f"{copies['c']}/{names[1]}", "r+b") as file:
            file.seek(90_000)
            file.write(b"#")
        os.truncate(f"{copies['d']}/{names[-1]}", os.path.getsize(f"{copies['d']}/{names[-1]}") - 3)
        # A segment of another log with the same numbers.
        other = self.path("other")
        run(TOOL, "record", "animals", other, "--workload", "1000", "--segment-size", "256K", "--durability", "written")
        shutil.copy(f"{other}/{names[0]}", copies["e"])
        lake_of([log], self.path("broken-lake"))
        shipped = module.find_logs(self.path("broken-lake"))[0]
        newest = max(glob.glob(f"{shipped}/date=*/0*.jsonl"), key=os.path.basename)
        os.remove(newest)
        with open(glob.glob(f"{self.path('broken-lake')}/_logs/*/manifest.jsonl")[0], "a") as file:
            file.write('7\n{"first":\n')
        pruned = shutil.copytree(log, self.path("broken/pruned"))
        run(TOOL, "prune", pruned, "--before", "1500", "--reason", "test", "--archive", self.path("archive"), "--yes")
        rows = self.ask("verify_segments", [log, *copies.values(), shipped, pruned]).cache()
        self.assertEqual(rows.where(rows.log == log).count(), len(names))
        found = {}
        for row in module.breaks(rows).orderBy("log", "first").collect():
            found.setdefault(row.log, []).append((os.path.basename(row.segment), row.reason))
        self.assertEqual(found.pop(copies["a"]), [(names[1], "the segments before it are missing")])
        self.assertEqual(found.pop(copies["b"]), [(names[2], "it does not follow the segment before it")])
        self.assertEqual(found.pop(copies["c"])[0], (names[1], "damaged"))
        self.assertEqual(found.pop(copies["d"]), [(names[-1], "torn")])
        self.assertEqual(found.pop(copies["e"])[0][0], names[1])
        [(segment, reason)] = found.pop(shipped)
        self.assertEqual(segment, os.path.basename(newest))
        self.assertIn("notFound", reason)
        self.assertEqual(found, {})
        first = rows.where(rows.log == log).orderBy("first").first()
        self.assertEqual((first["first"], first.prev, first.verdict), (1, "00000000", "clean"))

    def test_pages_run(self):
        folder = self.path("pages")
        for name in ("customers/1", "customers/2", "my-log"):
            shutil.copytree(os.path.join(LOGS, "animals"), f"{folder}/{name}")
        lake_of([os.path.join(LOGS, name) for name in NAMES], f"{folder}/lake")
        output = io.StringIO()
        here = os.getcwd()
        os.chdir(folder)
        try:
            for page in (f"{HERE}/README.md", os.path.join(os.path.dirname(HERE), "README.md")):
                with open(page, encoding="utf-8") as file:
                    blocks = [block.split("```")[0] for block in file.read().split("```python\n")[1:]]
                for block in blocks:
                    if "actionlog_spark" in block:
                        # Java keeps the folder in which it was started.
                        block = block.replace('"lake"', repr(f"{folder}/lake"))
                        with contextlib.redirect_stdout(output):
                            exec(compile(block, page, "exec"), {"spark": self.spark})
        finally:
            os.chdir(here)
        text = output.getvalue()
        self.assertRegex(text, r"animals *\|2026-11-21\|ui.categoryList.onAppear *\|2 ")
        self.assertRegex(text, r"\|foodtruck-mirror\|2026-11-21\| *24\|")
        self.assertRegex(text, r'\|\{"success":\{\}\}\| *2\|')


class TimedResult(unittest.TextTestResult):
    """Prints the time of each test."""

    def startTest(self, test):
        self.began = time.monotonic()
        super().startTest(test)

    def addSuccess(self, test):
        self.stream.write(f"{time.monotonic() - self.began:.1f} s ")
        super().addSuccess(test)


if __name__ == "__main__":
    unittest.main(verbosity=2, testRunner=unittest.TextTestRunner(verbosity=2, resultclass=TimedResult))
