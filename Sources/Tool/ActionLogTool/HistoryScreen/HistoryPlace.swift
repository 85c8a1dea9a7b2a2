import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

/// A position in a history, with the state and the changes there.
///
/// It is a value: a copy makes a long move on another thread while this one is shown. A nearby state is not encoded again: its
/// changes are applied to the current tree, so the cost of a step depends on the changes and not on the size of the state. It is not
/// compared with a distant base again: its changes are combined with the earlier ones, which takes O(number of all of them).
struct HistoryPlace: Sendable {
  private var walk: any WalkHandle
  private(set) var tree: StateTree
  /// The edit that leads to the state from the previous one, or from the base; `nil` if they are equal.
  private(set) var edit: StateEdit?
  /// The base of the comparison; `nil` for the previous revision.
  private(set) var base: Int?
  /// Whether an array that differs from that of the base is too long to be aligned within a key press.
  private var holdsLongArray = false

  /// The longest distance of a nearby move, whose difference is computed within a key press.
  static let reach = 1_024
  /// The most elements of an array that is aligned within a key press.
  private static let longestArray = 2_000

  /// Blocks.
  init(_ walk: any WalkHandle) throws {
    var walk = walk
    tree = try walk.tree()
    edit = try walk.difference(from: max(walk.revisions.lowerBound, walk.revision - 1)).edit
    self.walk = walk
  }

  var revision: Int { walk.revision }
  var revisions: ClosedRange<Int> { walk.revisions }

  /// Whether ``move(to:)`` is fast enough for the main actor. Other moves need another thread.
  func isNear(_ target: Int) -> Bool {
    revisions.contains(target) && abs(target - revision) <= Self.reach && walk.isNear(target)
      && base.map { base in abs(target - base) <= Self.reach || !holdsLongArray } ?? true
  }

  /// Moves to a revision. If that fails, nothing changes. Blocks.
  mutating func move(to target: Int) throws {
    guard target != revision else { return }
    let isNear = abs(target - revision) <= Self.reach
    if isNear, base != nil {
      var walk = walk
      let moved = try walk.move(to: target, comparedWith: revision, patching: tree)
      if let step = moved.changes.edit {
        edit = try edit.map { edit in try edit.followed(by: step, tree.value(at:)) } ?? step
        holdsLongArray = holdsLongArray || step.holdsArray(longerThan: Self.longestArray, in: moved.tree.root)
      }
      (self.walk, tree) = (walk, moved.tree)
      return
    }
    let moved = try walk.move(
      to: target, comparedWith: base ?? max(revisions.lowerBound, target - 1), patching: isNear ? tree : nil)
    (tree, edit) = (moved.tree, moved.changes.edit)
    holdsLongArray = edit?.holdsArray(longerThan: Self.longestArray, in: tree.root) ?? false
  }

  /// Sets the base of the comparison; `nil` compares each state with the previous one.
  mutating func compare(with base: Int?) throws {
    edit = try walk.difference(from: base ?? max(revisions.lowerBound, revision - 1)).edit
    holdsLongArray = edit?.holdsArray(longerThan: Self.longestArray, in: tree.root) ?? false
    self.base = base
  }

  mutating func refresh() throws { try walk.refresh() }

  mutating func setOptions(_ options: ReplayOptions) { walk.options = options }

  /// Without moving. Blocks.
  mutating func ask<Answer>(_ question: (inout any WalkHandle) throws -> Answer) rethrows -> Answer {
    try question(&walk)
  }

  /// Adds the states that a copy has cached.
  mutating func adoptStates(of other: HistoryPlace) { walk.adoptStates(of: other.walk) }
}

/// The actions around a position in a log: read in blocks when they are shown, and cached.
///
/// A block is found by binary search, so showing a page costs the same in a short and in a long log.
struct RecordWindow {
  /// The number of actions in a block: several screens.
  private static let blockLength = 128
  private static let blockLimit = 16

  private struct Block {
    let number: Int
    let records: [LogRecord]
    /// The end of the log when the block was read: a later action may be missing from it.
    let last: Int
  }

  private let reader: LogReader
  /// The most recently used last.
  private var blocks: [Block] = []

  init(_ reader: LogReader) {
    self.reader = reader
  }

  /// The action of a revision; `nil` if there is none up to the last one to read.
  mutating func record(at revision: Int, last: Int) throws(LogError) -> LogRecord? {
    let number = (revision - 1) / Self.blockLength
    // A pruned log may begin in the middle of a block.
    let first = max(number * Self.blockLength, reader.firstRevision) + 1
    let offset = revision - first
    guard offset >= 0 else { return nil }
    let known = blocks.firstIndex { block in block.number == number }.map { index in blocks.remove(at: index) }
    let block: Block
    // An incomplete block is read again when the log has grown.
    if let known, known.records.count > offset || known.last >= last {
      block = known
    } else {
      let range = first...min((number + 1) * Self.blockLength, max(first, last))
      block = Block(number: number, records: try read(range), last: last)
    }
    blocks.append(block)
    if blocks.count > Self.blockLimit { blocks.removeFirst() }
    return offset < block.records.count ? block.records[offset] : nil
  }

  private mutating func read(_ range: ClosedRange<Int>) throws(LogError) -> [LogRecord] {
    var block: [LogRecord] = []
    var records = try reader.records(from: range.lowerBound, chunkBytes: Self.chunkBytes)
    while block.count < range.count, let record = try records.next() {
      if !record.isControl { block.append(record) }
    }
    return block
  }

  /// The read size: about a block of lines.
  private static let chunkBytes = 1 << 15
}
