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

  /// Counts up or down. It refuses an overflow; the guide's reducer traps, so an edited log could crash the program.
  public static func reduce(into state: inout CounterState, action: CounterAction) throws {
    let (value, overflow) =
      switch action {
      case .didTapIncrementButton: state.value.addingReportingOverflow(1)
      case .didTapDecrementButton: state.value.subtractingReportingOverflow(1)
      }
    guard !overflow else { throw Error(value: state.value, action: action) }
    state.value = value
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

extension CounterModel {
  /// An overflow: the value, and the refused action.
  package struct Error: DescribedError, Equatable {
    package enum Code: String, Sendable {
      case overflow
    }

    package let value: Int
    package let action: CounterAction

    package init(value: Int, action: CounterAction) {
      self.value = value
      self.action = action
    }

    package var code: Code { .overflow }
    package var message: String { "overflow: \(action) cannot be applied to \(value)" }
    /// The number.
    package var location: ErrorLocation { ErrorLocation(pointer: JSONPointer(["value"])) }
    package var intact: String? { "The value is unchanged." }
    /// The message, which names the location.
    package var headline: String { message }
  }
}
