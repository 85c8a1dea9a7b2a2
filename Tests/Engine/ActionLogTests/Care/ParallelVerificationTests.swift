import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Dispatch
import Platform
import TestSupport
import Testing

/// The report of a verification with several jobs is that of one, whatever is wrong with the log.
@Suite("Verifying with several jobs", .timeLimit(.minutes(60)))
struct ParallelVerificationTests {
  // MARK: The same report

  /// A log with everything that a verification follows from segment to segment.
  private enum Kind: CaseIterable {
    case plain, odd, redacted, pruned, checkpoints

    func log(seed: UInt64) throws -> LogStory {
      switch self {
      case .plain:
        let story = LogStory(segmentLimitBytes: 700)
        try story.record(40, close: seed % 2 == 0)
        return story
      case .odd: return try oddLog(seed: seed)
      case .redacted:
        var redactable = try RedactableStory(seed: seed, count: 24)
        for _ in 0..<2 {
          let (targets, _) = try redactable.targets()
          if !targets.isEmpty { try redactable.redact(targets) }
          try redactable.reread()
        }
        return redactable.story
      case .pruned:
        let pruned = try PrunedStory(30)
        try pruned.story.record(20, from: 31)
        return pruned.story
      case .checkpoints:
        let proofs = ProofStory(story: LogStory(segmentLimitBytes: 700))
        for first in [1, 11, 21] {
          try proofs.story.record(10, from: first)
          try proofs.checkpoint()
        }
        try proofs.story.record(10, from: 31)
        return proofs.story
      }
    }

    /// Clocks that go back, causes that are none, unknown control records, and several schemas and writers.
    private func oddLog(seed: UInt64) throws -> LogStory {
      var random = SplitMix64(seed: seed)
      let story = LogStory()
      // Every eighth log has more unknown types than a report lists.
      let (longest, noteShare) = seed % 8 == 0 ? (40, 0.8) : (6, 0.3)
      var (revision, prev) = (0, UInt32(0))
      for epoch in 1...12 {
        let (first, synced) = (revision + 1, revision)
        let header =
          #"{"format":"actionlog/1","log":"\#(RawLog.id)","model":"counter","schema":\#((epoch + 2) / 3),"#
          + #""first":\#(first),"epoch":\#(epoch),"created":"\#(RawLog.time)"}"#
        var raw = RawLog(first: first, prev: prev, synced: synced, header: header)
        for number in 0..<Int.random(in: 1...longest, using: &random) {
          // A segment without an action would have the name of the next one.
          let isNote = number > 0 && random.chance(noteShare)
          revision += isNote ? 0 : 1
          let type = isNote ? "@note\(Int.random(in: 1...150, using: &random))" : "add"
          let meta = random.chance(0.3) ? #","meta":{"cause":\#(Int.random(in: 0...60, using: &random))}"# : ""
          raw.line(
            body: #"{"seq":\#(revision),"time":"2026-11-21T09:00:0\#(Int.random(in: 0...9, using: &random)).000000Z","#
              + #""type":"\#(type)","synced":\#(synced),"prev":"PREV","data":{}\#(meta)"#)
        }
        prev = raw.prev
        try story.files.setContents(raw.bytes, of: story.segment(first))
      }
      return story
    }
  }

  /// Changes files of a log at random.
  private static func damage(_ story: LogStory, with random: inout SplitMix64) throws {
    let files = story.files
    let segments = files.filePaths.filter { path in path.hasPrefix("/log/0") && path.hasSuffix(".jsonl") }
    guard let path = segments.randomElement(using: &random), let other = segments.randomElement(using: &random) else {
      return
    }
    var bytes = try files.contents(of: path)
    let offset = Int.random(in: 0..<max(bytes.count, 1), using: &random)
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: if !bytes.isEmpty { try files.flipBit(0, ofByte: offset, in: path) }
    case 2: try files.remove(path)
    case 3: try files.setContents(try files.contents(of: other), of: path)
    case 4: try files.setContents(Array(bytes[..<offset]), of: path)
    case 5:
      bytes.replaceSubrange(offset..<min(offset + 600, bytes.count), with: repeatElement(0, count: 600))
      try files.setContents(bytes, of: path)
    case 6: try files.setContents(bytes + bytes, of: path)
    case 7: try files.setContents(bytes + Array(#"{"seq":"#.utf8), of: path)
    case 8:
      // A complete line is missing.
      let lines = bytes.split(separator: UInt8(ascii: "\n"))
      let kept = lines.indices.filter { index in index != offset % max(lines.count, 1) }
      try files.setContents(kept.flatMap { index in lines[index] + [UInt8(ascii: "\n")] }, of: path)
    default:
      for name in ["/log/HEAD", "/log/base.json", "/log/proofs/edge"] where try files.status(of: name) != nil {
        if Bool.random(using: &random) { try files.flipBit(0, ofByte: 9, in: name) }
      }
    }
  }

  /// The report, or the error.
  private static func outcome(_ files: any LogFileSystem, jobs: Int) -> Result<LogReport, LogError> {
    Result { () throws(LogError) in try LogVerifier.verify(at: LogStory.path, jobs: jobs, fileSystem: files) }
  }

  @Test(arguments: 0..<5) private func theReportIsTheSame(kind index: Int) throws {
    let kind = Kind.allCases[index]
    var verdicts: [LogReport.Verdict: Int] = [:]
    for seed in 1...40 as ClosedRange<UInt64> {
      var random = SplitMix64(seed: seed)
      let story = try kind.log(seed: seed)
      // The first is not damaged.
      for round in 0..<4 {
        let one = Self.outcome(story.files, jobs: 1)
        for jobs in [2, 3, 8, 100] {
          let several = Self.outcome(story.files, jobs: jobs)
          let comment: Comment = "\(kind), seed \(seed), round \(round), \(jobs) jobs"
          switch (one, several) {
          case (.success(let one), .success(let several)):
            #expect(one == several, comment)
            #expect(one.problems.map(\.description) == several.problems.map(\.description), comment)
            #expect(one.warnings.map(\.description) == several.warnings.map(\.description), comment)
          case (.failure(let one), .failure(let several)): #expect(one.description == several.description, comment)
          default: Issue.record(comment)
          }
        }
        if case .success(let report) = one { verdicts[report.verdict, default: 0] += 1 }
        try Self.damage(story, with: &random)
      }
    }
    #expect(verdicts[.clean] ?? 0 >= 40 && verdicts[.damaged] ?? 0 > 40, "\(verdicts)")
  }

  /// Several segments are read ahead, an odd and an even number of them.
  @Test(arguments: [20, 24, 28, 32, 36, 40])
  func aHeadThatDisagreesIsReportedTheSame(count: Int) throws {
    let story = LogStory(segmentLimitBytes: 700)
    try story.record(count)
    func warnings(_ jobs: Int) throws -> [LogProblem.Kind] {
      try LogVerifier.verify(at: LogStory.path, jobs: jobs, fileSystem: story.files).warnings.map(\.kind)
    }
    for jobs in [1, 4] { #expect(try warnings(jobs) == []) }
    let last = try #require(try story.reader().segments.last)
    try story.files.setContents(
      LogHead(revision: count, segment: last.first, bytes: last.sizeBytes, crc: 0xdead_beef).encoded(), of: story.head)
    for jobs in [1, 4] { #expect(try warnings(jobs) == [.headDisagrees], "\(jobs)") }
  }

  @Test(arguments: [FileCall.Operation.open, .read, .status])
  func unreadableSegmentsAreReportedTheSame(operation: FileCall.Operation) throws {
    let story = LogStory(segmentLimitBytes: 700)
    try story.record(40)
    for segment in try story.reader().segments {
      let fault = FileFault(operation, lasts: true, errorNumber: 5, pathSuffix: String(segment.path.suffix(22)))
      func report(_ jobs: Int) throws -> LogReport {
        try LogVerifier.verify(
          at: LogStory.path, jobs: jobs, fileSystem: FaultyFileSystem(story.files, faults: [fault]))
      }
      let one = try report(1)
      #expect(one.verdict == .damaged)
      #expect(try report(4) == one)
    }
  }

  /// The digests of a shipped log are compared with its manifest on several threads.
  @Test func theReportOnAShippedLogIsTheSame() throws {
    let lake = LakeStory()
    try lake.story.record(60)
    try lake.ship()
    let manifest = LakeStory.side + "/manifest.jsonl"
    let listed = String(decoding: try lake.files.contents(of: manifest), as: UTF8.self)
    let segments = try lake.segments()
    try #require(segments.count > 5)
    let digests = try segments.map { segment in SHA256.hexadecimal(try lake.files.contents(of: segment)) }
    let wrong = String(repeating: "0", count: 64)
    for (changed, missing) in [([], nil), ([1], nil), ([1, 3], nil), ([0, 4], 2)] as [([Int], Int?)] {
      let files = lake.files.copy()
      let text = changed.reduce(listed) { text, index in text.replacing(digests[index], with: wrong) }
      try files.setContents(Array(text.utf8), of: manifest)
      if let missing { try files.remove(segments[missing]) }
      func report(_ jobs: Int) throws -> LogReport {
        try LogVerifier.verify(at: LakeStory.shipped, jobs: jobs, fileSystem: files)
      }
      let one = try report(1)
      let found = one.problems.filter { problem in problem.kind == .changedSegment }
      #expect(found.count == changed.count, "\(one.problems)")
      for jobs in [2, 3, 8] { #expect(try report(jobs) == one, "\(changed), \(jobs) jobs") }
    }
  }

  @Test func anUnreadableDigestIsReportedTheSame() throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    let name = String(try #require(try lake.segments().dropFirst().first).suffix(22))
    func report(_ jobs: Int) throws -> LogReport {
      // The second time that the segment is opened.
      let fault = FileFault(.open, number: 2, lasts: true, errorNumber: 5, pathSuffix: name)
      return try LogVerifier.verify(
        at: LakeStory.shipped, jobs: jobs, fileSystem: FaultyFileSystem(lake.files, faults: [fault]))
    }
    let one = try report(1)
    #expect(one.problems.map(\.kind) == [.changedSegment], "\(one.problems)")
    #expect(try report(4) == one)
  }

  // MARK: Work

  /// Each job waits in its second reading of a segment until all others are in one, too.
  @Test(arguments: [2, 3]) func digestsAreComputedSideBySide(jobs: Int) throws {
    let lake = LakeStory()
    try lake.story.record(60)
    try lake.ship()
    let opened = Locked<[String: Int]>([:])
    let all = DispatchSemaphore(value: 0)
    let files = FaultyFileSystem(lake.files) { call in
      guard call.operation == .open, call.path.contains("/date=") else { return }
      let number = opened.withLock { opened in
        opened[call.path, default: 0] += 1
        return opened[call.path] == 2 ? opened.values.count { count in count >= 2 } : 0
      }
      if number == jobs { for _ in 0..<jobs { all.signal() } }
      guard (1...jobs).contains(number) else { return }
      #expect(all.wait(timeout: .now() + 60) == .success, "job \(number) is alone")
    }
    let report = try LogVerifier.verify(at: LakeStory.shipped, jobs: jobs, fileSystem: files)
    #expect(report.verdict == .clean && report.lastRevision == 60)
    #expect(opened.withLock { opened in opened.values.allSatisfy { count in count == 2 } })
  }

  /// The number of segments that a verification reads twice.
  private func countReadTwice(_ files: any LogFileSystem) throws -> Int {
    let opened = Locked<[String: Int]>([:])
    let counting = FaultyFileSystem(files) { call in
      guard call.operation == .open, call.path.hasSuffix(".jsonl") else { return }
      opened.withLock { opened in opened[call.path, default: 0] += 1 }
    }
    _ = try LogVerifier.verify(at: LogStory.path, jobs: 4, fileSystem: counting)
    return opened.withLock { opened in opened.values.count { count in count > 1 } }
  }

  @Test func onlySegmentsWithProblemsAreReadTwice() throws {
    let story = LogStory(segmentLimitBytes: 700)
    try story.record(40)
    #expect(try countReadTwice(story.files) == 0)
    // The segment after the damage follows a line that is unknown, or one that is not the last one.
    try story.breakLine(2, of: try story.reader().segments[3].first)
    #expect(try countReadTwice(story.files) == 1)
    for kind in Kind.allCases {
      // The line with which the tiles end is compared in its turn. A pruning brings the tiles up to date.
      let hasTiles = kind == .checkpoints || kind == .pruned
      #expect(try countReadTwice(kind.log(seed: 7).files) <= (hasTiles ? 1 : 0), "\(kind)")
    }
  }

  /// The line with which the tiles end is compared in its turn.
  @Test func wrongEndOfTilesIsReported() throws {
    let story = try Kind.checkpoints.log(seed: 1)
    let path = "/log/proofs/edge"
    var edge = try #require(EvidenceEdge(parsing: story.files.contents(of: path)))
    edge.last ^= 1
    try story.files.setContents(edge.encoded, of: path)
    let reports = try [1, 4].map { jobs in try Self.outcome(story.files, jobs: jobs).get() }
    #expect(reports[0].problems.map(\.kind) == [.wrongCheckpoint] && reports[1] == reports[0], "\(reports)")
  }

  /// Each job waits in its segment until all others are in one, too.
  @Test(arguments: [2, 3, 5]) func segmentsAreReadSideBySide(jobs: Int) throws {
    let story = LogStory(segmentLimitBytes: 700)
    try story.record(40)
    let opened = Locked(0)
    let all = DispatchSemaphore(value: 0)
    let files = FaultyFileSystem(story.files) { call in
      guard call.operation == .open, call.path.hasSuffix(".jsonl") else { return }
      let number = opened.withLock { opened in
        opened += 1
        return opened
      }
      if number == jobs { for _ in 0..<jobs { all.signal() } }
      guard number <= jobs else { return }
      #expect(all.wait(timeout: .now() + 60) == .success, "job \(number) is alone")
    }
    let report = try LogVerifier.verify(at: LogStory.path, jobs: jobs, fileSystem: files)
    #expect(report.verdict == .clean && report.lastRevision == 40)
  }

  /// While the first segment is not read, the jobs stop at twice their number of segments.
  @Test(arguments: [2, 3]) func jobsDoNotRunFarAhead(jobs: Int) throws {
    let story = LogStory(segmentLimitBytes: 700)
    try story.record(60)
    let segments = try story.reader().segments
    #expect(segments.count > 3 * jobs)
    let opened = Locked(0)
    let isFull = DispatchSemaphore(value: 0)
    let files = FaultyFileSystem(story.files) { call in
      guard call.operation == .open, call.path.hasSuffix(".jsonl") else { return }
      let number = opened.withLock { opened in
        opened += 1
        return opened
      }
      if number == 2 * jobs { isFull.signal() }
      guard call.path == segments[0].path else { return }
      #expect(isFull.wait(timeout: .now() + 60) == .success)
      #expect(opened.withLock { opened in opened } == 2 * jobs)
    }
    #expect(try LogVerifier.verify(at: LogStory.path, jobs: jobs, fileSystem: files).verdict == .clean)
  }

  @Test func progressOnlyGrows() throws {
    let story = LogStory(segmentLimitBytes: 700)
    try story.record(40)
    try story.breakLine(2, of: try story.reader().segments[3].first)
    var last = (done: 0, total: 0)
    _ = try LogVerifier.verify(at: LogStory.path, jobs: 3, fileSystem: story.files) { done, total in
      #expect(done >= last.done && done <= total)
      last = (done, total)
    }
    #expect(last.done == last.total && last.done > 0)
  }

  /// A shipped log is read twice.
  @Test(arguments: [1, 3]) func progressIncludesTheDigests(jobs: Int) throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    let size = try lake.segments().reduce(0) { sum, segment in try sum + lake.files.contents(of: segment).count }
    var last = 0
    var totals: Set<Int> = []
    _ = try LogVerifier.verify(at: LakeStory.shipped, jobs: jobs, fileSystem: lake.files) { done, total in
      #expect(done >= last)
      last = done
      totals.insert(total)
    }
    #expect(last == 2 * size && totals == [2 * size])
  }
}
