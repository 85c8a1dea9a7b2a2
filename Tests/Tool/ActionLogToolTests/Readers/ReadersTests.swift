import ActionLog
import CounterData
import EventSourcing
import Foundation
import TestSupport
import Testing
import TimeTravel

/// Other programs read the committed logs and count their actions.
@Suite("Readers of the log")
struct ReadersTests {
  static let root = PackageFolder.root
    .path
  static let logs = ["animals", "counter", "foodtruck", "foodtruck-mirror", "quakes"]

  /// Whether Python has a module.
  static func python(has module: String) -> Bool {
    guard Executable.find("python3") != nil else { return false }
    do { return try ProgramRun(["python3", "-c", "import \(module)"]).status == 0 } catch { return false }
  }

  /// The result of our own reader for a log: the number of actions, the highest seq, the sum of the column `value`.
  private static func expected(_ log: String) throws -> String {
    var records = try LogReader.open(at: "\(root)/logs/\(log)").records()
    var (count, highest, sum) = (0, 0, 0)
    while let record = try records.next() {
      guard !record.isControl else { continue }
      (count, highest, sum) = (count + 1, max(highest, record.revision), sum + record.synced)
    }
    return "\(count) \(highest) \(sum)"
  }

  private static func segment(_ log: String) -> String { "\(root)/logs/\(log)/0000000000000001.jsonl" }

  private static func expect(_ log: String, _ words: [String]) throws {
    let run = try ProgramRun(words)
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output.trimmingCharacters(in: .whitespacesAndNewlines) == (try expected(log)))
  }

  @Test("jq", .enabled(if: Executable.find("jq") != nil, "needs jq"), arguments: logs)
  func jq(log: String) throws {
    let filter = #"map(select(.type|startswith("@")|not)) | "\(length) \(map(.seq)|max) \(map(.synced)|add)""#
    try Self.expect(log, ["jq", "-r", "-s", filter, Self.segment(log)])
  }

  @Test("Miller", .enabled(if: Executable.find("mlr") != nil, "needs Miller"), arguments: logs)
  func miller(log: String) throws {
    let words = [
      "mlr", "--ijsonl", "--onidx", "filter", #"!($type =~ "^@")"#, "then", "stats1", "-a", "count,max,sum", "-f",
    ]
    try Self.expect(
      log, words + ["seq,synced", "then", "cut", "-o", "-f", "seq_count,seq_max,synced_sum", Self.segment(log)])
  }

  @Test("DuckDB", .enabled(if: python(has: "duckdb"), "needs DuckDB for Python"), arguments: logs)
  func duckDB(log: String) throws {
    let script = """
      import duckdb, sys
      print(*duckdb.connect().execute(f"SELECT count(*), max(seq), sum(synced) FROM read_json('{sys.argv[1]}/0*.jsonl') "
                        "WHERE type NOT LIKE '@%'").fetchone())
      """
    try Self.expect(log, ["python3", "-c", script, "\(Self.root)/logs/\(log)"])
  }

  @Test("the view of DuckDB", .enabled(if: python(has: "duckdb"), "needs DuckDB for Python"), arguments: logs)
  func duckDBView(log: String) throws {
    let script = """
      import duckdb, sys
      connection = duckdb.connect()
      connection.execute(f"SET VARIABLE log = '{sys.argv[1]}/0*.jsonl'")
      connection.execute(open(sys.argv[2]).read())
      columns = connection.execute("SELECT * FROM actions").description
      types = {column[0]: str(column[1]) for column in columns}
      assert types["data"] == types["meta"] == "JSON" and types["seq"] == "BIGINT" and types["time"] == "TIMESTAMP", types
      assert connection.execute("SELECT count(actor) = count(*) FROM actions").fetchone()[0]
      print(*connection.execute("SELECT count(*), max(seq), sum(synced) FROM actions").fetchone())
      """
    try Self.expect(
      log, ["python3", "-c", script, "\(Self.root)/logs/\(log)", "\(Self.root)/logs/readers/actions.sql"])
  }

  @Test("polars", .enabled(if: python(has: "polars"), "needs polars"), arguments: logs)
  func polars(log: String) throws {
    let script = """
      import polars, sys
      table = polars.read_ndjson(sys.argv[1], infer_schema_length=None)
      table = table.filter(~polars.col("type").str.starts_with("@"))
      print(table.height, table["seq"].max(), table["synced"].sum())
      """
    try Self.expect(log, ["python3", "-c", script, Self.segment(log)])
  }

  @Test("pandas", .enabled(if: python(has: "pandas"), "needs pandas"), arguments: logs)
  func pandas(log: String) throws {
    let script = """
      import pandas, sys
      table = pandas.read_json(sys.argv[1], lines=True)
      table = table[~table["type"].str.startswith("@")]
      print(len(table), table["seq"].max(), table["synced"].sum())
      """
    try Self.expect(log, ["python3", "-c", script, Self.segment(log)])
  }

  @Test("lnav, by the format file", .enabled(if: Executable.find("lnav") != nil, "needs lnav"), arguments: logs)
  func lnav(log: String) throws {
    let home = try TemporaryDirectory()
    let formats = home.path(".lnav/formats/actionlog")
    try FileManager.default.createDirectory(atPath: formats, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      atPath: "\(Self.root)/logs/readers/actionlog.lnav.json", toPath: formats + "/actionlog.json")
    // Wider than any value: lnav cuts the cells of its answers.
    let query =
      ";SELECT count(*) || ' ' || max(seq) || ' ' || sum(synced) AS found FROM actionlog WHERE log_body NOT LIKE '@%'"
    let run = try ProgramRun([
      "env", "HOME=\(home.path)", "XDG_CONFIG_HOME=\(home.path)/.config", "TERM=dumb", "lnav", "-n", "-c", query, "-c",
      ":write-csv-to -", Self.segment(log),
    ])
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output.split(separator: "\n").map(String.init).contains(try Self.expected(log)), "\(run.output)")
  }

  @Test("the JSON Schema", .enabled(if: python(has: "jsonschema"), "needs jsonschema for Python"))
  func schema() throws {
    let script = """
      import copy, json, sys
      from jsonschema import Draft202012Validator
      schema = json.load(open(sys.argv[1]))
      Draft202012Validator.check_schema(schema)
      validator, count, records = Draft202012Validator(schema), 0, {}
      for path in sys.argv[2:]:
          for line in open(path, encoding="utf-8"):
              record = json.loads(line)
              validator.validate(record)
              records.setdefault(record["type"] if record["type"][0] == "@" else "action", record)
              count += 1
      # It can say no: to each member that is missing, and to each that is of another type.
      for record in records.values():
          for name in schema["required"]:
              for value in [None, [], -1, "x" * 1025]:
                  wrong = copy.deepcopy(record)
                  wrong[name] = value
                  assert not validator.is_valid(wrong), (name, value)
              del wrong[name]
              assert not validator.is_valid(wrong), name
      for name in ["format", "log", "model", "schema", "first", "epoch", "created"]:
          wrong = copy.deepcopy(records["@segment"])
          del wrong["data"][name]
          assert not validator.is_valid(wrong), name
      for name in ["log", "from", "to", "marks", "verify", "replay"]:
          for value in [None, {}, -1]:
              wrong = copy.deepcopy(records["@report"])
              wrong["data"][name] = value
              assert not validator.is_valid(wrong), (name, value)
          del wrong["data"][name]
          assert not validator.is_valid(wrong), name
      assert not validator.is_valid(records["action"] | {"seq": 0})
      print(count)
      """
    let vectors =
      ["Tests/Engine/ActionLogTests/Fixtures/vectors/log-fresh"]
      + (1...3).map { number in "Tests/Engine/EventSourcingTests/Golden/shop-\(number)" }
    let directory = try TemporaryDirectory()
    let report = directory.path("report.jsonl")
    let counter = try History<CounterModel>(at: "\(Self.root)/logs/counter")
    try counter.writeBugReport(of: 2...5, to: report, remark: "it counts")
    let paths =
      Self.logs.map(Self.segment) + vectors.map { name in "\(Self.root)/\(name)/0000000000000001.jsonl" } + [report]
    var count = 0
    for path in paths { count += try Data(contentsOf: URL(fileURLWithPath: path)).count { byte in byte == 10 } }
    let run = try ProgramRun(["python3", "-c", script, "\(Self.root)/logs/readers/record.schema.json"] + paths)
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output == "\(count)\n")
  }
}
