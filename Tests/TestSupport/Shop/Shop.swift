package import EventSourcing
import JSONCoding

// One model at three times of its life: what real ones go through, in small.

/// The shop as it began.
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

/// The shop after a case was renamed, another one was split, and a third one dropped.
package enum ShopV2: Model {
  package struct State: Codable, Equatable, Sendable {
    package var items: [String: Int] = [:]
  }

  package enum Action: Codable, Equatable, Sendable {
    case ui(UI)
    case didReceive(name: String, count: Int)
    /// A move is two actions now.
    case didTake(name: String)
    case didPut(name: String)

    package enum UI: Codable, Equatable, Sendable {
      case onTapSellButton(name: String)
    }
  }

  package static let name = "shop"
  package static let schema = 2
  package static let initialState = State()
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

/// The shop as it is: an action has one more member, and another one's member has another type.
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
