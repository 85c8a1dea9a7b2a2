import ActionLog
import ActionLogTesting
import EventSourcing
import Foundation
import Platform
import TreeCollections

/// A model with a value of every kind that a pointer can address: a large dictionary that shares its rows, a plain dictionary
/// whose keys are not strings, an array, a leaf that is written but rarely changes, and one that changes once.
enum Depot: Model {
  struct Row: Codable, Equatable, Sendable {
    var count: Int
    var note = "a note that makes the row longer than a number"
  }

  struct State: Codable, Equatable, Sendable {
    var rows = TreeDictionary<String, Row>()
    var orders: [UUID: Row] = [:]
    var recent = [0, 0, 0]
    var phase = "early, with a text that is too long for a small string"
    var isHalfway = false
  }

  enum Action: Codable, Equatable, Sendable {
    case set(Int)
  }

  static let name = "depot"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""
  static let rowCount = 500
  /// Calls of the reducer.
  static let folded = Locked(0)

  static func order(_ number: Int) -> UUID {
    UUID(uuid: (UInt8(number & 15), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
  }

  static func reduce(into state: inout State, action: Action) {
    folded.withLock { count in count += 1 }
    guard case .set(let number) = action else { return }
    state.rows["row \(number % rowCount)"] = Row(count: number)
    if number % 10 == 0 { state.orders[order(number / 10)] = Row(count: number) }
    if number % 7 == 0 { state.recent[number % 3] = number }
    // Every action writes it, and none changes it.
    state.phase = "early, with a text that is too long " + "for a small string"
    if number == DepotLog.count / 2 { state.isHalfway = true }
  }
}

/// A log of a ``Depot`` in memory: action *n* sets the number *n*.
enum DepotLog {
  static let count = 10_000

  static func history(snapshots: [Int]) throws -> History<Depot> {
    let disk = MemoryFileSystem()
    var configuration = LogConfiguration()
    configuration.durability = .written
    configuration.environment.now = { LedgerLog.created }
    let writer = try LogWriter.open(
      at: "depot", model: Depot.name, schema: Depot.schema, fileSystem: disk, configuration: configuration)
    _ = try writer.writeNow(
      try (1...count).map { number in
        let form = try ActionCoding.encode(Depot.Action.set(number))
        return LogDraft(type: form.type, data: form.data, time: LedgerLog.time(of: number))
      })
    try writer.closeNow()
    let history = try History<Depot>(at: "depot", fileSystem: disk)
    for revision in snapshots { _ = try history.takeSnapshot(at: revision) }
    return history
  }
}
