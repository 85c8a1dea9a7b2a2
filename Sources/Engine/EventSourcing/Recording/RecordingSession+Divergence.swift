import ActionLog

// Applies a `RecordingDivergencePolicy`: rebuilds the state and compares digests; to freeze, makes or finds the new log and
// continues in it.

extension RecordingSession {
  /// Rebuilds the state at the end of the log.
  ///
  /// Opening a log checks only the boundaries of its sealed segments. Damage inside a segment ends the fold before the end of the
  /// log, and recording must not continue from there. Requesting the last revision by its number throws the damage.
  static func restore(
    _ history: History<M>, through lastRevision: Int, _ policy: RecordingDivergencePolicy,
    onFold: @escaping @Sendable () -> Void
  ) throws -> Replayed<M.State> {
    var options = ReplayOptions()
    options.progress = { _ in onFold() }
    switch policy {
    case .useFold: options.checksLastDigest = true
    case .fail, .freezeBase:
      options.checksDigests = true
      // After a snapshot by the present code, every digest matches.
      options.usesSnapshots = false
    }
    let restored = try history.replay(options: options)
    if policy == .fail, let divergence = restored.report.divergences.first {
      throw EventSourcingError(
        .divergence, divergence.description, path: history.path, revision: divergence.revision,
        advice: "Compare the revisions \(divergence.lastAgreement)…\(divergence.revision); the log itself is intact.")
    }
    return restored.revision == lastRevision ? restored : try history.replay(to: lastRevision, options: options)
  }

  /// Continues in a new log, from the recorded state. The old log stays locked until the new one is made.
  static func freeze(
    _ history: History<M>, _ folded: Replayed<M.State>, into newPath: String, _ writer: LogWriter,
    _ configuration: RecordingConfiguration<M>, _ fileSystem: any LogFileSystem
  ) throws -> RecordingSession {
    let frozen = try history.refreshed().continuableState(at: folded.revision)
    try history.begin(newPath, with: frozen, configuration: configuration.log)
    try writer.closeNow()
    var configuration = configuration
    configuration.onDivergence = .useFold
    return try open(newPath, base: nil, configuration: configuration, fileSystem: fileSystem)
  }

  static func successor(
    of path: String, at newPath: String, fileSystem: any LogFileSystem
  ) throws -> Bool {
    guard let successor = try LogReader.present(at: newPath, fileSystem),
      let old = try LogReader.present(at: path, fileSystem)
    else { return false }
    guard let parent = successor.header.parent, parent.log == old.header.log else {
      throw LogError(
        .exists, "another log exists where the frozen state would continue", path: newPath,
        advice: "Name a directory that does not exist.")
    }
    // A log without its initial records cannot be continued. Freezing never leaves one, and reports one that is in the way.
    return try successor.initialDigest() != nil
  }
}
