/// Converts a log that is a single file to a directory.
package enum SegmentFile {
  /// Copies a file to a new directory as the first segment of a log, and makes the copy durable.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - target: A path that does not exist, or an empty directory.
  ///   - fileSystem: The file system.
  ///   - check: Receives the path of the unfinished copy, may refuse it by throwing, and returns the marks to store
  ///     with it.
  /// - Throws: ``LogError`` with code `notFound`, `exists`, `locked`, `noSpace`, `inputOutput`, or the error that
  ///   `check` throws. The target does not exist then.
  /// - Complexity: O(length of the file); memory O(1).
  package static func unpack(
    _ path: String, to target: String, fileSystem: any LogFileSystem, check: (_ copy: String) throws -> [UInt8]
  ) throws {
    let target = LogFolder.trimmed(target)
    let directory = try NewDirectory(at: target, fileSystem, failure: "the log cannot be created")
    do {
      let copy = directory.path + "/" + SegmentName.text(first: 1)
      try fileSystem.copy(path, to: copy)
      let marks = try check(copy)
      if !marks.isEmpty { try fileSystem.createFile(directory.path + "/" + LogFormat.marksName, with: marks) }
      try directory.finish()
    } catch {
      directory.discard()
      guard let error = error as? FileSystemError else { throw error }
      throw LogError.files(error, "the log cannot be created")
    }
  }
}

/// A new log in a single file: one segment, which begins with the first action.
///
/// It gets its path when it is complete.
package struct SegmentFileSink: LogSink {
  /// The size of a unit that is written at once.
  private static let unitBytes = 1 << 20

  package let schema: Int
  package private(set) var lastRevision = 0

  private let directory: NewDirectory
  private let target: String
  private let fileSystem: any LogFileSystem
  private let writer: LogWriter
  private let configuration: LogConfiguration
  private var drafts: [LogDraft] = []
  private var draftBytes = 0

  /// Begins a log next to its path, in `TARGET.unfinished`.
  ///
  /// - Parameters:
  ///   - target: A path that does not exist.
  ///   - model: The name of the model.
  ///   - schema: The schema of all actions.
  ///   - parent: The log that it is derived from, and the revision that it begins at.
  ///   - isRedactable: Whether its lines have salts.
  ///   - fileSystem: The file system.
  ///   - environment: The clock and the identifier of the new log.
  /// - Throws: ``LogError`` with code `exists`, `locked`, `invalidArgument`, `notFound`, `noSpace`, `inputOutput`.
  package init(
    to target: String, model: String, schema: Int, parent: LogHeader.Parent, isRedactable: Bool,
    fileSystem: any LogFileSystem, environment: LogEnvironment
  ) throws(LogError) {
    self.target = target
    self.schema = schema
    self.fileSystem = fileSystem
    configuration = LogConfiguration(
      durability: .written, segmentLimitBytes: .max, environment: environment, redactable: isRedactable)
    do throws(FileSystemError) {
      guard try fileSystem.status(of: target) == nil else {
        throw FileSystemError(code: .exists, operation: "open", path: target)
      }
      directory = try NewDirectory(at: target, fileSystem)
    } catch {
      throw Self.failure(error, target)
    }
    do throws(LogError) {
      writer = try LogWriter.open(
        at: directory.path, model: model, schema: schema, parent: parent, fileSystem: fileSystem,
        configuration: configuration)
    } catch {
      directory.discard()
      throw error
    }
  }

  package mutating func append(_ draft: LogDraft, schema: Int) throws(LogError) {
    precondition(schema == self.schema || draft.isControl, "a single segment has one schema")
    guard !draft.isSkipped else {
      throw LogError(
        .invalidArgument,
        "a redaction excludes action \(lastRevision + 1) of the range from replays, which a single file cannot state",
        path: target, advice: "Choose a range without it.")
    }
    drafts.append(draft)
    draftBytes += WriterQueue.room(for: draft, isSalted: configuration.redactable)
    if !draft.isControl { lastRevision += 1 }
    if draftBytes >= Self.unitBytes { try flush() }
  }

  package mutating func finish() throws(LogError) {
    try flush()
    try writer.closeNow()
    do throws(FileSystemError) {
      try fileSystem.renameWithoutReplacing(directory.path + "/" + SegmentName.text(first: 1), to: target)
      try fileSystem.syncDirectory(LogFolder.parent(of: target))
    } catch {
      throw Self.failure(error, target)
    }
    directory.discard()
  }

  package func discard() {
    writer.abandon()
    directory.discard()
  }

  private static func failure(_ error: FileSystemError, _ target: String) -> LogError {
    var failure = LogError.making(error, "the file cannot be created", path: target)
    if failure.code == .exists { failure.advice = "Name a file that does not exist yet." }
    return failure
  }

  private mutating func flush() throws(LogError) {
    guard !drafts.isEmpty else { return }
    _ = try writer.writeNow(drafts)
    drafts.removeAll(keepingCapacity: true)
    draftBytes = 0
  }
}
