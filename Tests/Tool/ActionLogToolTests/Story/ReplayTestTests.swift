import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import TestSupport
import Testing
import TimeTravel

/// Requests for tests, and those that are refused. `WrittenTestTests` compiles and runs the tests that are written.
@Suite struct ReplayTestTests {
  private enum Hidden: Model {
    static let name = "shelf"
    static let schema = 1
    static let initialState = Shelf.State()
    static func reduce(into state: inout Shelf.State, action: Shelf.Action) {
      Shelf.reduce(into: &state, action: action)
    }
  }

  private static let opened: [Shelf.Action] = [.open, .close]

  @Test func modelWithoutAPublicNameIsRefused() throws {
    let history = try Shelf.history(Self.opened, readBy: Hidden.self)
    let error = #expect(throws: TimeTravelError.self) { try history.replayTest(of: 0...2) }
    #expect(error?.code == .notRepresentable && error?.message.contains("which no other file can name") == true)
  }

  @Test func stateThatDoesNotDecodeAsItselfIsRefused() throws {
    let history = try Shelf.history(Self.opened, readBy: ForgetfulShelf.self)
    let error = #expect(throws: TimeTravelError.self) { try history.replayTest(of: 1...2) }
    #expect(error?.code == .notRepresentable && error?.message.contains("revision 1") == true)
  }

  @Test func stateWithANaNIsAccepted() throws {
    let test = try Shelf.history(Self.opened, readBy: WeighedShelf.self).replayTest(of: 1...2)
    #expect(test.actionCount == 1 && test.source.contains("NaN"))
  }

  @Test func minimizedTestHasOnlyTheActionsThatMatter() throws {
    let history = try Shelf.history([
      .open, .set(id: "a", count: 2), .close, .open, .set(id: "b", count: 1), .close,
    ])
    let condition = try Condition(parsing: "/items/b exists and /isOpen")
    let all = try history.replayTest(of: 2...5)
    #expect(all.actionCount == 3 && all.originalCount == 3 && all.isMinimal == nil)
    let few = try history.replayTest(of: 2...5, minimizedFor: condition)
    // The shelf is open at revision 2, so no action need open it.
    #expect(few.actionCount == 1 && few.originalCount == 3 && few.isMinimal == true)
    #expect(few.source.contains("import ActionLogToolTests\n") && few.source.contains("// 5\n"))
    #expect(!few.source.contains("// 4\n"))
    let testable = try history.replayTest(of: 0...1, isTestable: true)
    #expect(testable.source.contains("@testable import ActionLogToolTests\n"))
  }

  @Test(arguments: ["type == \"x\"", "/isOpen changed"])
  func conditionOverTheActionIsRefused(text: String) throws {
    let history = try Shelf.history(Self.opened)
    let condition = try Condition(parsing: text)
    for ask in [
      { try condition.holds(in: Shelf.initialState) ? nil : nil },
      { try history.replayTest(of: 0...2, expecting: condition) },
      { try history.replayTest(of: 0...2, minimizedFor: condition) },
    ] as [() throws -> ReplayTest?] {
      let error = #expect(throws: TimeTravelError.self) { try ask() }
      #expect(error?.code == .unanswerable)
    }
  }

  @Test func rangeNeedsActionsWithinTheLog() throws {
    let history = try Shelf.history(Self.opened)
    #expect(#expect(throws: TimeTravelError.self) { try history.replayTest(of: 1...1) }?.code == .unanswerable)
    #expect(#expect(throws: TimeTravelError.self) { try history.replayTest(of: 1...3) }?.code == .revisionOutOfRange)
  }
}

/// A model with a few items.
enum Shelf: Model {
  struct State: Codable, Equatable, Sendable {
    var items: [String: Int] = [:]
    var isOpen = false
  }

  enum Action: Codable, Equatable, Sendable {
    case open, close
    case set(id: String, count: Int)
  }

  static let name = "shelf"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) {
    switch action {
    case .open: state.isOpen = true
    case .close: state.isOpen = false
    case .set(let id, let count): state.items[id] = count
    }
  }

  /// Records actions in memory, and opens their history.
  static func history<M: Model>(_ actions: [Action], readBy model: M.Type = Shelf.self) throws -> History<M> {
    let disk = MemoryFileSystem()
    let writer = try LogWriter.open(at: "shelf", model: name, schema: schema, fileSystem: disk)
    _ = try writer.writeNow(
      try actions.map { action in
        let form = try ActionCoding.encode(action)
        return LogDraft(type: form.type, data: form.data, time: .earliest)
      })
    try writer.closeNow()
    return try History<M>(at: "shelf", fileSystem: disk)
  }
}

/// A model whose state does not decode as what was encoded.
enum ForgetfulShelf: Model {
  struct State: Codable, Equatable, Sendable {
    var shelf = Shelf.State()

    init() {}
    init(from decoder: any Decoder) throws { self.init() }
    func encode(to encoder: any Encoder) throws { try shelf.encode(to: encoder) }
  }

  static let name = "shelf"
  static let schema = 1
  static let initialState = State()
  static func reduce(into state: inout State, action: Shelf.Action) { Shelf.reduce(into: &state.shelf, action: action) }
}

/// A model whose state is never equal to itself.
enum WeighedShelf: Model {
  struct State: Codable, Equatable, Sendable {
    var shelf = Shelf.State()
    var weight = Double.nan
  }

  static let name = "shelf"
  static let schema = 1
  static let initialState = State()
  static func reduce(into state: inout State, action: Shelf.Action) { Shelf.reduce(into: &state.shelf, action: action) }
}
