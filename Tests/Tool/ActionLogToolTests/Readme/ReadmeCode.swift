import ActionLog
import ActionLogTool
import EventSourcing
import ImmutableData
import TestSupport
import Testing
import TreeCollections

/// In place of the one that the plugin makes.
private enum SourceFingerprint {
  static let value: String? = "readme"
}

// The code of README.md and of the page "Add it to your app", between marks, so that it is compiled and run. `PageCodeTests` compares
// them.

// begin: model
enum Todo: Model {
  struct State: Codable, Equatable, Sendable {
    var titles: TreeDictionary<Int, String> = [:]
    var done: Set<Int> = []
  }

  enum Action: Codable, Equatable, Sendable {
    case didTapAddButton(id: Int, title: String)
    case didTapDoneButton(id: Int)
  }

  struct MissingTodo: Error { var id: Int }

  static let name = "todo"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint = SourceFingerprint.value  // made by the plugin

  static func reduce(into state: inout State, action: Action) throws {
    switch action {
    case .didTapAddButton(let id, let title):
      state.titles[id] = title
    case .didTapDoneButton(let id):
      guard state.titles[id] != nil else { throw MissingTodo(id: id) }
      state.done.insert(id)
    }
  }
}
// end: model

/// The types that the README leaves out.
private struct TodoState: Codable, Equatable, Sendable {
  var titles: [Int: String] = [:]

  mutating func apply(_ action: TodoAction) {
    switch action {
    case .didTapAddButton(let id, let title): titles[id] = title
    }
  }
}

private enum TodoAction: Codable, Equatable, Sendable {
  case didTapAddButton(id: Int, title: String)
}

@MainActor @Suite struct ReadmeCode {
  @Test func tenLines() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("my-log")
    // begin: app
    enum Todo: Model {
      static let name = "todo"
      static let schema = 1
      static let initialState = TodoState()

      static func reduce(into state: inout TodoState, action: TodoAction) {
        state.apply(action)  // your reducer
      }
    }

    let store = try await RecordingStore<Todo>.open(at: path)
    try await store.dispatch(action: .didTapAddButton(id: 1, title: "Write everything down"))  // recorded, or it throws
    let then = try await History<Todo>(at: path).reading { history in try history.state(at: 1) }
    // end: app
    #expect(then == store.state && then.titles == [1: "Write everything down"])
    try await store.close()
    await #expect(throws: (any Error).self) { try await store.dispatch(action: .didTapAddButton(id: 2, title: "")) }
  }

  @Test func recordingAndAsking() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("my-log")
    try await record(path)
    let (now, then, titles) = try await ask(path)
    #expect(now.done == [1])
    #expect(then.done.isEmpty)
    #expect(titles == ["didTapAddButton"])
  }

  private func record(_ path: String) async throws {
    // begin: recording
    let recorder = try await Recorder<Todo>.open(at: path)
    let store = try recorder.makeStore()  // at the log's last revision, and recorded from here on
    try store.dispatch(action: .didTapAddButton(id: 1, title: "Write everything down"))
    try store.dispatch(action: .didTapDoneButton(id: 1))
    try await recorder.close()  // everything that was dispatched is on disk
    // end: recording
  }

  private func ask(_ path: String) async throws -> (Todo.State, Todo.State, [String]) {
    // begin: asking
    let history = try await History<Todo>(at: path)
    let now = try await history.reading { history in try history.state() }
    let then = try await history.reading { history in try history.state(at: 1) }
    let types = try await history.reading { history in try history.actions(in: 1...1).map(\.record.type) }
    // end: asking
    return (now, then, types)
  }

  /// Compiled only: `main()` ends the process.
  private func tool() async {
    // begin: tool
    await ActionLogTool(name: "todo-log", models: [.model(Todo.self)]).main()
    // end: tool
  }
}
