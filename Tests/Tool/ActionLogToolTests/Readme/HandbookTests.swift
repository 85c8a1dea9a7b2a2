import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The pages of the handbook show the output of the tool, each from its first command on in an empty directory.
/// `UPDATE_GOLDEN=1 swift test` rewrites them.
@Suite struct HandbookTests {
  private static let root = PackageFolder.root
  private static let folder = root.appending(path: "Sources/Tool/ActionLogTool/ActionLogTool.docc/Handbook")
  /// The pages that run the tool alone: in this process, on a disk in memory, and in a shell.
  private static let pages = ["RecordYourFirstAction", "LookAtThePast", "AskThePast", "ShareWhatYouFound"]
  /// The pages whose commands run other programs. They run in a shell.
  private static let programPages = ["BuildOnTheLog", "MaintainALog", "ProveItToAnAuditor"]
  /// The pages with roots of trees over random salts, which differ in each run.
  private static let saltedPages: Set = ["ProveItToAnAuditor"]
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

  /// `consume` starts the programs of the page, and `each` starts processes of the tool.
  @Test(arguments: programPages)
  func programsRunAsThePageShows(page: String) async throws {
    let text = try text(of: page)
    let shell = try ShellSession()
    let seen = try await TranscriptPage(text).renewed { command in
      try await shell.run(command.text, readsStreamsTogether: true)
    }
    try Golden.expect(
      Self.keepingTimes(of: text, in: seen, andRoots: Self.saltedPages.contains(page)),
      isAt: Self.folder.appending(path: "\(page).md"))
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
    // A screen, and commands whose output depends on the machine or is a page of its own.
    let onlyNamed: Set = ["tui", "inspect", "completions", "manual", "help", "version"]
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

  /// The lines of a text with the same time in place of every other.
  private static func withoutTimes(_ text: String) -> [String] {
    text.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}/, with: "2026-11-21 09:00:00.000")
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The lines of a run, each in the form that it has in the page if they differ only in times, durations, and the spaces that align
  /// them.
  ///
  /// - Parameter keepsRoots: Whether they may differ in the roots of trees, too.
  private static func keepingTimes(of page: String, in seen: String, andRoots keepsRoots: Bool) -> String {
    let duration = /(\d+ )?\d+ d \d+ h|\d+ h \d+ min|\d+ min \d+ s|[\d.]+ (µs|ms|s)\b/
    func forms(_ text: String) -> [(line: String, form: String)] {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      return zip(lines, withoutTimes(text)).map { line, form in
        let form = form.replacing(/"microseconds":\d+/, with: #""microseconds":0"#)
          .replacing(duration, with: "0 s").replacing(/\s+/, with: " ")
        return (line, keepsRoots ? form.replacing(/[A-Za-z0-9+\/]{43}=/, with: "root") : form)
      }
    }
    var known = Dictionary(grouping: forms(page)) { entry in entry.form }.mapValues { entries in entries[...] }
    return forms(seen).map { entry in known[entry.form]?.popFirst()?.line ?? entry.line }.joined(separator: "\n")
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
