import ActionLog
public import EventSourcing
public import JSONCoding
import Platform

/// The last change of a value.
public struct BlameAnswer: Sendable {
  /// The location of the value.
  public let pointer: JSONPointer
  /// The last revision that was searched.
  public let revision: Int
  /// The last change at or before the revision; `nil` if there was none.
  public let change: ValueChange?
  /// The work of the search.
  public internal(set) var work: QuestionWork

  fileprivate let known: KnownValue?

  /// The value at the revision; `nil` if there is none, or if it cannot be encoded.
  public var value: JSONValue? { known?.json(orElse: nil) }

  /// Whether there is a value at the revision.
  package var hasValue: Bool { known != nil }
}

extension History {
  /// Finds the last action that changed a value.
  ///
  /// The last change is not the last difference between two snapshots: a value may change and change back. So every state is
  /// visited, in ranges that begin at snapshots, the newest range first, until a range has a change. Values are compared from the
  /// newest on, without the parts that they share.
  ///
  /// - Parameter pointer: The location of the value in the state; see ``StateTree`` for the form.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  /// - Complexity: O(distance from the revision to the last snapshot before the change). A cursor answers faster: benchmark
  ///   `blame: who changed a value last`.
  public func blame(
    _ pointer: JSONPointer, at revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BlameAnswer {
    var walker = try HistoryWalker(self, keepsStates: false)
    return try walker.blame(pointer, at: revision ?? walker.lastRevision, options: options)
  }
}

extension HistoryCursor {
  /// Finds the last action that changed a value: `History.blame(_:at:options:)` with the states that the cursor keeps.
  ///
  /// The cursor does not move. Its other calls wait; canceling the task, or the callback of `options`, ends the search.
  ///
  /// - Parameters:
  ///   - pointer: The location of the value in the state; see ``StateTree`` for the form.
  ///   - revision: The last revision to search; `nil` is that of the cursor.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  /// - Throws: As `History.blame(_:at:options:)`; `CancellationError`.
  /// - Complexity: O(distance from the revision to the change), divided among as many threads as there are processors; benchmark
  ///   `blame: who changed a value last`.
  public func blame(
    _ pointer: JSONPointer, at revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BlameAnswer {
    defer { walker.settle(at: self.revision) }
    return try walker.blame(pointer, at: revision ?? self.revision, options: options)
  }
}

extension HistoryWalk {
  package mutating func blame(
    _ pointer: JSONPointer, at revision: Int, options: ReplayOptions
  ) throws -> BlameAnswer {
    try settling { walker in try walker.blame(pointer, at: revision, options: options) }
  }
}

// MARK: - The search

extension HistoryWalker {
  /// Finds the last action that changed a value.
  ///
  /// A walker that keeps states searches ranges whose lengths double, so that a change nearby is found soon, and one far away
  /// without many beginnings. One that does not searches ``SnapshotRanges``.
  mutating func blame(
    _ pointer: JSONPointer, at revision: Int, options: ReplayOptions
  ) throws -> BlameAnswer {
    let known = revisionRange
    let revision = try known.checking(revision)
    return try asking(options.countingFolds(upTo: revision)) { walker in
      var search = BlameSearch<M>(pointer)
      let (history, options) = (walker.history, walker.options)
      guard walker.keepsStates else {
        var ranges = try SnapshotRanges(history, pointer, known.first...revision, options)
        var answer = try search.run(at: revision, downTo: known.first, in: history) { last in
          [try ranges.search(upTo: last)]
        }
        answer.work.actionsIndexed = ranges.actionsIndexed
        return answer
      }
      var length = Self.firstRange
      var folded = 0
      var answer = try search.run(at: revision, downTo: known.first, in: history) { last in
        let start = walker.start(of: length, before: last)
        length = min(2 * length, Self.longestRange)
        let before = walker.work.actionsFolded
        let parts = try walker.parts(from: start, to: last, options)
        folded += walker.work.actionsFolded - before
        return try Self.searchParts(for: pointer, parts, in: history, options)
      }
      answer.work.actionsFolded += folded
      return answer
    }
  }
}

/// The ranges of a backward search without kept states. Each begins at a snapshot, and none overlaps another. With an index of
/// changes a range ends with the newest block in which the value may have changed, and only the states of such blocks are visited.
private struct SnapshotRanges<M: Model> {
  private let history: History<M>
  private let pointer: JSONPointer
  private let revisions: ClosedRange<Int>
  private let options: ReplayOptions
  private var plan: ChangePlan
  private var wasIndexed = false

  init(
    _ history: History<M>, _ pointer: JSONPointer, _ revisions: ClosedRange<Int>, _ options: ReplayOptions
  ) throws {
    (self.history, self.pointer, self.revisions, self.options) = (history, pointer, revisions, options)
    let (first, last) = (revisions.lowerBound, revisions.upperBound)
    plan = ChangePlan(
      from: first, to: last, of: [pointer],
      by: try history.changeIndex(from: first, to: last, options: options.readingIndex), snapshots: [:])
  }

  var actionsIndexed: Int { plan.index?.actionsAdded ?? 0 }

  mutating func search(upTo last: Int) throws -> BlameSearch<M>.Findings {
    // A change near the end is found before an index could be made.
    if !wasIndexed, (plan.index?.end ?? 0) < last { try makeIndex(searching: last) }
    let block = plan.index?.newestRange(
      with: ChangePath.marks(of: pointer), from: revisions.lowerBound, upTo: last)
    return try BlameSearch<M>.searchPart(
      for: pointer, to: block?.upperBound ?? last, isCancelled: options.isCancelled
    ) { [history, plan, options, first = revisions.lowerBound] last, visitor in
      var visitor = visitor
      visitor.visit = { [visit = visitor.visit] state, batch, index in
        guard plan.mayChange(at: batch.entries[index].revision) else { return true }
        return try visit(state, batch, index)
      }
      return try history.fold(
        FoldRequest(at: min(block?.lowerBound ?? max(first, last - 1), last), to: last, visitor: visitor),
        options: options)
    }
  }

  /// Makes the index if the ranges up to a revision are so long that it is worth it.
  private mutating func makeIndex(searching last: Int) throws {
    let start = history.snapshotRevisions(options).last { revision in revision < last } ?? revisions.lowerBound
    let (first, end) = (revisions.lowerBound, revisions.upperBound)
    guard try history.isWorthIndexing(foldingFrom: start, to: end, after: plan.index, options: options) else { return }
    wasIndexed = true
    plan = ChangePlan(
      from: first, to: end, of: [pointer], by: try history.changeIndex(from: first, to: end, options: options),
      snapshots: [:])
  }
}

extension HistoryWalker {
  /// A range of a history with the state at its beginning.
  private struct Part: Sendable {
    var state: M.State
    var first: Int
    var last: Int
  }

  /// Folding this many actions takes longer than starting another thread.
  private static var shortestPart: Int { 2_048 }

  /// Divides a long range at kept states, so that no action is folded twice.
  private mutating func parts(from start: Int, to last: Int, _ options: ReplayOptions) throws -> [Part] {
    let count = max(1, min(options.foldLimit, (last - start) / Self.shortestPart))
    var bounds = [start]
    for number in 1..<count {
      let place = start + (last - start) * number / count
      let bound = place - place % Self.firstRange
      if bound > start, isKept(at: bound) { bounds.append(bound) }
    }
    var parts: [Part] = []
    for (first, last) in zip(bounds, bounds.dropFirst() + [last]) {
      parts.append(Part(state: try state(at: first), first: first, last: last))
    }
    return parts
  }

  /// Searches several parts at once. If several fail, the error of the earliest is thrown, as in a sequential search.
  private static func searchParts(
    for pointer: JSONPointer, _ parts: [Part], in history: History<M>, _ options: ReplayOptions
  ) throws -> [BlameSearch<M>.Findings] {
    let search = { @Sendable (part: Part, options: ReplayOptions) throws -> BlameSearch<M>.Findings in
      try BlameSearch<M>.searchPart(for: pointer, to: part.last, isCancelled: options.isCancelled) { last, visitor in
        try history.fold(FoldRequest(part.state, at: part.first, to: last, visitor: visitor), options: options)
      }
    }
    guard parts.count > 1 else { return try parts.map { part in try search(part, options) } }
    var findings: [BlameSearch<M>.Findings] = []
    let run = OrderedJobs<BlameSearch<M>.Findings>.run(
      parts.count, width: parts.count, isCancelled: options.isCancelled
    ) { number, output in
      var options = options
      // Every processor has a part to fold.
      options.decodesAhead = false
      // Only the first part reports its progress.
      if number > 0 { options.progress = nil }
      options.isCancelled = { [asked = options.isCancelled] in output.isStopped || asked() }
      try output.pass(try search(parts[number], options))
    } consume: { found in
      findings.append(found)
      return true
    }
    switch run {
    case .complete: return findings
    case .failed(let error): throw error
    case .noThread: return try parts.map { part in try search(part, options) }
    }
  }
}

/// The backward search for the last change of a value.
struct BlameSearch<M: Model> {
  private let pointer: JSONPointer
  private(set) var work = QuestionWork()

  /// Visits every state up to a revision, beginning before it unless it is the first.
  typealias RangeVisit = (_ last: Int, _ visitor: StateVisitor<M.State>) throws -> Replayed<M.State>

  init(_ pointer: JSONPointer) {
    self.pointer = pointer
  }

  /// Searches one range after another, the newest first, until one has a change.
  mutating func run(
    at revision: Int, downTo first: Int, in history: History<M>, _ searchRange: (_ last: Int) throws -> [Findings]
  ) throws -> BlameAnswer {
    var last = revision
    var change: FoundChange?
    var value: KnownValue?
    repeat {
      let found = try searchRange(last)
      for findings in found {
        work.add(findings.report)
        work.statesVisited += findings.visited
        work.bytesEncoded += findings.bytesEncoded
        change = findings.change ?? change
      }
      if last == revision { value = found.last?.value }
      last = found.first?.first ?? first
    } while change == nil && last > first
    let valueChange = try change.map { change in
      ValueChange(change.values, at: pointer, by: try history.reader.record(at: change.revision))
    }
    return BlameAnswer(pointer: pointer, revision: revision, change: valueChange, work: work, known: value)
  }
}

extension BlameSearch {
  /// A change of the value, and the revision it led to.
  struct FoundChange: Sendable {
    var revision: Int
    var values: KnownChange
  }

  /// The result of searching a part of a history.
  struct Findings: Sendable {
    var value: KnownValue?
    var change: FoundChange?
    var first: Int
    var visited = 0
    var bytesEncoded = 0
    var report = ReplayReport()
  }

  /// An action after which the bytes of the value differ, so that the value may differ.
  private struct Touch {
    var revision: Int
    var old: KnownValue?
    var new: KnownValue?
  }

  /// So many touches are kept and compared at the end of a part, the newest first; nearly always the newest is a change. Each
  /// touch keeps a version of the value, which may be a complete copy.
  private static var touchLimit: Int { 4 }

  /// Searches a part by visiting all of its states.
  ///
  /// Values of a few bytes are compared at once. Of larger values the last touches are kept. If none of them is a change, the
  /// states before them are visited again and each touch is compared.
  static func searchPart(
    for pointer: JSONPointer, to last: Int, isCancelled: @escaping @Sendable () -> Bool, _ visitRange: RangeVisit
  ) throws -> Findings {
    var (findings, touches, isComplete) = try visit(pointer, to: last, comparesAll: false, isCancelled, visitRange)
    let watched = WatchedValue<M.State>(pointer)
    for touch in touches.reversed() {
      guard let values = try watched.change(from: touch.old, to: touch.new) else { continue }
      findings.change = FoundChange(revision: touch.revision, values: values)
      findings.bytesEncoded += watched.bytesEncoded
      return findings
    }
    findings.bytesEncoded += watched.bytesEncoded
    guard let oldest = touches.first, !isComplete, oldest.revision - 1 > findings.first else { return findings }
    let (earlier, _, _) = try visit(pointer, to: oldest.revision - 1, comparesAll: true, isCancelled, visitRange)
    findings.change = earlier.change
    findings.visited += earlier.visited
    findings.bytesEncoded += earlier.bytesEncoded
    findings.report.actionsFolded += earlier.report.actionsFolded
    findings.report.snapshotsLoaded += earlier.report.snapshotsLoaded
    findings.report.bytesRead += earlier.report.bytesRead
    return findings
  }

  /// Visits all states of a part.
  private static func visit(
    _ pointer: JSONPointer, to last: Int, comparesAll: Bool, _ isCancelled: @escaping @Sendable () -> Bool,
    _ visitRange: RangeVisit
  ) throws -> (findings: Findings, touches: [Touch], isComplete: Bool) {
    var check = CancellationCheck(isCancelled)
    let watched = WatchedValue<M.State>(pointer)
    var findings = Findings(first: last)
    var touches: [Touch] = []
    var isComplete = true
    let replayed = try visitRange(
      last,
      StateVisitor(
        begin: { state, revision in
          findings.first = revision
          findings.visited += 1
          try watched.read(state)
          return true
        },
        visit: { state, batch, index in
          findings.visited += 1
          try check.pass()
          let old = watched.value
          let new = try watched.read(state)
          guard old !== new else { return true }
          let revision = batch.entries[index].revision
          if comparesAll || (old?.isPlain ?? true && new?.isPlain ?? true) {
            guard let values = try watched.change(from: old, to: new) else { return true }
            (findings.change, touches, isComplete) = (FoundChange(revision: revision, values: values), [], true)
          } else {
            touches.append(Touch(revision: revision, old: old, new: new))
            if touches.count > touchLimit {
              touches.removeFirst()
              // The change before the oldest kept touch may no longer be the last one.
              (findings.change, isComplete) = (nil, false)
            }
          }
          return true
        }))
    findings.value = watched.value
    findings.report = replayed.report
    BlockingWork.release(consume replayed)
    findings.bytesEncoded = watched.bytesEncoded
    return (findings, touches, isComplete)
  }
}
