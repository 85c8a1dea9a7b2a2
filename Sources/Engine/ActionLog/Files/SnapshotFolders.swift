internal import JSONCoding

/// The snapshot directories of a log: one for the model, and one for each projection.
package struct SnapshotFolders {
  /// A path at which there can be a directory of snapshots.
  package struct Place {
    package var path: String
    package var kind: FileStatus.Kind
    /// The name of the projection; `nil` for the model, and for the directory that holds those of projections.
    package var projection: String?
  }

  package private(set) var places: [Place] = []
  private let outer: String

  package init(of log: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    outer = log + "/" + LogFormat.projectionsName
    try add(log + "/" + LogFormat.snapshotsName, fileSystem)
    try add(outer, fileSystem)
    guard let last = places.last, last.path == outer, last.kind == .directory else { return }
    for name in try fileSystem.names(in: outer) { try add(outer + "/" + name, projection: name, fileSystem) }
  }

  private mutating func add(
    _ path: String, projection: String? = nil, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) {
    guard let status = try fileSystem.status(of: path) else { return }
    places.append(Place(path: path, kind: status.kind, projection: projection))
  }

  private var paths: [String] {
    places.filter { place in place.kind == .directory && place.path != outer }.map(\.path)
  }

  /// Returns the path of something else in place of a directory or of a snapshot, such as a symbolic link; `nil` if there is none. A
  /// file among the directories of projections is allowed.
  package static func obstacle(in log: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) -> String? {
    let folders = try SnapshotFolders(of: log, fileSystem)
    let odd = folders.places.first { place in
      place.projection == nil ? place.kind != .directory : place.kind == .other
    }
    if let odd { return odd.path }
    for folder in folders.paths {
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
    for folder in try SnapshotFolders(of: log, fileSystem).paths {
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
package enum SnapshotName {
  /// Returns the revision of a snapshot, finished or not; `nil` for any other name.
  package static func revision(of name: String) -> Int? {
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
  package static func redaction(in path: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) -> Int? {
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
