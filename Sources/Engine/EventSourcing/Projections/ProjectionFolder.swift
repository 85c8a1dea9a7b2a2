public import ActionLog

// The snapshots of the projections of a log, without the code of the projections.
extension SnapshotStore {
  package static func projections(
    at log: String, fileSystem: any LogFileSystem
  ) throws(LogError) -> [(name: String, snapshots: SnapshotStore)] {
    try places(in: log, fileSystem).compactMap { place in
      guard let name = place.projection, place.kind == .directory else { return nil }
      return (name, SnapshotStore(at: log, projection: name, fileSystem: fileSystem))
    }
  }

  /// Returns the errors of files and links in place of a directory of snapshots, the model's included.
  package static func obstacles(at log: String, fileSystem: any LogFileSystem) throws(LogError) -> [LogError] {
    try places(in: log, fileSystem).compactMap { place in obstacle(at: place.path, fileSystem) }
  }

  private static func places(
    in log: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> [SnapshotFolders.Place] {
    do throws(FileSystemError) {
      return try SnapshotFolders(of: log, fileSystem).places.filter { place in
        place.projection.map(ProjectionIdentity.isName) ?? true
      }
    } catch {
      throw LogError(
        .inputOutput, "the projections cannot be listed (\(error))", path: log + "/" + LogFormat.projectionsName,
        underlying: error)
    }
  }

  package func sizeBytes() throws(LogError) -> Int {
    var sum = 0
    for revision in try revisions() {
      let path = path(at: revision)
      do throws(FileSystemError) { sum += try fileSystem.status(of: path)?.sizeBytes ?? 0 } catch {
        throw LogError(.inputOutput, "a snapshot cannot be read (\(error))", path: path, underlying: error)
      }
    }
    return sum
  }
}

extension History {
  /// Removes all snapshots of a projection, folds the log from its first action, and takes a snapshot of the last revision.
  ///
  /// - Parameters:
  ///   - time: When the snapshot is taken.
  ///   - options: Progress and cancellation; a canceled call leaves no snapshot.
  /// - Throws: `LogError.Code.locked` while a runner takes the snapshots of the projection; `LogError.Code.invalidArgument` for the
  ///   model itself, whose old snapshots may be needed; `LogError.Code.pruned` if the projection cannot begin with the base of a
  ///   pruned log, and nothing is removed then; as `takeSnapshot(at:time:options:)`.
  public func rebuildProjection(
    time: LogTime = .now(), options: ReplayOptions = ReplayOptions()
  ) throws -> (snapshot: Snapshot, sizeBytes: Int) {
    guard let projection = M.projection, let snapshots else {
      throw LogError(
        .invalidArgument, "only the snapshots of a projection can be rebuilt", path: path,
        advice: "Snapshots of the model can be needed after a change of its reducer. Nothing was changed.")
    }
    let lock = try snapshots.lock(for: projection)
    defer { lock.unlock() }
    var options = options
    options.usesSnapshots = false
    // The snapshots may be all that is left of the actions before a pruned log.
    if let base = try reader.listing().base { _ = try InitialRecords<M>.state(of: base, path: path, decoder.chain) }
    try snapshots.removeUnfinished()
    try snapshots.removeAll()
    return try takeSnapshot(time: time, options: options)
  }

  /// Returns the revision of the newest usable snapshot, `nil` if there is none, and the newer ones that cannot be used.
  package func newestSnapshotRevision(
    options: ReplayOptions = ReplayOptions()
  ) -> (revision: Int?, refusals: [SnapshotRefusal]) {
    var refused: [SnapshotRefusal] = []
    let revision = newestSnapshot(atOrBefore: nil, options: options, refused: &refused)?.revision
    return (revision, refused)
  }
}
