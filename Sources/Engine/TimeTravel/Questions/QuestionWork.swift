import EventSourcing
public import JSONCoding
import Platform

/// The work that the answer to a question took, counted.
public struct QuestionWork: Equatable, Sendable {
  /// Actions that the reducer folded.
  public var actionsFolded = 0
  /// States that were looked at.
  public var statesVisited = 0
  /// Snapshots that were loaded.
  public var snapshotsLoaded = 0
  /// Bytes read from the log's segments.
  public var bytesRead = 0
  /// Bytes of JSON that values of states were encoded to, to find and to compare them.
  public var bytesEncoded = 0
  /// Places of the state that the question named, and at which no state that was looked at had anything: mistyped, perhaps.
  /// ``StateTree/value(at:)`` of any of those states says why there is nothing. Those are left out of which the question was whether
  /// they are empty, as in `not /a exists`.
  public var emptyPlaces: [JSONPointer] = []
  /// What else may be wrong with the question: ``hints(in:)`` has all of it.
  public var hints: [QuestionHint] = []

  /// No work.
  public init() {}

  /// Adds what a replay did.
  mutating func add(_ report: ReplayReport) {
    actionsFolded += report.actionsFolded
    snapshotsLoaded += report.snapshotsLoaded
    bytesRead += report.bytesRead
  }
}

extension QuestionWork {
  /// What may be wrong with the question, as the states and actions that were looked at show.
  ///
  /// - Parameter tree: A state that was looked at. It is asked for only where a place was empty in all of them, to say what is there
  ///   instead and what may have been meant.
  /// - Returns: The hints; none where nothing seems wrong.
  /// - Throws: What `tree` throws.
  /// - Complexity: O(number of members beside the places that are empty), and that of `tree`.
  public func hints(in tree: () throws -> StateTree) rethrows -> [QuestionHint] {
    guard !emptyPlaces.isEmpty else { return hints }
    let tree = try tree()
    return emptyPlaces.compactMap { place in
      QuestionHint(onNothingAt: place, in: tree, where: "in every state that was looked at there is")
    } + hints
  }
}

extension ReplayOptions {
  /// The same options, with one progress for all folds of a question.
  ///
  /// - Parameter limit: The most actions that the question folds.
  func countingFolds(upTo limit: Int) -> ReplayOptions {
    guard let report = progress else { return self }
    let sum = Locked((finished: 0, planned: 0))
    var options = self
    options.progress = { step in
      let folded = sum.withLock { sum in
        // A fold reports its beginning first. The one before it has reached its end: only the last one of a question ends early.
        if step.actionsFolded == 0 {
          sum.finished += sum.planned
          sum.planned = step.actionsLimit ?? 0
        }
        return sum.finished + step.actionsFolded
      }
      var step = step
      (step.actionsFolded, step.actionsLimit) = (min(folded, limit), limit)
      report(step)
    }
    return options
  }
}

/// Asks now and then whether an answer is still wanted, while states are looked at: a look can cost much more than a fold, which asks
/// by itself.
struct CancellationCheck {
  private let isCancelled: @Sendable () -> Bool
  private var count = 0

  /// So many looks lie between two questions: at a large value they take some milliseconds, and at a small one asking takes no part
  /// of the time. A power of two.
  private static let interval = 64

  init(_ isCancelled: @escaping @Sendable () -> Bool) {
    self.isCancelled = isCancelled
  }

  /// Counts a look.
  ///
  /// - Throws: `CancellationError`.
  mutating func pass() throws(CancellationError) {
    count &+= 1
    if count & (Self.interval - 1) == 0, isCancelled() { throw CancellationError() }
  }
}
