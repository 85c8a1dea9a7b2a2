import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The pages of the handbook, and those of the log about evidence, show the output of the tool, each from its first command on in an
/// empty directory. `UPDATE_GOLDEN=1 swift test` rewrites them.
@Suite struct HandbookTests {
  private static let root = PackageFolder.root
  private static let folder = root.appending(path: "Sources/Tool/ActionLogTool/ActionLogTool.docc/Handbook")
  /// The pages that run the tool alone: in this process, on a disk in memory, and in a shell.
  private static let pages = ["RecordYourFirstAction", "LookAtThePast", "AskThePast", "ShareWhatYouFound"]
  /// The pages whose commands run other programs. They run in a shell.
  private static let programPages = ["BuildOnTheLog", "MaintainALog", "ProveItToAnAuditor", "RecordAnyProgram"]
  /// The pages of the log whose commands run in a shell, next to the committed logs.
  private static let evidencePages = ["Evidence", "Redaction", "Pruning"]
  /// The pages with random values, which differ in each run: identifiers, salts, and what is computed from them.
  private static let randomPages: Set = ["ProveItToAnAuditor", "Redaction"]
  /// The pages with lengths and ends of segments, which depend on the batches that the writer makes.
  private static let batchedPages: Set = ["Pruning"]
  private static let allPages = pages + ["FindTheBug"] + programPages

  @Test(arguments: pages)
  func transcriptsAreTrue(page: String) async throws {
    try await expectTruth(of: page, on: MemoryFileSystem())
  }

  /// Following one page after the other needs no cleanup.
  @Test func pagesWorkOneAfterTheOther() async throws {
    let disk = MemoryFileSystem()
    for page in Self.pages { try await expectTruth(of: page, on: disk) }
  }

  /// The program itself, in a shell. Its clock differs, so times are ignored.
  @Test(arguments: pages)
  func shellPrintsTheSameTranscripts(page: String) async throws {
    let text = try text(of: page)
    let shell = try ShellSession()
    let seen = try await TranscriptPage(text).renewed { command in
      try await shell.run(command.text, readsStreamsTogether: true)
    }
    let (found, wanted) = (Self.withoutTimes(seen), Self.withoutTimes(text))
    #expect(found == wanted, "\(zip(found, wanted).first { one, other in one != other } ?? ("the end", "the end"))")
  }

  /// `consume` starts the programs of the page, `each` starts processes of the tool, and a page of its own runs a server.
  @Test(arguments: programPages)
  func programsRunAsThePageShows(page: String) async throws {
    try await expectPrograms(of: page, in: Self.folder, shell: ShellSession())
  }

  @Test(.enabled(if: Executable.find("python3") != nil, "python3 is not installed"), arguments: evidencePages)
  func examplesOfTheEvidencePagesAreTrue(page: String) async throws {
    let shell = try ShellSession()
    _ = try await shell.run("ln -s '\(Self.root.path)/logs' logs")
    try await expectPrograms(
      of: page, in: Self.root.appending(path: "Sources/Engine/ActionLog/ActionLog.docc"), shell: shell)
  }

  @Test func bugPageMatchesTheProgram() async throws {
    let session = try await StorySession.shared.value
    try await expect("FindTheBug") { command in try session.run(typed: command.text) }
  }

  @Test func bugPageHasTheCommandsOfTheDemo() async throws {
    let session = try await StorySession.shared.value
    let typed = try await TranscriptPage(try text(of: "FindTheBug")).commands()
    let story = [StorySession.opening] + session.suggestions
    #expect(typed.filter { command in !StorySession.further.contains(command) } == story)
    #expect(Set(typed).isSuperset(of: StorySession.further))
  }

  @Test func everyPageIsListedAndTested() throws {
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(pages == (Self.allPages + ["Handbook"]).map { page in page + ".md" }.sorted())
    let list = try text(of: "Handbook")
    for page in pages where page != "Handbook.md" { #expect(list.contains("- <doc:\(page.dropLast(3))>")) }
  }

  @Test func everyCommandIsInAPage() async throws {
    let commands = try await Bench(tool: .withStories).run("help", "--json").output.split(separator: "\n").compactMap {
      line in
      try JSONValue(parsing: line.utf8)["name"]?.text
    }
    // A screen, and commands that run until they are ended, or whose output depends on the machine.
    let onlyNamed: Set = ["tui", "inspect", "listen", "completions"]
    var (typed, named): (Set<String>, Set<String>) = ([], [])
    for page in Self.allPages + ["Handbook"] {
      let text = try text(of: page)
      for command in try await TranscriptPage(text).commands() {
        typed.formUnion(command.matches(of: /action-log ([a-z-]+)/).map { match in String(match.1) })
      }
      named.formUnion(text.matches(of: /`([a-z-]+)[ `]/).map { match in String(match.1) })
    }
    #expect(commands.count > 40)
    #expect(Set(commands).subtracting(typed) == onlyNamed)
    #expect(named.isSuperset(of: onlyNamed))
  }

  // MARK: - Following a page

  private func text(of page: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: "\(page).md"), encoding: .utf8)
  }

  private func expectPrograms(of page: String, in folder: URL, shell: ShellSession) async throws {
    let file = folder.appending(path: "\(page).md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let server = PageServer(shell)
    let seen = try await TranscriptPage(text).renewed { command in try await server.run(command.text) }
    try Golden.expect(Self.keepingTimes(of: text, in: seen, page: page), isAt: file)
  }

  private func expectTruth(of page: String, on disk: MemoryFileSystem) async throws {
    let bench = Bench(disk: disk, tool: .withStories)
    try await expect(page) { command in
      guard !command.words.isEmpty else {
        #expect(command.text.hasPrefix("cat > "), "other programs run in a shell: see programPages")
        return CommandLineRun(status: 0, output: "", messages: "")
      }
      return await bench.run(command.words, input: command.input) { environment in
        environment.variables["COLUMNS"] = "110"
        // Both streams are read together, as on a terminal.
        environment.standardError = environment.standardOutput
        environment.rerun = { words in try bench.answer(to: words) }
      }
    }
  }

  private func expect(
    _ page: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ run: (TranscriptPage.Command) async throws -> CommandLineRun
  ) async throws {
    let file = Self.folder.appending(path: "\(page).md")
    try Golden.expect(
      try await TranscriptPage(try text(of: page)).renewed(run), isAt: file, sourceLocation: sourceLocation)
  }

  /// The lines of a text with the same time in place of every other. A list has its day as a heading, and fractions for some rows.
  private static func withoutTimes(_ text: String) -> [String] {
    text.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}/, with: "2026-11-21 09:00:00.000")
      .replacing(/(?m)^\d{4}-\d\d-\d\d$/, with: "2026-11-21")
      .replacing(/(?m)^( *\d+  )\d\d:\d\d:\d\d(\.\d{3})? +/) { match in "\(match.output.1)09:00:00  " }
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The lines of a run, each in the form that it has in the page if they differ only in times, durations, the spaces that align
  /// them, and values that differ in each run of the page.
  private static func keepingTimes(of text: String, in seen: String, page: String) -> String {
    let duration = /(\d+ )?\d+ d \d+ h|\d+ h \d+ min|\d+ min \d+ s|[\d.]+ (µs|ms|s)\b/
    let batch = /revision \d+|begins at \d+|\d+ actions folded|[\d.]+ KiB/
    func forms(_ text: String) -> [(line: String, form: String)] {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      return zip(lines, withoutTimes(text)).map { line, form in
        let form = form.replacing(/"microseconds":\d+/, with: #""microseconds":0"#)
          .replacing(duration, with: "0 s").replacing(/\s+/, with: " ")
        if randomPages.contains(page) { return (line, withoutRandomValues(form)) }
        return (line, batchedPages.contains(page) ? form.replacing(batch, with: "batch") : form)
      }
    }
    var known = Dictionary(grouping: forms(text)) { entry in entry.form }.mapValues { entries in entries[...] }
    return forms(seen).map { entry in known[entry.form]?.popFirst()?.line ?? entry.line }.joined(separator: "\n")
  }

  /// A line with the same text in place of every root, identifier, salt, commitment, checksum and time.
  private static func withoutRandomValues(_ line: String) -> String {
    line.replacing(/[A-Za-z0-9+\/]{43}=/, with: "root")
      .replacing(/actionlog\/[0-9a-f-]{36}/, with: "actionlog/identifier")
      .replacing(/"([A-Za-z0-9_-]{43}|[A-Za-z0-9_-]{22})"/, with: #""salt""#)
      .replacing(/"(prev|crc)":"[0-9a-f]{8}"/) { match in #""\(match.1)":"checksum""# }
      .replacing(/"fill":"[H-Oh-o]{8}"/, with: #""fill":"letters""#)
      .replacing(/"time":"[^"]+"/, with: #""time":"now""#)
  }
}

/// A shell with the server that a page runs in the background. The page uses the port 8080; the server gets one from the system.
private actor PageServer {
  private let shell: ShellSession
  private var running: (program: RunningProgram, port: String)?

  init(_ shell: ShellSession) { self.shell = shell }

  /// Runs a command of the page. `animals-server … &` starts the server, and `kill %1 && wait %1` ends it.
  func run(_ command: String) async throws -> CommandLineRun {
    let words = TranscriptPage.words(command[...])
    if words.first == "animals-server", words.last == "&" {
      let program = try RunningProgram(
        words[0], words.dropFirst().dropLast() + ["--port", "0", "--data", shell.directory.path])
      let line = try #require(try await program.line())
      let port = try #require(line.firstMatch(of: /:\d+\//), "\(line)").output
      running = (program, String(port))
      return CommandLineRun(status: 0, output: line.replacing(port, with: ":8080/") + "\n", messages: "")
    }
    guard let (program, port) = running else { return try await shell.run(command, readsStreamsTogether: true) }
    if command == "kill %1 && wait %1" {
      program.process.kill(SIGTERM)
      let run = try await program.rest()
      #expect(run.ending == .status(0))
      running = nil
      return CommandLineRun(status: 0, output: run.output, messages: "")
    }
    return try await shell.run(command.replacing(":8080/", with: port), readsStreamsTogether: true)
  }
}

extension Bench {
  /// The output of a second run of the tool. Blocks, so it is called on a thread that may wait.
  fileprivate func answer(to words: [String]) throws -> [UInt8] {
    let outcome = DispatchSemaphore(value: 0)
    let run = Locked<CommandLineRun?>(nil)
    Task.detached {
      let answer = await self.run(words)
      run.withLock { run in run = answer }
      outcome.signal()
    }
    outcome.wait()
    let answer = try #require(run.withLock { run in run })
    try #require(answer.status == 0, "\(answer.messages)")
    return Array(answer.output.utf8)
  }
}
