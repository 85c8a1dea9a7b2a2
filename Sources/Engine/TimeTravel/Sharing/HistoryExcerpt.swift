public import ActionLog
public import EventSourcing
import JSONCoding
import TreeCollections

/// A stretch of a history as values: the state that it begins with, and each action with what it changed.
///
/// It is what a page about a history holds: every state of the stretch can be made of it without the model, by applying the changes
/// from ``base``, or from a ``Step/keyframe``, onward. States are not carried one by one, so an excerpt takes about as much
/// as was changed.
public struct HistoryExcerpt: Sendable {
  /// An action of the stretch.
  public struct Step: Sendable {
    /// The action, as the log holds it.
    public let record: LogRecord
    /// What it changed: applied to the state before, it gives the state after exactly. Only `add`, `remove` and `replace`
    /// occur.
    public let changes: JSONPatch
    /// The state after it, now and then: so often that no state is far from one that is here, and so seldom that they
    /// take about a quarter of what the changes take.
    public let keyframe: StateTree?
  }

  /// Why an excerpt does not begin where it was asked to.
  public enum Cut: Hashable, Sendable {
    /// There are more actions than were wanted.
    case count
    /// Together they would be larger than was wanted.
    case size
  }

  /// The revision of ``base``: the actions behind it are in ``steps``.
  public let first: Int
  /// The state at ``first``.
  public let base: StateTree
  /// The actions, in order; the one at index *i* leads to revision ``first`` + 1 + *i*.
  public let steps: [Step]
  /// The revision that was asked to begin at, and why it begins later; `nil` if it begins there.
  public let cut: (asked: Int, reason: Cut)?

  /// The last revision.
  public var last: Int { first + steps.count }
}

/// How much of a history an excerpt takes. What is left out is the oldest part, and is told.
public struct ExcerptLimits: Hashable, Sendable {
  /// The most actions.
  public var actions: Int
  /// The most bytes that the actions and their changes take as JSON; the state that the excerpt begins with may take as many.
  public var bytes: Int

  /// Makes limits from their parts.
  ///
  /// - Parameters:
  ///   - actions: The most actions; at least 1.
  ///   - bytes: The most bytes of JSON; at least 1.
  public init(actions: Int = 10_000, bytes: Int = 64 << 20) {
    precondition(actions >= 1 && bytes >= 1, "a limit is at least 1")
    self.actions = actions
    self.bytes = bytes
  }
}

extension History {
  /// Takes a stretch of the history as values.
  ///
  /// - Parameters:
  ///   - range: The revisions of the states that are wanted. Of a stretch beyond the limits the newest part is taken.
  ///   - limits: How much is taken.
  ///   - options: Whether snapshots are used, and the callbacks for progress and cancellation.
  ///   - compared: Called after each action of the excerpt with how many states were compared and how many there are: comparing
  ///     large states takes longer than folding.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; `LogError` with the code `beyondLimit` when the state that it
  ///   begins with is larger than the limit; the errors of reading and folding, and of the state's coding.
  /// - Complexity: O(distance from the snapshot before the range to its end), and what comparing each state with the next takes.
  public func excerpt(
    of range: ClosedRange<Int>, limits: ExcerptLimits = ExcerptLimits(), options: ReplayOptions = ReplayOptions(),
    compared: ((_ done: Int, _ total: Int) throws -> Void)? = nil
  ) throws -> HistoryExcerpt {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    let first = max(range.lowerBound, range.upperBound - limits.actions)
    var builder = ExcerptBuilder<M.State>(limits: limits)
    var visited = 0
    _ = try walk(
      fromSnapshotAtOrBefore: first, to: range.upperBound, options: options,
      visitor: StateVisitor(
        from: first,
        begin: { state, revision in
          try builder.begin(state, at: revision)
          return true
        },
        visit: { state, batch, index in
          // Comparing two large states takes longer than folding thousands of actions.
          if options.isCancelled() { throw CancellationError() }
          try builder.append(state, record: batch.record(at: index))
          visited += 1
          try compared?(visited, range.upperBound - first)
          return true
        }))
    let (start, foundBase, steps) = builder.result()
    let base = try foundBase ?? StateTree(encoding: state(at: start, options: options).state)
    let size = base.root.bytes().count
    guard size <= limits.bytes else {
      throw LogError(
        .beyondLimit, "the state at revision \(start) takes \(size) bytes, and the limit is \(limits.bytes)", path: path
      )
    }
    let reason: HistoryExcerpt.Cut = start > first ? .size : .count
    return HistoryExcerpt(
      first: start, base: base, steps: steps,
      cut: start > range.lowerBound ? (asked: range.lowerBound, reason: reason) : nil)
  }
}

/// Gathers the steps of an excerpt, and drops the oldest when there are too many bytes of them.
struct ExcerptBuilder<State: Encodable & Sendable> {
  private let limits: ExcerptLimits
  private var state: State?
  /// The previous state in canonical form, if no part of it can be shared with the next one: then it is encoded only once.
  private var whole: (bytes: [UInt8], tree: StateTree)?
  private var steps: [(step: HistoryExcerpt.Step, size: Int)] = []
  /// How many of `steps` are dropped: removing each by itself would move all others.
  private var dropped = 0
  private var size = 0
  /// The bytes of changes since the last state that is carried, and those of that state.
  private var sinceKeyframe = 0
  private var keyframeSize = 0
  private(set) var revision = 0
  private(set) var base: StateTree?

  /// The states that are carried take a quarter of what the changes take.
  private static var keyframeFactor: Int { 4 }

  init(limits: ExcerptLimits) {
    self.limits = limits
  }

  /// Takes the state that the stretch begins with.
  mutating func begin(_ state: State, at revision: Int) throws {
    let tree = try StateTree(encoding: state)
    self.state = state
    self.revision = revision
    base = tree
    keyframeSize = tree.root.bytes().count
  }

  /// Takes the state that an action led to.
  mutating func append(_ state: State, record: LogRecord) throws {
    let changes = try changes(to: state)
    self.state = state
    let changedBytes = changes.bytes().count
    sinceKeyframe += changedBytes
    var keyframe: StateTree?
    if sinceKeyframe > Self.keyframeFactor * keyframeSize {
      let tree = try StateTree(encoding: state)
      keyframe = tree
      keyframeSize = tree.root.bytes().count
      sinceKeyframe = 0
    }
    let stepSize = record.rawLine.count + changedBytes + (keyframe == nil ? 0 : keyframeSize)
    steps.append((HistoryExcerpt.Step(record: record, changes: changes, keyframe: keyframe), stepSize))
    size += stepSize
    drop()
  }

  /// The changes from the previous state.
  private mutating func changes(to state: State) throws -> JSONPatch {
    guard let before = self.state else { preconditionFailure("a stretch has a beginning") }
    let places = DictionaryPlaces()
    var encoder = StrictJSONEncoder(form: .canonical)
    encoder.userInfo[.treeParts] = places
    let bytes = try encoder.encode(state)
    guard !places.hasFound else {
      whole = nil
      return try StateDiff(encoding: before, to: state).jsonPatch()
    }
    let previous = whole
    if let previous, previous.bytes == bytes { return JSONPatch() }
    let tree = StateTree(try JSONValue(parsing: bytes))
    whole = (bytes, tree)
    guard let previous else { return try StateDiff(encoding: before, to: state).jsonPatch() }
    return StateDiff(from: previous.tree, to: tree).jsonPatch()
  }

  /// The last step stays, however large it is.
  private mutating func drop() {
    while size > limits.bytes, dropped < steps.count - 1 {
      size -= steps[dropped].size
      dropped += 1
    }
    guard dropped > steps.count / 2 else { return }
    revision += dropped
    steps.removeFirst(dropped)
    dropped = 0
    base = nil
  }

  /// The steps that are left, the revision that they begin behind, and the state there if it is known.
  func result() -> (first: Int, base: StateTree?, steps: [HistoryExcerpt.Step]) {
    (revision + dropped, dropped == 0 ? base : nil, steps[dropped...].map(\.step))
  }
}
