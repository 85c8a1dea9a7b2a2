import EventSourcing
import Foundation
import ImmutableData
import ImmutableUI
import TestSupport
import Testing
import TimeTravel

/// Compiles and runs the code of the article, and compares the two.
@MainActor @Suite struct ArticleTests {
  @Test func thePresentAndThePast() async throws {
    let store = Store(initialState: Walk.initialState, reducer: Walk.reducer)
    let screen = WalkScreen(store)
    let dispatch = ActionDispatch(store)
    try dispatch(.step(3))
    #expect(await value(of: { screen.text }) { text in text != "0 after 0 steps" } == "3 after 1 steps")

    let walk = try await RecordedWalk(steps: 3)
    let history = try await History<Walk>(at: "walk", fileSystem: walk.disk)
    let past = await HistoryObserver(try history.cursor(at: .start))
    let pastScreen = WalkScreen(past)
    try await past.stepForward()
    try await past.jump(to: 2)
    #expect(await value(of: { pastScreen.text }) { text in text == walk.shown[2] } == walk.shown[2])
  }

  @Test func parametersThatChange() {
    let store = BoardDouble(state: Board(a: 7))
    let selection = Selection(store, id: "", outputSelector: { board in search("", in: board) })
    #expect(selection.output == true)
    for (text, isFound) in [("7", true), ("8", false)] {
      selection.update(id: text, outputSelector: { board in search(text, in: board) })
      #expect(selection.output == isFound)
    }
  }

  @Test func theArticleShowsThisCode() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let article = PackageFolder.root
      .appending(path: "Sources/Engine/ImmutableUI/ImmutableUI.docc/ViewsThatReadAStoreOrItsPast.md")
    let compiled = try [URL(filePath: #filePath), tests.appending(path: "Support/Walk.swift")]
      .map { file in Self.lines(try String(contentsOf: file, encoding: .utf8)).joined(separator: "\n") }
    let blocks = try String(contentsOf: article, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
      .map { rest in Self.lines(rest.components(separatedBy: "```")[0]).joined(separator: "\n") }
    #expect(blocks.count == 4)
    for block in blocks {
      #expect(compiled.contains { source in source.contains(block) }, "not compiled: \(block)")
    }
  }

  /// The lines that are not empty, without leading and trailing spaces.
  private static func lines(_ text: String) -> [String] {
    text.split(separator: "\n")
      .map { line in line.trimmingCharacters(in: .whitespaces) }
      .filter { line in !line.isEmpty }
  }
}

private func search(_ text: String, in board: Board) -> Bool {
  "\(board.a)".hasPrefix(text)
}
