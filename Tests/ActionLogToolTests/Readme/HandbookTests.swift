import ActionLog
import ActionLogTool
import Foundation
import Testing

/// The pages of the handbook show what the tool prints. `UPDATE_GOLDEN=1 swift test` writes it into them anew.
@Suite struct HandbookTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  private static let folder = root.appending(path: "Sources/ActionLogTool/ActionLogTool.docc/Handbook")

  @Test(arguments: ["RecordYourFirstAction", "LookAtThePast", "AskThePast", "ShareWhatYouFound"])
  func transcriptsAreTrue(page: String) async throws {
    let bench = Bench()
    try Self.copyLogs(to: bench)
    try await expect(page) { words, input in
      await bench.run(words, input: input) { environment in environment.variables["COLUMNS"] = "110" }
    }
  }

  @Test func theStoryIsTrue() async throws {
    let session = try await StorySession.shared.value
    try await expect("FindTheBug") { words, _ in try session.run(words) }
  }

  @Test func everyPageIsListedAndTested() throws {
    let pages = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path).sorted()
    #expect(
      pages == [
        "AskThePast.md", "FindTheBug.md", "Handbook.md", "LookAtThePast.md", "RecordYourFirstAction.md",
        "ShareWhatYouFound.md",
      ])
    let list = try String(contentsOf: Self.folder.appending(path: "Handbook.md"), encoding: .utf8)
    for page in pages where page != "Handbook.md" { #expect(list.contains("- <doc:\(page.dropLast(3))>")) }
  }

  private func expect(
    _ page: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ run: (_ words: [String], _ input: [String]) async throws -> CommandLineRun
  ) async throws {
    let file = Self.folder.appending(path: "\(page).md")
    let text = try String(contentsOf: file, encoding: .utf8)
    try Golden.expect(
      try await TranscriptPage(text).renewed(run), isAt: file, sourceLocation: sourceLocation)
  }

  /// Puts the committed logs onto a bench's disk.
  private static func copyLogs(to bench: Bench) throws {
    let folder = root.appending(path: "logs/animals")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".jsonl") {
      let bytes = try Data(contentsOf: folder.appending(path: name))
      try bench.disk.setContents(Array(bytes), of: "logs/animals/\(name)")
    }
  }
}
