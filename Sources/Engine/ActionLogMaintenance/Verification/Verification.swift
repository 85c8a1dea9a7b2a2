import ActionLog
import Platform

/// A verification in progress. Follows the checksum chain, and resumes past damage at the next valid line.
///
/// One that reads a single segment ahead of the others, without the line before it, can be added to that of the log if it finds
/// nothing (``add(_:)``). It stops at the first problem: the segment is read again in its turn, when everything before it is known.
struct Verification: Sendable {
  var report = LogReport()

  let plan: VerificationPlan
  let fileSystem: any LogFileSystem
  var chain: ChainState
  /// Whether everything so far is valid.
  var isIntact = true
  var bytesBefore = 0
  /// The current range of actions with one schema. Kept outside the report, whose mutation copies it.
  var schemaRange: (schema: Int, first: Int, last: Int)?
  var warnings: VerificationWarnings
  var prunings = PruningCheck()
  /// Finds nothing in a single segment, whose lines have unknown numbers.
  var redactions: RedactionCheck
  /// `nil` if the log has no checkpoints.
  var checkpoints: CheckpointCheck?
  private var parser = LineParser()
  /// The index of the only segment that is read, ahead of the others; `nil` if all are.
  let ahead: Int?
  /// The first line of that segment, as the line before it must be followed.
  var beginning: (checksum: UInt32, revision: Int, synced: Int)?
  /// The leaves of that segment's lines, for the checkpoints of the log; `nil` if they are not needed.
  var leaves: LineLeaves?
  /// The memory of the last block, for reuse.
  var spare: [UInt8] = []

  init(_ plan: VerificationPlan, _ fileSystem: any LogFileSystem) throws(LogError) {
    self.plan = plan
    self.fileSystem = fileSystem
    ahead = nil
    // The line before the log is unknown if its base cannot be read.
    let isFirstKnown = !plan.isSingle && plan.baseFailure == nil
    chain = ChainState(
      beforeSegment: ChainState.Expectation(), after: isFirstKnown ? plan.base?.lastLine ?? .origin : nil)
    warnings = VerificationWarnings(head: plan.headFile.head)
    redactions = RedactionCheck(firstIndex: isFirstKnown ? plan.base?.lineCount ?? 0 : nil)
    report.firstRevision = plan.base?.revision ?? 0
    report.lastRevision = report.firstRevision
    if let failure = plan.baseFailure {
      report.add(LogProblem(.unusableBase, failure.message, path: failure.path ?? plan.basePath))
      isIntact = false
    } else {
      checkpoints = plan.checkpoints
      try checkpoints?.begin(after: plan.base)
    }
  }

  /// The progress in the current segment.
  private struct Reading {
    var index: Int
    var segment: LogFolder.Segment
    var file: SourceFile
    var lineCount = 0
    var goodBytes = 0
    var end = 0
    var hasFault = false
    var isTorn = false
    /// The valid lines, and the actions among them.
    var recordCount = 0
    var actionCount = 0
    /// `prev`, `seq` and `synced` of the first line, if it is valid.
    var beginning: (checksum: UInt32, revision: Int, synced: Int)?
    /// The last valid line before the current fault.
    var lastLink: ChainState.Link?

    func place(of line: LineScanner.Line) -> LogPlace {
      LogPlace(path: segment.path, byteOffset: line.byteOffset, line: lineCount)
    }
  }

  mutating func read(segment index: Int, _ progress: (Int, Int) -> Void) throws(LogError) {
    let segment = plan.segments[index]
    redactions.enterSegment(segment.first)
    chain.enterSegment(
      ChainState.Expectation(
        first: plan.isSingle ? nil : segment.first, log: report.header?.log ?? plan.base?.log,
        model: report.header?.model ?? plan.base?.model))
    report.segments.append(
      LogReport.Segment(
        path: segment.path, first: segment.first, sizeBytes: plan.sizes[index], recordCount: 0, actionCount: 0))
    do throws(LogError) {
      if let failure = plan.unreadable[index] { throw failure }
      var reading = Reading(index: index, segment: segment, file: try SourceFile(segment.path, fileSystem))
      defer { reading.file.close() }
      try readLines(&reading, progress)
    } catch {
      try reportUnreadable(error, segment)
    }
  }

  private mutating func readLines(_ reading: inout Reading, _ progress: (Int, Int) -> Void) throws(LogError) {
    var scanner = LineScanner(
      reading.file, from: 0, chunkBytes: RecordBatch.defaultChunkBytes)
    let last = report.segments.count - 1
    defer {
      report.segments[last].sizeBytes = max(plan.sizes[reading.index], reading.end)
      report.segments[last].recordCount = reading.recordCount
      report.segments[last].actionCount = reading.actionCount
      report.segments[last].ends = ends(of: reading)
      beginning = reading.beginning
      bytesBefore += scanner.bytesRead
      report.largestBufferBytes = max(report.largestBufferBytes, scanner.largestBufferBytes)
    }
    while !reading.isTorn, ahead == nil || report.verdict == .clean {
      if let block = try scanner.takeBlock(spare: &spare) {
        try check(block, &reading)
        spare = block.bytes
        let read = bytesBefore + scanner.bytesRead
        progress(read, max(plan.totalBytes, read))
      } else if let line = try scanner.next() {
        try scanner.withBytes(of: line) { (bytes) throws(LogError) in try check(line, bytes, &reading) }
      } else {
        break
      }
    }
    try finish(&reading)
  }

  /// The ends of the checksum chain in a segment, of which the lines were read.
  private func ends(of reading: Reading) -> LogReport.SegmentEnds? {
    guard let beginning = reading.beginning, let last = chain.link ?? reading.lastLink else { return nil }
    return LogReport.SegmentEnds(
      first: beginning.revision + 1, previousChecksum: beginning.checksum, lastChecksum: last.crc,
      lastRevision: last.revision, syncedRevision: last.synced, epoch: chain.epoch, schema: chain.schema)
  }

  /// Reports a segment that cannot be read completely, so that verification continues with the next one.
  private mutating func reportUnreadable(_ error: LogError, _ segment: LogFolder.Segment) throws(LogError) {
    guard !plan.isSingle, error.concernsFile else { throw error }
    report.add(
      LogProblem(
        .unreadableSegment, error.message, path: segment.path, revision: (chain.link?.revision ?? segment.first - 1) + 1
      ))
    isIntact = false
    redactions.noteDamage(isInSegment: true)
    chain.resume(after: nil)
  }

  private mutating func check(_ block: LineScanner.Block, _ reading: inout Reading) throws(LogError) {
    try block.bytes.withUnsafeBufferPointer { (buffer) throws(LogError) in
      let bytes = UnsafeRawBufferPointer(buffer)
      var start = block.range.lowerBound
      while !reading.isTorn, let end = ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: start),
        end < block.range.upperBound
      {
        let line = LineScanner.Line(start..<end, of: block)
        try check(line, UnsafeRawBufferPointer(rebasing: bytes[start..<end]), &reading)
        start = end + 1
      }
    }
  }

  private mutating func check(
    _ line: LineScanner.Line, _ bytes: UnsafeRawBufferPointer, _ reading: inout Reading
  ) throws(LogError) {
    reading.lineCount += 1
    redactions.countLine()
    let parsed: ParsedLine
    do throws(LineFault) {
      parsed = try parser.parse(line, bytes)
      if parsed.isControl, try isUnfinishedUnit(parsed, bytes, line, reading) { throw .unfinishedUnit }
    } catch {
      try reportFault(error, line, &reading)
      if !reading.isTorn { redactions.noteDamage(isInSegment: true) }
      chain.resume(after: nil)
      return
    }
    if parsed.isControl {
      if reading.lineCount == 1 { reading.beginning = (parsed.prev, parsed.revision, parsed.synced) }
      try accept(parsed, line, bytes, &reading)
      prunings.note(parsed, bytes, reading.place(of: line))
      keepHeader()
      warnings.checkControlType(parsed, Array(bytes)[...], reading.place(of: line))
      if let stated = chain.misstatedSchema {
        warnings.noteMisstatedSchema(stated, used: chain.schema, reading.place(of: line), parsed)
      }
    } else {
      try accept(parsed, line, bytes, &reading)
      if parsed.meta != nil { warnings.checkCause(parsed, bytes, reading.place(of: line)) }
    }
    redactions.noteLine(isControl: parsed.isControl)
    if isIntact {
      checkpoints?.add(parsed, bytes, reading.place(of: line))
      leaves?.add(parsed, bytes)
    }
    if parsed.isControl || parsed.isRedacted, !plan.isSingle,
      let problem = redactions.inspect(parsed, bytes, reading.place(of: line))
    {
      report.add(problem)
    }
    reading.end = line.byteOffset + line.sizeBytes
    if !reading.hasFault { reading.goodBytes = reading.end }
    reading.recordCount += 1
    if !parsed.isControl {
      reading.actionCount += 1
      // Without the call: nearly every action has the schema of the one before.
      if let range = schemaRange, range.schema == chain.schema, range.last < parsed.revision {
        schemaRange = (range.schema, range.first, parsed.revision)
      } else {
        recordSchema(chain.schema, of: parsed.revision)
      }
    }
    if isIntact { report.lastRevision = parsed.revision }
    warnings.check(parsed, reading.place(of: line), endingAt: reading.end, ofSegment: reading.segment.first)
  }

  /// Whether a line begins a unit that a crash may have left without its end.
  private func isUnfinishedUnit(
    _ parsed: ParsedLine, _ bytes: UnsafeRawBufferPointer, _ line: LineScanner.Line, _ reading: Reading
  ) throws(LineFault) -> Bool {
    // Another segment is begun only after a sync.
    guard reading.index == plan.segments.count - 1, try UnitRecord(parsed, Array(bytes)[...]) != nil,
      plan.headFile.head?.confirms(line.byteOffset, of: reading.segment.first) != true
    else { return false }
    do throws(LogError) { return try !UnitLines(reading.file, at: line.byteOffset).isComplete } catch { return true }
  }

  mutating func recordSchema(_ schema: Int, of revision: Int) {
    guard schemaRange?.schema != schema || revision <= schemaRange?.last ?? 0 else {
      schemaRange?.last = revision
      return
    }
    endSchemaRange()
    // The lines that state the schema may be damaged.
    schemaRange = schema > 0 ? (schema, revision, revision) : nil
  }

  private mutating func endSchemaRange() {
    guard let range = schemaRange else { return }
    report.add(LogReport.SchemaRange(schema: range.schema, revisions: range.first...range.last))
    schemaRange = nil
  }

  /// Keeps the first header. Called only for control lines, because a copy for each action costs a fifth of reading a
  /// line.
  private mutating func keepHeader() {
    guard report.header == nil, let header = chain.header else { return }
    report.header = header
    // The name of a single file need not match.
    report.segments[report.segments.count - 1].first = header.first
  }

  private mutating func accept(
    _ parsed: ParsedLine, _ line: LineScanner.Line, _ bytes: UnsafeRawBufferPointer, _ reading: inout Reading
  ) throws(LogError) {
    do throws(LineFault) { try chain.accept(parsed, bytes) } catch {
      // Only a first line states a format.
      if case .unsupportedFormat = error, reading.index == 0 {
        throw LogError.fault(
          error, path: reading.segment.path, line: 1, byteOffset: 0, lastRevision: 0, firstRead: nil)
      }
      try reportFault(error, line, &reading)
      redactions.noteDamage(isInSegment: reading.lineCount > 1)
      chain.resume(after: parsed)
    }
  }

  /// Reports an invalid line, or the torn tail that begins with it.
  private mutating func reportFault(
    _ fault: LineFault, _ line: LineScanner.Line, _ reading: inout Reading
  ) throws(LogError) {
    if reading.recordCount > 0, let link = chain.link { reading.lastLink = link }
    var message = fault.message
    if reading.index == 0, reading.lineCount == 1, fault.isLineIntact {
      if plan.isBeginningMissing {
        message +=
          plan.base == nil
          ? ": the segments before this one are missing, and so is the base.json of a pruned log"
          : ": the segment that base.json names is missing"
      } else if plan.base != nil {
        message += ": base.json does not fit the log's first segment"
      }
    }
    let isLast = reading.index == plan.segments.count - 1
    if isLast, !fault.isLineIntact, !reading.hasFault || fault == .unfinished {
      switch try verdict(fault, line.byteOffset, reading) {
      case .torn:
        reportTornTail(line, &reading)
        return
      case .damaged(let reason): message += ", and \(reason.message)"
      case .clean: break
      }
    }
    add(LogProblem.Kind(fault), message, line.byteOffset, reading)
    reading.hasFault = true
  }

  private func verdict(
    _ fault: LineFault?, _ byteOffset: Int, _ reading: Reading
  ) throws(LogError) -> TailVerdict {
    let size = fault == nil ? byteOffset : max(try reading.file.size(), byteOffset + 1)
    var evidence = TailEvidence(
      segment: plan.isSingle ? report.header?.first ?? 1 : reading.segment.first, sizeBytes: size,
      goodBytes: byteOffset, lastRevision: chain.link?.revision ?? report.lastRevision)
    evidence.head = plan.headFile.head
    evidence.hasHeader = reading.lineCount > (fault == nil ? 0 : 1)
    if let fault { try evidence.scan(after: fault, in: reading.file) }
    return evidence.verdict()
  }

  private mutating func reportTornTail(_ line: LineScanner.Line, _ reading: inout Reading) {
    let size = max(plan.sizes[reading.index], line.byteOffset + line.sizeBytes)
    report.tornBytes = size - line.byteOffset
    add(
      .tornTail, "the log ends in \(report.tornBytes) bytes that a crash tore", line.byteOffset, reading)
    redactions.noteTornTail()
    reading.isTorn = true
    reading.end = size
  }

  private mutating func add(_ kind: LogProblem.Kind, _ message: String, _ byteOffset: Int, _ reading: Reading) {
    report.add(
      LogProblem(
        kind, message, path: reading.segment.path, line: max(reading.lineCount, 1), byteOffset: byteOffset,
        revision: (chain.link?.revision ?? report.lastRevision) + 1))
    isIntact = false
  }

  private mutating func finish(_ reading: inout Reading) throws(LogError) {
    if reading.lineCount == 0 {
      add(.misplacedHeader, "the segment is empty", 0, reading)
      redactions.noteDamage(isInSegment: true)
      chain.resume(after: nil)
    } else if reading.index == plan.segments.count - 1, !reading.hasFault, !reading.isTorn,
      case .damaged(let reason) = try verdict(nil, reading.goodBytes, reading)
    {
      reading.lineCount += 1
      redactions.noteMissingEnd()
      add(.missingEnd, "the log was truncated (\(reason.message))", reading.goodBytes, reading)
    }
  }

  /// Adds the findings that are known only at the end.
  ///
  /// - Parameter isShipped: Whether a manifest records the end of the log, and not `HEAD`.
  mutating func finish(isShipped: Bool) throws(LogError) {
    endSchemaRange()
    report.isClosed = isIntact && chain.isClosed
    let isComplete = report.verdict != .damaged
    for warning in warnings.all() { report.warn(warning) }
    guard let folder = plan.folder else { return }
    if let failure = plan.headFile.failure {
      report.add(LogProblem(.inaccessibleHead, failure.message, path: folder.headPath))
    }
    if plan.segments.isEmpty {
      report.add(LogProblem(.missingEnd, folder.noSegmentMessage, path: folder.headPath))
    }
    redactions.isShipped = isShipped
    let found = redactions.findings(baseDigest: plan.base.map { base in SHA256.hexadecimal(base.bytes) })
    for problem in found.problems { report.add(problem) }
    for warning in found.warnings { report.warn(warning) }
    if isShipped {
      // Neither a crash nor a writer changes a lake, so it has no `HEAD`.
    } else if !folder.hasHead {
      report.warn(LogProblem(.missingHead, "there is no HEAD", path: folder.headPath))
    } else if plan.headFile.isMalformed {
      report.warn(LogProblem(.unreadableHead, "HEAD is malformed and was ignored", path: folder.headPath))
    } else if report.verdict != .damaged, !warnings.isHeadConfirmed {
      report.warn(
        LogProblem(
          .headDisagrees, "no line ends at the offset in HEAD with its seq and checksum", path: folder.headPath))
    }
    let pruning = prunings.findings(
      plan, isShipped: isShipped, isUnfinished: chain.ending == .pruning, redactedBase: redactions.unfinishedBaseDigest)
    if let problem = pruning.problem { report.add(problem) }
    if let warning = pruning.warning { report.warn(warning) }
    // Without the right base, the number of the first line is not known.
    if let checkpoints, !report.problems.contains(where: { problem in problem.kind == .unusableBase }) {
      for problem in checkpoints.findings(isComplete: isComplete) { report.add(problem) }
      report.checkpointCount = checkpoints.matchingCount
    }
    if !isShipped, let base = plan.base, prunings.hasRemovedLines(before: base) { try checkTiles(before: base) }
    for segment in folder.outdated {
      report.warn(
        LogProblem(
          .outdatedSegment, "the segment is before base.json and not part of the log",
          path: segment.path))
    }
    for path in folder.unfinished {
      report.warn(LogProblem(.unfinishedSegment, "a writer stopped while it created the segment", path: path))
    }
    for name in folder.names where SegmentName.isImpossible(name) {
      let message = "the file is named like a segment, but no segment has this name; it is not part of the log"
      report.warn(LogProblem(.misnamedSegment, message, path: folder.path + "/" + name))
    }
  }

  /// Reports lost tiles of the lines that a pruning removed: no checkpoint can be made without them.
  private mutating func checkTiles(before base: LogBase) throws(LogError) {
    let store = EvidenceStore(log: LogFolder.parent(of: plan.basePath), fileSystem: fileSystem)
    do throws(LogError) { _ = try store.builder(after: base) } catch {
      guard error.isOfUnusableFile else { throw error }
      report.add(LogProblem(.missingTiles, error.message, path: store.path))
    }
  }
}
