/// Reads a log from the first byte to the last and says everything that is to be said about it.
public enum LogVerifier {
  /// Verifies a log, or one segment of a log by itself. Nothing is changed, no lock is taken.
  ///
  /// - Parameters:
  ///   - path: The log's directory, or a segment file.
  ///   - fileSystem: The door to the disk.
  ///   - progress: Is told now and then how many bytes of how many were read.
  /// - Returns: The report: a damaged log is a result, not an error, and so is a segment of it that cannot be read.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `unsupportedFormat`, or `inputOutput` when the directory or the single
  ///   file cannot be read, or the process lacks files or memory to read any.
  /// - Complexity: O(length of the log); memory O(longest line).
  public static func verify(
    _ path: String,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    progress: (_ bytesRead: Int, _ bytesTotal: Int) -> Void = { _, _ in }
  ) throws(LogError) -> LogReport {
    let path = LogFolder.trimmed(path)
    let plan = try VerificationPlan(path, fileSystem)
    var verification = Verification(plan, fileSystem)
    for index in plan.segments.indices { try verification.read(segment: index, progress) }
    verification.finish()
    return verification.report
  }
}

/// What there is to verify.
struct VerificationPlan {
  var segments: [LogFolder.Segment]
  var sizes: [Int] = []
  var isSingle: Bool
  var evidence = HeadEvidence()
  var hasHead = false
  var headPath = ""
  var unfinished: [String] = []

  var totalBytes: Int { sizes.reduce(0, +) }

  init(_ path: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    do throws(FileSystemError) {
      guard let status = try fileSystem.status(of: path) else {
        throw FileSystemError(code: .notFound, operation: "lstat", path: path)
      }
      guard status.kind != .other else {
        throw FileSystemError(code: .notARegularFile, operation: "lstat", path: path)
      }
      isSingle = status.kind == .file
    } catch {
      guard error.code != .notARegularFile else { throw .neitherDirectoryNorFile(path) }
      throw LogError.files(error, "the log cannot be read")
    }
    if isSingle {
      segments = [LogFolder.Segment(first: 0, path: path)]
    } else {
      evidence = try HeadEvidence(path, fileSystem)
      let folder = try LogFolder.list(path, fileSystem)
      hasHead = folder.hasHead
      headPath = folder.headPath
      unfinished = folder.unfinished
      segments = folder.segments
    }
    for segment in segments { sizes.append(segment.sizeBytes(fileSystem)) }
    guard !segments.isEmpty || hasHead else { throw LogError(.notALog, "the directory holds no segment", path: path) }
  }
}
