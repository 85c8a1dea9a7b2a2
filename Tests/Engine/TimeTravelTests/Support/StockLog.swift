import ActionLog
import ActionLogTesting
import EventSourcing
import TestSupport
import TreeCollections

/// A model with a table whose values change, change back, appear and vanish, and whose reducer refuses actions.
enum Stock: Model {
  struct Item: Codable, Equatable, Sendable {
    var count: Int
    var note: String?
  }

  struct State: Codable, Equatable, Sendable {
    var items = TreeDictionary<String, Item>()
    var plain: [String: Int] = [:]
    var tags: Set<String> = []
    var log: [Int] = []
    var isOpen = false
  }

  enum Action: Codable, Equatable, Sendable {
    case open, close
    case set(id: String, count: Int)
    case note(id: String, String?)
    case remove(id: String)
    case tag(String)
  }

  struct Refusal: Error {}

  static let name = "stock"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout State, action: Action) throws {
    // The state is half changed before the action is refused.
    state.log = state.log.suffix(2) + [state.items.count]
    switch action {
    case .open: state.isOpen = true
    case .close: state.isOpen = false
    case .set(let id, let count):
      state.items[id] = Item(count: count, note: state.items[id]?.note)
      state.plain[id] = count
    case .note(let id, let note):
      guard state.items[id] != nil else { throw Refusal() }
      state.items[id]?.note = note
    case .remove(let id):
      guard state.items[id] != nil else { throw Refusal() }
      state.items[id] = nil
      state.plain[id] = nil
    case .tag(let tag):
      state.tags.formSymmetricDifference([tag])
    }
  }
}

/// A log of a ``Stock`` in memory, with some snapshots, and the state at each of its revisions.
struct StockLog {
  static let pointers = [
    "/items/a/count", "/items/b", "/items/c/note", "/plain/a", "/tags/0", "/log/1", "/isOpen", "/items/zz", "",
  ]

  let disk = MemoryFileSystem()
  private(set) var states = [Stock.initialState]
  private(set) var actions: [Stock.Action] = []

  init(seed: UInt64, actions count: Int, snapshots: [Int] = []) throws {
    var random = SeededGenerator(seed: seed)
    while actions.count < count {
      let action = Self.action(&random)
      var state = states[actions.count]
      guard (try? Stock.reduce(into: &state, action: action)) != nil else { continue }
      actions.append(action)
      states.append(state)
    }
    try write()
    for revision in snapshots { _ = try history().takeSnapshot(at: revision) }
  }

  init(_ actions: [Stock.Action]) throws {
    self.actions = actions
    for action in actions {
      var state = states[states.count - 1]
      try Stock.reduce(into: &state, action: action)
      states.append(state)
    }
    try write()
  }

  func history() throws -> History<Stock> { try History(at: "stock", fileSystem: disk) }

  private func write() throws {
    var configuration = LogConfiguration()
    configuration.durability = .written
    configuration.segmentLimitBytes = 8_192
    configuration.environment.now = { LedgerLog.created }
    let writer = try LogWriter.open(
      at: "stock", model: Stock.name, schema: Stock.schema, fileSystem: disk, configuration: configuration)
    _ = try writer.writeNow(
      try actions.enumerated().map { index, action in
        let form = try ActionCoding.encode(action)
        return LogDraft(type: form.type, data: form.data, time: LedgerLog.time(of: index + 1))
      })
    try writer.closeNow()
  }

  static func action(_ random: inout SeededGenerator) -> Stock.Action {
    let id = random.element(["a", "b", "c", "d"])
    switch Int.random(in: 0..<8, using: &random) {
    case 0: return .open
    case 1: return .close
    case 2: return .remove(id: id)
    case 3: return .note(id: id, random.element([nil, "", "x"]))
    case 4: return .tag(id)
    default: return .set(id: id, count: Int.random(in: 0...2, using: &random))
    }
  }
}
