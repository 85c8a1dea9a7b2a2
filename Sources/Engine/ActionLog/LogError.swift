/// An error of the log.
public struct LogError: DescribedError, Sendable {
  /// The kinds of failure that callers distinguish.
  public enum Code: String, Sendable, CaseIterable {
    /// The path does not exist.
    case notFound
    /// The path is not a log: a directory without segments, or a file that is not a segment.
    case notALog
    /// A file or directory cannot be read or written: missing permission, read-only file system, device failure.
    case inputOutput
    /// No space is left. The rejected batch is not in the log; the writer works again when there is space.
    case noSpace
    /// Another writer holds the log.
    case locked
    /// The log holds invalid bytes that a crash does not explain.
    case damaged
    /// This version does not read the log's format.
    case unsupportedFormat
    /// The log was written for another model.
    case wrongModel
    /// The log has a newer schema than the program.
    case schemaTooNew
    /// An action could not be encoded, or a record breaks a rule of the format.
    case invalidRecord
    /// A record, a name or a nesting depth exceeds a limit of the format.
    case beyondLimit
    /// The log does not have the requested revision.
    case revisionOutOfRange
    /// The revision is before the state that a pruned log begins with.
    case pruned
    /// The batch could not be written; none of it is in the log.
    case rejected
    /// A sync failed: it is unknown whether the batch is durable, and the log accepts nothing more until it is
    /// reopened.
    case failed
    /// The writer or recorder was closed.
    case closed
    /// The path of a new log or file is already in use.
    case exists
    /// An argument or a configuration is invalid.
    case invalidArgument
  }

  /// The kind of failure.
  public var code: Code
  /// The failure: one sentence or fragment in lower case, without the location.
  public var message: String
  /// The file or directory.
  public var path: String?
  /// The line in the file, counted from 1.
  public var line: Int?
  /// The offset of the line in the file, counted from 0.
  public var byteOffset: Int?
  /// The revision at that location, or the one expected there.
  public var revision: Int?
  /// The things that are intact, in complete sentences.
  public var intact: String?
  /// Advice on what to do, in complete sentences.
  public var advice: MessageText?
  /// The error that caused this one.
  public var underlying: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code,
    _ message: String,
    path: String? = nil,
    line: Int? = nil,
    byteOffset: Int? = nil,
    revision: Int? = nil,
    intact: String? = nil,
    advice: MessageText? = nil,
    underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.path = path
    self.line = line
    self.byteOffset = byteOffset
    self.revision = revision
    self.intact = intact
    self.advice = advice
    self.underlying = underlying
  }

  /// The path, the line, the revision and the byte.
  public var location: ErrorLocation {
    ErrorLocation(path: path, line: line, revision: revision, byteOffset: byteOffset)
  }
}

extension LogError {
  package static func files(_ error: FileSystemError, _ what: String, path: String? = nil) -> LogError {
    let path = path ?? error.path
    switch error.code {
    case .notFound:
      return LogError(.notFound, "\(what): the path does not exist", path: path, underlying: error)
    case .notADirectory:
      return LogError(.notALog, "\(what): the path is not a directory", path: path, underlying: error)
    case .notARegularFile:
      return LogError(
        .notALog,
        "\(what): \(error.isSymbolicLink ? "the path leads to a symbolic link, or in a circle of them" : "not a regular file")",
        path: path, advice: error.isSymbolicLink ? "Use the path that the link points to." : nil, underlying: error)
    case .exists:
      return LogError(.exists, "\(what): the path already exists", path: path, underlying: error)
    case .noSpace:
      return LogError(.noSpace, "\(what): no space is left", path: path, underlying: error)
    case .locked:
      let holder = error.holder.map { process in " (process \(process))" } ?? ""
      return LogError(
        .locked, "another writer holds the log\(holder)", path: path,
        intact: "Readers can open the log at any time.",
        advice: "A second writer must wait until the first one closes it.",
        underlying: error)
    case .fileTooLarge:
      return LogError(
        .inputOutput, "\(what) (\(error))", path: path, advice: fileSizeAdvice, underlying: error)
    case .notEmpty, .permissionDenied, .readOnlyFileSystem, .inputOutput:
      return LogError(
        .inputOutput, "\(what) (\(error))", path: path, advice: error.isDescriptorShortage ? descriptorAdvice : nil,
        underlying: error)
    }
  }

  /// Makes calls of a file system, and converts the error of the one that fails; see ``files(_:_:path:)``.
  ///
  /// - Parameter path: The path to report; `nil` for that of the failed call.
  package static func files<Value>(
    _ what: String, at path: String? = nil, _ calls: () throws(FileSystemError) -> Value
  ) throws(LogError) -> Value {
    do throws(FileSystemError) { return try calls() } catch { throw files(error, what, path: path) }
  }

  /// Makes calls of a file system that create a file or directory; see ``making(_:_:path:)``.
  package static func making<Value>(
    _ what: String, at path: String? = nil, _ calls: () throws(FileSystemError) -> Value
  ) throws(LogError) -> Value {
    do throws(FileSystemError) { return try calls() } catch { throw making(error, what, path: path) }
  }

  /// Returns the result of a closure; `nil` if it throws an error with the code `damaged`.
  package static func unlessDamaged<Value>(_ body: () throws(LogError) -> Value?) throws(LogError) -> Value? {
    do throws(LogError) { return try body() } catch {
      guard error.code == .damaged else { throw error }
      return nil
    }
  }

  /// Whether the error comes from a call for a file or directory that other files do not share, such as one that is not readable.
  package var concernsFile: Bool { (underlying as? FileSystemError)?.concernsFile ?? false }

  /// Whether the contents of a file are damaged, or cannot be read while other files can.
  package var isOfUnusableFile: Bool { code == .damaged || concernsFile }

  private static let descriptorAdvice: MessageText =
    "Nothing is lost. Close logs that are not in use, or raise the limit of open files ('ulimit -n')."

  /// Returns the error for a segment that cannot be opened or read.
  ///
  /// If the name of a segment belongs to something other than a regular file, the log is damaged: the segment is
  /// missing.
  package static func segment(_ error: FileSystemError, _ what: String, path: String) -> LogError {
    switch error.code {
    case .notARegularFile:
      return LogError(
        .damaged, "the segment is not a regular file", path: path,
        advice: .sentences(
          error.isSymbolicLink ? "Symbolic links are not followed." : nil,
          "Restore the segment from a copy if there is one.", .fullReport),
        underlying: error)
    case .permissionDenied:
      var failure = files(error, what, path: path)
      failure.advice = "Its owner can make it readable. Run \(.verify) to see what else is intact."
      return failure
    case .inputOutput where error.concernsFile:
      var failure = files(error, what, path: path)
      failure.advice = "Run \(.verify) to see what is intact, and \(.salvage) to save it."
      return failure
    default:
      return files(error, what, path: path)
    }
  }

  /// Returns the same error, with the revision of its position and the range of intact actions before it.
  ///
  /// - Parameters:
  ///   - lastRevision: The last revision before the position.
  ///   - firstRead: The first action of the range up to `lastRevision` that was read completely; `nil` if there is none.
  func positioned(after lastRevision: Int, firstRead: Int?) -> LogError {
    guard revision == nil, underlying is FileSystemError, advice != nil else { return self }
    var copy = self
    copy.revision = min(lastRevision, LogFormat.revisionLimit - 1) + 1
    copy.intact = Self.intact(from: firstRead, through: lastRevision)
    return copy
  }

  /// Returns the error with the intact range beginning at `first`; another error than damage is unchanged.
  package func reading(from first: Int) -> LogError {
    guard code == .damaged, let revision, first < revision else { return self }
    var copy = self
    copy.intact = Self.intact(from: first, through: revision - 1)
    return copy
  }

  /// Advice for a file that the system does not allow to grow. There may be enough space.
  static let fileSizeAdvice: MessageText =
    "The process ('ulimit -f') or the file system limits the size of one file: raise the limit or use smaller segments."

  /// Returns the error for a path that is neither a directory nor a file, such as `the log cannot be read: it is a symbolic link`.
  package static func oddPath(_ path: String, _ status: FileStatus, _ what: String) -> LogError {
    status.isSymbolicLink
      ? LogError(
        .notALog, "\(what): the path is a symbolic link, which is not followed", path: path,
        advice: "Use the path that the link points to.")
      : LogError(.notALog, "\(what): the path is a device, pipe or socket", path: path)
  }

  /// Returns the error for a directory that cannot be created. Only a missing parent directory is reported as
  /// `notFound`.
  package static func making(_ error: FileSystemError, _ what: String, path: String? = nil) -> LogError {
    guard error.code == .notFound else { return files(error, what, path: path) }
    return LogError(
      .notFound, "\(what): the parent directory does not exist", path: path ?? error.path,
      advice: "Create that directory first.", underlying: error)
  }

  /// Returns the error for an invalid line.
  ///
  /// Its `seq` is the revision after the last valid one.
  ///
  /// - Parameter firstRead: The first action of the range up to `lastRevision` that was read completely; `nil` if there is
  ///   none.
  package static func damage(
    _ message: String, path: String, line: Int?, byteOffset: Int, lastRevision: Int, firstRead: Int?
  ) -> LogError {
    LogError(
      .damaged,
      message,
      path: path,
      line: line,
      byteOffset: byteOffset,
      revision: min(lastRevision, LogFormat.revisionLimit - 1) + 1,
      intact: intact(from: firstRead, through: lastRevision),
      advice: .fullReport)
  }

  package static func fault(
    _ fault: LineFault, path: String, line: Int?, byteOffset: Int, lastRevision: Int, firstRead: Int?
  ) -> LogError {
    if case .unsupportedFormat = fault {
      return LogError(
        .unsupportedFormat, fault.message, path: path, line: line, byteOffset: byteOffset,
        advice: "It was written by a newer version of the engine.")
    }
    return damage(
      fault.message, path: path, line: line, byteOffset: byteOffset, lastRevision: lastRevision, firstRead: firstRead)
  }

  package static func damage(
    _ reason: DamageReason, _ fault: LineFault?, path: String, line: Int?, byteOffset: Int, lastRevision: Int,
    firstRead: Int?
  ) -> LogError {
    if let fault {
      var error = LogError.fault(
        fault, path: path, line: line, byteOffset: byteOffset, lastRevision: lastRevision, firstRead: firstRead)
      if case .tailTooLong = reason { error.message += ", and \(reason.message)" }
      return error
    }
    let message =
      reason == .noHeader ? "the segment is empty" : "the log was truncated (\(reason.message))"
    return damage(
      message, path: path, line: line, byteOffset: byteOffset, lastRevision: lastRevision, firstRead: firstRead)
  }

  /// Returns the error for an action that would follow an action of a newer schema.
  package static func olderSchema(_ schema: Int, inForce: Int, revision: Int, path: String) -> LogError {
    LogError(
      .invalidRecord,
      "action \(revision) has schema \(schema), but an earlier action has schema \(inForce)",
      path: path, revision: revision,
      advice:
        "No writer of this engine returns to an older schema. Run \(.operation("compat")) to see the schemas in the log."
    )
  }

  /// Returns the sentence about intact actions, such as `Actions 1…46 are intact.` It covers only actions that were
  /// read.
  ///
  /// - Parameter first: The first action of the range that was read completely; `nil` if there is none.
  package static func intact(from first: Int?, through last: Int) -> String {
    guard let first, first <= last else {
      return last <= 0 ? "No action was read before it." : "The actions before it were not read."
    }
    let text = first == last ? "Action \(last) is intact" : "Actions \(first)…\(last) are intact"
    return text + (first > 1 ? "; those before were not read." : ".")
  }
}
