import ActionLog
import Foundation
import TestSupport
import Testing

/// The lines of the readers' page, run on a log whose members change their types, next to files that are not segments.
@Suite("Lines of the readers' page")
struct ReaderLinesTests {
  /// More actions than DuckDB samples before it decides on types.
  private static let count = 25_000

  /// A block of the page that mentions a word.
  private static func block(_ language: String, _ word: String) throws -> String {
    let page = try String(contentsOfFile: "\(ReadersTests.root)/logs/readers/README.md", encoding: .utf8)
    let blocks = page.components(separatedBy: "```\(language)\n").dropFirst().map { rest in
      rest.components(separatedBy: "```")[0]
    }
    return try #require(blocks.first { block in block.contains(word) })
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

  @Test(.enabled(if: ReadersTests.python(has: "polars"), "needs polars"))
  func polarsLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["python3", "-c", Self.block("python", "import polars")]))
  }

  @Test(.enabled(if: ReadersTests.python(has: "pandas"), "needs pandas"))
  func pandasLineCountsActionsOnly() throws {
    Self.expectCounts(try Self.run(["python3", "-c", Self.block("python", "import glob, pandas")]))
  }

  /// Every page and program of the repository names segments so that nothing else matches.
  @Test(arguments: [
    "README.md", "logs/README.md", "logs/readers/README.md", "logs/readers/actions.sql",
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
