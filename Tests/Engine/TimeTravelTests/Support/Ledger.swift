import EventSourcing

/// A small model whose state depends on every action and on their order.
enum Ledger: Model {
  struct State: Codable, Equatable, Sendable {
    var count = 0
    var last = 0
    var mixed: UInt64 = 0
  }

  enum Action: Codable, Equatable, Sendable {
    case enter(Int)
  }

  static let name = "ledger"
  static let schema = 1
  static let initialState = State()
  static let sourceFingerprint: String? = ""

  static func reduce(into state: inout State, action: Action) {
    guard case .enter(let amount) = action else { return }
    state.count += 1
    state.last = amount
    state.mixed = (state.mixed &* 31) ^ UInt64(bitPattern: Int64(amount))
  }
}

/// The same model with a reducer that became stricter.
enum StrictLedger: Model {
  struct Refusal: Error {}

  static let name = "ledger"
  static let schema = 1
  static let initialState = Ledger.State()
  static let sourceFingerprint: String? = "strict"

  static func reduce(into state: inout Ledger.State, action: Ledger.Action) throws {
    if action == .enter(StrictLedger.refusedAmount) { throw Refusal() }
    Ledger.reduce(into: &state, action: action)
  }

  static let refusedAmount = 200
}
