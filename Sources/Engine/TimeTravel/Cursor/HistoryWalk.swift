import ActionLog
package import EventSourcing
package import JSONCoding

/// A position in a history as a value that can be moved on any thread. A cursor begins with one. A screen that draws a nearby
/// state at once moves one itself, and hands a copy to another thread for a long move.
///
/// A copy moves independently; ``adoptStates(of:)`` takes over the states that it kept. Calls read files and fold, so they
/// block.
package struct HistoryWalk<M: Model>: Sendable {
  private(set) var walker: HistoryWalker<M>
  /// The number of applied actions.
  package private(set) var revision: Int
  /// The state at the revision.
  package private(set) var state: M.State

  /// Begins at a point.
  package init(_ history: History<M>, to point: HistoryPoint) throws {
    var walker = try HistoryWalker(history)
    revision = try point.resolved(in: history, lastRevision: walker.lastRevision)
    state = try walker.state(at: revision)
    walker.settle(at: revision)
    self.walker = walker
  }

  /// The revisions of the history. Actions that were recorded later are included after ``refresh()``.
  package var revisions: ClosedRange<Int> { walker.revisionRange.revisions }

  /// The callbacks for progress and cancellation of long moves.
  package var options: ReplayOptions {
    get { walker.options }
    set { walker.options = newValue }
  }

  /// Whether a revision can be reached without a noticeable delay.
  ///
  /// - Complexity: O(log *n*) in the number of kept states.
  package func isNear(_ revision: Int) -> Bool { walker.isNear(revision) }

  /// Moves to a revision, and returns its state and its changes.
  ///
  /// A move that fails or is canceled changes nothing; the states that it folded are kept.
  ///
  /// - Parameters:
  ///   - target: The new revision.
  ///   - base: The revision to compare with.
  ///   - tree: The current state, to be patched; `nil` encodes the new state completely, which costs less if much differs.
  /// - Returns: The new state, and its differences from the state at the base.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  package mutating func move(
    to target: Int, comparedWith base: Int, patching tree: StateTree?
  ) throws -> (tree: StateTree, changes: StateDiff) {
    let known = walker.revisionRange
    let state = try walker.state(at: known.checking(target))
    let changes = try StateDiff(
      encoding: base == revision ? self.state : walker.state(at: known.checking(base)), to: state)
    let newTree: StateTree
    if let tree {
      let step = base == revision ? changes : try StateDiff(encoding: self.state, to: state)
      newTree = try step.jsonPatch().apply(to: tree)
    } else {
      newTree = try StateTree(encoding: state)
    }
    self.state = state
    revision = target
    walker.settle(at: target)
    return (newTree, changes)
  }

  /// Moves to a revision, and returns its changes, without encoding what has not changed.
  ///
  /// - Throws: As ``move(to:comparedWith:patching:)``; nothing changes then.
  package mutating func move(to target: Int, comparedWith base: Int) throws -> StateDiff {
    let known = walker.revisionRange
    let state = try walker.state(at: known.checking(target))
    let changes = try StateDiff(
      encoding: base == revision ? self.state : walker.state(at: known.checking(base)), to: state)
    self.state = state
    revision = target
    walker.settle(at: target)
    return changes
  }

  /// Reads one value of the current state; `nil` if there is none.
  package func value(at pointer: JSONPointer) throws -> JSONValue? { try StateProbe(pointer).value(in: state) }

  /// Reads some members of a container of the current state, as ``StateProbe/members(in:names:from:limit:around:)`` does.
  package func members(
    of pointer: JSONPointer, names: inout [String]?, from offset: Int, limit: Int, around name: String?
  ) throws -> MemberPage? {
    try StateProbe(pointer).members(in: state, names: &names, from: offset, limit: limit, around: name)
  }

  /// Compares the state at another revision with the current one.
  ///
  /// - Throws: As ``move(to:comparedWith:patching:)``.
  package mutating func difference(from base: Int) throws -> StateDiff {
    defer { walker.settle(at: revision) }
    return try StateDiff(encoding: walker.state(at: walker.revisionRange.checking(base)), to: state)
  }

  /// Finds actions that were recorded since.
  package mutating func refresh() throws { try walker.refresh() }

  /// Takes over the kept states of another walk through the same history, and its end of the history.
  ///
  /// - Complexity: O(*n*) in the number of kept states.
  package mutating func adoptStates(of other: HistoryWalk) {
    walker.adopt(other.walker)
    walker.settle(at: revision)
  }

  /// The work so far, including that of the walks whose states were taken over.
  package var work: CursorWork { walker.work }

  /// Calls `body`, then discards states that are far from the position.
  mutating func settling<Answer>(_ body: (inout HistoryWalker<M>) throws -> Answer) rethrows -> Answer {
    defer { walker.settle(at: revision) }
    return try body(&walker)
  }
}

extension HistoryWalk {
  /// The state at a revision.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of the state's coding.
  package mutating func tree(at target: Int, options: ReplayOptions) throws -> StateTree {
    try settling { walker in
      let usual = walker.options
      walker.options = options
      defer { walker.options = usual }
      return try StateTree(encoding: walker.state(at: walker.revisionRange.checking(target)))
    }
  }
}

/// The actions around a cursor: read in blocks, cached, and decoded on demand.
struct ActionWindow<M: Model>: Sendable {
  /// Reading a block costs one search in the log and the parsing of each of its lines: a third of the 0.1 ms that a step may
  /// cost. The rest is for the actions that the step may have to fold.
  private static var blockLength: Int { 32 }

  /// Enough for a move of 1 000 actions and some more in the other direction.
  private static var blockLimit: Int { 40 }

  /// The cached blocks by number. Block *b* begins with action *b* · length + 1; the last block of a history can be shorter.
  private var blocks: [Int: Block] = [:]
  /// The numbers of the blocks in order of their last use.
  private var order: [Int] = []

  /// Returns the action that leads to a revision.
  ///
  /// - Parameters:
  ///   - lastRevision: The end of the history. Nothing after it is read.
  ///   - work: Counts what is read and decoded.
  mutating func action(
    at revision: Int, in history: History<M>, lastRevision: Int, work: inout CursorWork
  ) throws -> RecordedAction<M.Action> {
    let number = (revision - 1) / Self.blockLength
    if order.last != number {
      if blocks[number] == nil {
        // A pruned log may begin in the middle of a block.
        let first = max(number * Self.blockLength, history.firstRevision) + 1
        let last = min((number + 1) * Self.blockLength, lastRevision)
        guard first <= last, revision >= first else { return try history.action(at: revision) }
        blocks[number] = try Block(first...last, in: history, bytesRead: &work.bytesRead)
      }
      touch(number)
    }
    guard let action = try blocks[number]?.action(at: revision, in: history, actionsRead: &work.actionsRead) else {
      return try history.action(at: revision)
    }
    return action
  }

  private mutating func touch(_ number: Int) {
    order.removeAll { other in other == number }
    order.append(number)
    if order.count > Self.blockLimit { blocks[order.removeFirst()] = nil }
  }
}

extension ActionWindow {
  /// Consecutive actions.
  private struct Block: Sendable {
    private var batches: [RecordBatch] = []
    /// The position of each action in the batches.
    private var places: [(batch: Int, record: Int)] = []
    private var decoded: [RecordedAction<M.Action>?]
    /// The first revision.
    private var first: Int

    /// The size of a read: two reads hold a block of lines of the usual length and the lines before it.
    private static var chunkBytes: Int { 1 << 13 }

    /// Reads the actions where they are known to be, or else searches for them.
    init(_ range: ClosedRange<Int>, in history: History<M>, bytesRead: inout Int) throws {
      let reader = history.reader
      do {
        self = try Self(range, &bytesRead) {
          try reader.knownBatches(from: range.lowerBound, chunkBytes: Self.chunkBytes)
        }
        if places.count == range.count { return }
      } catch {
        // The log has changed or is damaged: a complete read finds out which.
      }
      self = try Self(range, &bytesRead) { try reader.batches(from: range.lowerBound, chunkBytes: Self.chunkBytes) }
    }

    private init(
      _ range: ClosedRange<Int>, _ bytesRead: inout Int, _ open: () throws -> RecordCursor
    ) throws {
      decoded = Array(repeating: nil, count: range.count)
      first = range.lowerBound
      var iterator = try open()
      defer { bytesRead += iterator.bytesRead }
      while places.count < range.count, let batch = try iterator.nextBatch() {
        for (index, entry) in batch.entries.enumerated() where !entry.isControl && range.contains(entry.revision) {
          places.append((batch: batches.count, record: index))
        }
        batches.append(batch)
      }
    }

    /// Returns the action at a revision; `nil` if the block does not have it.
    mutating func action(
      at revision: Int, in history: History<M>, actionsRead: inout Int
    ) throws -> RecordedAction<M.Action>? {
      let index = revision - first
      guard places.indices.contains(index) else { return nil }
      if let action = decoded[index] { return action }
      let place = places[index]
      let action = try history.recordedAction(in: batches[place.batch], at: place.record)
      decoded[index] = action
      actionsRead += 1
      return action
    }
  }
}
