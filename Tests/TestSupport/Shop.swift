package import ActionLog
package import EventSourcing
import ImmutableData
import JSONCoding

// One model in three versions with typical changes.

/// The first version of the shop.
package enum ShopV1: Model {
  package struct State: Codable, Equatable, Sendable {
    package var items: [String: Int] = [:]
    package var visits = 0

    package init(items: [String: Int] = [:], visits: Int = 0) {
      self.items = items
      self.visits = visits
    }
  }

  package enum Action: Codable, Equatable, Sendable {
    case ui(UI)
    case didReceive(name: String, count: Int)
    case didHover(name: String)

    package enum UI: Codable, Equatable, Sendable {
      case onTapSell(name: String)
      case onTapMove(from: String, to: String)
    }
  }

  package static let name = "shop"
  package static let schema = 1
  package static let initialState = State()
  package static let sourceFingerprint: String? = ""

  package static func reduce(into state: inout State, action: Action) {
    switch action {
    case .didReceive(let name, let count): state.items[name, default: 0] += count
    case .didHover: state.visits += 1
    case .ui(.onTapSell(let name)): state.items[name, default: 0] -= 1
    case .ui(.onTapMove(let from, let to)):
      let count = state.items.removeValue(forKey: from) ?? 0
      state.items[to, default: 0] += count
    }
  }
}

/// The second version: a case was renamed, another one was split, and a third one was removed.
package enum ShopV2: Model {
  package struct State: Codable, Equatable, Sendable {
    package var items: [String: Int] = [:]
  }

  package enum Action: Codable, Equatable, Sendable {
    case ui(UI)
    case didReceive(name: String, count: Int)
    /// A move has become two actions.
    case didTake(name: String)
    case didPut(name: String)

    package enum UI: Codable, Equatable, Sendable {
      case onTapSellButton(name: String)
    }
  }

  package static let name = "shop"
  package static let schema = 2
  package static let initialState = State()
  package static let sourceFingerprint: String? = ""
  package static let evolution = SchemaEvolution(firstStep)

  package static let firstStep = SchemaStep(
    from: 1, to: 2,
    [
      .rename("ui.onTapSell", to: "ui.onTapSellButton"),
      .drop("didHover"),
      .replace("ui.onTapMove") { action in
        guard let from = action.data["from"], let to = action.data["to"] else { throw Incomplete() }
        return [
          StoredAction(type: "didTake", data: ["name": from]), StoredAction(type: "didPut", data: ["name": to]),
        ]
      },
    ],
    base: { state in
      guard case .object(var members) = state else { throw Incomplete() }
      members["visits"] = nil
      return .object(members)
    })

  package struct Incomplete: Error {}

  package static func reduce(into state: inout State, action: Action) {
    switch action {
    case .didReceive(let name, let count): state.items[name, default: 0] += count
    case .ui(.onTapSellButton(let name)): state.items[name, default: 0] -= 1
    case .didTake(let name): state.items[name, default: 0] -= 1
    case .didPut(let name): state.items[name, default: 0] += 1
    }
  }
}

/// The third version: an action has one more member, and the type of another action's member changed.
package enum ShopV3: Model {
  package struct State: Codable, Equatable, Sendable {
    package var items: [String: Int] = [:]
    package var suppliers: Set<String> = []

    package init(items: [String: Int] = [:], suppliers: Set<String> = []) {
      self.items = items
      self.suppliers = suppliers
    }
  }

  package enum Action: Codable, Equatable, Sendable {
    case ui(UI)
    case didReceive(name: String, count: Int, supplier: String)
    case didTake(id: Int, name: String)
    case didPut(id: Int, name: String)

    package enum UI: Codable, Equatable, Sendable {
      case onTapSellButton(name: Name)
    }

    /// Was a `String`.
    package struct Name: Codable, Equatable, Sendable {
      package var text: String

      package init(text: String) { self.text = text }
    }
  }

  package static let name = "shop"
  package static let schema = 3
  package static let initialState = State()
  package static let sourceFingerprint: String? = ""
  package static let evolution = SchemaEvolution(ShopV2.firstStep, secondStep)

  package static let secondStep = SchemaStep(
    from: 2, to: 3,
    [
      .edit("didReceive") { data in data["supplier"] = "unknown" },
      .edit("didTake") { data in data["id"] = 0 },
      .edit("didPut") { data in data["id"] = 0 },
      .edit("ui.onTapSellButton") { data in
        guard let name = data["name"] else { throw ShopV2.Incomplete() }
        data["name"] = ["text": name]
      },
    ],
    base: { state in
      guard case .object(var members) = state else { throw ShopV2.Incomplete() }
      members["suppliers"] = []
      return .object(members)
    })

  package static func reduce(into state: inout State, action: Action) {
    switch action {
    case .didReceive(let name, let count, let supplier):
      state.items[name, default: 0] += count
      state.suppliers.insert(supplier)
    case .ui(.onTapSellButton(let name)): state.items[name.text, default: 0] -= 1
    case .didTake(_, let name): state.items[name, default: 0] -= 1
    case .didPut(_, let name): state.items[name, default: 0] += 1
    }
  }
}

/// The actions recorded in the shop, by three versions of the program in one log.
package enum ShopStory {
  package static let first: [ShopV1.Action] = [
    .didReceive(name: "tea", count: 5), .didHover(name: "tea"), .ui(.onTapSell(name: "tea")),
    .didReceive(name: "jam", count: 1), .ui(.onTapMove(from: "jam", to: "tea")),
  ]
  package static let second: [ShopV2.Action] = [
    .didReceive(name: "rye", count: 3), .ui(.onTapSellButton(name: "rye")), .didTake(name: "rye"), .didPut(name: "tea"),
  ]
  package static let third: [ShopV3.Action] = [
    .didReceive(name: "oil", count: 2, supplier: "ann"), .ui(.onTapSellButton(name: .init(text: "oil"))),
  ]

  /// The expected state of the current version after each revision.
  package static let states: [[String: Int]] = [
    [:],
    ["tea": 5], ["tea": 5], ["tea": 4], ["tea": 4, "jam": 1], ["tea": 5, "jam": 0],
    ["tea": 5, "jam": 0, "rye": 3], ["tea": 5, "jam": 0, "rye": 2], ["tea": 5, "jam": 0, "rye": 1],
    ["tea": 6, "jam": 0, "rye": 1],
    ["tea": 6, "jam": 0, "rye": 1, "oil": 2], ["tea": 6, "jam": 0, "rye": 1, "oil": 1],
  ]

  /// Records the story up to a version of the program.
  @MainActor package static func record(
    from oldest: Int = 1, through schema: Int = 3, at path: String = "shop", in disk: any LogFileSystem,
    environment: LogEnvironment
  ) async throws {
    if oldest == 1 { try await dispatch(first, as: ShopV1.self, at: path, in: disk, environment) }
    if schema >= 2, oldest <= 2 { try await dispatch(second, as: ShopV2.self, at: path, in: disk, environment) }
    if schema >= 3 { try await dispatch(third, as: ShopV3.self, at: path, in: disk, environment) }
  }

  @MainActor private static func dispatch<M: Model>(
    _ actions: [M.Action], as model: M.Type, at path: String, in disk: any LogFileSystem, _ environment: LogEnvironment
  ) async throws {
    var log = LogConfiguration()
    log.environment = environment
    let configuration = RecordingConfiguration<M>(log: log, snapshots: .every(3), retention: .all)
    let store = try RecordingStore<M>(at: path, configuration: configuration, fileSystem: disk)
    for action in actions { try store.dispatch(action: action) }
    try await store.close()
  }
}
