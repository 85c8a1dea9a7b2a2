import ActionLog
import EventSourcing
import Interchange
import TimeTravel

package enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  case negative = 1
  case usage = 2
  case environment = 3
  case locked = 4
  case limit = 5

  init(_ code: LogError.Code) {
    switch code {
    case .damaged: self = .negative
    case .revisionOutOfRange, .pruned, .wrongModel, .exists, .invalidArgument: self = .usage
    case .notFound, .notALog, .inputOutput, .noSpace, .unsupportedFormat, .schemaTooNew: self = .environment
    case .invalidRecord, .rejected, .failed, .closed: self = .environment
    case .locked: self = .locked
    case .beyondLimit: self = .limit
    }
  }

  init(_ code: EventSourcingError.Code) {
    switch code {
    case .divergence, .refusedInReplay: self = .negative
    case .incompleteHistory: self = .usage
    case .undecodableAction, .undecodableState, .unencodableState, .unencodableAction: self = .environment
    case .unknownType, .upcastFailed, .schemaTooOld, .brokenEvolution: self = .environment
    case .storeMismatch, .alreadyListening, .storeDetached, .conflict: self = .environment
    case .positionMismatch, .invalidPosition, .deliveryFailed: self = .environment
    case .unknownSubscription: self = .usage
    }
  }

  init(_ code: TimeTravelError.Code) {
    switch code {
    case .notFound, .notRepresentable, .doesNotHold, .paused: self = .negative
    case .invalidPoint, .revisionOutOfRange, .pruned, .invalidCondition: self = .usage
    case .unanswerable, .invalidEdit: self = .usage
    case .invalidMark, .unknownMark, .markExists: self = .usage
    case .invalidReport: self = .environment
    }
  }

  init(_ code: InterchangeError.Code) {
    switch code {
    case .notJSON, .wrongShape, .notPlain: self = .environment
    case .beyondLimit: self = .limit
    }
  }

  /// All statuses of the program as its parent sees them, for help.
  static var meanings: [(status: String, meaning: String)] {
    allCases.map { status in (String(status.rawValue), status.meaning) } + [
      ("130", "ended by Ctrl-C (SIGINT), as a shell shows it; by any other signal 128 and its number")
    ]
  }

  var meaning: String {
    switch self {
    case .success: "success"
    case .negative: "a negative answer: damage or a torn tail found, states differ, nothing matched"
    case .usage: "usage error: unknown command, option or model, revision out of range"
    case .environment: "not a log, unreadable, disk full, schema newer than the program; in consume, a failed command"
    case .locked: "another writer holds the log"
    case .limit: "the input exceeds a limit"
    }
  }
}
