package import ActionLog
public import EventSourcing
import JSONCoding

/// The model of the counter, which replays a ``CounterState`` from a log.
public enum CounterModel: Model {
  /// The model name in logs.
  public static let name = "counter"
  /// The schema version of ``CounterAction``.
  public static let schema = 1
  /// Zero.
  public static let initialState = CounterState()
  /// The first version of the reducer: the text changes with it.
  public static let sourceFingerprint: String? = ""

  /// Folds one action into a state; see ``CounterReducer/reduce(into:action:)``.
  public static func reduce(into state: inout CounterState, action: CounterAction) throws {
    try CounterReducer.reduce(into: &state, action: action)
  }
}

/// The state of the counter: one number.
///
/// The number is private to the package; other code reads it through ``selectValue()``.
public struct CounterState: Hashable, Codable, Sendable {
  package var value: Int

  /// Creates a state.
  public init(_ value: Int = 0) {
    self.value = value
  }
}

extension CounterState {
  /// A selector of the counter's number.
  public static func selectValue() -> @Sendable (Self) -> Int {
    { state in state.value }
  }
}

/// The actions of the counter.
///
/// The names of the cases are the types of the records in a log. Changing one changes the format.
public enum CounterAction: Hashable, Codable, Sendable, CaseIterable {
  case didTapIncrementButton
  case didTapDecrementButton
}

/// The reducer of the counter. It refuses an overflow; the guide's reducer traps, so an edited log could crash the program.
public enum CounterReducer {
  /// Returns the state after `action`.
  @Sendable public static func reduce(state: CounterState, action: CounterAction) throws -> CounterState {
    var state = state
    try reduce(into: &state, action: action)
    return state
  }

  /// Folds `action` into `state`.
  public static func reduce(into state: inout CounterState, action: CounterAction) throws {
    let (value, overflow) =
      switch action {
      case .didTapIncrementButton: state.value.addingReportingOverflow(1)
      case .didTapDecrementButton: state.value.subtractingReportingOverflow(1)
      }
    guard !overflow else { throw Error(code: .overflow, value: state.value, action: action) }
    state.value = value
  }
}

extension CounterReducer {
  /// The reason why the counter refused an action, with its value and the action.
  package struct Error: DescribedError, Equatable {
    package enum Code: String, Sendable {
      case overflow
    }

    package let code: Code
    package let value: Int
    package let action: CounterAction

    package init(code: Code, value: Int, action: CounterAction) {
      self.code = code
      self.value = value
      self.action = action
    }
  }
}

extension CounterReducer.Error {
  package var message: String {
    switch code {
    case .overflow: "overflow: \(action) cannot be applied to \(value)"
    }
  }

  /// The number.
  package var location: ErrorLocation { ErrorLocation(pointer: JSONPointer(["value"])) }

  package var intact: String? { "The value is unchanged." }

  /// The message, which names the location.
  package var headline: String { message }
}
