import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import Foundation
import Interchange
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// Every error message with its status. The texts are part of the tool's interface.
@Suite("Errors")
struct ErrorTests {
  /// A failing call. Its output is in `Golden/errors.txt`.
  struct Case: Sendable, CustomTestStringConvertible {
    let arguments: [String]
    let status: Int32

    init(_ arguments: String..., status: Int32) {
      self.arguments = arguments
      self.status = status
    }

    var testDescription: String { arguments.joined(separator: " ") }
  }

  static let cases: [Case] = [
    Case("list", "nowhere", status: 3),
    Case("state", "nowhere", status: 3),
    Case("verify", "nowhere", status: 3),
    Case("list", "empty", status: 3),
    Case("verify", "empty", status: 3),
    Case("list", "notes.txt", status: 3),
    Case("list", "odd", status: 1),
    Case("verify", "odd", status: 1),
    Case("state", "odd", status: 1),
    Case("record", "counter", "notes.txt", status: 3),
    Case("record", "quakes", "new-log", status: 2),
    Case("record", "countr", "new-log", status: 2),
    Case("record", "counter", "animals-log", status: 2),
    Case("record", "counter", "no/such/parent", status: 3),
    Case("state", "quakes-log", status: 2),
    Case("replay", "quakes-log", status: 2),
    Case("state", "my-log", "--model", "quakes", status: 2),
    Case("state", "animals-log", "--model", "counter", status: 3),
    Case("state", "future-log", status: 3),
    Case("record", "counter", "future-log", status: 3),
    Case("list", "format2-log", status: 3),
    Case("state", "my-log", "--at", "11", status: 2),
    Case("state", "my-log", "--at", "-11", status: 2),
    Case("state", "my-log", "--at", "soon", status: 2),
    Case("state", "my-log", "--path", "value", status: 2),
    Case("state", "my-log", "--path", "/valeu", status: 1),
    Case("show", "my-log", "11", status: 2),
    Case("show", "my-log", "0", status: 2),
    Case("diff", "my-log", "0", status: 2),
    Case("diff", "my-log", "3", "12", status: 2),
    Case("diff", "my-log", "3", "4", "--format", "xml", status: 2),
    Case("list", "my-log", "--from", "5", "--to", "3", status: 2),
    Case("list", "my-log", "--limit", "many", status: 2),
    Case("list", "my-log", "--limit", "2", "--last", "3", status: 2),
    Case("list", "my-log", "--type", "nothing", status: 1),
    Case("diff", "my-log", "3", "4", "--format", "tree", "--json", status: 2),
    Case("verify", "notes.txt", status: 3),
    Case("list", "-f", "my-log/0000000000000001.jsonl", status: 2),
    Case("record", "counter", "new-log", "--segment-size", "big", status: 2),
    Case("record", "counter", "new-log", "--interval", "1", status: 2),
    Case("record", "counter", "new-log", "--seed", "1", status: 2),
    Case("list", "damaged-log", "--from", "8", status: 1),
    Case("state", "damaged-log", status: 1),
    Case("state", "damaged-log", "--at", "9", status: 1),
    Case("record", "counter", "damaged-log", status: 1),
    Case("list", "torn-log", "--from", "10", status: 2),
    Case("list", "my-log", "--from", "2026-11-32", status: 2),
    Case("list", "my-log", "--where", "time > 2026-01-01T10:00:00Z", status: 2),
    Case("salvage", "damaged-log/0000000000000001.jsonl", "new-log", status: 2),
    Case("salvage", "notes.txt", "new-log", status: 2),
    Case("import", "animals.ndjson", "new-log", "--format", "cloudevents", "--model", "counter", status: 3),
    Case("import", "animals.json", "new-log", "--format", "redux-devtools", "--model", "counter", status: 3),
    Case("import", "animals.json", "new-log", "--format", "cloudevents", status: 3),
    Case("import", "animals.ndjson", "new-log", "--format", "redux-devtools", status: 3),
    Case("verify", "shipped", status: 3),
    Case("list", "shipped/model=counter", status: 3),
    Case("export", "my-log", "--output", "notes.txt", status: 2),
    Case("mark", "my-log", "4", "odd", status: 2),
    Case("mark", "my-log", "--remove", "od", status: 2),
    Case("state", "my-log", "--at", "od", status: 2),
    Case("record", "counter", "held-log", status: 4),
    Case("salvage", "damaged-log", "my-log", status: 2),
    Case("backup", "nowhere", "copy", status: 3),
    Case("snapshot", "damaged-log", "--at", "9", status: 1),
    Case("verify", "torn-log", status: 1),
    Case("verify", "damaged-log", status: 1),
  ]

  @Test("a message has the error, its location and advice")
  func messages() async throws {
    let bench = try await Self.makeDisk()
    let holder = try bench.disk.lock(directory: "held-log")
    defer { holder.unlock() }
    var text = ""
    for example in Self.cases {
      let run = await bench.run(example.arguments)
      // This process holds the lock.
      let messages = run.messages.replacing(/process \d+/, with: "process 4711")
      text += "$ action-log \(example.arguments.joined(separator: " "))\n\(messages)[status \(run.status)]\n\n"
      #expect(run.status == example.status, "\(example.testDescription): \(run.messages)")
      #expect(example.status == 0 || !run.messages.isEmpty || !run.output.isEmpty)
    }
    try Golden.expect(text, is: "errors.txt")
  }

  @Test("with --json an error is one JSON object with a stable code")
  func json() async throws {
    let bench = try await Self.makeDisk()
    let holder = try bench.disk.lock(directory: "held-log")
    defer { holder.unlock() }
    for example in Self.cases where example.status > 1 {
      let run = await bench.run(example.arguments + ["--json"])
      #expect(run.status == example.status)
      let lines = run.messages.split(separator: "\n")
      let last = try #require(lines.last)
      let value = try JSONValue(parsing: last.utf8)
      #expect(value[JSONPointer(["error", "message"])] != nil)
      #expect(value[JSONPointer(["status"])] == .number(JSONNumber(Int(example.status))))
    }
  }

  /// A disk with every kind of path that can be mistaken for a log.
  private static func makeDisk() async throws -> Bench {
    let bench = Bench()
    try await bench.recordAnimals()
    for (format, name) in [("cloudevents", "animals.ndjson"), ("redux-devtools", "animals.json")] {
      let exported = await bench.run(Bench.exporting("my-log", as: format))
      try bench.disk.setContents(Array(exported.output.utf8), of: name)
    }
    try bench.rename("my-log", to: "animals-log")
    try await bench.recordCounter()
    let whole = try bench.disk.contents(of: Bench.segment)

    try #require(await bench.run("mark", "my-log", "3", "odd").status == 0)
    try bench.disk.createDirectory("shipped")
    try bench.disk.createDirectory("shipped/model=counter")
    try bench.disk.createDirectory("shipped/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11")
    try bench.disk.createDirectory("empty")
    try bench.disk.setContents(Array("Buy milk.\n".utf8), of: "notes.txt")
    try bench.disk.createDirectory("odd")
    try bench.disk.createDirectory("odd/0000000000000001.jsonl")

    try bench.makeLog("quakes-log", replacing: #""model":"counter""#, by: #""model":"quakes""#)
    try bench.makeLog("future-log", replacing: #""schema":1"#, by: #""schema":2"#)
    try bench.makeLog("format2-log", replacing: "actionlog/1", by: "actionlog/2")

    try bench.makeLog("held-log", from: whole)
    try bench.makeLog("torn-log", from: Array(whole.dropLast(425)))
    try bench.makeLog("damaged-log", from: whole)
    try bench.disk.flipBit(0, ofByte: 1_500, in: "damaged-log/0000000000000001.jsonl")
    return bench
  }
}

/// The conversion of errors to the output of a command.
@Suite struct ToolFailureTests {
  private struct Jam: DescribedError {
    enum Code: String { case paperJam }

    var code: Code { .paperJam }
    var message: String { "paper is stuck" }
    var location: ErrorLocation {
      ErrorLocation(path: "printer", line: 2, revision: 4, pointer: JSONPointer(["trays", "1"]), byteOffset: 8)
    }
    var intact: String? { "The scanner works." }
    var advice: MessageText? { "Open tray 1." }
  }

  private struct Foreign: Error, CustomStringConvertible {
    var description: String { "no toner" }
  }

  /// The tool has no list of types: an error of an application keeps its code, location and guidance.
  @Test func anyDescribedErrorIsReported() {
    let failure = ToolFailure(any: Jam())
    #expect(failure.code == "paperJam" && failure.status == .environment)
    #expect(failure.headline == "paper is stuck at /trays/1: printer:2, seq 4, byte 8")
    #expect(failure.guidance?.description == "The scanner works. Open tray 1.")
    let foreign = ToolFailure(any: Foreign())
    #expect(foreign.code == "other" && "\(foreign)" == "no toner")
  }

  /// A message fits on a screen; a program gets the complete path.
  @Test func longPathsAreShortened() async throws {
    let path = (0..<15).map { _ in String(repeating: "a", count: 250) }.joined(separator: "/")
    let run = await Bench().run("list", path)
    #expect(run.status == 3 && run.messages.utf8.count < 1_400, "\(run.messages)")
    #expect(run.messages.contains("…"))
    #expect(await Bench().run("list", path, "--json").messages.contains(#""path":"\#(path)""#))
  }

  @Test func engineErrorsKeepTheirText() {
    let errors: [any DescribedError] = [
      LogError(
        .damaged, "checksum mismatch", path: "log/1", line: 4, byteOffset: 99, revision: 3,
        intact: "Actions 1…2 are intact.", advice: "Run 'action-log verify'."),
      EventSourcingError(
        .refusedInReplay, "the reducer refused an action", path: "log", revision: 3,
        intact: "Revisions 0…2 can be read.", advice: "Let it accept the action again."),
      TimeTravelError(.notFound, "nothing at /a", suggestions: ["b"]),
      InterchangeError(.wrongShape, "no id", line: 3, byteOffset: 7, advice: "Add one."),
    ]
    for error in errors {
      let failure = ToolFailure(any: error)
      #expect(failure.codeName == error.codeName)
      #expect("\(failure)" == "\(error)")
      #expect(failure.intact == error.intact)
    }
  }

  @Test func existingGuidanceIsKept() {
    #expect(ToolFailure(any: Jam()).advised("Run it again.").advice == "Open tray 1.")
    #expect(ToolFailure(any: Foreign()).advised("Run it again.").advice == "Run it again.")
    let intact = ToolFailure("jam", .environment, "stuck", intact: "All is well.")
    #expect(intact.advised("Run it again.").guidance == "All is well.")
  }
}

extension Bench {
  /// Moves a log.
  func rename(_ log: String, to name: String) throws {
    try disk.rename(log, to: name)
  }

  /// Makes a log of one segment, without `HEAD`.
  func makeLog(_ log: String, from bytes: [UInt8]) throws {
    try disk.createDirectory(log)
    try disk.setContents(bytes, of: log + "/0000000000000001.jsonl")
  }

  /// Creates a log like `my-log` with another text in it and valid checksums.
  func makeLog(_ log: String, replacing text: String, by other: String) throws {
    var previous = "00000000"
    var bytes: [UInt8] = []
    for line in String(decoding: try disk.contents(of: Self.segment), as: UTF8.self).split(separator: "\n") {
      let body = line.dropLast(18).replacingOccurrences(of: text, with: other)
      let start = body.range(of: #""prev":""#)!.upperBound
      let chained = body[..<start] + previous + body[start...].dropFirst(8)
      previous = ChecksumDigits.text(CRC32C.checksum(of: Array(chained.utf8)))
      bytes += Array("\(chained),\"crc\":\"\(previous)\"}\n".utf8)
    }
    try makeLog(log, from: bytes)
  }
}

extension ErrorTests {
  @Test func missingArgumentsAreDescribed() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    #expect(await bench.run("show", "my-log").messages.hasPrefix("error: 'show' needs POINT: the action"))
    for command in ["tui", "state", "verify"] {
      let run = await bench.run(command)
      #expect(run.status == 2 && run.messages.hasPrefix("error: '\(command)' needs LOG"), "\(run.messages)")
      #expect(run.messages.contains("This folder contains the log 'my-log'."), "\(run.messages)")
    }
  }

  /// A hundred kilobytes wherever a command quotes its input.
  @Test(arguments: [
    ["what-if", "my-log", "--insert", "1=LONG {"], ["what-if", "my-log", "--insert", "1=didTapIncrementButton LONG"],
    ["what-if", "my-log", "--insert", "1={LONG"], ["what-if", "my-log", "--replace", "LONG"],
    ["what-if", "my-log", "--move", "1=LONG"], ["what-if", "my-log", "--skip", "LONG"],
    ["list", "my-log", "--limit", "LONG"],
    ["list", "my-log", "--from", "LONG"], ["list", "my-log", "--where", "/value == LONG LONG"],
    ["state", "my-log", "--at", "LONG"], ["state", "my-log", "--path", "/LONG"], ["state", "LONG"], ["LONG"],
    ["state", "my-log", "--LONG"], ["diff", "my-log", "1", "2", "--format", "LONG"], ["record", "LONG", "new-log"],
    ["record", "counter", "new-log", "--segment-size", "LONG"], ["redact", "my-log", "LONG", "--reason", "x"],
    ["redact", "my-log", "--line", "LONG:/a", "--reason", "x"], ["prove", "my-log", "--line", "LONG"],
    ["mark", "my-log", "1", "LONG"], ["consume", "my-log", "LONG", "--", "true"], ["help", "LONG"],
  ])
  func longInputIsQuotedInPart(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let long = String(repeating: "é", count: 50 << 10)
    let run = await bench.run(words.map { word in word.replacing("LONG", with: long) })
    #expect(run.status != 0)
    #expect(run.messages.utf8.count + run.output.utf8.count < 10_000, "\(run.messages.prefix(2_000))")
  }

  /// Every command that a message of the engine or the tool refers to, with its options.
  @Test func advisedCommandsExist() throws {
    let commands = ActionLogTool(version: "1", models: []).commands
    let folder = PackageFolder.root.appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    var (commandCount, optionCount) = (0, 0)
    for path in paths where path.hasSuffix(".swift") && !path.hasPrefix("Samples") {
      let source = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
      for match in source.matches(of: /operation\("([a-z-]+)"((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/) {
        commandCount += 1
        let command = try #require(commands.first { command in command.name == match.1 }, "\(path): \(match.0)")
        for option in match.2.matches(of: /\.option\("([a-z-]+)"/) {
          #expect(command.options.contains { known in known.name == option.1 }, "\(path): \(match.0)")
        }
      }
      for match in source.matches(of: /\.option\("([a-z-]+)"/) {
        optionCount += 1
        let isKnown = commands.contains { command in command.options.contains { known in known.name == match.1 } }
        #expect(isKnown, "\(path): \(match.0)")
      }
    }
    #expect(commandCount > 20 && optionCount > 25)
  }
}
