import ActionLog
import ActionLogTesting
import EventSourcing
import Foundation
import Platform
import TestSupport
import TreeCollections

/// A model whose state has a value of every coding that an index of changes must follow. An action changes one of them.
enum Cabinet: Model {
  struct Row: Codable, Equatable, Sendable {
    var count: Int
    var tags: [String] = []
    var parts = TreeDictionary<String, Int>()
  }

  enum Phase: Codable, Equatable, Sendable {
    case idle
    case busy(Int)
    case failed(reason: String)
  }

  /// Encoded as its only member.
  struct Wrapped: Codable, Equatable, Sendable {
    var row: Row

    init(_ row: Row) { self.row = row }
    init(from decoder: any Decoder) throws { row = try decoder.singleValueContainer().decode(Row.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(row)
    }
  }

  /// Encoded in a container that it nests itself.
  struct Nested: Codable, Equatable, Sendable {
    enum Outer: String, CodingKey { case outer }
    enum Inner: String, CodingKey { case value }
    var value = 0

    init() {}
    init(from decoder: any Decoder) throws {
      value = try decoder.container(keyedBy: Outer.self).nestedContainer(keyedBy: Inner.self, forKey: .outer)
        .decode(Int.self, forKey: .value)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Outer.self)
      var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .outer)
      try inner.encode(value, forKey: .value)
    }
  }

  struct Drawer: Codable, Equatable, Sendable {
    var rows = TreeDictionary<String, Row>()
    var note: String?
    var phase = Phase.idle
  }

  struct State: Codable, Equatable, Sendable {
    var drawer = Drawer()
    var spare: Drawer?
    var list: [Int] = []
    var names: Set<String> = []
    var plain: [String: Int] = [:]
    var numbered = TreeDictionary<Int, String>()
    var owners = TreeDictionary<UUID, Int>()
    @CowBox var boxed = Drawer()
    var since = Date(timeIntervalSinceReferenceDate: 0)
    var title = "a title that is too long to be stored without the heap"
    var wrapped = Wrapped(Row(count: 0))
    var nested = Nested()
  }

  enum Action: Codable, Equatable, Sendable {
    case change(part: Int, id: Int, value: Int)
  }

  static let name = "cabinet"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""
  static let partCount = 18

  static func reduce(into state: inout State, action: Action) {
    guard case .change(let part, let id, let value) = action else { return }
    let key = "row \(id)"
    switch part {
    case 0: state.drawer.rows[key] = Row(count: value)
    case 1: state.drawer.rows[key] = nil
    case 2: state.drawer.rows[key]?.parts["part \(value)"] = id
    case 3: state.drawer.note = value % 2 == 0 ? nil : "a note that is too long for a small string: \(value)"
    case 4: state.drawer.phase = [.idle, .busy(id), .failed(reason: key)][value % 3]
    case 5: state.spare = value % 2 == 0 ? nil : Drawer(note: key)
    case 6: state.list = Array(state.list.suffix(2)) + [value]
    case 7: state.names.formSymmetricDifference([key])
    case 8: state.plain[key] = value
    case 9: state.numbered[id] = "\(value)"
    case 10: state.owners[UUID(uuid: (UInt8(id & 255), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))] = value
    case 11: state.boxed.rows[key] = Row(count: value)
    case 12: state.since += Double(value)
    // Written by every such action, and never changed.
    case 13: state.title = "a title that is too long " + "to be stored without the heap"
    case 14: state.wrapped.row.parts[key] = value
    case 15: state.nested.value = value
    // Two tables exchange their rows, so that no row was written.
    case 16: (state.drawer, state.boxed) = (state.boxed, state.drawer)
    default: break
    }
  }
}

/// A log of a ``Cabinet`` in memory. Neighboring actions change the same rows.
struct CabinetLog {
  let disk = MemoryFileSystem()
  private(set) var states = [Cabinet.initialState]

  init(seed: UInt64, actions count: Int, snapshots: [Int] = []) throws {
    var random = SeededGenerator(seed: seed)
    try append(count, &random)
    let history = try history()
    for revision in snapshots { _ = try history.takeSnapshot(at: revision) }
  }

  /// Appends actions.
  mutating func append(_ count: Int, _ random: inout SeededGenerator) throws {
    var drafts: [LogDraft] = []
    for number in states.count..<states.count + count {
      let action = Cabinet.Action.change(
        part: Int.random(in: 0..<Cabinet.partCount, using: &random) * ((number / 16) % 4) % Cabinet.partCount,
        id: number / 12, value: Int.random(in: 0...2, using: &random))
      var state = states[number - 1]
      Cabinet.reduce(into: &state, action: action)
      states.append(state)
      let form = try ActionCoding.encode(action)
      drafts.append(LogDraft(type: form.type, data: form.data, time: LedgerLog.time(of: number)))
    }
    var configuration = LogConfiguration()
    configuration.durability = .written
    configuration.segmentLimitBytes = 8_192
    configuration.environment.now = { LedgerLog.created }
    configuration.environment.makeLogID = { "8c1e0f3a-0000-4000-8000-000000000001" }
    let writer = try LogWriter.open(
      at: "cabinet", model: Cabinet.name, schema: Cabinet.schema, fileSystem: disk, configuration: configuration)
    _ = try writer.writeNow(drafts)
    try writer.closeNow()
  }

  /// Opens the history.
  ///
  /// - Parameter isIndexed: Whether it keeps and uses an index.
  func history<M: Model>(of model: M.Type = Cabinet.self, isIndexed: Bool = false) throws -> History<M> {
    var history = try History<M>(at: "cabinet", fileSystem: disk)
    if isIndexed { history.derivedFiles = DerivedFiles(in: "cache", fileSystem: disk) }
    return history
  }

  /// The paths of the files of indexes.
  func indexes() throws -> [String] {
    guard try disk.status(of: "cache") != nil else { return [] }
    return try disk.names(in: "cache").filter { name in name.hasPrefix("changes-") }.map { name in "cache/" + name }
  }
}
