import EventSourcing
import ImmutableData
import ImmutableUI
import TestSupport
import Testing
import TimeTravel

/// Runs the code of the page *Views that read a store or its past*, between marks.
@MainActor @Suite struct ArticleTests {
  @Test func thePresentAndThePast() async throws {
    // begin: present
    let store = Store(initialState: Walk.initialState, reducer: Walk.reducer)
    let screen = WalkScreen(store)
    let dispatch = ActionDispatch(store)
    try dispatch(.step(3))
    // end: present
    #expect(await value(of: { screen.text }) { text in text != "0 after 0 steps" } == "3 after 1 steps")

    let walk = try await RecordedWalk(steps: 3)
    let history = try await History<Walk>(at: "walk", fileSystem: walk.disk)
    // begin: past
    let past = await HistoryObserver(try history.cursor(at: .start))
    let pastScreen = WalkScreen(past)
    try await past.stepForward()
    try await past.jump(to: 2)
    // end: past
    #expect(await value(of: { pastScreen.text }) { text in text == walk.shown[2] } == walk.shown[2])
  }

  @Test func parametersThatChange() {
    let store = BoardDouble(state: Board(a: 7))
    let selection = Selection(store, id: "", outputSelector: { board in search("", in: board) })
    #expect(selection.output == true)
    for (text, isFound) in [("7", true), ("8", false)] {
      // begin: parameters
      selection.update(.init(id: text, outputSelector: { board in search(text, in: board) }))
      // end: parameters
      #expect(selection.output == isFound)
    }
  }
}

private func search(_ text: String, in board: Board) -> Bool {
  "\(board.a)".hasPrefix(text)
}
