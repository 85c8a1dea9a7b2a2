public import ActionLog

/// The snapshots of a log, in its directory `snapshots/`, or those of one of its projections, in `projections/NAME/`.
///
/// While the reducer stays the same, they are a cache: without them, a replay takes longer and has the same result. After a change
/// of the reducer, the snapshots of the older code hold the states that users saw, and
/// `History.freezeBase(into:at:configuration:)` needs them.
public struct SnapshotStore: Sendable {
  /// The directory of the snapshots.
  public let directory: String

  /// The projection whose snapshots these are, by name; `nil` for those of the model.
  let projection: String?

  private let log: String
  let fileSystem: any LogFileSystem

  private static let suffix = ".json"
  private static let temporarySuffix = ".new"
  /// The largest number of incomplete files for one snapshot, until the next writer removes them: more than the number of processes
  /// that take it at the same time.
  private static let temporaryLimit = 100
  /// The number of digits in a name, so that the names sort by revision.
  private static let digits = 16

  /// Makes the store of the snapshots of a log's model, or of one of its projections.
  ///
  /// - Parameters:
  ///   - log: The path of the log's directory.
  ///   - projection: The name of the projection; `nil` for the model.
  ///   - fileSystem: The file system that holds the log.
  public init(at log: String, projection: String? = nil, fileSystem: any LogFileSystem = POSIXFileSystem()) {
    self.log = log
    self.projection = projection
    let folder = projection.map { name in "\(LogFormat.projectionsName)/\(name)" } ?? LogFormat.snapshotsName
    directory = "\(log)/\(folder)"
    self.fileSystem = fileSystem
  }

  /// Returns the store of a model or projection; `nil` for a single segment.
  static func of<M: Model>(
    _ model: M.Type, _ reader: LogReader, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> SnapshotStore? {
    let projection = M.projection
    if let projection { try projection.check(path: reader.path) }
    if reader.isSingleSegment { return nil }
    return SnapshotStore(at: reader.path, projection: projection?.name, fileSystem: fileSystem)
  }

  package func path(at revision: Int) -> String {
    let number = String(revision)
    return directory + "/" + String(repeating: "0", count: max(0, Self.digits - number.count)) + number + Self.suffix
  }

  /// Returns the revisions that have a snapshot, ascending. Files with other names are ignored.
  ///
  /// - Throws: `LogError.Code.inputOutput` if the directory cannot be read. A missing directory is not an error.
  public func revisions() throws(LogError) -> [Int] {
    try names().compactMap(Self.revision(ofName:)).sorted()
  }

  /// Returns the refusal of all snapshots because of a file or a symbolic link in place of their directory; `nil` if there is none.
  package func obstacle() -> SnapshotRefusal? {
    guard let obstacle = Self.obstacle(at: directory, fileSystem) else { return nil }
    let isOther = obstacle.underlying == nil
    return SnapshotRefusal(
      .unreadable, isOther ? "this is not a directory. \(Self.obstacleAdvice(directory))" : obstacle.message,
      path: directory, revision: 0)
  }

  /// Returns the error of a path that must be a directory if it exists; `nil` if it is one, or missing.
  package static func obstacle(at path: String, _ fileSystem: any LogFileSystem) -> LogError? {
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: path), status.kind != .directory else { return nil }
    } catch {
      return LogError(.inputOutput, "the snapshots cannot be read (\(error))", path: path, underlying: error)
    }
    return LogError(
      .inputOutput, "the snapshots cannot be read: this is not a directory", path: path,
      intact: "The log is not affected: snapshots are derived from it.", advice: obstacleAdvice(path))
  }

  private static func obstacleAdvice(_ path: String) -> MessageText {
    "The snapshots need a directory, not a file or a symbolic link: move away what is at '\(path)'."
  }

  /// Returns the size of the snapshot at a revision; `nil` if there is none or its status cannot be read.
  package func sizeBytes(at revision: Int) -> Int? {
    do throws(FileSystemError) { return try fileSystem.status(of: path(at: revision))?.sizeBytes } catch { return nil }
  }

  package func read(at revision: Int) throws(SnapshotRefusal) -> Snapshot {
    try Snapshot(parsing: try contents(at: revision), revision: revision, path: path(at: revision))
  }

  package func file(at revision: Int) throws(SnapshotRefusal) -> SnapshotFile {
    try SnapshotFile(try contents(at: revision), revision: revision, path: path(at: revision))
  }

  private func contents(at revision: Int) throws(SnapshotRefusal) -> [UInt8] {
    let path = path(at: revision)
    do throws(FileSystemError) {
      return try fileSystem.contents(of: path, limitBytes: Snapshot.limitBytes)
    } catch {
      throw SnapshotRefusal(
        .unreadable, "it cannot be read (\(error))", path: path, revision: revision)
    }
  }

  /// Writes a snapshot atomically: temporary name, sync, rename, sync of the directory.
  ///
  /// The revision must be durable in the log. A snapshot past the end of its log would be refused after a crash.
  @discardableResult
  package func publish(_ snapshot: Snapshot) throws(LogError) -> Int {
    let bytes = snapshot.bytes
    let path = path(at: snapshot.revision)
    guard bytes.count <= Snapshot.limitBytes else {
      throw LogError(
        .beyondLimit, "a snapshot of \(bytes.count) bytes is over the limit of \(Snapshot.limitBytes)", path: path,
        revision: snapshot.revision, intact: "The log is not affected; opening it folds more actions.")
    }
    var temporary: String?
    do throws(FileSystemError) {
      try makeDirectory()
      let (file, name) = try makeTemporary(for: path)
      temporary = name
      defer { file.close() }
      try file.append(bytes)
      try file.sync(.data)
      try fileSystem.rename(name, to: path)
      try fileSystem.syncDirectory(directory)
    } catch {
      if let temporary { clear(temporary) }
      throw LogError(
        error.code == .noSpace ? .noSpace : .inputOutput,
        "a snapshot could not be written (\(error))",
        path: path,
        revision: snapshot.revision,
        intact: "The log is not affected; opening it folds more actions.",
        advice: error.code == .notADirectory && (error.path == directory || directory.hasPrefix(error.path + "/"))
          ? Self.obstacleAdvice(error.path) : nil,
        underlying: error
      )
    }
    return bytes.count
  }

  /// Removes the snapshots that a retention rule does not keep.
  ///
  /// - Parameters:
  ///   - retention: The rule.
  ///   - last: The revision of the newest snapshot that is known to be usable. The rule ignores later ones: in a log that was
  ///     truncated or restored, they would displace the usable ones.
  /// - Returns: The revisions whose snapshots were removed.
  /// - Throws: `LogError` with code `inputOutput` if the directory cannot be listed or a file cannot be removed. The snapshots
  ///   before that one are removed; the log does not depend on any of them.
  @discardableResult
  public func prune(_ retention: SnapshotRetention, through last: Int = .max) throws(LogError) -> [Int] {
    let removed = retention.removed(from: try revisions().filter { revision in revision <= last })
    for revision in removed {
      try remove(path(at: revision))
    }
    return removed
  }

  func remove(at revision: Int) throws(LogError) { try remove(path(at: revision)) }

  func removeAll() throws(LogError) {
    for revision in try revisions() { try remove(path(at: revision)) }
  }

  /// Removes incomplete snapshots of processes that ended. Only the holder of the log's lock may call it.
  package func removeUnfinished() throws(LogError) {
    for name in try names() where name.hasSuffix(Self.temporarySuffix) && name.contains(Self.suffix + ".") {
      try remove(directory + "/" + name)
    }
  }
}

extension SnapshotStore {
  /// Returns the revision in a file's name; `nil` if it is not the name of a snapshot.
  private static func revision(ofName name: String) -> Int? {
    guard name.utf8.count == digits + suffix.utf8.count, name.hasSuffix(suffix) else { return nil }
    let number = name.dropLast(suffix.count)
    guard number.utf8.allSatisfy({ digit in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) }) else {
      return nil
    }
    return Int(number)
  }

  private func names() throws(LogError) -> [String] {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: directory)?.kind == .directory else { return [] }
      return try fileSystem.names(in: directory)
    } catch {
      throw LogError(.inputOutput, "the snapshots cannot be listed (\(error))", path: directory, underlying: error)
    }
  }

  private func remove(_ path: String) throws(LogError) {
    do throws(FileSystemError) {
      try fileSystem.remove(path)
    } catch  where error.code == .notFound {
      // Another process has removed the file already.
    } catch {
      throw LogError(.inputOutput, "a snapshot could not be removed (\(error))", path: path, underlying: error)
    }
  }

  /// Removes the file of a failed attempt, so that it does not take space that the log needs.
  ///
  /// This is tried once. The error to report is the one that ended the attempt, and the next writer removes what is left.
  private func clear(_ temporary: String) {
    do throws(FileSystemError) {
      if try fileSystem.status(of: temporary) != nil { try fileSystem.remove(temporary) }
    } catch {}
  }

  /// Takes the lock on the folder of a projection, so that one process writes its snapshots. Reading needs no lock.
  func lock(for projection: ProjectionIdentity) throws(LogError) -> any DirectoryLock {
    do throws(FileSystemError) {
      try makeDirectory()
      return try fileSystem.lock(directory: directory)
    } catch {
      if error.code == .locked {
        throw LogError(
          .locked, "a runner keeps \(projection) up to date", path: directory,
          advice: "Close it first. Nothing was changed.", underlying: error)
      }
      throw LogError(
        .inputOutput, "the folder of \(projection) cannot be used (\(error))", path: directory,
        advice: "The projection works without snapshots, and is folded from the beginning the next time.",
        underlying: error)
    }
  }

  /// Takes the lock on the folder of a projection.
  func lockUnlessHeld(for projection: ProjectionIdentity) -> (lock: (any DirectoryLock)?, error: LogError?) {
    do throws(LogError) { return (try lock(for: projection), nil) } catch {
      return (nil, error.code == .locked ? nil : error)
    }
  }

  private func makeDirectory() throws(FileSystemError) {
    guard projection != nil else { return try makeDirectory(directory, in: log) }
    let outer = log + "/" + LogFormat.projectionsName
    try makeDirectory(outer, in: log)
    try makeDirectory(directory, in: outer)
  }

  private func makeDirectory(_ directory: String, in parent: String) throws(FileSystemError) {
    if let status = try fileSystem.status(of: directory) {
      // A symbolic link would lead out of the log, and readers do not follow it.
      guard status.kind == .directory else {
        throw FileSystemError(code: .notADirectory, operation: "open", path: directory)
      }
      return
    }
    do throws(FileSystemError) { try fileSystem.createDirectory(directory) } catch {
      // Another process has just created it.
      guard error.code == .exists, try fileSystem.status(of: directory)?.kind == .directory else { throw error }
    }
    try fileSystem.syncDirectory(parent)
  }

  /// Creates a file that no other process writes: another one may take a snapshot at the same revision.
  private func makeTemporary(
    for path: String
  ) throws(FileSystemError) -> (file: any LogFile, path: String) {
    for number in 1..<Self.temporaryLimit {
      let name = path + (number == 1 ? "" : ".\(number)") + Self.temporarySuffix
      do throws(FileSystemError) { return (try fileSystem.open(name, for: .create), name) } catch {
        guard error.code == .exists else { throw error }
      }
    }
    throw FileSystemError(code: .exists, operation: "open", path: path + Self.temporarySuffix)
  }
}
