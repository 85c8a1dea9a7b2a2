import ActionLog

/// The state from which a replay starts.
struct ReplayStart<State> {
  /// The work of finding it.
  struct Work {
    var isSnapshot = false
    var snapshotsRefused: [SnapshotRefusal] = []
    var actionsExamined = 0

    func add(to report: inout ReplayReport) {
      report.snapshotsLoaded = isSnapshot ? 1 : 0
      report.snapshotsRefused = snapshotsRefused
      report.actionsExamined = actionsExamined
    }
  }

  var state: State
  var revision: Int
  /// Whether the state is that of a snapshot or of the base of a pruned log. Otherwise it is the model's initial state, and the log
  /// may begin with another.
  var isKnown: Bool
  var work = Work()
}

extension History {
  /// Returns the newest state at or before a revision from which a replay can start: a snapshot, the base of a pruned log, or the
  /// initial state.
  ///
  /// - Returns: The state, and the segments from which to read. They are listed after the snapshots, so that no snapshot is newer.
  /// - Throws: `LogError`, with `LogError.Code.pruned` if the log begins after the revision; ``EventSourcingError`` if the base does
  ///   not decode; `CancellationError`.
  func start(
    atOrBefore revision: Int?, options: ReplayOptions
  ) throws -> (start: ReplayStart<M.State>, contents: LogContents) {
    var report = ReplayReport()
    let snapshot =
      options.usesSnapshots ? try newestSnapshot(atOrBefore: revision, options: options, report: &report) : nil
    let contents = try reader.contents()
    var start: ReplayStart<M.State>
    if let snapshot, snapshot.revision >= contents.base?.revision ?? 0 {
      start = ReplayStart(state: snapshot.state, revision: snapshot.revision, isKnown: true)
      start.work.isSnapshot = true
    } else if let base = contents.base {
      guard revision ?? .max >= base.revision else { throw reader.pruned(revision ?? 0) }
      start = ReplayStart(
        state: try InitialRecords<M>.state(of: base, path: reader.path, decoder.chain), revision: base.revision,
        isKnown: true)
    } else {
      start = ReplayStart(state: M.initialState, revision: 0, isKnown: false)
    }
    start.work.snapshotsRefused = report.snapshotsRefused
    start.work.actionsExamined = report.actionsExamined
    return (start, contents)
  }
}
