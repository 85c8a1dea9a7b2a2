import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import JSONCoding
import TestSupport
import Testing

@Suite("Actions of unknown types")
struct UnknownTypeTests {
  private let disk = MemoryFileSystem()

  /// A shop without its buttons.
  enum Bare: Model {
    enum Action: Codable, Equatable, Sendable {
      case didReceive(name: String, count: Int)
      case ui(UI)

      enum UI: Codable, Equatable, Sendable {
        case onTapMove(from: String, to: String)
      }
    }

    static var name: String { "shop" }
    static var schema: Int { 1 }
    static var initialState: ShopV1.State { ShopV1.State() }

    static func reduce(into state: inout ShopV1.State, action: Action) {
      if case .didReceive(let name, let count) = action { state.items[name, default: 0] += count }
    }
  }

  @Test @MainActor func unknownTypesAreRefusedByDefault() async throws {
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let history = try await History<Bare>(at: "shop", fileSystem: disk)
    #expect(try history.state(at: 1).items == ["tea": 5])
    for question in [{ _ = try history.state() }, { _ = try history.actions(in: 1...5) }] {
      let error = try #require(throws: EventSourcingError.self) { try question() }
      #expect(error.code == .unknownType && error.revision == 2)
      #expect(error.description.contains("'shop' has no action 'didHover'"))
    }
    let error = try #require(throws: EventSourcingError.self) { try history.action(at: 3) }
    #expect(error.code == .unknownType && error.message.contains("'ui.onTapSell'"))
  }

  @Test @MainActor func thePolicyCanKeepUnknownTypes() async throws {
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let history = try await History<Bare>(at: "shop", fileSystem: disk, unknownTypes: .keep)
    let replayed = try history.replay()
    #expect(replayed.revision == 5 && replayed.report.actionsFolded == 5)
    #expect(replayed.report.opaqueRecords == 2)
    #expect(replayed.state.items == ["tea": 5, "jam": 1])
    let actions = try history.actions(in: 1...5)
    #expect(actions.map(\.isOpaque) == [false, true, true, false, false])
    #expect(actions[1].actions.isEmpty && actions[1].record.type == "didHover")
  }

  @Test @MainActor func noSnapshotIsTakenAfterOpaqueRecords() async throws {
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let history = try await History<Bare>(at: "shop", fileSystem: disk, unknownTypes: .keep)
    let error = try #require(throws: EventSourcingError.self) { try history.takeSnapshot(at: 5) }
    #expect(error.code == .unknownType)
    #expect(try history.takeSnapshot(at: 1).snapshot.revision == 1, "before the first of them one can be taken")
  }

  @Test @MainActor func aRecorderContinuesAfterOpaqueRecords() async throws {
    enum Lenient: Model {
      static var name: String { "shop" }
      static var schema: Int { 1 }
      static var initialState: ShopV1.State { ShopV1.State() }
      static var evolution: SchemaEvolution { SchemaEvolution(unknownTypes: .keep) }
      static func reduce(into state: inout ShopV1.State, action: Bare.Action) {
        Bare.reduce(into: &state, action: action)
      }
    }
    try await ShopStory.record(through: 1, in: disk, environment: tickingEnvironment())
    let before = try SnapshotStore(at: "shop", fileSystem: disk).revisions()
    let store = try RecordingStore<Lenient>(
      at: "shop", configuration: reproducible(Lenient.self, snapshots: .every(1)), fileSystem: disk)
    #expect(store.restored.report.opaqueRecords == 2)
    try store.dispatch(action: .didReceive(name: "rye", count: 1))
    try await store.close()
    #expect(try SnapshotStore(at: "shop", fileSystem: disk).revisions() == before)
    #expect(try await History<Lenient>(at: "shop", fileSystem: disk).state().items["rye"] == 1)
    let whole = try await History<ShopV1>(at: "shop", fileSystem: disk).replay(options: .wholeLog)
    #expect(whole.state.items == ["tea": 5, "rye": 1], "the program that knows all types sees all")
  }

  @Test @MainActor func wrongValuesAreUndecodable() async throws {
    enum Numbers: Model {
      enum Action: Codable, Equatable, Sendable { case add(String) }
      static var name: String { "tally" }
      static var schema: Int { 1 }
      static var initialState: Int { 0 }
      static func reduce(into state: inout Int, action: Action) {}
    }
    try await record([.add(1)], as: Tally.self, at: "log", in: disk, configuration: reproducible(Tally.self))
    let history = try await History<Numbers>(at: "log", fileSystem: disk, unknownTypes: .keep)
    let error = try #require(throws: EventSourcingError.self) { try history.state() }
    #expect(error.code == .undecodableAction, "what is known is not passed over")
  }
}
