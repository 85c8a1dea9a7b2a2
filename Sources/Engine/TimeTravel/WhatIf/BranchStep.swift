import ActionLog
import EventSourcing

/// An action that happens in a branch and not, or not there, in the history.
enum BranchStep<Action: Sendable>: Sendable {
  /// An action of the history at another place.
  case moved(RecordedAction<Action>)
  /// An action that is given.
  ///
  /// - Parameters:
  ///   - type: The type that it is stored as.
  ///   - action: What it is.
  ///   - time: When it would have happened.
  ///   - replaced: The revision of the action whose place it takes; `nil` for one that was put in.
  case given(type: String, action: Action, time: LogTime, replaced: Int?)

  var type: String {
    switch self {
    case .moved(let recorded): recorded.record.type
    case .given(let type, _, _, _): type
    }
  }

  /// What the reducer is to fold, all or nothing.
  var actions: [Action] {
    switch self {
    case .moved(let recorded): recorded.actions
    case .given(_, let action, _, _): [action]
    }
  }
}
