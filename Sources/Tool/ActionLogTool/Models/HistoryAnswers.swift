import ActionLog
import EventSourcing
import TimeTravel

// What a history answers, without the type of its model.

/// A state that was rebuilt, as a tree that needs no type.
struct RebuiltState: Sendable {
  var tree: StateTree
  var digest: StateDigest
  var revision: Int
  var report: ReplayReport
}

/// A snapshot that was written.
struct TakenSnapshot: Sendable {
  var revision: Int
  var path: String
  var sizeBytes: Int
}

/// A question that is asked of actions while they are recorded, without the model's type. Its call blocks.
protocol FollowedQuestionHandle {
  /// The revisions of the actions that were found since the last call, up to one that is written by now.
  mutating func revisions(upTo last: Int) throws -> [Int]
}

extension FollowedQuestion: FollowedQuestionHandle {}

/// What ``History/minimise(_:after:at:trialLimit:options:)`` found, without the model's type.
struct MinimisedRecords: Sendable {
  var records: [LogRecord]
  var originalCount: Int
  var isMinimal: Bool
  var trials: Int
  var work: QuestionWork
}
