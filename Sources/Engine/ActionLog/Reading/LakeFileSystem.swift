internal import Platform

/// A view of a file system in which a shipped log, `model=NAME/log=IDENTIFIER` in a lake, looks like the log that was shipped and cannot
/// be changed.
///
/// Its directory has the segments of all `date=` directories, the tail under the name of its segment, and the snapshots, checkpoints
/// and the base of `_logs/IDENTIFIER`. All other paths are those of the file system, also the `date=` directories themselves.
package final class LakeFileSystem: LogFileSystem {
  private let base: any LogFileSystem
  /// The last listings by the directory of the log. A segment never moves to another day.
  private let listings = Locked<[String: [String: String]]>([:])

  /// Maps the name of a segment of a log to its file, for a few logs at a time: the entries of one take up to some megabytes.
  private static let listingLimit = 16

  /// Creates a view.
  package init(_ base: any LogFileSystem) {
    self.base = (base as? LakeFileSystem)?.base ?? base
  }

  /// Returns the file system behind a view; any other one as it is.
  static func unviewed(_ fileSystem: any LogFileSystem) -> any LogFileSystem {
    (fileSystem as? LakeFileSystem)?.base ?? fileSystem
  }

  /// Returns a view if a path is a shipped log, otherwise the file system itself.
  ///
  /// - Throws: ``FileSystemError`` if the directory cannot be listed.
  static func viewing(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> any LogFileSystem {
    guard !(fileSystem is LakeFileSystem), ShippedPlace.mayBe(path) else { return fileSystem }
    return try isShippedLog(path, fileSystem) ? LakeFileSystem(fileSystem) : fileSystem
  }

  /// Whether a path is a shipped log in a lake.
  package static func isShippedLog(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> Bool {
    do throws(FileSystemError) {
      return try LakeFileSystem(fileSystem).place(of: path)?.rest.isEmpty ?? false
    } catch {
      throw LogError.files(error, "the log cannot be read", path: path)
    }
  }

  /// Whether a file of a shipped log is a shipped segment, and not the tail.
  func isSegment(_ path: String) -> Bool {
    guard let place = ShippedPlace(path), let name = place.segmentName else { return false }
    return listings.withLock { listings in listings[place.directory]?[name] } != place.tailPath
  }

  // MARK: Places

  /// Returns the place of a path in a shipped log; `nil` for any other path.
  private func place(of path: String) throws(FileSystemError) -> ShippedPlace? {
    guard ShippedPlace.mayBe(path) else { return nil }
    var found = ShippedPlace(path)
    // In the directory of a model, a path has only the last component.
    if found == nil, path.hasPrefix("log=") { found = ShippedPlace(try base.canonicalPath(of: path)) }
    guard let place = found else { return nil }
    // A log of its own may have such a name.
    if listings.withLock({ listings in listings[place.directory] }) != nil { return place }
    guard try base.status(of: place.directory)?.kind == .directory,
      try !base.names(in: place.directory).contains(where: { name in
        name == LogFormat.headName || SegmentName.first(of: name) != nil
      })
    else { return nil }
    return place
  }

  /// Returns the path of a file of a shipped log in the lake.
  private func actualPath(_ place: ShippedPlace) throws(FileSystemError) -> String {
    guard let name = place.segmentName else { return place.sidePath }
    if let known = listings.withLock({ listings in listings[place.directory]?[name] }), known != place.tailPath {
      return known
    }
    return try files(place)[name] ?? place.directory + "/" + name
  }

  /// Lists the segments of a shipped log, and remembers their files.
  ///
  /// - Complexity: O(number of days and segments).
  private func files(_ place: ShippedPlace) throws(FileSystemError) -> [String: String] {
    // Before the segments: when the tail becomes a segment, that is listed or the tail is still there.
    let tail = try tail(place)
    var files: [String: String] = [:]
    for day in try base.names(in: place.directory) where day.hasPrefix("date=") {
      let directory = place.directory + "/" + day
      guard try base.status(of: directory)?.kind == .directory else { continue }
      for name in try base.names(in: directory) where SegmentName.first(of: name) != nil {
        files[name] = files[name] ?? directory + "/" + name
      }
    }
    if let tail {
      let name = SegmentName.text(first: tail.first)
      let shippedBytes = try files[name].flatMap { path throws(FileSystemError) in
        try base.status(of: path)?.sizeBytes
      }
      // The segment of a closed log that was opened again is longer in the tail.
      if tail.sizeBytes > shippedBytes ?? 0 { files[name] = place.tailPath }
    }
    listings.withLock { listings in
      if listings.count >= Self.listingLimit { listings.removeAll() }
      listings[place.directory] = files
    }
    return files
  }

  /// The first revision and the length of the tail; `nil` without a valid one.
  private func tail(_ place: ShippedPlace) throws(FileSystemError) -> (first: Int, sizeBytes: Int)? {
    guard let status = try base.status(of: place.tailPath), status.kind == .file else { return nil }
    let file = try base.open(place.tailPath, for: .read)
    defer { file.close() }
    guard let first = try first(of: file, place.tailPath) else { return nil }
    return (first, try file.size())
  }

  private func first(of file: any LogFile, _ path: String) throws(FileSystemError) -> Int? {
    do throws(LogError) {
      let chain = ChainState(beforeSegment: ChainState.Expectation(), after: nil)
      return try SealedSegments.header(of: SourceFile(file, path: path), chain).first
    } catch {
      if let cause = error.underlying as? FileSystemError { throw cause }
      return nil
    }
  }

  // MARK: Reading

  package func status(of path: String) throws(FileSystemError) -> FileStatus? {
    guard let place = try place(of: path), !place.rest.isEmpty else { return try base.status(of: path) }
    return try base.status(of: actualPath(place))
  }

  package func names(in directory: String) throws(FileSystemError) -> [String] {
    guard let place = try place(of: directory) else { return try base.names(in: directory) }
    guard place.rest.isEmpty else { return try base.names(in: place.sidePath) }
    let segments = try files(place).keys
    var names = Array(segments)
    for name in [LogFormat.snapshotsName, EvidenceStore.folder]
    where try base.status(of: place.side + "/" + name)?.kind == .directory { names.append(name) }
    // A lake may have the segments that were pruned from the log.
    if !segments.contains(SegmentName.text(first: 1)), try base.status(of: place.side + "/" + LogFormat.baseName) != nil
    {
      names.append(LogFormat.baseName)
    }
    return names.sorted { one, other in one.utf8.lexicographicallyPrecedes(other.utf8) }
  }

  package func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    guard let place = try place(of: path), !place.rest.isEmpty else { return try base.open(path, for: access) }
    guard access == .read else { throw refusal("open", path) }
    let actual = try actualPath(place)
    let file = try base.open(actual, for: .read)
    // The tail may have been replaced by that of the next segment.
    guard actual == place.tailPath, let name = place.segmentName,
      try first(of: file, actual).map(SegmentName.text) != name
    else { return file }
    file.close()
    return try base.open(files(place)[name] ?? path, for: .read)
  }

  package func canonicalPath(of path: String) throws(FileSystemError) -> String { try base.canonicalPath(of: path) }

  // MARK: Changing

  package func createDirectory(_ path: String) throws(FileSystemError) {
    try requireOutside("mkdir", path)
    try base.createDirectory(path)
  }

  package func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    for path in [path, newPath] { try requireOutside("rename", path) }
    try base.rename(path, to: newPath)
  }

  package func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    for path in [path, newPath] { try requireOutside("rename", path) }
    try base.renameWithoutReplacing(path, to: newPath)
  }

  package func remove(_ path: String) throws(FileSystemError) {
    try requireOutside("remove", path)
    try base.remove(path)
  }

  package func copyPermissions(from path: String, to newPath: String) throws(FileSystemError) {
    try requireOutside("chmod", newPath)
    var source = path
    if let place = try place(of: path), !place.rest.isEmpty { source = try actualPath(place) }
    try base.copyPermissions(from: source, to: newPath)
  }

  package func syncDirectory(_ path: String) throws(FileSystemError) {
    try requireOutside("fsync", path)
    try base.syncDirectory(path)
  }

  package func sync(_ files: [any LogFile], _ strength: SyncStrength) throws(FileSystemError) {
    try base.sync(files, strength)
  }

  package func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    try requireOutside("flock", directory)
    return try base.lock(directory: directory)
  }

  private func requireOutside(_ operation: String, _ path: String) throws(FileSystemError) {
    if try place(of: path) != nil { throw refusal(operation, path) }
  }

  private func refusal(_ operation: String, _ path: String) -> FileSystemError {
    FileSystemError(code: .readOnlyFileSystem, operation: operation, path: path)
  }
}

/// A path in a shipped log: `LAKE/model=NAME/log=IDENTIFIER/REST`.
private struct ShippedPlace {
  /// The directory of the log.
  let directory: String
  /// The directory of the log's other files, `LAKE/_logs/IDENTIFIER`.
  let side: String
  /// The components after the directory.
  let rest: [Substring]

  /// Whether a path may be in a shipped log.
  static func mayBe(_ path: String) -> Bool {
    path.hasPrefix("log=") || path.contains("/log=")
  }

  /// Parses a path; `nil` if it is not in a shipped log, or in one of its `date=` directories.
  init?(_ path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard
      let index = parts.indices.dropFirst().first(where: { index in
        parts[index].hasPrefix("log=") && parts[index - 1].hasPrefix("model=")
      })
    else { return nil }
    let start = path.hasPrefix("/") ? "/" : ""
    directory = start + parts[...index].joined(separator: "/")
    side = start + (parts[..<(index - 1)] + ["_logs", parts[index].dropFirst("log=".count)]).joined(separator: "/")
    rest = Array(parts[(index + 1)...])
    if rest.first?.hasPrefix("date=") == true { return nil }
  }

  /// The name of a segment, if the path is one.
  var segmentName: String? {
    guard rest.count == 1, SegmentName.first(of: String(rest[0])) != nil else { return nil }
    return String(rest[0])
  }

  /// The path of any other file.
  var sidePath: String { ([side[...]] + rest).joined(separator: "/") }

  var tailPath: String { side + "/" + LogFormat.tailName }
}
