import ActionLog
import EventSourcing
import Interchange
import TimeTravel

/// What the process tells its caller by its exit status.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  /// Done, and the answer is yes.
  case success = 0
  /// Done, and the answer is no: damage or a torn tail found, states differ, nothing matched.
  case negative = 1
  /// The command was called wrongly: unknown command, option or model, revision out of range.
  case usage = 2
  /// The world said no: not a log, unreadable, disk full, schema newer than the program.
  case environment = 3
  /// Another writer holds the log.
  case locked = 4
  /// The input is beyond a limit.
  case limit = 5

  /// The one table from what went wrong with a log to the exit status.
  init(_ code: LogError.Code) {
    switch code {
    case .damaged, .tornTail: self = .negative
    case .revisionOutOfRange, .wrongModel, .exists, .invalidArgument: self = .usage
    case .notFound, .notALog, .inputOutput, .noSpace, .unsupportedFormat, .schemaTooNew: self = .environment
    case .invalidRecord, .rejected, .failed, .closed: self = .environment
    case .locked: self = .locked
    case .beyondLimit: self = .limit
    }
  }

  /// The same for what a log means to a model.
  init(_ code: EventSourcingError.Code) {
    switch code {
    case .divergence, .refusedInReplay: self = .negative
    case .incompleteHistory: self = .usage
    case .undecodableAction, .undecodableState, .unencodableState, .unencodableAction: self = .environment
    case .unknownType, .upcastFailed, .schemaTooOld, .brokenEvolution: self = .environment
    case .storeMismatch, .alreadyListening, .storeDetached: self = .environment
    }
  }

  /// The same for questions about a history.
  init(_ code: TimeTravelError.Code) {
    switch code {
    case .notFound, .testFailed, .patchFailed, .notRepresentable, .doesNotHold: self = .negative
    case .invalidPoint, .revisionOutOfRange, .invalidPatch, .invalidCondition: self = .usage
    case .unanswerable, .invalidEdit: self = .usage
    case .invalidMark, .unknownMark, .markExists: self = .usage
    case .invalidReport: self = .environment
    }
  }

  /// The same for texts of other programs.
  init(_ code: InterchangeError.Code) {
    switch code {
    case .notJSON, .wrongShape, .notPlain: self = .environment
    case .beyondLimit: self = .limit
    }
  }

  /// What the status means, for help and the manual page.
  var meaning: String {
    switch self {
    case .success: "fine"
    case .negative: "a negative answer: damage or a torn tail found, states differ, nothing matched"
    case .usage: "called wrongly: unknown command, option or model, revision out of range"
    case .environment: "not a log, unreadable, disk full, schema newer than the program"
    case .locked: "another writer holds the log"
    case .limit: "input beyond a limit"
    }
  }
}
