/// What `HEAD` says, or why it says nothing.
struct HeadEvidence {
  /// `nil` when there is no `HEAD`, or none that says anything.
  private(set) var head: LogHead?
  /// Whether there is one that does not parse: ignored, and reported.
  private(set) var isIllegible = false
  /// Why the one that there is cannot be read: readers do without it, and say so; no writer goes on.
  private(set) var failure: LogError?

  /// Of a log without `HEAD`.
  init() {}

  /// Reads `HEAD`.
  ///
  /// Before the listing and the segments: then what it says durable is in what is read afterwards.
  ///
  /// - Throws: ``LogError`` when the process lacks what it takes to read any file.
  init(_ directory: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    let path = directory + "/" + LogFormat.headName
    do throws(FileSystemError) {
      guard let bytes = try Self.bytes(path, fileSystem) else { return }
      head = LogHead(parsing: bytes)
      isIllegible = head == nil
    } catch {
      let failure = LogError.head(error, path)
      guard error.isOfTheFile else { throw failure }
      self.failure = failure
    }
  }

  /// The same, for who must not go on without knowing what was durable.
  ///
  /// - Throws: ``LogError`` when there is a `HEAD` that cannot be read.
  static func forWriting(_ directory: String, _ fileSystem: any LogFileSystem) throws(LogError) -> HeadEvidence {
    let evidence = try HeadEvidence(directory, fileSystem)
    if let failure = evidence.failure { throw failure }
    return evidence
  }

  /// What there is of it, up to one byte more than it has.
  private static func bytes(
    _ path: String, _ fileSystem: any LogFileSystem
  ) throws(FileSystemError) -> [UInt8]? {
    guard let status = try fileSystem.status(of: path) else { return nil }
    guard status.kind == .file else {
      throw FileSystemError(code: .notARegularFile, operation: "open", path: path)
    }
    let file = try fileSystem.open(path, for: .read)
    defer { file.close() }
    return try file.bytes(at: 0, count: LogFormat.headSizeBytes + 1)
  }
}

extension LogError {
  /// An error of reading `HEAD`, which is there.
  fileprivate static func head(_ error: FileSystemError, _ path: String) -> LogError {
    LogError(
      .inputOutput, "HEAD cannot be read (\(error))", path: path,
      advice: error.isOfTheFile
        ? "It says how far the log is durable, and no writer goes on without knowing; readers do. Let it be a file that can be "
          + "read, or, if it is lost, move it away: nothing tells then whether the end of the log is missing."
        : nil,
      underlying: error)
  }
}
