internal import Platform

/// Reads every byte of a log and reports everything that is wrong with it.
public enum LogVerifier {
  /// Verifies a log, or a single segment. Changes nothing and takes no lock.
  ///
  /// The lines are compared with the stored checkpoints of the log in the same pass. A log in a lake is compared with the manifest of
  /// what was shipped, which shows whether the newest segments are missing.
  ///
  /// - Parameters:
  ///   - path: The log's directory, or a segment file.
  ///   - fileSystem: The file system.
  ///   - progress: Called periodically with the number of bytes read and the total.
  /// - Returns: The report. Damage is a result, not an error, and so is an unreadable segment of a log.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `unsupportedFormat`, or `inputOutput` if the directory
  ///   or the single file cannot be read, or the process lacks file descriptors or memory.
  /// - Complexity: O(length of the log); memory O(longest line + number of redacted lines + number of stored checkpoints).
  public static func verify(
    at path: String,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    progress: (_ bytesRead: Int, _ bytesTotal: Int) -> Void = { _, _ in }
  ) throws(LogError) -> LogReport {
    let path = LogFolder.trimmed(path)
    let isShipped = try LakeFileSystem.isShippedLog(path, fileSystem)
    let fileSystem = isShipped ? LakeFileSystem(fileSystem) : fileSystem
    // Before the segments: what it lists is there.
    let manifest = try isShipped ? ManifestCheck(path, fileSystem) : nil
    let plan = try VerificationPlan(path, fileSystem)
    var verification = try Verification(plan, fileSystem)
    for index in plan.segments.indices { try verification.read(segment: index, progress) }
    verification.finish(isShipped: isShipped)
    try manifest?.finish(&verification.report)
    return verification.report
  }
}
