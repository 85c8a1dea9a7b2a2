internal import JSONCoding
internal import Platform

/// A view of a file system in which a shipped log, `model=NAME/log=IDENTIFIER` in a lake, looks like the log that was shipped and cannot
/// be changed.
///
/// Its directory has the segments of all `date=` directories, the tail under the name of its segment, and the snapshots, checkpoints
/// and the base of `_logs/IDENTIFIER`. All other paths are those of the file system, also the `date=` directories themselves.
///
/// The directory decides, and not its path: `.` and `..`, symbolic links and relative paths lead to the same log.
package final class LakeFileSystem: ForwardingFileSystem {
  package let base: any LogFileSystem
  /// The last listings by the directory of the log. A segment never moves to another day.
  private let listings = Locked<[ExactName: [String: String]]>([:])
  /// Where the paths of directories lead. A symbolic link that is replaced later leads to the same log as before.
  private let resolved = Locked<[ExactName: ShippedPlace?]>([:])

  /// Maps the name of a segment of a log to its file, for a few logs at a time: the entries of one take up to some megabytes.
  private static let listingLimit = 16
  /// A log has a few directories. The entries take some hundred kilobytes.
  private static let resolvedLimit = 1_000

  package init(_ base: any LogFileSystem) {
    self.base = (base as? LakeFileSystem)?.base ?? base
  }

  /// Returns the file system behind a view; any other one as it is.
  package static func unviewed(_ fileSystem: any LogFileSystem) -> any LogFileSystem {
    (fileSystem as? LakeFileSystem)?.base ?? fileSystem
  }

  /// Returns a view and the directory of the log if a path is a shipped log, otherwise the path and the file system themselves.
  package static func viewing(
    _ path: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> (path: String, fileSystem: any LogFileSystem) {
    guard let directory = try shippedDirectory(path, fileSystem) else { return (path, fileSystem) }
    return (directory, fileSystem is LakeFileSystem ? fileSystem : LakeFileSystem(fileSystem))
  }

  package static func isShippedLog(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> Bool {
    try shippedDirectory(path, fileSystem) != nil
  }

  /// Returns the directory of a shipped log, `LAKE/model=NAME/log=IDENTIFIER`, whatever path leads to it.
  ///
  /// - Returns: `nil` if the path is not a shipped log.
  package static func shippedDirectory(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) -> String? {
    let view = fileSystem as? LakeFileSystem ?? LakeFileSystem(fileSystem)
    let place = try LogError.files("the log cannot be read", at: path) { () throws(FileSystemError) in
      try view.place(ofDirectory: path)
    }
    return place?.rest.isEmpty == true ? place?.directory : nil
  }

  /// Returns the file in the lake of a path in a shipped log; any other path, and one that was not listed, as it is.
  package func fileInLake(_ path: String) -> String {
    guard let place = resolution(of: LogFolder.parent(of: path))?.appending(Self.name(of: path)) else {
      return path
    }
    guard let name = place.segmentName else { return place.rest.isEmpty ? path : place.sidePath }
    return listings.withLock { listings in listings[ExactName(place.directory)]?[name] } ?? path
  }

  /// Returns the path of the tail of a shipped log if there is one that is not the beginning of a segment, so that it is not read.
  package func unusableTail(ofLogIn directory: String) throws(LogError) -> String? {
    guard let place = resolution(of: directory) else { return nil }
    return try LogError.files("the log cannot be read", at: place.tailPath) { () throws(FileSystemError) in
      guard try tail(place) == nil, try base.status(of: place.tailPath) != nil else { return nil }
      return place.tailPath
    }
  }

  // MARK: Places

  private func place(of path: String) throws(FileSystemError) -> ShippedPlace? {
    let name = Self.name(of: path)
    if name == "." || name == ".." { return try place(ofDirectory: path) }
    return try existing(resolution(of: LogFolder.parent(of: path))?.appending(name))
  }

  /// Returns the place of a directory of a shipped log, or of the log; `nil` for any other path.
  private func place(ofDirectory path: String) throws(FileSystemError) -> ShippedPlace? {
    try existing(resolution(of: path))
  }

  /// Returns a place unless its directory is missing or a log of its own, which may have such a name.
  private func existing(_ place: ShippedPlace?) throws(FileSystemError) -> ShippedPlace? {
    guard let place else { return nil }
    if listings.withLock({ listings in listings[ExactName(place.directory)] }) != nil { return place }
    guard try base.status(of: place.directory)?.kind == .directory,
      try !base.names(in: place.directory).contains(where: { name in
        name == LogFormat.headName || SegmentName.first(of: name) != nil
      })
    else { return nil }
    return place
  }

  private static func name(of path: String) -> Substring {
    let path = LogFolder.trimmed(path)
    return path.lastIndex(of: "/").map { slash in path[path.index(after: slash)...] } ?? path[...]
  }

  /// Returns where the path of a directory leads, which need not exist; `nil` if that is not in a lake.
  private func resolution(of path: String) -> ShippedPlace? {
    guard !path.isEmpty else { return nil }
    if let known = resolved.withLock({ resolved in resolved[ExactName(path)] }) { return known }
    let typed = ShippedPlace(path)
    let place: ShippedPlace?
    do throws(FileSystemError) {
      // The path as it was typed is shown in messages, if nothing but the path of the lake differs.
      if let actual = ShippedPlace(try base.canonicalPath(of: path)) {
        place = if let typed, try isSame(typed, actual) { typed } else { actual }
      } else {
        place = typed
      }
    } catch {
      // The call that follows reports the reason.
      return typed
    }
    resolved.withLock { resolved in
      if resolved.count >= Self.resolvedLimit { resolved.removeAll() }
      resolved[ExactName(path)] = .some(place)
    }
    return place
  }

  private func isSame(_ typed: ShippedPlace, _ actual: ShippedPlace) throws(FileSystemError) -> Bool {
    guard typed.rest == actual.rest else { return false }
    let (directory, side) = (try base.canonicalPath(of: typed.directory), try base.canonicalPath(of: typed.side))
    // Compared by bytes: to Swift the two normal forms of `é` are equal, to file systems they are not.
    return directory.utf8.elementsEqual(actual.directory.utf8) && side.utf8.elementsEqual(actual.side.utf8)
  }

  private func actualPath(_ place: ShippedPlace) throws(FileSystemError) -> String {
    guard let name = place.segmentName else { return place.sidePath }
    if let known = listings.withLock({ listings in listings[ExactName(place.directory)]?[name] }),
      known != place.tailPath
    {
      return known
    }
    return try files(place)[name] ?? place.directory + "/" + name
  }

  /// Lists the segments of a shipped log, and remembers their files.
  private func files(_ place: ShippedPlace) throws(FileSystemError) -> [String: String] {
    // Before the segments: when the tail becomes a segment, that is listed or the tail is still there.
    let tail = try tail(place)
    var files = try segmentFiles(place)
    if let tail {
      let name = SegmentName.text(first: tail.first)
      let shippedBytes = try files[name].flatMap { path throws(FileSystemError) in
        try base.status(of: path)?.sizeBytes
      }
      // The segment of a closed log that was opened again is longer in the tail. A segment that another one follows is complete; it
      // can be shorter than the tail, whose values were redacted since.
      let isLast = !files.keys.contains { other in other > name }
      if isLast, tail.sizeBytes > shippedBytes ?? 0 { files[name] = place.tailPath }
    }
    listings.withLock { listings in
      if listings.count >= Self.listingLimit { listings.removeAll() }
      listings[ExactName(place.directory)] = files
    }
    return files
  }

  /// Returns the files of the segments in all `date=` directories, without the tail.
  private func segmentFiles(_ place: ShippedPlace) throws(FileSystemError) -> [String: String] {
    var files: [String: String] = [:]
    for day in try base.names(in: place.directory) where day.hasPrefix("date=") {
      let directory = place.directory + "/" + day
      guard try base.status(of: directory)?.kind == .directory else { continue }
      for name in try base.names(in: directory) where SegmentName.first(of: name) != nil {
        files[name] = files[name] ?? directory + "/" + name
      }
    }
    return files
  }

  /// The first revision and the length of the tail; `nil` without a valid one.
  private func tail(_ place: ShippedPlace) throws(FileSystemError) -> (first: Int, sizeBytes: Int)? {
    guard let status = try base.status(of: place.tailPath), status.kind == .file else { return nil }
    let file: any LogFile
    do throws(FileSystemError) { file = try base.open(place.tailPath, for: .read) } catch {
      // The log was closed and shipped since.
      guard error.code == .notFound else { throw error }
      return nil
    }
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
    guard let place = try place(ofDirectory: directory) else { return try base.names(in: directory) }
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
    guard access == .read else { throw .readOnly("open", path) }
    let actual = try actualPath(place)
    let file = try base.open(actual, for: .read)
    // The tail may have been replaced by that of the next segment.
    guard actual == place.tailPath, let name = place.segmentName,
      try first(of: file, actual).map(SegmentName.text) != name
    else { return file }
    file.close()
    return try base.open(files(place)[name] ?? path, for: .read)
  }

  // MARK: Changing

  package func basePath(toChange path: String, _ operation: String) throws(FileSystemError) -> String {
    if try place(ofDirectory: path) != nil { throw .readOnly(operation, path) }
    return path
  }

  package func copyPermissions(from path: String, to newPath: String) throws(FileSystemError) {
    var source = path
    if let place = try place(of: path), !place.rest.isEmpty { source = try actualPath(place) }
    try base.copyPermissions(from: source, to: basePath(toChange: newPath, "chmod"))
  }
}

/// A path in a shipped log: `LAKE/model=NAME/log=IDENTIFIER/REST`.
private struct ShippedPlace {
  let directory: String
  /// The directory of the log's other files, `LAKE/_logs/IDENTIFIER`.
  let side: String
  let rest: [Substring]

  /// Parses a path; `nil` if it is not in a shipped log, is in one of its `date=` directories, or has `.` or `..`.
  init?(_ path: String) {
    guard path.hasPrefix("log=") || path.contains("/log=") else { return nil }
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    guard !parts.contains(where: { part in part == "." || part == ".." }),
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

  private init?(directory: String, side: String, rest: [Substring]) {
    if rest.first?.hasPrefix("date=") == true { return nil }
    (self.directory, self.side, self.rest) = (directory, side, rest)
  }

  func appending(_ name: Substring) -> ShippedPlace? {
    ShippedPlace(directory: directory, side: side, rest: rest + [name])
  }

  var segmentName: String? {
    guard rest.count == 1, SegmentName.first(of: String(rest[0])) != nil else { return nil }
    return String(rest[0])
  }

  var sidePath: String { ([side[...]] + rest).joined(separator: "/") }

  var tailPath: String { side + "/" + LogFormat.tailName }
}
