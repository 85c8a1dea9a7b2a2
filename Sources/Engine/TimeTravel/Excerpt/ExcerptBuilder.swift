import ActionLog
import JSONCoding
import TreeCollections

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
