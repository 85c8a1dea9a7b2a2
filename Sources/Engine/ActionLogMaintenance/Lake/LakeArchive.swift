import ActionLog

/// A lake as the archive of a pruned log, whose segments were shipped there and are not copied again.
///
/// A segment counts as archived if the manifest of the lake lists it with the digest of the log's file, and reading it back from the
/// lake gives the same digest.
struct LakeArchive {
  /// The directory of the log's segments in the lake.
  let directory: String

  private let root: String
  private let manifestPath: String
  private let fileSystem: any LogFileSystem

  private static let failure = "the segments cannot be archived in the lake"
  private static let intact = "Nothing was removed."
  private static let shippingAdvice: MessageText = "Ship the log first: \(.operation("ship", "LOG", "LAKE"))."

  /// Finds the lake at a path.
  ///
  /// - Returns: `nil` if the path is another directory, or does not exist.
  init?(at path: String, of log: LogHeader, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.fileSystem = LakeFileSystem.unviewed(fileSystem)
    let shipped = try LakeFileSystem.shippedDirectory(path, self.fileSystem)
    do throws(FileSystemError) {
      if let shipped {
        root = LogFolder.parent(of: LogFolder.parent(of: shipped))
      } else {
        guard try Self.isLake(path, self.fileSystem) else { return nil }
        root = path
      }
    } catch {
      throw LogError.files(error, Self.failure, path: path)
    }
    directory = ShippedSegment.directories(of: log, in: root)[2]
    manifestPath = root + "/_logs/" + log.log + "/" + LogFormat.manifestName
    guard shipped.map({ shipped in shipped.utf8.elementsEqual(directory.utf8) }) ?? true else {
      throw LogError(
        .invalidArgument, "\(Self.failure): the directory is that of another log", path: path, intact: Self.intact,
        advice: "The log is '\(directory)' there.")
    }
  }

  /// Whether a directory has the shipped logs of a lake; `false` if the path is not a directory.
  private static func isLake(_ path: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) -> Bool {
    do throws(FileSystemError) { return try fileSystem.status(of: path + "/_logs")?.kind == .directory } catch {
      guard error.code == .notADirectory else { throw error }
      return false
    }
  }

  /// Checks that the lake has segments, byte for byte.
  ///
  /// - Parameter expected: What was read of them, in the same order; `nil` to read them now and to change nothing. With it, the copies
  ///   in the lake are made durable, because the segments are removed next.
  func check(_ segments: [LogFolder.Segment], _ expected: [PruneRecord.Segment]?) throws {
    let manifest = try ShippingManifest(at: manifestPath, ofLogIn: directory, fileSystem)
    guard !manifest.entries.isEmpty else {
      throw LogError(
        .notFound, "\(Self.failure): it has no manifest of this log", path: manifestPath, intact: Self.intact,
        advice: Self.shippingAdvice)
    }
    let copying = SegmentCopying(fileSystem: fileSystem, failure: Self.failure)
    var directories: Set<String> = []
    for (index, segment) in segments.enumerated() {
      let sha256 = try expected?[index].sha256 ?? fileSystem.sha256(of: segment.path, failure: Self.failure)
      let entry = try entry(of: segment, sha256, in: manifest)
      let target = root + "/" + entry.path
      guard try copying.exists(target) else {
        throw LogError(
          .notFound, "\(Self.failure): the manifest lists the segment, which is missing", path: target,
          intact: Self.intact, advice: "Ship the log again. If the segments are in another store, fetch them first.")
      }
      try copying.checkIsCopy(target, of: segment)
      let copied =
        try expected == nil
        ? fileSystem.sha256(of: target, failure: Self.failure) : copying.syncedDigest(of: target)
      guard copied == sha256 else { throw Self.otherCopy(target) }
      directories.insert(LogFolder.parent(of: target))
    }
    if expected != nil { try sync(directories) }
  }

  private func entry(
    of segment: LogFolder.Segment, _ sha256: String, in manifest: ShippingManifest
  ) throws(LogError) -> ShippingManifest.Entry {
    guard let entry = manifest.entries[segment.first] else {
      throw LogError(
        .notFound, "\(Self.failure): the segment was not shipped there", path: segment.path, revision: segment.first,
        intact: Self.intact, advice: Self.shippingAdvice)
    }
    // The path is read from a file: it must not lead out of the directory of the log.
    let parts = entry.path.split(separator: "/", omittingEmptySubsequences: false)
    let isInside =
      parts.count == 4 && parts[..<2].joined(separator: "/") == directory.dropFirst(root.utf8.count + 1)
      && parts[2].hasPrefix("date=") && parts[3] == SegmentName.text(first: segment.first)
    guard isInside, entry.sha256 == sha256 else {
      throw LogError(
        .damaged, "\(Self.failure): the manifest lists another form of the segment", path: segment.path,
        revision: segment.first, intact: Self.intact,
        advice: "Values may have been redacted since it was shipped: ship the log again. "
          + "Otherwise, run \(.verify) on the log and on \(directory).")
    }
    return entry
  }

  private static func otherCopy(_ path: String) -> LogError {
    LogError(
      .damaged, "\(failure): the copy is not the segment", path: path, intact: intact,
      advice: "Verify the log in the lake with \(.verify), and ship the segment again.")
  }

  /// Makes the names of the copies and of the manifest durable: a program that fills a lake may not have done so.
  ///
  /// - Parameter directories: Those of the copies; none if the segments are stored elsewhere.
  private func sync(_ directories: Set<String>) throws(LogError) {
    try LogError.files(Self.failure) { () throws(FileSystemError) in
      try fileSystem.syncFile(manifestPath)
      let side = LogFolder.parent(of: manifestPath)
      // Another program may have stored all segments elsewhere: then the lake has no directory of them.
      let outer = directories.isEmpty ? [] : [directory, LogFolder.parent(of: directory)]
      let others = [root, side, LogFolder.parent(of: side), LogFolder.parent(of: root)]
      for directory in directories.sorted() + outer + others { try fileSystem.syncDirectory(directory) }
    }
  }
}
