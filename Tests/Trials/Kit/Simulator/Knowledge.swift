/// The acknowledgements that a program received up to the moment of the failure.
///
/// Action *n* of a history carries the number *n* and the number of the attempt that offered it: a rejected or unknown
/// action is offered again under the same number, as another attempt. A log is right if it holds 1…*k* for some *k*
/// that is at least the acknowledged number, each by an attempt that was not rejected.
package struct Knowledge: Sendable {
  /// The recorded attempt for each number, the first one at index 0.
  private(set) var attempts: [Int] = []
  /// The highest numbers that were acknowledged as written and as durable.
  private(set) var writtenSeq = 0
  private(set) var syncedSeq = 0
  /// The attempts with unknown results, by their numbers.
  private(set) var undecided: [Int: Set<Int>] = [:]
  /// The last attempt.
  private(set) var lastAttempt = 0

  /// Creates the knowledge of a program that has offered nothing.
  package init() {}

  /// Begins an attempt at a number.
  mutating func offer(_ number: Int) -> Int {
    lastAttempt += 1
    undecided[number, default: []].insert(lastAttempt)
    return lastAttempt
  }

  /// Records that attempts at numbers were written.
  mutating func noteWritten(_ written: [(number: Int, attempt: Int)]) {
    for (number, attempt) in written {
      precondition(number == attempts.count + 1, "the actions of a history follow one another")
      attempts.append(attempt)
      undecided[number] = nil
    }
    writtenSeq = attempts.count
  }

  /// Records that attempts were rejected: the log has none of them.
  mutating func noteRejected(_ rejected: [(number: Int, attempt: Int)]) {
    for (number, attempt) in rejected { undecided[number]?.remove(attempt) }
  }

  /// Records that everything up to a number is durable.
  mutating func noteSynced(through number: Int) {
    syncedSeq = max(syncedSeq, number)
  }

  /// Records that a judge may have appended an action of its own, as attempt 0.
  mutating func allowJudge() {
    for number in (syncedSeq + 1)...(max(attempts.count, undecided.keys.max() ?? 0) + 1) {
      undecided[number, default: []].insert(0)
    }
  }

  /// Records that a new writer found these attempts in the log, all of them durable now.
  mutating func noteFound(_ found: [Int]) {
    attempts = found
    undecided = [:]
    writtenSeq = found.count
    syncedSeq = found.count
  }
}

extension Knowledge {
  /// The contents that the log must have in any case.
  package enum Level: Sendable {
    /// Everything written: the machine continues to run.
    case written
    /// Everything synced: the power was cut.
    case synchronized
    /// Nothing: the device ignores syncs.
    case nothing
  }

  /// Returns the flaw in the actions of a log; `nil` if there is none.
  package func flaw(in found: [Found], atLeast level: Level) -> Flaw? {
    let required =
      switch level {
      case .written: writtenSeq
      case .synchronized: syncedSeq
      case .nothing: 0
      }
    for (index, action) in found.enumerated() {
      guard action.number == index + 1 else { return .wrongAction(index + 1, "it is number \(action.number)") }
      if index < attempts.count, action.attempt == attempts[index] { continue }
      if index < required { return .wrongAction(index + 1, "another attempt was acknowledged") }
      guard undecided[action.number]?.contains(action.attempt) == true else {
        return .wrongAction(index + 1, "this attempt was rejected or never made")
      }
    }
    return found.count < required ? .lost(found: found.count, acknowledged: required) : nil
  }

  /// An action in a log.
  package struct Found: Sendable, Equatable {
    /// Its number.
    package var number: Int
    /// The attempt that offered it.
    package var attempt: Int
  }
}
