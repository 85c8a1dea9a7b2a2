import ActionLog
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The lines of the readers' page, run on a log whose members change their types, next to files that are not segments.
@Suite("Lines of the readers' page")
struct ReaderLinesTests {
  /// More actions than DuckDB samples before it decides on types.
  private static let count = 25_000

  /// The blocks of the page in a language.
  private static func blocks(_ language: String) throws -> [String] {
    let page = try String(contentsOfFile: "\(ReadersTests.root)/logs/readers/README.md", encoding: .utf8)
    return page.components(separatedBy: "```\(language)\n").dropFirst().map { rest in
      rest.components(separatedBy: "```")[0]
    }
  }

  /// The first block of the page that mentions a word.
  private static func block(_ language: String, _ word: String) throws -> String {
    try #require(try blocks(language).first { block in block.contains(word) })
  }

  /// Records `my-log` in two segments, and puts files of other kinds into its directory.
  private static func record(in directory: TemporaryDirectory) throws {
    let path = directory.path("my-log")
    let writer = try LogWriter.open(
      at: path, model: "counter", schema: 1,
      configuration: LogConfiguration(durability: .written, segmentLimitBytes: 2 << 20))
    for number in 1...count {
      // The last actions have values of other types, and members that come late.
      let isLate = number > count - 10
      let value = isLate ? (number % 2 == 0 ? #"{"x":[1]}"# : #""text""#) : "\(number)"
      let late = isLate ? #","late":true"# : ""
      let meta = isLate ? #"{"actor":{"name":"ann"}}"# : #"{"actor":"ann"}"#
      let draft = LogDraft(
        type: isLate ? "late" : "early", data: Array(#"{"_0":\#(value)\#(late)}"#.utf8), meta: Array(meta.utf8))
      _ = try writer.enqueue([draft])
      if number % 1_000 == 0 { try writer.syncNow() }
    }
    try writer.closeNow()
    let names = try FileManager.default.contentsOfDirectory(atPath: path)
    #expect(names.count { name in name.hasSuffix(".jsonl") } > 1)
    try FileManager.default.copyItem(atPath: path + "/0000000000000001.jsonl", toPath: path + "/after-gap.jsonl")
    try Data(#"{"name":"here","seq":3}"#.utf8 + [0x0A]).write(to: URL(fileURLWithPath: path + "/marks.jsonl"))
  }

  private static func run(_ words: [String]) throws -> [Substring] {
    let directory = try TemporaryDirectory()
    try record(in: directory)
    let run = try ProgramRun(["sh", "-c", #"cd "$0" && exec "$@""#, directory.path] + words)
    #expect(run.status == 0, "\(run.messages)")
    return run.output.split(separator: "\n")
  }

  /// Expects one line each for the two types, with the number of their actions.
  private static func expectCounts(_ lines: [Substring]) {
    for (type, number) in [("early", count - 10), ("late", 10)] {
      let line = lines.first { line in line.contains(type) }
      let words = line?.split { character in !character.isNumber && !character.isLetter }
      #expect(words?.contains(Substring("\(number)")) == true, "\(type): \(line ?? "")")
    }
  }

  /// Expects the counts of each model from the page's query of a lake, next to files that are not segments.
  private static func expectCountsOfLake(from start: String) throws {
    let directory = try TemporaryDirectory()
    let lake = directory.path("lake")
    for log in ReadersTests.logs {
      let ship = try ProgramRun([Executable.path(of: "action-log"), "ship", "\(ReadersTests.root)/logs/\(log)", lake])
      try #require(ship.status == 0, "\(ship.messages)")
    }
    let files = FileManager.default
    let segments = files.enumerator(atPath: lake)?.compactMap { path in path as? String }
      .filter { path in path.hasSuffix("/0000000000000001.jsonl") }
    try #require(segments?.count == ReadersTests.logs.count)
    for segment in segments ?? [] {
      let path = "\(lake)/\(segment)"
      try files.copyItem(atPath: path, toPath: path + ".unfinished")
      try files.copyItem(atPath: path, toPath: path.replacing("/0000000000000001", with: "/after-gap"))
    }
    let script = try blocks("python").first { block in block.hasPrefix(start) && block.contains("lake/") }
    let run = try ProgramRun(["sh", "-c", #"cd "$0" && exec python3 -c "$1""#, directory.path, try #require(script)])
    #expect(run.status == 0, "\(run.messages)")
    let rows = run.output.split(separator: "\n").map { line in
      line.split { character in !character.isNumber && !character.isLetter && character != "-" }
    }
    for log in ReadersTests.logs {
      let stats = try ProgramRun([
        Executable.path(of: "action-log"), "stats", "\(ReadersTests.root)/logs/\(log)", "--json",
      ])
      let count = try #require(try JSONValue(parsing: Array(stats.output.utf8))["actions"]?.integer)
      let row = rows.first { row in row.contains(Substring(log)) }
      #expect(row?.contains("2026-11-21") == true && row?.last == "\(count)", "\(log) in \(run.output)")
    }
  }

  @Test(.enabled(if: Executable.find("jq") != nil, "needs jq"))
  func jqLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["sh", "-c", Self.block("sh", "jq -")]))
  }

  @Test(.enabled(if: Executable.find("mlr") != nil, "needs Miller"))
  func millerLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["sh", "-c", Self.block("sh", "mlr -")]))
  }

  @Test(.enabled(if: ReadersTests.python(has: "duckdb"), "needs DuckDB for Python"))
  func duckDBLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["python3", "-c", Self.block("python", "import duckdb")]))
  }

  @Test(.enabled(if: ReadersTests.python(has: "chdb"), "needs chDB"))
  func clickHouseLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["python3", "-c", Self.block("python", "import chdb")]))
  }

  @Test(.enabled(if: ReadersTests.python(has: "polars"), "needs polars"))
  func polarsLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["python3", "-c", Self.block("python", "import polars")]))
  }

  @Test(.enabled(if: ReadersTests.python(has: "pandas"), "needs pandas"))
  func pandasLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["python3", "-c", Self.block("python", "import glob, pandas")]))
  }

  @Test(.enabled(if: ReadersTests.python(has: "duckdb"), "needs DuckDB for Python"))
  func duckDBCountsActionsOfLake() throws { try Self.expectCountsOfLake(from: "import duckdb") }

  @Test(.enabled(if: ReadersTests.python(has: "chdb"), "needs chDB"))
  func clickHouseCountsActionsOfLake() throws { try Self.expectCountsOfLake(from: "import chdb") }

  @Test(.enabled(if: ReadersTests.python(has: "polars"), "needs polars"))
  func polarsCountsActionsOfLake() throws { try Self.expectCountsOfLake(from: "import polars") }

  @Test(.enabled(if: ReadersTests.python(has: "pandas"), "needs pandas"))
  func pandasCountsActionsOfLake() throws { try Self.expectCountsOfLake(from: "import glob, pandas") }

  /// Every page and program of the repository names segments so that nothing else matches.
  @Test(arguments: [
    "README.md", "logs/README.md", "logs/readers/README.md", "logs/readers/actions.sql", "logs/readers/spark/README.md",
    "logs/readers/spark/actionlog_spark.py",
    "Sources/Engine/Interchange/Interchange.docc/Interchange.md",
    "Sources/Engine/ActionLog/ActionLog.docc/FileFormat.md",
  ])
  func globsMatchSegmentsOnly(page: String) throws {
    let text = try String(contentsOfFile: "\(ReadersTests.root)/\(page)", encoding: .utf8)
    for line in text.split(separator: "\n") where line.contains("*.jsonl") && !line.contains("`*.jsonl` also") {
      #expect(line.replacing("0*.jsonl", with: "").contains("*.jsonl") == false, "\(line)")
    }
  }
}

/// The module for Spark, by its tests in Python, which compare its rows with those of the tool.
@Suite("The module for Spark", .serialized) struct SparkModuleTests {
  private static let folder = "\(ReadersTests.root)/logs/readers/spark"
  /// Starting Spark takes most of a minute of two busy processors, which the other tests need. The tests of its processes wait for
  /// time limits.
  private static let isRequested = ProcessInfo.processInfo.environment["ACTIONLOG_SPARK"] != nil

  private func run(_ tests: String) async throws {
    let run = try await BlockingWork.run {
      try ProgramRun([
        "env", "ACTIONLOG_TOOL=\(Executable.path(of: "action-log"))",
        "ACTIONLOG_FRAGILE_TOOL=\(Executable.path(of: "impure-tool"))", "python3", "-B",
        "\(Self.folder)/test_actionlog_spark.py", tests,
      ])
    }
    #expect(run.status == 0, "\(run.messages.suffix(8_000))")
    #expect(run.messages.contains("\nOK\n"), "a test was skipped: \(run.messages.suffix(8_000))")
  }

  @Test(
    .enabled(if: isRequested, "takes half a minute: set ACTIONLOG_SPARK=1"),
    .enabled(if: Executable.find("python3") != nil, "needs python3"))
  func faultyProcessesCostOneRowEach() async throws {
    let parse = "import ast, sys; ast.parse(open(sys.argv[1]).read(), feature_version=(3, 9))"
    let parsing = try await BlockingWork.run {
      try ProgramRun(["python3", "-c", parse, "\(Self.folder)/actionlog_spark.py"])
    }
    #expect(parsing.status == 0, "\(parsing.messages)")
    try await run("Processes")
  }

  @Test(
    .enabled(if: isRequested, "takes a minute: set ACTIONLOG_SPARK=1"),
    .enabled(if: !isRequested || ReadersTests.python(has: "pyspark"), "needs PySpark"),
    .enabled(if: Executable.find("java") != nil, "needs Java"))
  func clusterGivesTheRowsOfTheTool() async throws {
    try await run("Cluster")
  }
}
