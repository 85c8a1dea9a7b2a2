/// Copies a log, also while a writer is at work on it.
public enum LogBackup {
  /// Copies a log with its snapshots and marks into a new directory, makes the copy durable, and verifies it.
  ///
  /// `HEAD` is read first, so that what it says durable is in the copy. Snapshots come before the segments, so that none
  /// is ahead of them. An unfinished line at the end is left out, and so are `HEAD`, marks and snapshots that cannot be read:
  /// ``BackupReport/leftOut``. The quarantine is not copied. Damage is copied as it is; ``BackupReport/verification`` tells of it.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - target: A path at which nothing lies, or an empty directory; not within the log.
  ///   - fileSystem: The door to the disk.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `exists`, `invalidArgument`, `locked`, `noSpace`, `inputOutput`,
  ///   `damaged` when the first line does not check or no regular file lies at the name of a segment.
  ///   Nothing is at the target then, unless only its name could not be made durable: the copy is made beside it, as
  ///   `TARGET.unfinished`, and gets its name when it is whole.
  /// - Complexity: O(length of the log); memory O(longest line).
  public static func backup(
    _ path: String, to target: String, fileSystem: any LogFileSystem = POSIXFileSystem()
  ) throws(LogError) -> BackupReport {
    let reader = try LogReader.open(path, fileSystem: fileSystem)
    guard !reader.isSingleSegment else {
      throw LogError(.notALog, "a log is copied as a whole, by its directory", path: path)
    }
    let target = LogFolder.trimmed(target)
    try LogFolder.check(target, isOutside: reader.path, fileSystem, "a copy")
    let directory = try NewDirectory(at: target, fileSystem, failure: failure)
    do throws(LogError) {
      var report = try copy(reader.path, to: directory.path, fileSystem)
      report.verification = try LogVerifier.verify(directory.path, fileSystem: fileSystem)
      report.verification.move(from: directory.path, to: target)
      try directory.finish(failure: failure)
      return report
    } catch {
      directory.discard()
      throw error
    }
  }

  private static let failure = "the log cannot be copied"

  private static func copy(
    _ path: String, to target: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> BackupReport {
    let head = try HeadEvidence(path, fileSystem)
    var copy = BackupCopy(source: path, target: target, fileSystem: fileSystem)
    do throws(FileSystemError) { try copy.run(head) } catch {
      if error.code == .notARegularFile { throw LogError.segment(error, failure, path: error.path) }
      throw LogError.files(error, failure)
    }
    guard copy.hasSegment else {
      throw LogError(.notALog, "\(failure): its segments are gone since the copying began", path: path)
    }
    guard copy.isSettled else {
      throw LogError(
        .inputOutput, "the log has changed while it was copied", path: path,
        advice: "A writer takes back what there is no space for; copy the log when it has come to rest.")
    }
    return copy.report
  }
}
