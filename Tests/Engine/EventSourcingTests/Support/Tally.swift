import ActionLog
import EventSourcing
import Platform

/// A small model with everything that can fail, folded by different reducers with the same name.
struct TallyState: Codable, Equatable, Sendable {
  var sum = 0
  var names: [String] = []
}

enum TallyAction: Codable, Equatable, Sendable {
  case add(Int)
  case name(String)
  case measure(Double)
}

/// The reason why a tally refuses an action.
struct TallyError: DescribedError, Equatable {
  enum Code: String { case negative }
  var code: Code
  var message: String { "the number is negative" }
}

protocol TallyModel: Model where State == TallyState, Action == TallyAction {}

extension TallyModel {
  static var name: String { "tally" }
  static var schema: Int { 1 }
  static var initialState: TallyState { TallyState() }

  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    switch action {
    case .add(let number): state.sum += number
    case .name(let name): state.names.append(name)
    case .measure: break
    }
  }
}

/// Accepts every action. The models with other reducers have no fingerprint, unless a test needs one.
enum Tally: TallyModel {
  static var sourceFingerprint: String? { "" }
}

/// The same model after its reducer became stricter.
enum StrictTally: TallyModel {
  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    // The state is changed before the action is refused; the change must not be visible.
    if case .add(let number) = action {
      state.sum += number
      if number < 0 { throw TallyError(code: .negative) }
    } else {
      try Tally.reduce(into: &state, action: action)
    }
  }
}

/// The same model with a changed reducer: it counts double.
enum DoublingTally: TallyModel {
  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    try Tally.reduce(into: &state, action: action)
    if case .add(let number) = action { state.sum += number }
  }
}

/// The same model with a changed reducer: it counts no number as more than nine.
enum CappingTally: TallyModel {
  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    if case .add(let number) = action {
      state.sum += min(number, 9)
    } else {
      try Tally.reduce(into: &state, action: action)
    }
  }
}

/// The same model with another schema version.
enum NewTally: TallyModel {
  static var sourceFingerprint: String? { "" }
  static var schema: Int { 2 }
  static var evolution: SchemaEvolution { SchemaEvolution(.unchanged(from: 1, to: 2)) }
}

/// The same name with another initial state, and therefore another fingerprint.
enum RichTally: TallyModel {
  static var sourceFingerprint: String? { "" }
  static var initialState: TallyState { TallyState(sum: 100) }
}

/// The same name with other actions.
enum OtherTally: Model {
  enum Action: Codable, Equatable, Sendable { case clear }
  static var name: String { "tally" }
  static var schema: Int { 1 }
  static var initialState: TallyState { TallyState() }
  static func reduce(into state: inout TallyState, action: Action) { state = TallyState() }
}

/// A model whose state cannot be encoded while its sum is negative.
enum FragileTally: Model {
  struct State: Codable, Equatable, Sendable {
    var sum = 0

    init() {}

    init(from decoder: any Decoder) throws {
      sum = try decoder.singleValueContainer().decode(Int.self)
    }

    func encode(to encoder: any Encoder) throws {
      if sum < 0 { throw TallyError(code: .negative) }
      var container = encoder.singleValueContainer()
      try container.encode(sum)
    }
  }

  static var name: String { "fragile" }
  static var schema: Int { 1 }
  static var initialState: State { State() }
  static var sourceFingerprint: String? { "" }

  static func reduce(into state: inout State, action: TallyAction) {
    if case .add(let number) = action { state.sum += number }
  }
}

/// The same model with an impure reducer: it accepts a settable number of actions.
enum MoodyTally: TallyModel {
  static let acceptances = Locked(0)

  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    let isAccepted = acceptances.withLock { count in
      count -= 1
      return count >= 0
    }
    guard isAccepted else { throw TallyError(code: .negative) }
    try Tally.reduce(into: &state, action: action)
  }
}

/// The same model with a reducer that refuses long names.
enum TerseTally: TallyModel {
  static func reduce(into state: inout TallyState, action: TallyAction) throws {
    if case .name(let name) = action, name.utf8.count > 10 { throw TallyError(code: .negative) }
    try Tally.reduce(into: &state, action: action)
  }
}
