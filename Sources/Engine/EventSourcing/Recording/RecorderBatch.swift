import ActionLog

/// Actions that a recorder has taken from a stream, on their way into the log.
struct RecorderBatch<M: Model>: Sendable {
  typealias Element = (oldState: M.State, action: M.Action)

  let elements: [Element]
  /// The revision that the first action met.
  private let start: Int

  /// How many are in the log.
  private(set) var done = 0
  /// For how many it is decided whether a digest or a snapshot is due behind them: each is counted once, however often it is tried.
  var decided = 0
  /// What is written of those behind which something is due.
  var records: [Int: RecordingSession<M>.ActionRecords] = [:]

  /// Begins with actions of which none is in the log.
  init(_ elements: [Element], after revision: Int) {
    self.elements = elements
    start = revision
  }

  /// Whether all are in the log.
  var isDone: Bool { done == elements.count }

  /// Those that are not in the log.
  var rest: Range<Int> { done..<elements.count }

  /// The revision that an action leads to.
  func revision(behind index: Int) -> Int { start + index + 1 }

  /// What is written of an action besides its line; `nil` if that is all.
  func drafts(at index: Int) -> [LogDraft]? {
    records.isEmpty ? nil : records[index]?.drafts
  }

  /// The state that an action leads to, to be computed when it is needed.
  func last(at index: Int) -> LastState<M> {
    .after(elements[index].oldState, elements[index].action)
  }

  /// The state that an action leads to: the one that the next action met.
  func state(behind index: Int) -> @Sendable () -> M.State {
    { [elements] in
      index + 1 < elements.count
        ? elements[index + 1].oldState
        : LastState<M>.after(elements[index].oldState, elements[index].action).stateOfAcceptedAction
    }
  }

  /// Notes that actions are in the log.
  ///
  /// - Returns: The snapshots that are due behind them, in order.
  mutating func acknowledge(_ count: Int) -> [SnapshotPoint] {
    let range = done..<done + count
    done += count
    guard !records.isEmpty else { return [] }
    return range.compactMap { index in records.removeValue(forKey: index)?.snapshot }
  }
}
