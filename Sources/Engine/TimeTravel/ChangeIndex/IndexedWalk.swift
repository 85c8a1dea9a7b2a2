import ActionLog
import EventSourcing
import JSONCoding

// Questions about values skip the actions that cannot have changed them, as the index of changes shows.

extension History {
  /// Returns the index of changes for a question about a range; `nil` if there is none and making one is not worth it.
  func changeIndex(from first: Int, to last: Int, options: ReplayOptions) throws -> ChangeIndex? {
    // Reading an index takes about as long as folding so many actions.
    guard options.usesSnapshots, last - first >= options.indexBlockLength / 2 else { return nil }
    let file: ChangeIndex.File
    do throws(LogError) {
      guard let known = try ChangeIndex.File(of: self, length: options.indexBlockLength) else { return nil }
      file = known
    } catch {
      return nil
    }
    let known = ChangeIndex.read(file, of: self)
    guard try isWorthIndexing(foldingFrom: first, to: last, after: known, options: options), file.isWritable else {
      return known
    }
    var index = known ?? ChangeIndex(length: options.indexBlockLength)
    do {
      guard try extend(&index, to: lastRevision(), options: options) else { return known }
    } catch let error as CancellationError {
      throw error
    } catch {
      // The question reports damage. The actions before it are indexed, so that later questions need not try again.
    }
    guard index.actionsAdded > 0 else { return known }
    index.write(file)
    return index
  }

  /// Whether a question folds so many actions that are not in an index that making one is worth it: at least an eighth of those that
  /// would be added, so that a question about recent actions of a long log does not wait for all of them.
  func isWorthIndexing(
    foldingFrom first: Int, to last: Int, after index: ChangeIndex?, options: ReplayOptions
  ) throws -> Bool {
    let count = last - max(first, index?.end ?? 0)
    guard count >= options.minimumActionsToIndex else { return false }
    return try count >= (lastRevision() - (index?.end ?? firstRevision)) / 8
  }

  /// Adds the later actions to an index.
  ///
  /// - Returns: Whether that costs little more than folding. It does not if the states share too little.
  private func extend(_ index: inout ChangeIndex, to last: Int, options: ReplayOptions) throws -> Bool {
    let start = index.blocks.isEmpty ? firstRevision : index.end
    if let isFrugal = try extendInRanges(&index, from: start, to: last, options: options) { return isFrugal }
    var isFrugal = true
    _ = try addChanges(of: nil, from: start, to: last, options: options) { block in
      if let block { index.append(block) } else { isFrugal = false }
    }
    return isFrugal
  }

  /// Adds the actions of ranges that are folded side by side.
  ///
  /// - Returns: As `extend(_:to:options:)`; `nil`, with the index as it was, if there are no ranges, or they do not fit together.
  private func extendInRanges(
    _ index: inout ChangeIndex, from start: Int, to last: Int, options: ReplayOptions
  ) throws -> Bool? {
    // Tracking what an action changes takes as long as folding it.
    let bounds = rangeBounds(
      from: start, to: last, options: options, rangesPerThread: 1,
      bytesPerAction: 2 * ChangePlan.snapshotBytesPerAction)
    guard bounds.count > 2 else { return nil }
    let before = index
    var isFrugal = true
    // The blocks of a range are added after the state at its beginning was proved.
    let ending = try foldRanges(bounds, options: options, trustsSnapshots: true) {
      (range: inout FoldRange<M.State, ChangeIndex.Block?>) in
      let state = range.state.take()
      let pass = range.pass
      return try addChanges(of: state, from: range.first, to: range.last, options: range.options) { block in
        // A thread that is ahead of the consumer holds about 16 MB.
        try pass(block, 1 + (block?.marks.count ?? 0) / 1_024)
      }
    } consume: { block in
      if let block { index.append(block) } else { isFrugal = false }
      return isFrugal
    }
    if ending == .complete { return isFrugal }
    index = before
    return nil
  }

  /// Folds a range and passes its blocks; ends with `nil` if tracking is not frugal.
  private func addChanges(
    of state: consuming M.State?, from first: Int, to last: Int, options: ReplayOptions,
    _ pass: (ChangeIndex.Block?) throws -> Void
  ) throws -> M.State? {
    let tracker = ChangeTracker<M.State>()
    var start = first
    var isComplete = true
    let replayed = try withoutActuallyEscaping(pass) { pass in
      let visitor = StateVisitor<M.State>(
        from: first,
        begin: { state, _ in
          try tracker.begin(state)
          return true
        },
        visit: { state, batch, index in
          try tracker.read(state)
          guard tracker.isFrugal else {
            try pass(nil)
            isComplete = false
            return false
          }
          let entry = batch.entries[index]
          guard entry.revision % options.indexBlockLength == 0 || entry.revision == last else { return true }
          try pass(
            ChangeIndex.Block(
              start: start, end: entry.revision, checksum: entry.crc, marks: ChangeIndex.union(tracker.takeMarks())))
          start = entry.revision
          return true
        })
      return try fold(FoldRequest(state.take(), at: first, to: last, visitor: visitor), options: options)
    }
    return isComplete ? replayed.state : nil
  }
}

extension History {
  /// Plans to visit the states of a range for a question about values.
  func changePlan(
    from first: Int, to last: Int, of pointers: [JSONPointer], options: ReplayOptions
  ) throws -> ChangePlan {
    guard !pointers.isEmpty, let index = try changeIndex(from: first, to: last, options: options) else {
      return ChangePlan(from: first, to: last)
    }
    return ChangePlan(
      from: first, to: last, of: pointers, by: index, snapshots: snapshotSizes(in: firstRevision...last, options))
  }

  func snapshotSizes(in range: ClosedRange<Int>, _ options: ReplayOptions) -> [Int: Int] {
    guard options.usesSnapshots else { return [:] }
    var sizes: [Int: Int] = [:]
    for revision in snapshotRevisions(options) where range.contains(revision) {
      sizes[revision] = snapshots?.sizeBytes(at: revision)
    }
    return sizes
  }
}

/// The parts of a history in which some values may change.
struct ChangePlan {
  /// A range of revisions to fold: the state at `first` and the actions after it, up to `last`.
  struct Part {
    var first: Int
    var last: Int
  }

  /// The parts, ascending; at least one.
  private(set) var parts: [Part]
  var actionCount: Int { parts.reduce(0) { sum, part in sum + part.last - part.first } }
  private(set) var index: ChangeIndex?
  /// For each block of the index whether the values may change in it.
  private var mayChange: [Bool] = []

  init(from first: Int, to last: Int) {
    parts = [Part(first: first, last: last)]
  }

  /// Plans the blocks in which values may change, and the actions that are not in the index.
  ///
  /// The first action is always visited: a question can treat the state before it differently.
  ///
  /// - Parameters:
  ///   - snapshots: The sizes of the snapshots by their revisions. Beginning a part again at one costs as much as folding the actions
  ///     that its bytes make up.
  init(
    from first: Int, to last: Int, of pointers: [JSONPointer], by index: ChangeIndex?, snapshots: [Int: Int]
  ) {
    self.init(from: first, to: last)
    guard let index, let start = index.start, start <= first else { return }
    let marks = pointers.flatMap(ChangePath.marks)
    mayChange = index.blocks.map { block in block.marks.contains { mark in marks.contains(mark) } }
    self.index = index
    parts = []
    add(from: first, to: min(last, first + 1), snapshots)
    for (block, mayChange) in zip(index.blocks, mayChange) where mayChange && block.end > first && block.start < last {
      add(from: max(first, block.start), to: min(last, block.end), snapshots)
    }
    if last > index.end { add(from: max(first, index.end), to: last, snapshots) }
  }

  private mutating func add(from first: Int, to last: Int, _ snapshots: [Int: Int]) {
    guard let previous = parts.last else { return parts.append(Part(first: first, last: last)) }
    let snapshot = snapshots.keys.filter { revision in revision <= first }.max() ?? 0
    if snapshot - previous.last > (snapshots[snapshot] ?? 0) / Self.snapshotBytesPerAction {
      parts.append(Part(first: first, last: last))
    } else {
      parts[parts.count - 1].last = max(previous.last, last)
    }
  }

  /// Loading so many bytes of a snapshot takes about as long as folding an action.
  static let snapshotBytesPerAction = 128

  func mayChange(at revision: Int) -> Bool {
    guard let start = index?.start, let index else { return true }
    let number = (revision - 1) / index.length - start / index.length
    return !mayChange.indices.contains(number) || mayChange[number] || revision > index.end
      || revision == parts[0].first + 1
  }
}

extension History {
  /// Visits the states of a plan: the first state, and those that an action led to that may have changed the values.
  func walk(
    _ plan: ChangePlan, from first: consuming M.State? = nil, options: ReplayOptions, visitor: StateVisitor<M.State>
  ) throws -> Replayed<M.State> {
    var isStopped = false
    var state = first.take()
    var revision = plan.parts[0].first
    var report: ReplayReport?
    let options = plan.parts.count > 1 ? options.countingFolds(upTo: plan.actionCount) : options
    for part in plan.parts where !isStopped {
      let isFirst = report == nil
      let visitor = StateVisitor<M.State>(
        from: part.first,
        begin: { state, revision in
          isStopped = try isFirst && !visitor.begin(state, revision)
          return !isStopped
        },
        visit: { state, batch, index in
          guard plan.mayChange(at: batch.entries[index].revision) else { return true }
          isStopped = try !visitor.visit(state, batch, index)
          return !isStopped
        })
      // If the snapshot between two parts is refused, the actions between them are folded, and not all before them.
      let replayed = try fold(
        FoldRequest(
          state.take(), at: revision, orFromSnapshotAtOrBefore: part.first, to: part.last, visitor: visitor),
        options: options)
      report = report.map { before in before.adding(replayed.report) } ?? replayed.report
      (state, revision) = (replayed.state, replayed.revision)
    }
    guard let state, let report else { preconditionFailure("a plan has a part") }
    return Replayed(state: state, revision: revision, report: report)
  }
}
