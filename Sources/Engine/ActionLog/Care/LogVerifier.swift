/// Reads every byte of a log and reports everything that is wrong with it.
public enum LogVerifier {
  /// Verifies a log, or a single segment. Changes nothing and takes no lock.
  ///
  /// The lines are compared with the stored checkpoints of the log in the same pass. A log in a lake is compared with the manifest of
  /// what was shipped, which shows whether the newest segments are missing.
  ///
  /// The report is the same whatever the number of jobs. With several, each reads one segment by itself; the checksum chain, the
  /// checkpoints and the redactions are then followed from segment to segment, and a segment with a problem is read a second time.
  ///
  /// - Parameters:
  ///   - path: The log's directory, or a segment file.
  ///   - jobs: The number of segments that are read at the same time, each on a thread of its own.
  ///   - fileSystem: The file system.
  ///   - progress: Called periodically with the number of bytes read and the total.
  /// - Returns: The report. Damage is a result, not an error, and so is an unreadable segment of a log.
  /// - Throws: ``LogError`` with code `notFound`, `notALog`, `unsupportedFormat`, or `inputOutput` if the directory
  ///   or the single file cannot be read, or the process lacks file descriptors or memory.
  /// - Complexity: O(length of the log); memory O(`jobs` × longest line + number of redacted lines + number of stored checkpoints).
  ///   If there are checkpoints, each job has 64 bytes for every line of a segment.
  public static func verify(
    at path: String,
    jobs: Int = 1,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    progress: (_ bytesRead: Int, _ bytesTotal: Int) -> Void = { _, _ in }
  ) throws(LogError) -> LogReport {
    try verify(at: path, jobs: jobs, fileSystem: fileSystem, progress: progress, counting: { _ in })
  }

  /// Verifies a log, like ``verify(at:jobs:fileSystem:progress:)``.
  ///
  /// - Parameter counting: Receives the counts of what was done.
  package static func verify(
    at path: String, jobs: Int, fileSystem: any LogFileSystem, progress: (Int, Int) -> Void = { _, _ in },
    counting: (VerificationWork) -> Void
  ) throws(LogError) -> LogReport {
    let (path, fileSystem) = try LakeFileSystem.viewing(LogFolder.trimmed(path), fileSystem)
    let isShipped = try LakeFileSystem.isShippedLog(path, fileSystem)
    // Before the segments: what it lists is there.
    let manifest = try isShipped ? ManifestCheck(path, fileSystem) : nil
    let plan = try VerificationPlan(path, fileSystem)
    var verification = try Verification(plan, fileSystem)
    var work = VerificationWork()
    // A shipped log is read again for the digests.
    let digestBytes = manifest?.totalBytes ?? 0
    var segmentBytes = plan.totalBytes
    func showSegments(_ bytesRead: Int, _ bytesTotal: Int) {
      segmentBytes = bytesTotal
      progress(bytesRead, bytesTotal + digestBytes)
    }
    let width = min(jobs, plan.segments.count)
    var isRead = false
    if width > 1 { isRead = try readAhead(&verification, width: width, &work, showSegments) }
    if !isRead {
      work.inTurnCount = plan.segments.count
      for index in plan.segments.indices { try verification.read(segment: index, showSegments) }
    }
    counting(work)
    verification.finish(isShipped: isShipped)
    try manifest?.finish(&verification.report, width: jobs) { bytesRead in
      progress(segmentBytes + bytesRead, segmentBytes + digestBytes)
    }
    if isShipped, let lake = fileSystem as? LakeFileSystem { verification.report.showFiles(in: lake) }
    return verification.report
  }
}

extension LogReport {
  /// Replaces the paths of a shipped log by those of its files in the lake.
  fileprivate mutating func showFiles(in lake: LakeFileSystem) {
    for index in segments.indices { segments[index].path = lake.fileInLake(segments[index].path) }
    for index in problems.indices { problems[index].path = lake.fileInLake(problems[index].path) }
    for index in warnings.indices { warnings[index].path = lake.fileInLake(warnings[index].path) }
  }
}
