package import ActionLog
package import EventSourcing
import JSONCoding
import TreeCollections

/// A range of a history as values: its first state, and each action with its changes.
///
/// The content of a page about a history. Every state of the range can be made without the model, by applying the changes from
/// ``base`` or from a ``Step/keyframe`` on. An excerpt takes about as much space as the changes.
package struct HistoryExcerpt: Sendable {
  /// An action of the range.
  package struct Step: Sendable {
    package let record: LogRecord
    /// The changes by the action: applied to the state before, they give exactly the state after. There are only `add`,
    /// `remove` and `replace` operations.
    package let changes: JSONPatch
    /// The state after the action, for some actions: often enough to be near every state, and rarely enough to take about a
    /// quarter of the space of the changes.
    package let keyframe: StateTree?
  }

  /// The reason why an excerpt begins later than requested.
  package enum Cut: Hashable, Sendable {
    /// The range has more actions than the limit.
    case count
    /// The range is larger than the limit.
    case size
  }

  /// The revision of ``base``, before the first of the ``steps``.
  package let first: Int
  package let base: StateTree
  /// The actions, in order; the one at index *i* leads to revision ``first`` + 1 + *i*.
  package let steps: [Step]
  /// The requested first revision, and why the excerpt begins later; `nil` if it begins there.
  package let cut: (asked: Int, reason: Cut)?

  package var last: Int { first + steps.count }
}

/// Limits on the size of an excerpt. Beyond them, the oldest part is omitted and the cut is reported.
package struct ExcerptLimits: Hashable, Sendable {
  package var actions: Int
  /// The most bytes of JSON for the actions and their changes. The first state may take as many again.
  package var bytes: Int

  package init(actions: Int = 10_000, bytes: Int = 64 << 20) {
    precondition(actions >= 1 && bytes >= 1, "a limit is at least 1")
    self.actions = actions
    self.bytes = bytes
  }
}

extension History {
  /// Takes an excerpt of the history.
  ///
  /// - Parameter compared: Called after each action with the number of compared states and the total: comparing large states takes
  ///   longer than folding.
  package func excerpt(
    of range: ClosedRange<Int>, limits: ExcerptLimits = ExcerptLimits(), options: ReplayOptions = ReplayOptions(),
    compared: ((_ done: Int, _ total: Int) throws -> Void)? = nil
  ) throws -> HistoryExcerpt {
    try check(range)
    let first = max(range.lowerBound, range.upperBound - limits.actions)
    // The comparison reports its own progress.
    var comparing = options
    if let progress = options.progress, compared != nil {
      comparing.progress = { step in
        var step = step
        step.actionsLimit = step.actionsLimit.map { limit in limit - (range.upperBound - first) }
        if step.revision <= first { progress(step) }
      }
    }
    var builder = ExcerptBuilder<M.State>(limits: limits)
    var visited = 0
    let visitor = StateVisitor<M.State>(
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
      })
    _ = try fold(FoldRequest(at: first, to: range.upperBound, visitor: visitor), options: comparing)
    let (start, foundBase, steps) = builder.result()
    let base = try foundBase ?? StateTree(encoding: state(at: start, options: options))
    let size = base.root.bytes().count
    guard size <= limits.bytes else {
      throw LogError(
        .beyondLimit, "the state at revision \(start) takes \(size) bytes, and the limit is \(limits.bytes)", path: path
      )
    }
    let reason: HistoryExcerpt.Cut = range.upperBound - start < limits.actions ? .size : .count
    return HistoryExcerpt(
      first: start, base: base, steps: steps,
      cut: start > range.lowerBound ? (asked: range.lowerBound, reason: reason) : nil)
  }
}

/// Collects the steps of an excerpt, and drops the oldest when they exceed the limit.
struct ExcerptBuilder<State: Encodable & Sendable> {
  private let limits: ExcerptLimits
  private var state: State?
  /// The previous state in canonical form, if it shares no part with the next one. Then it is encoded only once.
  private var whole: (bytes: [UInt8], tree: StateTree)?
  private var steps: [(step: HistoryExcerpt.Step, size: Int)] = []
  /// The number of dropped steps at the beginning of `steps`: removing each by itself would move all others.
  private var dropped = 0
  private var size = 0
  /// The bytes of the changes since the last keyframe, and those of the keyframe.
  private var sinceKeyframe = 0
  private var keyframeSize = 0
  private(set) var revision = 0
  private(set) var base: StateTree?

  /// Keyframes take a quarter of the space of the changes.
  private static var keyframeFactor: Int { 4 }

  init(limits: ExcerptLimits) {
    self.limits = limits
  }

  mutating func begin(_ state: State, at revision: Int) throws {
    let tree = try StateTree(encoding: state)
    self.state = state
    self.revision = revision
    base = tree
    keyframeSize = tree.root.bytes().count
  }

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

  private mutating func changes(to state: State) throws -> JSONPatch {
    guard let before = self.state else { preconditionFailure("an excerpt has a beginning") }
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

  /// The last step stays, whatever its size.
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

  func result() -> (first: Int, base: StateTree?, steps: [HistoryExcerpt.Step]) {
    (revision + dropped, dropped == 0 ? base : nil, steps[dropped...].map(\.step))
  }
}
