/// What a program was told of the actions that it handed over, up to the moment at which the world ended.
///
/// Action *n* of a history carries the number *n* and the number of the attempt that offered it: what is rejected or
/// unknown is offered again under the same number, as another attempt. So a log is right when it holds 1…*k* for some
/// *k* that is at least what was acknowledged, each by an attempt that was not refused.
package struct Knowledge: Sendable {
  /// The attempt that the log took for each number, the first one at index 0.
  private(set) var attempts: [Int] = []
  /// The highest number that was acknowledged as written, and as durable.
  private(set) var writtenSeq = 0
  private(set) var syncedSeq = 0
  /// The attempts of which it is not known what became of them, by their numbers.
  private(set) var undecided: [Int: Set<Int>] = [:]
  /// The last attempt that was handed out.
  private(set) var lastAttempt = 0

  /// Nothing was offered yet.
  package init() {}

  /// Begins an attempt at a number.
  mutating func offer(_ number: Int) -> Int {
    lastAttempt += 1
    undecided[number, default: []].insert(lastAttempt)
    return lastAttempt
  }

  /// Numbers were written by attempts.
  mutating func noteWritten(_ written: [(number: Int, attempt: Int)]) {
    for (number, attempt) in written {
      precondition(number == attempts.count + 1, "the actions of a history follow one another")
      attempts.append(attempt)
      undecided[number] = nil
    }
    writtenSeq = attempts.count
  }

  /// Attempts were rejected: nothing of them is in the log.
  mutating func noteRejected(_ rejected: [(number: Int, attempt: Int)]) {
    for (number, attempt) in rejected { undecided[number]?.remove(attempt) }
  }

  /// Everything up to a number is durable.
  mutating func noteSynced(through number: Int) {
    syncedSeq = max(syncedSeq, number)
  }

  /// A judge may have appended an action of its own behind what there is, as attempt 0.
  mutating func allowJudge() {
    for number in (syncedSeq + 1)...(max(attempts.count, undecided.keys.max() ?? 0) + 1) {
      undecided[number, default: []].insert(0)
    }
  }

  /// A new writer found the log with these attempts, all of them durable now.
  mutating func noteFound(_ found: [Int]) {
    attempts = found
    undecided = [:]
    writtenSeq = found.count
    syncedSeq = found.count
  }
}

extension Knowledge {
  /// What must be in the log whatever happens.
  package enum Level: Sendable {
    /// What was written: the machine goes on.
    case written
    /// What was synchronised: the power was cut.
    case synchronized
    /// Nothing: the device lies.
    case nothing
  }

  /// What is wrong with the actions that a log holds; `nil` when nothing is.
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

  /// An action as it was found in a log.
  package struct Found: Sendable, Equatable {
    /// The number that it carries.
    package var number: Int
    /// The attempt that offered it.
    package var attempt: Int
  }
}
