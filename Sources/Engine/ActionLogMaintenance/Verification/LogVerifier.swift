public import ActionLog
import Platform

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
  ///   - checkpoint: The text of a checkpoint that was kept elsewhere: the log must begin with exactly its lines. If it does not, or is
  ///     another log, the report has a problem of the kind `wrongCheckpoint`. Signatures are not checked. `nil` compares nothing.
  ///   - jobs: The number of segments that are read at the same time, each on a thread of its own.
  ///   - fileSystem: The file system.
  ///   - progress: Called periodically with the number of bytes read and the total.
  /// - Returns: The report. Damage is a result, not an error, and so is an unreadable segment of a log.
  /// - Throws: `LogError` with code `notFound`, `notALog`, `unsupportedFormat`, or `inputOutput` if the directory
  ///   or the single file cannot be read, or the process lacks file descriptors or memory; `invalidArgument` if `checkpoint` is not the
  ///   text of a checkpoint.
  /// - Complexity: O(length of the log), which is read twice with `checkpoint`; memory O(`jobs` × longest line + number of redacted
  ///   lines + number of stored checkpoints). If there are stored checkpoints, each job has 64 bytes for every line of a segment.
  public static func verify(
    at path: String,
    checkpoint: String? = nil,
    jobs: Int = 1,
    fileSystem: any LogFileSystem = POSIXFileSystem(),
    progress: (_ bytesRead: Int, _ bytesTotal: Int) -> Void = { _, _ in }
  ) throws(LogError) -> LogReport {
    let kept = try checkpoint.map { (text) throws(LogError) in try SignedCheckpoint(kept: text).checkpoint }
    let (path, fileSystem) = try LakeFileSystem.viewing(LogFolder.trimmed(path), fileSystem)
    let isShipped = try LakeFileSystem.isShippedLog(path, fileSystem)
    var report = try verifyOnce(path, jobs, fileSystem, isShipped: isShipped, progress)
    // A shipping that ends removes the tail, after it has shipped the segment that contains it.
    for _ in 0..<vanishedTailLimit {
      guard isShipped, try hasVanishedTail(report, fileSystem) else { break }
      report = try verifyOnce(path, jobs, fileSystem, isShipped: isShipped, progress)
    }
    if let kept { try compare(path, with: kept, &report, fileSystem) }
    return report
  }

  /// Adds a problem to the report if the log does not begin with the lines of a checkpoint that was kept.
  private static func compare(
    _ path: String, with kept: Checkpoint, _ report: inout LogReport, _ fileSystem: any LogFileSystem
  ) throws(LogError) {
    let verdict = try LogError.unlessDamaged { () throws(LogError) in
      // The identifier tells logs apart. A name that the owner has chosen is known only from stored checkpoints, which may be lost.
      try CheckpointComparison(log: path, fileSystem: fileSystem)
        .verdict(on: kept, origin: kept.hasChosenOrigin ? kept.origin : nil)
    }
    guard verdict?.isGood != true else { return }
    let message = verdict?.message ?? "the log is damaged, and its lines cannot be compared with the checkpoint"
    report.add(LogProblem(.wrongCheckpoint, message, path: path))
  }

  /// The number of repetitions: a shipping would have to end during each of them.
  private static let vanishedTailLimit = 3

  /// Whether the tail of a shipped log could not be read because it is not there any more.
  private static func hasVanishedTail(
    _ report: LogReport, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> Bool {
    let tail = report.problems.first { problem in
      problem.kind == .unreadableSegment && problem.path.hasSuffix("/" + LogFormat.tailName)
    }
    guard let tail else { return false }
    return try LogError.files("the tail cannot be read", at: tail.path) { () throws(FileSystemError) in
      try LakeFileSystem.unviewed(fileSystem).status(of: tail.path) == nil
    }
  }

  private static func verifyOnce(
    _ path: String, _ jobs: Int, _ fileSystem: any LogFileSystem, isShipped: Bool, _ progress: (Int, Int) -> Void
  ) throws(LogError) -> LogReport {
    // Before the segments: what it lists is there.
    let manifest = try isShipped ? ManifestCheck(path, fileSystem) : nil
    let plan = try VerificationPlan(path, fileSystem)
    var verification = try Verification(plan, fileSystem)
    // A shipped log is read again for the digests.
    let digestBytes = manifest?.totalBytes ?? 0
    var segmentBytes = plan.totalBytes
    func showSegments(_ bytesRead: Int, _ bytesTotal: Int) {
      segmentBytes = bytesTotal
      progress(bytesRead, bytesTotal + digestBytes)
    }
    let width = min(jobs, plan.segments.count)
    var isRead = false
    if width > 1 { isRead = try readAhead(&verification, width: width, showSegments) }
    if !isRead {
      for index in plan.segments.indices { try verification.read(segment: index, showSegments) }
    }
    if let last = manifest?.lastFirst, last > plan.segments.last?.first ?? 0 {
      verification.redactions.noteMissingEnd()
    }
    try verification.finish(isShipped: isShipped)
    let redacted = verification.redactions.namedSegments
    try manifest?.finish(&verification.report, redacted: redacted, width: jobs) { bytesRead in
      progress(segmentBytes + bytesRead, segmentBytes + digestBytes)
    }
    if isShipped, let lake = fileSystem as? LakeFileSystem {
      verification.report.changePaths(lake.fileInLake)
      if let tail = try lake.unusableTail(ofLogIn: path) {
        verification.report.add(
          LogProblem(
            .unreadableSegment, "the tail does not begin with the first line of a segment; 'ship' makes it again",
            path: tail))
      }
    }
    return verification.report
  }
}

/// Compares a shipped log with its manifest.
struct ManifestCheck {
  private let manifest: ShippingManifest
  private let path: String
  private let root: String
  private let isMissing: Bool
  private let fileSystem: any LogFileSystem

  init(_ log: String, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.fileSystem = fileSystem
    root = LogFolder.parent(of: LogFolder.parent(of: log))
    path = log + "/" + LogFormat.manifestName
    manifest = try ShippingManifest(at: path, ofLogIn: log, fileSystem)
    do throws(FileSystemError) { isMissing = try fileSystem.status(of: path) == nil } catch {
      throw ShippingManifest.failure(error, path)
    }
  }

  /// The number of bytes to read for the digests, as far as the manifest says.
  var totalBytes: Int { manifest.entries.values.reduce(0) { sum, entry in sum + entry.sizeBytes } }

  /// The first revision of the last segment that the manifest lists.
  var lastFirst: Int? { manifest.entries.keys.max() }

  /// Adds the differences to the report on the segments.
  func finish(
    _ report: inout LogReport, redacted: Set<Int>, width: Int, _ progress: (Int) -> Void
  ) throws(LogError) {
    if manifest.entries.isEmpty || manifest.hasOtherLines {
      report.warn(
        LogProblem(
          .missingManifest,
          (isMissing
            ? "there is no manifest"
            : manifest.entries.isEmpty
              ? "the manifest lists no segment of this log"
              : "the manifest has lines that do not list a segment of this log")
            + ", so missing newest segments are not noticed; 'ship' makes it again", path: path))
    }
    guard !manifest.entries.isEmpty else { return }
    var segments: [Int: LogReport.Segment] = [:]
    for segment in report.segments { segments[segment.first] = segment }
    // The bytes decide only if everything else is the same.
    let unchanged = manifest.sorted.compactMap { entry in
      segments[entry.ends.first].flatMap { segment in Self.isListed(segment, as: entry) ? segment : nil }
    }
    let digests = try digests(of: unchanged, width: width, progress)
    // A segment that was replaced since is not listed, or in its new form.
    let current = try ShippingManifest(at: path, ofLogIn: LogFolder.parent(of: path), fileSystem)
    for entry in manifest.sorted {
      guard current.entries[entry.ends.first] == entry else {
        segments[entry.ends.first] = nil
        continue
      }
      // A redacted base replaces an older one, also if the lake has the segments between them.
      if entry.ends.lastRevision <= report.firstRevision { continue }
      guard let segment = segments.removeValue(forKey: entry.ends.first) else {
        report.add(
          LogProblem(
            .missingSegment, "the manifest lists the segment, which is missing", path: root + "/" + entry.path,
            revision: entry.ends.first))
        continue
      }
      // The tail has more of the segment of a closed log that was opened again.
      if segment.sizeBytes > entry.sizeBytes, segment.first == report.segments.last?.first { continue }
      if let digest = digests[segment.first], digest == entry.sha256 { continue }
      // Another program may copy the manifest before or after the segments. A redaction changes neither the lines nor their checksums.
      if redacted.contains(segment.first), segment.ends == entry.ends, segment.recordCount == entry.lineCount {
        report.warn(
          LogProblem(
            .unlistedSegment,
            "the manifest lists the segment before or after a redaction; the next 'ship' lists it as it is",
            path: segment.path, revision: segment.first))
        continue
      }
      report.add(
        LogProblem(
          .changedSegment, "the segment is not the one that the manifest lists", path: segment.path,
          revision: entry.ends.first))
    }
    for segment in report.segments.dropLast() where segments[segment.first] != nil {
      report.warn(
        LogProblem(
          .unlistedSegment, "the manifest does not list the segment; the next 'ship' adds it", path: segment.path,
          revision: segment.first))
    }
  }

  /// Whether a segment has the length, the revisions and both ends of the checksum chain that the manifest lists.
  private static func isListed(_ segment: LogReport.Segment, as entry: ShippingManifest.Entry) -> Bool {
    segment.ends == entry.ends && segment.sizeBytes == entry.sizeBytes
  }

  /// Computes the digests of segments, several at a time.
  ///
  /// - Returns: The digests by the first revisions, without those of unreadable segments, which the report has already.
  private func digests(
    of segments: [LogReport.Segment], width: Int, _ progress: (Int) -> Void
  ) throws(LogError) -> [Int: String] {
    let bytesRead = Locked(0)
    func show() { progress(bytesRead.withLock { bytesRead in bytesRead }) }
    let digest = { @Sendable [fileSystem] (segment: LogReport.Segment) -> Result<String?, LogError> in
      Result { () throws(LogError) in
        try Self.digest(of: segment.path, fileSystem) { count in bytesRead.withLock { bytesRead in bytesRead += count }
        }
      }
    }
    var digests: [Int: String] = [:]
    var index = 0
    func add(_ digest: Result<String?, LogError>) throws(LogError) -> Bool {
      show()
      digests[segments[index].first] = try digest.get()
      index += 1
      return true
    }
    let ending = try OrderedJobs<Result<String?, LogError>>.run(
      segments.count, width: max(1, width), waiting: show,
      { number, output in try output.pass(digest(segments[number])) },
      consume: { (digest) throws(LogError) -> Bool in try add(digest) })
    if case .noThread = ending {
      for segment in segments { _ = try add(digest(segment)) }
    }
    return digests
  }

  private static func digest(
    of path: String, _ fileSystem: any LogFileSystem, counting: (Int) -> Void
  ) throws(LogError) -> String? {
    do throws(LogError) {
      return try fileSystem.sha256(of: path, failure: "the segment cannot be read", counting: counting)
    } catch {
      // The report has the reason.
      guard error.concernsFile else { throw error }
      return nil
    }
  }
}
