internal import JSONCoding

/// The snapshot directories of a log: one for the model, and one for each projection.
enum SnapshotFolders {
  /// Returns the directories. Anything else in place of one is ignored.
  static func paths(in log: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) -> [String] {
    func isDirectory(_ path: String) throws(FileSystemError) -> Bool {
      try fileSystem.status(of: path)?.kind == .directory
    }
    var paths: [String] = []
    let snapshots = log + "/" + LogFormat.snapshotsName
    if try isDirectory(snapshots) { paths.append(snapshots) }
    let projections = log + "/" + LogFormat.projectionsName
    guard try isDirectory(projections) else { return paths }
    for name in try fileSystem.names(in: projections) {
      let path = projections + "/" + name
      if try isDirectory(path) { paths.append(path) }
    }
    return paths
  }

  /// Returns the path of something else in place of a directory or of a snapshot, such as a symbolic link; `nil` if there is none. A
  /// file among the directories of projections is allowed.
  static func obstacle(in log: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) -> String? {
    let projections = log + "/" + LogFormat.projectionsName
    for path in [log + "/" + LogFormat.snapshotsName, projections] {
      if let status = try fileSystem.status(of: path), status.kind != .directory { return path }
    }
    if try fileSystem.status(of: projections) != nil {
      for name in try fileSystem.names(in: projections) {
        if try fileSystem.status(of: projections + "/" + name)?.kind == .other { return projections + "/" + name }
      }
    }
    for folder in try paths(in: log, fileSystem) {
      for name in try fileSystem.names(in: folder) where SnapshotName.revision(of: name) != nil {
        let path = folder + "/" + name
        if let status = try fileSystem.status(of: path), status.kind != .file { return path }
      }
    }
    return nil
  }

  /// Removes the snapshots, finished or not, of certain revisions.
  static func remove(
    of log: String, _ fileSystem: any LogFileSystem, where isRemoved: (Int) -> Bool
  ) throws(FileSystemError) {
    for folder in try paths(in: log, fileSystem) {
      for name in try fileSystem.names(in: folder) {
        guard let revision = SnapshotName.revision(of: name), isRemoved(revision) else { continue }
        try fileSystem.remove(folder + "/" + name)
      }
      // An earlier attempt may have removed them without the sync.
      try fileSystem.syncDirectory(folder)
    }
  }
}

/// The name of a snapshot: its revision in 16 digits, and `.json`; an unfinished one has `.NUMBER.new` after it.
enum SnapshotName {
  /// Returns the revision of a snapshot, finished or not; `nil` for any other name.
  static func revision(of name: String) -> Int? {
    let digits = name.utf8.prefix(16)
    guard digits.count == 16, digits.allSatisfy({ digit in (0x30...0x39).contains(digit) }) else { return nil }
    let rest = String(name.dropFirst(16))
    guard rest == ".json" || rest.hasPrefix(".json.") && rest.hasSuffix(".new") else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }

  /// A bound on the size of the members before the state.
  private static let headerLimitBytes = 4_096
  private static let stateName = Array(#","state":"#.utf8)

  /// Returns the number of the redaction that a snapshot was folded after, which precedes its state.
  ///
  /// - Returns: `nil` if the snapshot does not state one, or does not have the form of one.
  static func redaction(in path: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) -> Int? {
    let file = try fileSystem.open(path, for: .read)
    defer { file.close() }
    let bytes = try file.bytes(at: 0, count: min(try file.size(), headerLimitBytes))
    let end = bytes.indices.first { start in bytes[start...].starts(with: stateName) }
    guard let end else { return nil }
    do throws(JSONError) {
      return try JSONTape(parsing: bytes[..<end] + [UInt8(ascii: "}")]).root["redact"]?.plainInteger
    } catch {
      return nil
    }
  }
}
