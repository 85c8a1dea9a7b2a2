/// Checks whether the files at a log's paths are still those that its writer has open.
///
/// A writer is stale when its log was replaced or another writer continued it: a network file system can lose a lock, and
/// a directory can be replaced by a copy while its files are open. Lengths alone do not reveal that, so these checks
/// compare identities.
struct StaleCheck {
  let fileSystem: any LogFileSystem
  /// The path of the log's directory.
  let path: String

  /// Returns the error for a directory or segment that is not the one that the writer has open; `nil` if both are.
  func replacement(
    ofDirectory directory: FileIdentity?, _ segment: WriterCore.Segment
  ) throws(FileSystemError) -> LogError? {
    if let found = try replacement(of: directory, at: path) {
      return LogError.displaced("the log's directory", found, path: path)
    }
    if let found = try replacement(of: segment.identity, at: segment.path) {
      return LogError.displaced("the segment", found, path: segment.path)
    }
    return nil
  }

  /// Detects a later segment that was begun at any time since the last check. Its name need not follow from this
  /// writer's present position.
  func laterSegment(thanAny position: WriterPosition) throws(FileSystemError) -> LogError? {
    for name in try fileSystem.names(in: path) {
      guard let first = SegmentName.first(of: name), first > position.segment else { continue }
      let next = path + "/" + name
      guard let occupant = try fileSystem.status(of: next) else { continue }
      return LogError.pathTaken(by: occupant, path: next, lastRevision: first - 1)
    }
    return nil
  }

  /// Detects that another writer sealed the active segment: the only change that leaves the segment's length as it
  /// was.
  func laterSegment(than position: WriterPosition) throws(FileSystemError) -> LogError? {
    // A segment without an action is never followed by another one, which would have the same name.
    guard position.holdsAction else { return nil }
    let next = path + "/" + SegmentName.text(first: position.revision + 1)
    guard let occupant = try fileSystem.status(of: next) else { return nil }
    return LogError.pathTaken(by: occupant, path: next, lastRevision: position.revision)
  }

  enum Replacement {
    case isMissing, isAnother
  }

  private func replacement(of held: FileIdentity?, at path: String) throws(FileSystemError) -> Replacement? {
    let status: FileStatus?
    do throws(FileSystemError) { status = try fileSystem.status(of: path) } catch {
      // A path below a file does not exist.
      guard error.code == .notADirectory else { throw error }
      return .isMissing
    }
    guard let status else { return .isMissing }
    guard let held, let found = status.identity else { return nil }
    return held == found ? nil : .isAnother
  }
}

extension LogError {
  /// The error for an occupied path of the next segment.
  static func pathTaken(
    by occupant: FileStatus, path: String, lastRevision: Int, underlying: FileSystemError? = nil
  ) -> LogError {
    let kind =
      switch occupant.kind {
      case .file: "a file of \(occupant.sizeBytes) bytes"
      case .directory: "a directory"
      case .other: "a special file"
      }
    return LogError(
      .failed, "\(kind) already exists at the path of the next segment", path: path,
      revision: lastRevision + 1,
      intact: "It was not changed, and this writer writes nothing more: the log ends with action \(lastRevision).",
      advice:
        "Run \(.verify) to check whether another writer made it; if not, move it away and reopen the log.",
      underlying: underlying)
  }

  /// The error for a log that is no longer at its path.
  fileprivate static func displaced(_ subject: String, _ found: StaleCheck.Replacement, path: String) -> LogError {
    let message =
      switch found {
      case .isMissing: "\(subject) is no longer at its path: it was moved or removed"
      case .isAnother: "\(subject) was replaced: its path no longer leads to what this writer has open"
      }
    return LogError(
      .failed, message, path: path,
      advice: "This writer writes nothing more. Unacknowledged actions may be in what was moved away: check both with"
        + " \(.verify) before a log is opened there again.")
  }
}
