import ActionLog

// What `RecordingDivergencePolicy` takes: the state is rebuilt with digests compared, and where a log is frozen the new one is
// made, or found made, and gone on with.

extension RecordingSession {
  /// Rebuilds the state at the end of the log.
  ///
  /// Opening a log looks only at the seams of its sealed segments. Damage inside one ends the fold before the end of the
  /// log, and a state from there must not be gone on from: asking for the end by its number throws the damage.
  static func restore(
    _ history: History<M>, through lastSeq: Int, _ policy: RecordingDivergencePolicy
  ) throws -> Replayed<M.State> {
    var options = ReplayOptions()
    switch policy {
    case .useFold: break
    case .fail:
      options.checksDigests = true
      options.onDivergence = .fail
      // Behind a snapshot of the code that runs nothing differs any more.
      options.usesSnapshots = false
    case .freezeBase:
      options.checksDigests = true
      options.usesSnapshots = false
    }
    let restored = try history.state(options: options)
    return restored.revision == lastSeq ? restored : try history.state(at: lastSeq, options: options)
  }

  /// Goes on in a new log, from the state that people saw. The old log is held until it is made, and then given back.
  static func freeze(
    _ history: History<M>, _ folded: Replayed<M.State>, into newPath: String, _ writer: LogWriter,
    _ configuration: RecordingConfiguration<M>, _ fileSystem: any LogFileSystem
  ) throws -> RecordingSession {
    let frozen = try history.refreshed().stateToGoOnFrom(at: folded.revision)
    try history.begin(newPath, with: frozen, configuration: configuration.log)
    try writer.closeNow()
    var configuration = configuration
    configuration.onDivergence = .useFold
    return try open(newPath, base: nil, configuration: configuration, fileSystem: fileSystem)
  }

  /// The log that was made when this one's state was frozen, if there is one.
  static func successor(
    of path: String, at newPath: String, fileSystem: any LogFileSystem
  ) throws -> Bool {
    guard let successor = try reader(newPath, fileSystem), let old = try reader(path, fileSystem) else { return false }
    guard let parent = successor.header.parent, parent.log == old.header.log else {
      throw LogError(
        .exists, "another log lies where the frozen state is to go on", path: newPath,
        advice: "Name a directory that does not exist.")
    }
    // Without its beginning it is nothing to go on with; freezing makes none such, and says that it is in the way.
    var records = try successor.records(from: 0)
    while let record = try records.next(), record.isControl {
      if record.controlType == .digest { return true }
    }
    return false
  }

  /// Opens a log; `nil` if there is none, or only its directory.
  private static func reader(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> LogReader? {
    do throws(LogError) {
      return try LogReader.open(path, fileSystem: fileSystem)
    } catch {
      if error.code == .notFound || error.code == .notALog { return nil }
      throw error
    }
  }
}
