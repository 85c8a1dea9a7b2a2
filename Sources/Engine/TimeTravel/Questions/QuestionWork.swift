package import ActionLog
import EventSourcing
package import JSONCoding
import Platform

/// Counters of the work of a search.
///
/// It is public because every answer has it: a program shows the cost of a question and the hints on it, as the tool does.
public struct QuestionWork: Equatable, Sendable {
  /// Actions that the reducer folded.
  public var actionsFolded = 0
  /// Actions that were folded in addition, to add them to the index of changes for later questions.
  package var actionsIndexed = 0
  package var statesVisited = 0
  /// Snapshots that were loaded.
  package var snapshotsLoaded = 0
  /// Bytes read from the log's segments.
  package var bytesRead = 0
  /// Bytes of JSON that were encoded to find and to compare values of states.
  package var bytesEncoded = 0
  /// The locations of the question at which no visited state has a value: probably mistyped. ``allHints()`` explains why.
  /// Locations that are tested for absence, as in `not /a exists`, are not listed.
  package private(set) var missingPointers: [JSONPointer] = []
  /// The hints on other mistakes; ``allHints()`` returns all of them.
  public var hints: [QuestionHint] = []
  /// A visited state, which explains the missing values; `nil` if none is missing.
  private(set) var visited: VisitedState?
  var end: VisitedState?

  package init() {}

  mutating func add(_ report: ReplayReport) {
    actionsFolded += report.actionsFolded
    snapshotsLoaded += report.snapshotsLoaded
    bytesRead += report.bytesRead
  }

  /// Records the locations at which no visited state has a value, with a state that shows what is there instead.
  mutating func note(missing pointers: [JSONPointer], in state: VisitedState?) {
    missingPointers = pointers
    visited = pointers.isEmpty ? nil : state
  }
}

/// A possible mistake in a question, as the visited states and actions show it.
///
/// A value or a type that no state and no action has is probably mistyped. The answer is correct in any case.
public struct QuestionHint: Hashable, Sendable {
  private let finding: MessageText
  /// The names that may have been meant, best first.
  public let suggestions: [String]

  package init(_ message: MessageText, suggestions: [String] = []) {
    finding = message
    self.suggestions = suggestions
  }

  /// The finding: lower case, one sentence or fragment.
  public var message: String { finding.description }

  /// Explains why a state has no value at a location; `nil` if it has one.
  init?(onNothingAt place: JSONPointer, in state: VisitedState, where beginning: String) throws {
    guard let error = try state.absence(place) else { return nil }
    self.init("\(beginning) \(error.message)", suggestions: error.suggestions)
  }
}

extension QuestionHint: CustomStringConvertible {
  /// For instance `no checked action has data/animlaId. Did you mean "animalId"?`
  public var description: String { error.sentence }

  package var text: MessageText { finding + (error.advice.map { question in ". \(question)" } ?? "") }

  /// The finding and the suggestions without the reason, for places with little room.
  package var essence: String { error.essence ?? description }

  private var error: TimeTravelError { TimeTravelError(.notFound, message, suggestions: suggestions) }
}

extension QuestionWork {
  /// Returns what may be wrong with the question, as the visited states and actions show it.
  ///
  /// Nothing is folded: if a value is missing in all states, one of them is kept, to say what is there instead and what may have
  /// been meant.
  ///
  /// - Returns: The hints; none if nothing seems wrong.
  /// - Throws: The errors of the state's coding.
  /// - Complexity: O(1); if a value is missing, O(number of members of the value above it).
  public func allHints() throws -> [QuestionHint] {
    guard let visited else { return hints }
    return try missingPointers.compactMap { place in
      try QuestionHint(onNothingAt: place, in: visited, where: "in every checked state there is")
    } + hints
  }
}

extension QuestionWork {
  /// Returns the values at some locations in the last state of a search whose condition holds nowhere. Nothing is folded.
  package func endValues(at pointers: [JSONPointer]) throws -> [(pointer: JSONPointer, value: JSONValue)] {
    guard let end else { return [] }
    return try pointers.compactMap { pointer in try end.value(pointer).map { value in (pointer, value) } }
  }
}

/// A state that a question visited, without its type. All are equal, so that two answers with equal counters are.
struct VisitedState: Equatable, Sendable {
  /// Returns the value at a location; `nil` if there is none.
  let value: @Sendable (JSONPointer) throws -> JSONValue?
  /// Explains why there is no value at a location; `nil` if there is one. The value above it is encoded.
  let absence: @Sendable (JSONPointer) throws -> TimeTravelError?

  init<State: Encodable & Sendable>(_ state: State) {
    value = { pointer in try StateProbe<State>(pointer).value(in: state) }
    absence = { pointer in
      guard try !StateProbe<State>(pointer).isThere(in: state) else { return nil }
      for (depth, token) in pointer.tokens.enumerated().reversed() {
        let place = JSONPointer(Array(pointer.tokens.prefix(depth)))
        guard let value = try StateProbe<State>(place).value(in: state) else { continue }
        return PointerLookup.missing(token, at: place, holding: value, asked: pointer)
      }
      return nil
    }
  }

  static func == (one: VisitedState, other: VisitedState) -> Bool { true }
}

extension ReplayOptions {
  /// The same options with which an index of changes is read, and never made.
  var readingIndex: ReplayOptions {
    var options = self
    options.minimumActionsToIndex = .max
    return options
  }

  /// Returns the same options, with one progress for all folds of a question.
  func countingFolds(upTo limit: Int) -> ReplayOptions {
    guard let report = progress else { return self }
    let sum = Locked((finished: 0, planned: 0, reported: 0))
    var options = self
    options.progress = { step in
      let folded = sum.withLock { sum in
        // A fold reports its beginning first. The previous fold has then reached its end, or ended where this one begins.
        if step.actionsFolded == 0 {
          let planned = step.actionsLimit ?? 0
          (sum.finished, sum.planned) = (min(sum.finished + sum.planned, max(0, limit - planned)), planned)
        }
        sum.reported = max(sum.reported, sum.finished + step.actionsFolded)
        return sum.reported
      }
      var step = step
      (step.actionsFolded, step.actionsLimit) = (min(folded, limit), limit)
      report(step)
    }
    return options
  }
}

/// Checks periodically for cancellation while states are visited: a visit can cost much more than a fold, which checks by
/// itself.
struct CancellationCheck {
  private let isCancelled: @Sendable () -> Bool
  private var count = 0

  /// The number of visits between two checks: some milliseconds for a large value, and a negligible cost for a small one. A
  /// power of two.
  private static let interval = 64

  init(_ isCancelled: @escaping @Sendable () -> Bool) {
    self.isCancelled = isCancelled
  }

  mutating func pass() throws(CancellationError) {
    count &+= 1
    if count & (Self.interval - 1) == 0, isCancelled() { throw CancellationError() }
  }
}
