import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

@Suite("Streams")
struct StreamTests {
  @Test("a closed pipe is not an error")
  func closedPipe() async {
    let run = await ActionLogTool.bare.run("help") { environment in
      environment.standardOutput = MemoryOutput(limit: 0)
    }
    #expect(run.status == 0)
    #expect(run.messages.isEmpty)
  }

  /// Characters that a terminal obeys, or that change the order of a text. JSON allows those from U+007F on unescaped.
  private static let controls =
    "E\u{7}\u{1B}\u{7F}\u{85}\u{9B}31m\u{202E}\u{2066}\u{2028}\u{200E}\u{FEFF}\u{200B}\u{2060}\u{AD}\u{180E}\u{3164}\u{E0041}"

  /// The words of a command, and a line of its input. A program gets the characters as they are.
  @Test(arguments: [
    (["list", "my-log", "--format", "lines", "--all"], ""), (["list", "my-log", "--json"], ""),
    (["show", "my-log", "1", "--json"], ""),
    (["stats", "my-log", "--json"], ""),
    (["each", "my-log", "--", "show", "1"], ""),
    (["list", "my-log", "--format", "cloudevents"], ""),
    (["record", "counter", "new-log", "--json"], #"{"type":"\#u{9B}\#u{202E}"}"#),
    (["mcp", "--log", "my-log"], #"{"jsonrpc":"2.0","id":"\#u{9B}\#u{202E}","method":"ping"}"#),
  ])
  func jsonOnTerminalsHasNoControls(words: [String], input: String) async throws {
    var answers: [[JSONValue]] = []
    for isTerminal in [false, true] {
      let bench = Bench()
      var action: JSONObject = ["type": "didTapIncrementButton"]
      action["meta"] = .object(["actor": .string(Self.controls), Self.controls: .string(Self.controls)])
      let line = String(decoding: JSONValue.object(action).bytes(), as: UTF8.self) + "\n"
      try #require(await bench.run("record", "counter", "my-log", input: [line]).status == 0)
      let run = await bench.run(words, input: [input + "\n"]) { environment in
        environment.outputIsTerminal = isTerminal
        environment.errorIsTerminal = isTerminal
        environment.variables = ["NO_COLOR": "1", "PAGER": ""]
      }
      let text = run.output + run.messages
      let isRaw = text.unicodeScalars.contains { scalar in
        scalar != "\n" && Self.controls.unicodeScalars.contains(scalar) && !scalar.isASCII
      }
      #expect(isRaw != isTerminal, "\(text)")
      #expect(!text.utf8.contains { byte in byte < 0x20 && byte != 0x0A || isTerminal && byte == 0x7F }, "\(text)")
      answers.append(try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) })
    }
    #expect(!answers[0].isEmpty && answers[0] == answers[1])
  }

  /// All invisible characters of the category Cf are escaped, and those that names and emoji need are not.
  @Test func invisibleCharactersAreEscaped() throws {
    let joiners: Set<UInt32> = [0x200C, 0x200D]
    for scalar in (0..<0x11_0000).compactMap(Unicode.Scalar.init) where scalar.properties.generalCategory == .format {
      let isShown = !scalar.properties.isDefaultIgnorableCodePoint && !(0xFFF9...0xFFFB).contains(scalar.value)
      let isText = isShown || joiners.contains(scalar.value)
      #expect((EscapedText.escaping("a\(scalar)b") == "a\(scalar)b") == isText, "\(String(scalar.value, radix: 16))")
    }
    for text in ["👩\u{200D}🚀", "❤\u{FE0F}", "می\u{200C}خواهم", "葛\u{E0100}", "ᠠ\u{180B}"] {
      #expect(EscapedText.escaping(text) == text)
    }
  }

  /// The pages escape the characters that the command line escapes.
  @Test func pagesEscapeTheSameCharacters() throws {
    let file = PackageFolder.root.appending(path: "Sources/Tool/ActionLogTool/Inspector/Page/values.js")
    let script = try String(contentsOf: file, encoding: .utf8)
    let call = try #require(
      script.split(separator: "const unsafe = new RegExp(").last?.split(separator: "\"gu\")").first)
    let pattern = call.matches(of: /"([^"]*)"/).map { match in String(match.1) }.joined()
      .replacing(#"\\"#, with: #"\"#).replacing(#"\u{"#, with: #"\x{"#)
    let scalars = (0..<0x11_0000).compactMap(Unicode.Scalar.init)
    let all = NSString(string: String(String.UnicodeScalarView(scalars)))
    let expression = try NSRegularExpression(pattern: pattern)
    let found = expression.matches(in: all as String, range: NSRange(location: 0, length: all.length))
    let escaped = found.map { match in all.substring(with: match.range) }.joined()
    let expected = scalars.filter { scalar in EscapedText.escaping(String(scalar)) != String(scalar) }
    #expect(Array(escaped.unicodeScalars) == expected)
  }

  /// The process that compares the digests may be terminated; every other command completes its work.
  @Test("digests without a reader are not computed")
  func digestsWithoutReader() async throws {
    final class ClosedOutput: ToolOutput {
      let writes = Locked(0)
      var isClosed: Bool { true }
      func write(_ bytes: [UInt8]) { writes.withLock { writes in writes += 1 } }
    }
    let bench = Bench()
    try #require(await bench.run("record", "counter", "my-log", "--workload", "10000").status == 0)
    for (words, isCanceled) in [
      (["--digests-at", "9999"], true), (["--digests-at", "9999", "--states"], true), (["--verify"], false),
    ] {
      let output = ClosedOutput()
      let run = await bench.run(["replay", "my-log"] + words) { environment in environment.standardOutput = output }
      #expect(run.status == 0 && run.messages.isEmpty, "\(run)")
      #expect((output.writes.withLock { writes in writes } == 0) == isCanceled, "\(words)")
    }
  }

  /// Without a reader, they would wait for the next action.
  @Test(arguments: [
    ["my-log"], ["my-log", "--json"], ["my-log", "--format", "lines"], ["my-log", "--last", "0"],
    ["my-log", "other-log"],
  ])
  func followersEndWithoutAReader(words: [String]) async throws {
    final class UnreadOutput: ToolOutput {
      let bytes = MemoryOutput()
      var isClosed: Bool { true }
      func write(_ bytes: [UInt8]) throws(ToolStreamError) { try self.bytes.write(bytes) }
    }
    let bench = Bench()
    for log in ["my-log", "other-log"] {
      try #require(await bench.run("record", "counter", log, "--workload", "3").status == 0)
    }
    let (output, pauses) = (UnreadOutput(), Locked(0))
    let run = await bench.run(["list", "-f"] + words) { environment in
      environment.standardOutput = output
      environment.pause = { _ in
        pauses.withLock { pauses in
          pauses += 1
          return pauses == 9
        }
      }
    }
    #expect(run.status == 0 && run.messages.isEmpty, "\(run)")
    #expect(pauses.withLock { pauses in pauses } == 1)
    #expect(output.bytes.text.isEmpty == words.contains("0"))
  }

  @Test("a pipe without a reader is closed, a file is not")
  func closedDescriptors() throws {
    let pipe = Pipe()
    let output = FileDescriptorOutput(descriptor: pipe.fileHandleForWriting.fileDescriptor)
    #expect(!output.isClosed)
    try pipe.fileHandleForReading.close()
    #expect(output.isClosed)
    let file = try #require(FileHandle(forUpdatingAtPath: "/dev/null"))
    #expect(!FileDescriptorOutput(descriptor: file.fileDescriptor).isClosed)
    #expect(!FileDescriptorOutput(descriptor: -1).isClosed)
  }

  @Test("output that cannot be written is an error of the environment")
  func fullDisk() async {
    struct FullOutput: ToolOutput {
      func write(_ bytes: [UInt8]) throws(ToolStreamError) { throw .failed(errorNumber: 28) }
    }
    let run = await ActionLogTool.bare.run("help") { environment in environment.standardOutput = FullOutput() }
    #expect(run.status == 3)
    #expect(run.messages.hasPrefix("error: standard input or output failed: "))
  }

  @Test("colors are for terminals that allow them")
  func color() async {
    let escape = "\u{1B}["
    #expect(await ActionLogTool.bare.run("help", isTerminal: true).output.contains(escape))
    #expect(await !ActionLogTool.bare.run("help").output.contains(escape))
    #expect(await !ActionLogTool.bare.run("help", "--no-color", isTerminal: true).output.contains(escape))
    #expect(await !ActionLogTool.bare.run("help", "--color", "never", isTerminal: true).output.contains(escape))
    #expect(await ActionLogTool.bare.run("help", "--color=auto", isTerminal: true).output.contains(escape))
    #expect(await !ActionLogTool.bare.run("help", "--color", "auto").output.contains(escape))
    #expect(
      await ActionLogTool.bare.run("help", "--color=always", variables: ["NO_COLOR": "1"]).output.contains(escape))
    #expect(await !ActionLogTool.bare.run("help", "--color", "always", "--no-color").output.contains(escape))
    // An error before the command line is understood.
    #expect(await ActionLogTool.bare.run("nothing", "--color", "always").messages.contains(escape))
    #expect(await !ActionLogTool.bare.run("nothing", "--color=never", isTerminal: true).messages.contains(escape))
    #expect(await ActionLogTool.bare.run("help", "--color", "blue").status == 2)
    let variables = [["NO_COLOR": "1"], ["TERM": "dumb"]]
    for variables in variables {
      let run = await ActionLogTool.bare.run("help", isTerminal: true, variables: variables)
      #expect(!run.output.contains(escape))
    }
    #expect(await ActionLogTool.bare.run("help", isTerminal: true, variables: ["NO_COLOR": ""]).output.contains(escape))
  }

  @Test("each page of a list has its own colors")
  func colorsOfPages() async throws {
    let bench = Bench()
    let made = await bench.run("record", "animals", "my-log", "--workload", "400")
    try #require(made.status == 0, "\(made)")
    let run = await bench.run("list", "my-log", "--all", "--color", "always")
    let lines = run.output.split(separator: "\n")
    // The first rows are control records, whose values are dim. A page has 200 rows.
    let isDim = lines.map { line in line.contains("\u{1B}[2m{") }
    #expect(isDim[0] && isDim[1] && !isDim[200] && !isDim[201])
    #expect(lines[200...201].contains { line in line.contains("  {") }, "\(lines[200...201])")
  }

  @Test("a stop request is made once, and reaches current and later waiters")
  func stopRequest() {
    let stop = StopRequest()
    #expect(!stop.isRequested)
    #expect(stop.request())
    #expect(!stop.request())
    #expect(stop.isRequested)
    // Without the request it would wait forever.
    #expect(stop.wait(for: .seconds(1_000_000)))
  }
}

/// A command prints its answer first and notes on it afterward, on a terminal as in a transcript of both streams.
@Suite("Notes follow the answer")
struct NoteOrderTests {
  private static let calls: [[String]] = [
    ["list", "my-log", "--where", "/animals exists"], ["list", "my-log", "--touching", "/animals/dta"],
    ["list", "my-log", "--where", "/animals exists", "--last", "2"], ["list", "my-log", "--where", "data/nix exists"],
    ["stats", "my-log", "--touching", "/animals"],
    ["list", "my-log", "--format", "csv", "--where", "/animals exists"],
    ["history", "my-log", "/animals/data"], ["history", "my-log", "/animals/data", "/animals/dta"],
    ["find", "my-log", "/animals exists"], ["find", "--bisect", "my-log", "/animals exists"],
    ["blame", "my-log", "/animals/data"], ["minimize", "my-log", "/animals/data/Dog exists"],
    ["what-if", "my-log", "--skip", "4"], ["state", "my-log"], ["mark", "my-log"], ["verify", "my-log"],
    ["list", "my-log"], ["test", "my-log", "3", "12", "--expect", "/animals/dta exists"],
    ["export", "my-log"],
  ]

  private func both(_ words: [String], _ bench: Bench, input: [String] = []) async -> String {
    let both = MemoryOutput()
    _ = await bench.run(words, input: input) { environment in
      environment.standardOutput = both
      environment.standardError = both
      environment.outputIsTerminal = true
      environment.errorIsTerminal = true
      environment.variables = ["NO_COLOR": "1"]
    }
    return both.text
  }

  @Test(arguments: calls) func asInATranscript(words: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(words)
    #expect(await both(words, bench) == run.output + run.messages)
  }

  @Test("the note on a new or continued log precedes the first answer")
  func recording() async throws {
    let bench = Bench()
    let taps = [#"{"type":"didTapIncrementButton"}"# + "\n"]
    for opening in ["new log my-log", "continuing my-log after revision 1"] {
      let lines = await both(["record", "counter", "my-log"], bench, input: taps).split(separator: "\n")
      #expect(lines.count == 3 && lines[0] == opening && lines[1].hasPrefix(#"{"line":1"#), "\(lines)")
    }
  }
}

/// A scheduler that holds the ticks of progress lines until a test fires them.
private final class Ticks: Sendable {
  private struct Contents: Sendable {
    var pending: [Int: @Sendable () -> Void] = [:]
    var delays: [Duration] = []
    var maximumCount = 0
  }

  private let contents = Locked(Contents())

  /// The number of pending ticks.
  var pendingCount: Int { contents.withLock { contents in contents.pending.count } }
  /// The largest number of ticks pending at once.
  var maximumCount: Int { contents.withLock { contents in contents.maximumCount } }
  /// The delays of all ticks, in the order in which they were scheduled.
  var delays: [Duration] { contents.withLock { contents in contents.delays } }

  var schedule: @Sendable (Duration, @escaping @Sendable () -> Void) -> @Sendable () -> Void {
    { [contents] delay, body in
      let number = contents.withLock { contents in
        contents.delays.append(delay)
        contents.pending[contents.delays.count] = body
        contents.maximumCount = max(contents.maximumCount, contents.pending.count)
        return contents.delays.count
      }
      return { contents.withLock { contents in contents.pending[number] = nil } }
    }
  }

  /// Calls the pending ticks.
  func fire() {
    let due = contents.withLock { contents in
      defer { contents.pending = [:] }
      return Array(contents.pending.values)
    }
    for call in due { call() }
  }
}

@Suite("Progress")
struct ProgressTests {
  /// A clock that advances by this duration at each reading.
  private func slowClock(_ step: Duration) -> @Sendable () -> Duration {
    let looks = Locked(0)
    return {
      looks.withLock { looks in
        looks += 1
        return step * looks
      }
    }
  }

  /// A log long enough for the engine to report progress.
  private func makeLog() async throws -> Bench {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "10000")
    try #require(run.status == 0)
    return bench
  }

  private func replay(
    _ bench: Bench, stepping step: Duration, isTerminal: Bool, _ options: String...
  ) async throws -> CommandLineRun {
    await bench.run(["replay", "my-log"] + options) { environment in
      environment.errorIsTerminal = isTerminal
      environment.uptime = slowClock(step)
      environment.variables = ["NO_COLOR": "1"]
    }
  }

  @Test("a long job shows progress, rate and remaining time, and erases the line; a short job shows nothing")
  func longJob() async throws {
    let bench = try await makeLog()
    let run = try await replay(bench, stepping: .seconds(2), isTerminal: true, "--to", "10000")
    #expect(run.status == 0)
    #expect(run.messages.contains("replaying 40%  4 096 actions  "))
    #expect(run.messages.contains(" actions/s  "))
    #expect(run.messages.contains(" left"))
    // Too little is done for a rate.
    #expect(!run.messages.contains("0%  0 actions  "))
    #expect(run.messages.hasSuffix("\r\u{1B}[K"))

    #expect(try await replay(bench, stepping: .milliseconds(1), isTerminal: true).messages.isEmpty)
    #expect(try await replay(bench, stepping: .seconds(2), isTerminal: true, "-q").messages.isEmpty)
  }

  @Test("progress appears 0.7 s after the beginning of the job", arguments: [(650, false), (750, true)])
  func patience(milliseconds: Int, isShown: Bool) async throws {
    let bench = try await makeLog()
    let readings = Locked(0)
    let run = await bench.run("replay", "my-log") { environment in
      environment.errorIsTerminal = true
      // The first readings are at the beginning of the job.
      environment.uptime = {
        readings.withLock { readings in
          readings += 1
          return readings <= 2 ? .zero : .milliseconds(milliseconds)
        }
      }
    }
    #expect(run.status == 0 && run.messages.contains("replaying ") == isShown, "\(run)")
  }

  /// Loading a snapshot and comparing two states report nothing. A second passes with each opening of a segment.
  @Test("a terminal shows the seconds while a job reports nothing, until its output", arguments: [true, false])
  func silentJob(isTerminal: Bool) async throws {
    let bench = try await makeLog()
    let (disk, seconds, ticks) = (bench.disk, Locked(0), Ticks())
    let files = FaultyFileSystem(disk) { call in
      guard call.operation == .open, call.path.hasSuffix(".jsonl") else { return }
      seconds.withLock { seconds in seconds += 1 }
      ticks.fire()
    }
    let run = await bench.run("diff", "my-log", "1", "end") { environment in
      environment.errorIsTerminal = isTerminal
      environment.outputIsTerminal = isTerminal
      environment.variables = ["NO_COLOR": "1"]
      environment.fileSystem = files
      environment.uptime = { .seconds(seconds.withLock { seconds in seconds }) }
      environment.schedule = ticks.schedule
    }
    #expect(run.status == 1 && seconds.withLock { seconds in seconds } > 2)
    let shown = try Regex("\\r\u{1B}\\[Kreplaying( \\d+%  [0-9 ]+ actions)?  [1-9] s")
    #expect(run.messages.contains(shown) == isTerminal, "\(run.messages)")
    // The line is erased before the answer, and no tick is left.
    #expect(isTerminal ? run.messages.hasSuffix("\r\u{1B}[K") : !run.messages.contains("\r"))
    #expect(ticks.pendingCount == 0)
    // The user waits for the second part of the job since the beginning of the first.
    let waited = ticks.delays
    #expect(waited.first == (isTerminal ? .milliseconds(700) : nil) && waited.last == (isTerminal ? .zero : nil))
    #expect(waited.dropFirst().dropLast().allSatisfy { delay in delay == .seconds(1) }, "\(waited)")
  }

  /// A tick that has begun when the line is erased cannot be canceled.
  @Test("a late tick shows nothing")
  func lateTick() async throws {
    let bench = try await makeLog()
    let (ticks, output) = (Locked<[@Sendable () -> Void]>([]), MemoryOutput())
    let run = await bench.run("replay", "my-log") { environment in
      environment.standardError = output
      environment.errorIsTerminal = true
      environment.uptime = slowClock(.seconds(2))
      environment.schedule = { _, body in
        ticks.withLock { ticks in ticks.append(body) }
        return {}
      }
    }
    let shown = output.text
    let all = ticks.withLock { ticks in ticks }
    #expect(run.status == 0 && shown.hasSuffix("\r\u{1B}[K") && all.count > 1, "\(run)")
    for tick in all { tick() }
    #expect(output.text == shown)
  }

  @Test("a job that is not finished shows its seconds again after a message")
  func messageInTheMiddle() async throws {
    let (bench, seconds, ticks) = (Bench(), Locked(0), Ticks())
    try await bench.recordCounter()
    // The report warns of marks that are not a file, after it has begun to write the page.
    try bench.disk.createDirectory("my-log/marks.jsonl")
    let files = FaultyFileSystem(bench.disk) { call in
      guard call.operation == .append, call.path.contains("page.html") else { return }
      seconds.withLock { seconds in seconds = 3 }
      ticks.fire()
    }
    let run = await bench.run("report", "my-log", "-o", "page.html") { environment in
      environment.errorIsTerminal = true
      environment.variables = ["NO_COLOR": "1"]
      environment.fileSystem = files
      environment.uptime = { .seconds(seconds.withLock { seconds in seconds }) }
      environment.schedule = ticks.schedule
    }
    let parts = run.messages.components(separatedBy: "warning: the marks cannot be read")
    #expect(run.status == 0 && parts.count == 2 && parts[1].contains("\r\u{1B}[Kwriting the page  3 s\r"), "\(run)")
    #expect(ticks.pendingCount == 0)
  }

  @Test("a report shows only the progress of its comparison, once that has begun")
  func comparison() async throws {
    let bench = try await makeLog()
    let run = await bench.run("report", "my-log", "-o", "page.html", "--limit", "9000") { environment in
      environment.errorIsTerminal = true
      environment.uptime = slowClock(.seconds(2))
      environment.variables = ["NO_COLOR": "1"]
    }
    let parts = run.messages.components(separatedBy: "comparing ")
    #expect(run.status == 0 && parts.count > 2 && parts[0].contains("replaying "), "\(run.messages)")
    #expect(!parts.dropFirst().joined().contains("replaying "), "\(run.messages)")
  }

  /// `head` ends it.
  @Test("the line is erased if nobody reads the answer")
  func closedOutput() async throws {
    let bench = try await makeLog()
    // More than the output holds back.
    let run = await bench.run("list", "my-log", "--where", "/value > -10000") { environment in
      environment.errorIsTerminal = true
      environment.standardOutput = MemoryOutput(limit: 0)
      environment.uptime = slowClock(.seconds(2))
      environment.variables = ["NO_COLOR": "1"]
    }
    #expect(run.status == 0 && run.messages.contains("replaying ") && run.messages.hasSuffix("\r\u{1B}[K"), "\(run)")
  }

  /// The logs have lines of their own, after which that of all logs is shown again.
  @Test("of several jobs the last reported one is shown, and erased")
  func nestedJobs() async throws {
    let bench = try await makeLog()
    _ = await bench.run("record", "counter", "other", "--workload", "10000")
    let ticks = Ticks()
    let run = await bench.run("list", "my-log", "other", "--last", "3", "--where", "/value > -10000") { environment in
      environment.errorIsTerminal = true
      environment.outputIsTerminal = true
      environment.uptime = slowClock(.seconds(2))
      environment.variables = ["NO_COLOR": "1"]
      environment.schedule = ticks.schedule
    }
    #expect(run.status == 0 && run.messages.contains("replaying ") && run.messages.contains("reading "), "\(run)")
    #expect(run.messages.hasSuffix("\r\u{1B}[K"))
    // Two lines would take turns on the terminal.
    #expect(ticks.maximumCount == 1 && ticks.pendingCount == 0)
  }

  /// They read the log several times, for different reasons.

  @Test("a long job reports its progress to a pipe, too, in lines")
  func pipe() async throws {
    let bench = try await makeLog()
    let lines = try await replay(bench, stepping: .seconds(2), isTerminal: false).messages.split(separator: "\n")
    #expect(lines.first?.hasPrefix("replaying ") == true && lines.count < 4, "\(lines)")
    #expect(lines.allSatisfy { line in !line.contains("\u{1B}") && !line.contains("\r") })
    let json = try await replay(bench, stepping: .seconds(2), isTerminal: false, "--json", "--to", "10000").messages
    for line in json.split(separator: "\n") {
      let progress = try JSONValue(parsing: Array(line.utf8))["progress"]
      #expect(
        progress?["job"] == "replaying" && progress?["unit"] == "actions" && progress?["total"]?.integer == 10_000)
    }
    #expect(!json.isEmpty)
    #expect(
      try await replay(bench, stepping: .milliseconds(1), isTerminal: false).messages.hasPrefix("replaying") == false)
    #expect(try await replay(bench, stepping: .seconds(2), isTerminal: false, "-q").messages.isEmpty)
  }
}
