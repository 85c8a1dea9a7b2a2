import ActionLog
import JSONCoding

/// What is asked of the actions of a stretch, one after the other: that a value was changed, and that a condition holds behind it.
///
/// It is a class of its own and is not shared between threads.
final class ActionQuestion<State: Encodable & SendableMetatype> {
  private let evaluator: ConditionEvaluator<State>?
  private let watched: [WatchedValue<State>]
  /// What has changed can only be said of one state after the other.
  private let isAskedAlways: Bool

  /// - Parameters:
  ///   - condition: What is to hold; `nil` asks for nothing.
  ///   - pointers: Places of values, one of which is to be changed; none asks for nothing.
  init(_ condition: Condition?, touching pointers: [JSONPointer]) {
    evaluator = condition.map(ConditionEvaluator<State>.init)
    isAskedAlways = condition?.asksForChange ?? false
    watched = pointers.map { pointer in WatchedValue<State>(pointer) }
  }

  /// Looks at the state before a stretch.
  func begin(_ state: State) throws {
    for value in watched { try value.read(state) }
    _ = try evaluator?.holds(at: state)
  }

  /// Whether the next action of the stretch is one of those that are asked for.
  ///
  /// - Parameters:
  ///   - state: The state that it led to.
  ///   - record: The action. It is asked for only where it counts.
  func holds(at state: State, after record: @autoclosure () -> LogRecord) throws -> Bool {
    var isTouched = watched.isEmpty
    for value in watched where try value.change(state) != nil { isTouched = true }
    guard isTouched || isAskedAlways else { return false }
    let holds = try evaluator?.holds(at: state, after: record()) ?? true
    return isTouched && holds
  }

  /// Adds what may be wrong with the question, as the visited states show, and the bytes that they took.
  func addHints(to work: inout QuestionWork) {
    work.emptyPlaces = watched.filter { value in !value.wasThere }.map(\.probe.pointer)
    work.hints = evaluator?.hints ?? []
    work.bytesEncoded = watched.reduce(evaluator?.bytesEncoded ?? 0) { sum, value in sum + value.bytesEncoded }
    for pointer in evaluator?.emptyPlaces ?? [] where !work.emptyPlaces.contains(pointer) {
      work.emptyPlaces.append(pointer)
    }
  }
}
