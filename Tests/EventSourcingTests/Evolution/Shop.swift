import EventSourcing
import JSONCoding

// One model at three times of its life: what real ones go through, in small.

/// The shop as it began.
enum ShopV1: Model {
  struct State: Codable, Equatable, Sendable {
    var items: [String: Int] = [:]
    var visits = 0
  }

  enum Action: Codable, Equatable, Sendable {
    case ui(UI)
    case didReceive(name: String, count: Int)
    case didHover(name: String)

    enum UI: Codable, Equatable, Sendable {
      case onTapSell(name: String)
      case onTapMove(from: String, to: String)
    }
  }

  static let name = "shop"
  static let schema = 1
  static let initialState = State()

  static func reduce(into state: inout State, action: Action) {
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

/// The shop after a case was renamed, another one was split, and a third one dropped.
enum ShopV2: Model {
  struct State: Codable, Equatable, Sendable {
    var items: [String: Int] = [:]
  }

  enum Action: Codable, Equatable, Sendable {
    case ui(UI)
    case didReceive(name: String, count: Int)
    /// A move is two actions now.
    case didTake(name: String)
    case didPut(name: String)

    enum UI: Codable, Equatable, Sendable {
      case onTapSellButton(name: String)
    }
  }

  static let name = "shop"
  static let schema = 2
  static let initialState = State()
  static let evolution = SchemaEvolution(firstStep)

  static let firstStep = SchemaStep(
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

  struct Incomplete: Error {}

  static func reduce(into state: inout State, action: Action) {
    switch action {
    case .didReceive(let name, let count): state.items[name, default: 0] += count
    case .ui(.onTapSellButton(let name)): state.items[name, default: 0] -= 1
    case .didTake(let name): state.items[name, default: 0] -= 1
    case .didPut(let name): state.items[name, default: 0] += 1
    }
  }
}

/// The shop as it is: an action has one more member, and another one's member has another type.
enum ShopV3: Model {
  struct State: Codable, Equatable, Sendable {
    var items: [String: Int] = [:]
    var suppliers: Set<String> = []
  }

  enum Action: Codable, Equatable, Sendable {
    case ui(UI)
    case didReceive(name: String, count: Int, supplier: String)
    case didTake(id: Int, name: String)
    case didPut(id: Int, name: String)

    enum UI: Codable, Equatable, Sendable {
      case onTapSellButton(name: Name)
    }

    /// Was a `String`.
    struct Name: Codable, Equatable, Sendable {
      var text: String
    }
  }

  static let name = "shop"
  static let schema = 3
  static let initialState = State()
  static let evolution = SchemaEvolution(ShopV2.firstStep, secondStep)

  static let secondStep = SchemaStep(
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

  static func reduce(into state: inout State, action: Action) {
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
