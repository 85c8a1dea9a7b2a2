import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import Platform
import TestSupport
import Testing

/// The pages of the handbook show the output of the tool, each from its first command on in an empty directory.
/// `UPDATE_GOLDEN=1 swift test` rewrites them.
@Suite struct HandbookTests {
  private static let root = PackageFolder.root
  private static let folder = root.appending(path: "Sources/Tool/ActionLogTool/ActionLogTool.docc/Handbook")
  private static let pages = ["RecordYourFirstAction", "LookAtThePast", "AskThePast", "ShareWhatYouFound"]

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
    #expect(pages == (Self.pages + ["FindTheBug", "Handbook"]).map { page in page + ".md" }.sorted())
    let list = try text(of: "Handbook")
    for page in pages where page != "Handbook.md" { #expect(list.contains("- <doc:\(page.dropLast(3))>")) }
  }

  // MARK: - Following a page

  private func text(of page: String) throws -> String {
    try String(contentsOf: Self.folder.appending(path: "\(page).md"), encoding: .utf8)
  }

  private func expectTruth(of page: String, on disk: MemoryFileSystem) async throws {
    let bench = Bench(disk: disk, tool: .withStories)
    try await expect(page) { command in
      guard !command.words.isEmpty else { return CommandLineRun(status: 0, output: "", messages: "") }
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
