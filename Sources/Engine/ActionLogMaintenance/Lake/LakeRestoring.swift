package import ActionLog

/// Makes a log of one that was shipped to a lake.
///
/// The log is verified before anything is made, and again when it is complete; only then does it get its path. It never appends to an
/// action that the lake has in a segment, so that it can be shipped to the same lake again.
///
/// A shipping that was interrupted can leave segments that a `@redact` record in the lake names and that are not redacted yet: they are
/// redacted in the new log. It can also leave redacted lines whose record is not in the lake, and so can the end of a partial restore: the
/// new log gets a record of its own that names them.
package struct LakeRestoring: Sendable {
  /// The last revision that can be restored.
  package let lastRevision: Int
  package let report: LogReport
  package let segmentCount: Int
  package let sizeBytes: Int

  private struct Piece {
    var segment: LogReport.Segment
    var sizeBytes: Int
    /// Whether nothing of the segment is left out.
    var isComplete: Bool
  }

  private let source: String
  private let fileSystem: LakeFileSystem
  private let pieces: [Piece]
  private static let failure = "the log cannot be restored"

  /// Verifies a shipped log and finds what can be restored. Changes nothing.
  package init(
    from source: String, fileSystem: any LogFileSystem, progress: (Int, Int) -> Void = { _, _ in }
  ) throws(LogError) {
    let typed = LogFolder.trimmed(source)
    guard let source = try LakeFileSystem.shippedDirectory(typed, fileSystem) else {
      throw Self.notShipped(typed)
    }
    self.source = source
    self.fileSystem = LakeFileSystem(fileSystem)
    report = try LogVerifier.verify(at: source, fileSystem: fileSystem, progress: progress)
    pieces = try Self.withoutUnfinishedUnit(Self.pieces(report), in: source, self.fileSystem)
    segmentCount = pieces.count
    sizeBytes = pieces.reduce(0) { sum, piece in sum + piece.sizeBytes }
    guard let last = pieces.last else {
      throw LogError(
        .damaged, "\(Self.failure): \(report.problems.first?.message ?? "it has no segment")",
        path: report.problems.first?.path ?? source, advice: .fullReport)
    }
    let revision =
      try last.isComplete ? last.segment.ends?.lastRevision : Self.revision(of: last, in: source, self.fileSystem)
    lastRevision = revision ?? report.firstRevision
  }

  /// The revision of the last line of a part of a segment.
  private static func revision(
    of piece: Piece, in source: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> Int {
    let file = try SourceFile(source + "/" + name(of: piece.segment), fileSystem)
    defer { file.close() }
    if let last = try RecordLines.last(of: file, endingAt: piece.sizeBytes) { return last.parsed.revision }
    // It was intact a moment ago.
    throw LogError(
      .damaged, "\(failure): its last line was changed in the meantime", path: piece.segment.path,
      intact: "Nothing was made.", advice: .fullReport)
  }

  /// The error for a path that is not a shipped log.
  static func notShipped(_ path: String) -> LogError {
    LogError(
      .invalidArgument, "the path is not a shipped log", path: path,
      advice: "Name its directory in the lake, which ends with model=NAME/log=IDENTIFIER.")
  }

  /// Whether everything that was shipped is there and intact.
  package var isComplete: Bool { report.problems.isEmpty && report.unlistedProblemCount == 0 }

  /// Returns the segments before the first problem, and the part before it of the segment that has it.
  private static func pieces(_ report: LogReport) -> [Piece] {
    var pieces: [Piece] = []
    let missing =
      report.problems.filter { problem in problem.kind == .missingSegment }.compactMap(\.revision).min() ?? .max
    for segment in report.segments {
      guard segment.first < missing else { break }
      let problems = report.problems.filter { problem in problem.path == segment.path }
      // A segment that is valid by itself and not the one that was shipped is not used at all.
      let end = problems.isEmpty ? segment.sizeBytes : problems.compactMap(\.byteOffset).min() ?? 0
      if end > 0 { pieces.append(Piece(segment: segment, sizeBytes: end, isComplete: problems.isEmpty)) }
      if !problems.isEmpty { break }
    }
    // Without the base of a pruned log, or its first segment, no state can be rebuilt.
    let isUsable = !report.problems.contains { problem in problem.kind == .unusableBase }
    return isUsable && pieces.first?.segment.first == report.firstRevision + 1 ? pieces : []
  }

  /// Leaves out the first actions of a unit whose other actions are left out: a log has all of them or none.
  private static func withoutUnfinishedUnit(
    _ pieces: [Piece], in source: String, _ fileSystem: any LogFileSystem
  ) throws(LogError) -> [Piece] {
    guard var last = pieces.last, !last.isComplete else { return pieces }
    let file = try SourceFile(source + "/" + name(of: last.segment), fileSystem)
    defer { file.close() }
    guard let unit = try RecordLines.extent(of: file, to: last.sizeBytes).unfinishedUnit else { return pieces }
    last.sizeBytes = unit
    return pieces.dropLast() + [last]
  }

  private var incompleteness: LogError {
    // A line after a missing segment does not follow the one before it. The reason is the segment.
    let next = lastRevision + 1
    let problem =
      report.problems.first { problem in problem.kind == .missingSegment && problem.revision == next }
      ?? report.problems.first
    return LogError(
      .damaged, "the shipped log is not complete: \(problem?.message ?? "")", path: problem?.path ?? source,
      intact: "The revisions \(report.firstRevision)…\(lastRevision) can be restored. Nothing was made.",
      advice: "\(problem?.kind == .missingSegment ? "Ship" : "Move the damaged file away and ship") the log again, or "
        + "restore up to revision \(lastRevision) with \(.option("partial")).")
  }

  /// Makes the log.
  ///
  /// - Parameter isPartial: Whether to restore what is intact of a log that is not complete.
  /// - Returns: The snapshots, checkpoints and tiles that could not be read, and are not in the new log.
  /// - Throws: `LogError` with code `damaged` for a log that is not complete, `exists`, `locked`, `noSpace`, `inputOutput`. The target
  ///   does not exist then, unless only its name could not be made durable.
  @discardableResult
  package func run(
    to target: String, isPartial: Bool, environment: LogEnvironment
  ) throws(LogError) -> [BackupReport.LeftOut] {
    guard isPartial || isComplete else { throw incompleteness }
    let target = LogFolder.trimmed(target)
    try LogFolder.check(target, isOutside: source, fileSystem, "a log")
    let directory = try NewDirectory(at: target, fileSystem, failure: Self.failure)
    do throws(LogError) {
      let leftOut = try fill(directory.path, environment)
      try directory.finish(failure: Self.failure)
      return leftOut
    } catch {
      directory.discard()
      throw error
    }
  }

  private func fill(_ target: String, _ environment: LogEnvironment) throws(LogError) -> [BackupReport.LeftOut] {
    var others = SideFileCopying(source: source, target: target, fileSystem: fileSystem)
    do throws(FileSystemError) {
      for piece in pieces {
        // The tail may have become a segment since.
        let name = Self.name(of: piece.segment)
        try fileSystem.copy(source + "/" + name, limitBytes: piece.sizeBytes, to: target + "/" + name)
      }
      let names = try fileSystem.names(in: source)
      if names.contains(LogFormat.baseName) {
        let base = "/" + LogFormat.baseName
        try fileSystem.copy(source + base, limitBytes: LogBase.limitBytes, to: target + base)
        // Other tiles can be made again.
        try others.copyTiles()
      }
      try others.copyFolder(LogFormat.snapshotsName, limitBytes: LogFormat.snapshotLimitBytes) { name in
        SnapshotName.revision(of: name).map { revision in revision <= lastRevision && name.hasSuffix(".json") } ?? false
      }
      if isComplete {
        try others.copyFolder(EvidenceStore.checkpointsFolder, limitBytes: SignedNote.limitBytes) { name in
          EvidenceStore.checkpointSize(of: name) != nil
        }
      }
      try fileSystem.syncDirectory(target)
    } catch {
      var failure = LogError.files(error, Self.failure)
      failure.intact = failure.intact ?? "The shipped log was not changed."
      throw failure
    }
    let left = try finishRedactions(target)
    try beginSegment(target, environment)
    try recordBeginning(target, environment)
    try recordRedactions(left, target, environment)
    let copy = try LogVerifier.verify(at: target, fileSystem: fileSystem)
    guard copy.verdict == .clean, copy.lastRevision == lastRevision else {
      throw LogError(
        .damaged, "\(Self.failure): the copy is not intact: \(copy.problems.first?.message ?? "its end is missing")",
        path: target,
        intact: "The shipped log was not changed.", advice: "Check the disk, and restore again.")
    }
    return others.leftOut
  }

  /// Begins a new segment, unless the last one is the tail, which the lake does not have as a segment, or has no action. Otherwise the
  /// next writer would append to a segment that was shipped, and no later one could be shipped to the same lake. The copy of a segment
  /// without an action is replaced.
  private func beginSegment(_ target: String, _ environment: LogEnvironment) throws(LogError) {
    guard let last = pieces.last, let ends = last.segment.ends else { return }
    let isShipped = !last.segment.path.hasSuffix("/" + LogFormat.tailName)
    guard last.isComplete else { return }
    if isShipped, try LogShipping.seal(at: target, fileSystem: fileSystem, environment: environment) { return }
    try LogError.making(Self.failure, at: target) { () throws(FileSystemError) in
      // The next writer notices if the end is lost.
      let sizeBytes = try fileSystem.status(of: target + "/" + Self.name(of: last.segment))?.sizeBytes ?? 0
      let head = LogHead(
        revision: ends.lastRevision, segment: last.segment.first, bytes: sizeBytes, crc: ends.lastChecksum)
      try fileSystem.createFile(target + "/" + LogFormat.headName, with: head.encoded())
      try fileSystem.syncDirectory(target)
    }
  }

  private var hasUnfinishedRedaction: Bool {
    report.warnings.contains { warning in warning.kind == .unfinishedRedaction }
  }

  /// Carries out the redactions that the lake has not carried out in all its segments.
  ///
  /// - Returns: What cannot be carried out as it is recorded, because a later record that is not in the lake has changed the earlier one.
  private func finishRedactions(_ target: String) throws(LogError) -> [RedactionTarget] {
    guard hasUnfinishedRedaction else { return [] }
    let reader = try LogReader.open(at: target, fileSystem: fileSystem)
    let firstIndex = try reader.firstLineIndex()
    let list = try reader.redactionList()
    // The lake may keep an older base than the one that was redacted.
    let hasBase = try reader.base != nil ? reader.lastPruning()?.record.base?.revision == reader.base?.revision : false
    var last: [Int: RedactRecord.Line] = [:]
    for line in list.entries.flatMap(\.record.lines) where line.index >= firstIndex { last[line.index] = line }
    var base = list.entries.last { entry in hasBase && entry.isOfLastBase && entry.record.base != nil }?.record.base
    let isBaseObsolete = base?.digest == RedactedLine.noDigest
    var redactions: [(index: Int, record: RedactRecord)] = []
    for entry in list.entries {
      var record = entry.record
      record.lines.removeAll { line in last[line.index]?.digest == RedactedLine.noDigest }
      if !hasBase || !entry.isOfLastBase || isBaseObsolete { record.base = nil }
      redactions.append((try list.index(of: entry), record))
    }
    do throws(LogError) {
      _ = try RedactionRun(path: target, fileSystem: fileSystem, redactions: redactions, isFromLake: true).run()
    } catch {
      var failure = error
      failure.intact = "The shipped log was not changed."
      failure.advice = .fullReport
      throw failure
    }
    // An erased replacement is null, which need not be a value of the type.
    func replacements(_ stated: [ValueReplacement]) -> [ValueReplacement] {
      stated.map { value in ValueReplacement(value.pointer, with: value.json == Array("null".utf8) ? nil : value.json) }
    }
    if !isBaseObsolete { base = nil }
    return last.values.filter { line in line.digest == RedactedLine.noDigest }.map { line in
      RedactionTarget(index: line.index, replacements: replacements(line.replacements), skips: line.skips)
    }
      + [base].compactMap(\.self).map { base in
        RedactionTarget(index: nil, replacements: replacements(base.replacements))
      }
  }

  /// Names the redacted lines whose `@redact` record is not in the log in a record of its own, and carries out what is left.
  private func recordRedactions(
    _ left: [RedactionTarget], _ target: String, _ environment: LogEnvironment
  ) throws(LogError) {
    guard hasUnfinishedRedaction || !isComplete else { return }
    let reader = try LogReader.open(at: target, fileSystem: fileSystem)
    var targets = left
    var lines: [(index: Int, by: Int)] = []
    var recordIndices: Set<Int> = []
    var index = try reader.firstLineIndex()
    var records = try reader.records(from: 0)
    while let record = try records.next() {
      if record.controlType == .redact { recordIndices.insert(index) }
      do throws(LineForm.Fault) {
        if let by = try record.rawLine.withForm().kind.redaction?.by { lines.append((index, by)) }
      } catch {
        throw LogError(.damaged, "\(Self.failure): \(error.message)", path: record.place.path, line: record.place.line)
      }
      index += 1
    }
    var positions: [Int: Int] = [:]
    for (position, target) in targets.enumerated() { if let index = target.index { positions[index] = position } }
    for line in lines {
      if let other = positions[line.index] {
        targets[other].replacements = []
      } else if !recordIndices.contains(line.by) {
        targets.append(RedactionTarget(index: line.index, replacements: []))
      }
    }
    guard !targets.isEmpty else { return }
    try LogRedaction.record(
      "redacted in the lake that the log was restored from", at: target, fileSystem: fileSystem,
      environment: environment
    ) { _ in targets }
  }

  /// Records with what the log begins, if its newest `@prune` record states something else: the lake keeps what is pruned from a log.
  private func recordBeginning(_ target: String, _ environment: LogEnvironment) throws(LogError) {
    let reader = try LogReader.open(at: target, fileSystem: fileSystem)
    let reason = "restored from a lake"
    var record = try LogPruning.unrecordedRestoring(at: target, reason: reason, fileSystem)
    if let base = reader.base {
      let inherited = PruneRecord(inheriting: base, reason: reason)
      if try reader.lastPruning()?.record.base != inherited.base { record = inherited }
      // Without the tiles of the lines before it, the log is like one that was made from another log.
      do throws(LogError) { _ = try EvidenceStore(log: target, fileSystem: fileSystem).builder(after: base) } catch {
        guard error.code == .damaged else { throw error }
        record = inherited
      }
    }
    guard let record else { return }
    let opener = try LogPruning.opener(target, environment, fileSystem)
    try opener.start(try opener.acquire()).recordAndClose(record, actor: nil) {}
  }

  private static func name(of segment: LogReport.Segment) -> String { SegmentName.text(first: segment.first) }
}
