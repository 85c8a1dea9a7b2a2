import ActionLog
import EventSourcing

// A question about every state of a part of the history is divided at snapshots into ranges that are visited side by side. The
// findings are consumed in order, so the answer is that of one visit.

/// The visit of one range of a history, on one thread.
protocol RangeVisit<State>: SendableMetatype {
  associatedtype State: Sendable
  associatedtype Item: Sendable
  /// What the visit has met besides the items, to be added up for the question.
  associatedtype Sightings: Sendable

  /// Reads the first state of the range.
  ///
  /// - Parameter isFirst: Whether no other range ends with this state.
  /// - Returns: Whether to continue.
  func begin(_ state: State, isFirst: Bool) throws -> Bool

  /// Reads the state that a record led to.
  ///
  /// - Parameter pass: Passes on a finding with its share of `OrderedJobs.bufferLimit`, and returns whether to continue.
  /// - Returns: Whether to continue.
  func visit(
    _ state: State, _ batch: RecordBatch, _ index: Int, _ pass: (_ item: Item, _ weight: Int) throws -> Bool
  ) throws -> Bool

  var sightings: Sightings { get }
}

/// What the visit of a range passes on.
private enum RangeFinding<Visit: RangeVisit>: Sendable {
  case item(Visit.Item, revision: Int)
  case end(Visit.Sightings, statesVisited: Int, ReplayReport, isStopped: Bool)
}

extension History {
  /// Visits every state from one revision to another.
  ///
  /// - Parameters:
  ///   - first: The first revision.
  ///   - last: The last revision, unless a visit or `consume` ends before.
  ///   - options: Whether snapshots are used, progress and cancellation.
  ///   - makeVisit: Makes the visit of a range, on its thread.
  ///   - consume: Receives the findings in the order of the history, on the caller's thread. Returns whether to continue.
  /// - Returns: The work, without that of ranges that were not needed, and the sightings of each range; no sightings if `consume`
  ///   ended the visit while other threads went on.
  /// - Throws: As `walk`, after the findings before the error; the error of `consume`.
  func visit<Visit: RangeVisit<M.State>>(
    from first: Int, to last: Int, options: ReplayOptions, _ makeVisit: @escaping @Sendable () -> Visit,
    consume: (Visit.Item) throws -> Bool
  ) throws -> (work: QuestionWork, sightings: [Visit.Sightings]?) {
    let isDivided = options.usesSnapshots && options.decodesAhead
    let bounds = isDivided ? try rangeBounds(from: first, to: last, options: options) : [first, last]
    var work = QuestionWork()
    var sightings: [Visit.Sightings] = []
    var next = first
    var isEnded = false
    func add(_ found: Visit.Sightings, _ statesVisited: Int, _ report: ReplayReport) {
      // The first state of a range is the last one of the range before.
      work.statesVisited += statesVisited - (sightings.isEmpty ? 0 : 1)
      work.add(report)
      sightings.append(found)
    }
    if bounds.count > 2 {
      var ends = bounds.dropFirst()
      let ending = try foldRanges(bounds, options: options) {
        (range: inout FoldRange<M.State, RangeFinding<Visit>>) throws -> M.State? in
        let pass = range.pass
        let (first, last, options) = (range.first, range.last, range.options)
        let part = VisitedPart(makeVisit(), from: first, isFirst: range.state == nil, options)
        let visitor = part.visitor { item, revision, weight in
          try pass(.item(item, revision: revision), weight)
          return true
        }
        let replayed =
          if let state = range.state.take() {
            try walk(state, from: first, to: last, options: options, visitor: visitor)
          } else {
            try walk(fromSnapshotAtOrBefore: first, to: last, options: options, visitor: visitor)
          }
        var report = replayed.report
        if !part.isFirst { report.snapshotsLoaded = 1 }
        try pass(.end(part.visit.sightings, statesVisited: part.statesVisited, report, isStopped: part.isStopped), 1)
        return part.isStopped ? nil : replayed.state
      } consume: { finding in
        switch finding {
        case .item(let item, let revision):
          if try consume(item) { return true }
          // The thread of the range continues until it notices.
          work.actionsFolded += revision - next
          work.statesVisited += revision - next + (sightings.isEmpty ? 1 : 0)
          isEnded = true
          return false
        case .end(let found, let statesVisited, let report, let isStopped):
          add(found, statesVisited, report)
          next = isStopped ? last : ends.removeFirst()
          return !isStopped
        }
      }
      if ending == .complete { return (work, isEnded ? nil : sightings) }
    }
    let part = VisitedPart(makeVisit(), from: next, isFirst: next == first, options)
    // The visitor does not use `consume` after `walk` returns.
    let replayed = try withoutActuallyEscaping(consume) { consume in
      try walk(
        fromSnapshotAtOrBefore: first, to: last, options: options,
        visitor: part.visitor { item, _, _ in try consume(item) })
    }
    add(part.visit.sightings, part.statesVisited, replayed.report)
    return (work, sightings)
  }
}

/// A visit in progress. It is used by one thread.
private final class VisitedPart<Visit: RangeVisit> {
  let visit: Visit
  let isFirst: Bool
  private(set) var statesVisited = 0
  private(set) var isStopped = false
  private let first: Int
  private var check: CancellationCheck

  init(_ visit: Visit, from first: Int, isFirst: Bool, _ options: ReplayOptions) {
    self.visit = visit
    self.first = first
    self.isFirst = isFirst
    check = CancellationCheck(options.isCancelled)
  }

  func visitor(
    _ pass: @escaping (_ item: Visit.Item, _ revision: Int, _ weight: Int) throws -> Bool
  ) -> StateVisitor<Visit.State> {
    StateVisitor(
      from: first,
      begin: { [self] state, _ in
        statesVisited += 1
        isStopped = try !visit.begin(state, isFirst: isFirst)
        return !isStopped
      },
      visit: { [self] state, batch, index in
        statesVisited += 1
        try check.pass()
        isStopped = try !visit.visit(state, batch, index) { item, weight in
          try pass(item, batch.entries[index].revision, weight)
        }
        return !isStopped
      })
  }
}
