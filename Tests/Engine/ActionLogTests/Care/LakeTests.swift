import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import Platform
import TestSupport
import Testing

/// A log and the lake that it is shipped to.
struct LakeStory {
  static let lake = "/lake"
  static let shipped = "/lake/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"
  static let side = "/lake/_logs/3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  var story: LogStory
  var files: MemoryFileSystem { story.files }

  init(_ files: MemoryFileSystem = MemoryFileSystem(), segmentLimitBytes: Int = 1_500) {
    story = LogStory(files, segmentLimitBytes: segmentLimitBytes)
  }

  /// Ships a log.
  ///
  /// - Returns: The outcomes, and the tail.
  @discardableResult
  func ship(
    _ path: String = LogStory.path, through door: (any LogFileSystem)? = nil, storing: ShippingPass.Storing? = nil
  ) throws -> (outcomes: [ShippingPass.Outcome], tail: ShippedTail?) {
    let shipping = try LogShipping(at: path, to: Self.lake, fileSystem: door ?? files)
    var pass = try ShippingPass(shipping, storing: storing, now: { LogEnvironment.testStart })
    var outcomes: [ShippingPass.Outcome] = []
    for segment in shipping.segments { outcomes.append(try pass.ship(segment).outcome) }
    return (outcomes, try pass.finish())
  }

  /// The numbers of the actions of a log.
  static func actions(_ files: any LogFileSystem, at path: String = shipped) throws -> [Int] {
    var records = try LogReader.open(at: path, fileSystem: files).records(from: 0)
    var actions: [Int] = []
    while let record = try records.next() { if !record.isControl { actions.append(record.number) } }
    return actions
  }

  func verify(_ path: String = shipped) throws -> LogReport { try LogVerifier.verify(at: path, fileSystem: files) }

  /// The shipped segments, in order.
  func segments() throws -> [String] {
    files.filePaths.filter { path in path.contains("/date=") && path.hasSuffix(".jsonl") }
      .sorted()
  }

  @discardableResult
  func restore(
    _ target: String = "/restored", on files: (any LogFileSystem)? = nil, isPartial: Bool = false
  ) throws -> [BackupReport.LeftOut] {
    try LakeRestoring(from: Self.shipped, fileSystem: files ?? self.files)
      .run(to: target, isPartial: isPartial, environment: .test())
  }
}

@Suite("A log in a lake", .timeLimit(.minutes(60)))
struct LakeTests {
  @Test func shippedLogIsReadLikeTheLog() throws {
    let lake = LakeStory()
    let writer = try lake.story.open()
    for number in 1...30 { try writer.appendNow([.numbered(number)]) }
    let (outcomes, tail) = try lake.ship()
    #expect(outcomes.count > 2 && outcomes.allSatisfy { outcome in outcome == .shipped })
    #expect(tail?.isNew == true && tail?.lastRevision == 30)
    #expect(try LakeStory.actions(lake.files) == Array(1...30))
    let reader = try LogReader.open(at: LakeStory.shipped, fileSystem: lake.files)
    #expect(try reader.segments.map(\.first) == lake.story.reader().segments.map(\.first))
    #expect(try reader.record(at: 7).number == 7 && reader.extent().lastRevision == 30)
    let report = try lake.verify()
    #expect(report.verdict == .clean && report.warnings.isEmpty && report.lastRevision == 30, "\(report)")
    // The tail is replaced only if there is more.
    #expect(try lake.ship().tail?.isNew == false)
    try writer.appendNow([.numbered(31)])
    #expect(try lake.ship().tail?.isNew == true)
    #expect(try LakeStory.actions(lake.files) == Array(1...31))
    try writer.closeNow()
    #expect(try lake.ship().tail == nil)
    #expect(try lake.files.status(of: LakeStory.side + "/tail.jsonl") == nil)
    #expect(try lake.verify().isClosed)
  }

  /// A log that was shortened to an earlier `@close` looks closed, and `HEAD` records more.
  @Test func shortenedLogIsNotShipped() throws {
    let lake = LakeStory()
    try lake.story.record(3)
    let first = try lake.story.bytes()
    try lake.story.record(3, from: 4)
    #expect(try lake.story.reader().segments.count == 1)
    try lake.files.setContents(first, of: lake.story.segment())
    let refusal = #expect(throws: LogError.self) { try lake.ship() }
    #expect(refusal?.code == .damaged, "\(String(describing: refusal))")
    #expect(lake.files.filePaths.allSatisfy { path in !path.contains("/date=") })
    let store = EvidenceStore(log: LogStory.path, fileSystem: lake.files)
    // No checkpoint attests the shorter log.
    #expect(#expect(throws: LogError.self) { try store.update() }?.code == .damaged)
  }

  @Test func manifestHasBothEndsOfEachSegment() throws {
    let lake = LakeStory()
    try lake.story.record(20)
    try lake.ship()
    let manifest = ShippingManifest(parsing: try lake.files.contents(of: LakeStory.side + "/manifest.jsonl"))
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: lake.files)
    #expect(manifest.sorted.map(\.ends) == report.segments.compactMap(\.ends))
    #expect(manifest.sorted.map(\.lineCount) == report.segments.map(\.recordCount))
    #expect(manifest.sorted.map(\.sizeBytes) == report.segments.map(\.sizeBytes))
    for entry in manifest.sorted {
      #expect(entry.sha256 == SHA256.hexadecimal(try lake.files.contents(of: LakeStory.lake + "/" + entry.path)))
    }
    #expect(ShippingManifest(parsing: manifest.encoded()) == manifest)
  }

  /// A tail that became a segment meanwhile, and a closed log that was opened again.
  @Test func tailIsReplacedByItsSegment() throws {
    let lake = LakeStory()
    try lake.story.record(3)
    try lake.ship()
    let writer = try lake.story.open()
    try writer.appendNow([.numbered(4)])
    // The tail is longer than the shipped segment of the closed log.
    #expect(try lake.ship().tail?.lastRevision == 4)
    #expect(try LakeStory.actions(lake.files) == [1, 2, 3, 4])
    #expect(try lake.verify().problems.isEmpty)
    for number in 5...20 { try writer.appendNow([.numbered(number)]) }
    let reader = try LogReader.open(at: LakeStory.shipped, fileSystem: lake.files)
    try lake.ship()
    // A reader that was opened before continues with the segments.
    var records = try reader.records(from: 3)
    var last = 0
    while let record = try records.next() { last = record.revision }
    #expect(last == 20)
    try writer.closeNow()
  }

  @Test func missingAndChangedSegmentsAreFound() throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    let segments = try lake.segments()
    #expect(segments.count > 3)
    for index in segments.indices {
      let whole = try lake.files.contents(of: segments[index])
      try lake.files.remove(segments[index])
      let kinds = try lake.verify().problems.map(\.kind)
      #expect(kinds.contains(.missingSegment), "segment \(index): \(kinds)")
      // The newest one leaves no other trace.
      if index == segments.count - 1 { #expect(kinds == [.missingSegment]) }
      try lake.files.setContents(whole, of: segments[index])
    }
    #expect(try lake.verify().verdict == .clean)
    // A segment that is valid, but of another history.
    let other = LogStory(segmentLimitBytes: 1_500)
    for number in 1...40 { try other.record(1, from: number == 2 ? 99 : number, close: number == 40) }
    try lake.files.setContents(try other.bytes(), of: segments[0])
    #expect(try lake.verify().problems.map(\.kind).contains(.changedSegment))
  }

  @Test func withoutAManifestThereIsAWarning() throws {
    let lake = LakeStory()
    try lake.story.record(20)
    try lake.ship()
    try lake.files.remove(LakeStory.side + "/manifest.jsonl")
    let report = try lake.verify()
    #expect(report.verdict == .clean && report.warnings.map(\.kind) == [.missingManifest])
    let outcomes = try lake.ship().outcomes
    #expect(outcomes.allSatisfy { outcome in outcome == .present })
    #expect(try lake.verify().warnings.isEmpty)
  }

  @Test func shippedLogIsNotWritten() throws {
    let lake = LakeStory()
    try lake.story.record(20)
    try lake.ship()
    let before = lake.files.filePaths
    let writing = #expect(throws: LogError.self) {
      try LogWriter.open(at: LakeStory.shipped, model: "counter", schema: 1, fileSystem: lake.files)
    }
    #expect(writing?.code == .invalidArgument)
    let shipping = #expect(throws: LogError.self) {
      try LogShipping(at: LakeStory.shipped, to: "/other", fileSystem: lake.files)
    }
    #expect(shipping?.code == .invalidArgument)
    let view = LakeFileSystem(lake.files)
    for path in ["/HEAD", "/snapshots", "/0000000000000001.jsonl"] {
      let error = #expect(throws: FileSystemError.self) { try view.open(LakeStory.shipped + path, for: .overwrite) }
      #expect(error?.code == .readOnlyFileSystem)
    }
    #expect(lake.files.filePaths == before)
  }

  /// A log in a directory of such a name is a log, and is written.
  @Test func aLogOfThatNameIsNoShippedLog() throws {
    let files = MemoryFileSystem()
    try files.createDirectory("/model=a")
    let path = "/model=a/log=b"
    let backup = LakeStory(files)
    try backup.story.record(3)
    _ = try LogBackup.backup(at: LogStory.path, to: path, fileSystem: files)
    #expect(try LakeStory.actions(files, at: path) == [1, 2, 3])
    try LogWriter.open(at: path, model: "counter", schema: 1, fileSystem: files).closeNow()
  }

  // MARK: Paths

  private static let id = "log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  /// The directory decides, and not how its path is written.
  @Test(arguments: [
    LakeStory.shipped, LakeStory.shipped + "/", LakeStory.shipped + "/.", "/lake//model=counter/\(id)",
    "/lake/model=counter/./\(id)",
    "/lake/../lake/model=counter/\(id)", LakeStory.shipped + "/../\(id)", LakeStory.shipped + "/date=2026-11-21/..",
  ])
  func everyPathOfAShippedLogIsVerified(path: String) throws {
    let lake = LakeStory()
    try lake.story.record(40)
    try lake.ship()
    let newest = try #require(try lake.segments().last)
    try lake.files.remove(newest)
    #expect(try LakeFileSystem.isShippedLog(path, lake.files))
    let report = try lake.verify(path)
    #expect(report.problems.map(\.kind) == [.missingSegment] && report.problems.first?.path == newest, "\(report)")
    #expect(try report.segments.map(\.path) == lake.segments())
    let intact = report.lastRevision
    #expect(try LakeStory.actions(lake.files, at: path) == Array(1...intact))
    // Nothing else takes it for a log of its own.
    let writing = #expect(throws: LogError.self) {
      try LogWriter.open(at: path, model: "counter", schema: 1, fileSystem: lake.files)
    }
    let shipping = #expect(throws: LogError.self) { try LogShipping(at: path, to: "/other", fileSystem: lake.files) }
    #expect(writing?.code == .invalidArgument && shipping?.code == .invalidArgument)
    try LakeRestoring(from: path, fileSystem: lake.files)
      .run(to: "/restored", isPartial: true, environment: .test())
    #expect(try LakeStory.actions(lake.files, at: "/restored") == Array(1...intact))
  }

  /// The problems of a lake name files that are there.
  @Test func problemsNameTheFilesOfTheLake() throws {
    let lake = LakeStory()
    try lake.story.record(40)
    let writer = try lake.story.open()
    try writer.appendNow([.numbered(41)])
    try lake.ship()
    try writer.closeNow()
    let segments = try lake.segments()
    try lake.files.flipBit(0, ofByte: 500, in: segments[1])
    let tail = LakeStory.side + "/tail.jsonl"
    try lake.files.flipBit(0, ofByte: 500, in: tail)
    try lake.files.remove(LakeStory.side + "/manifest.jsonl")
    let report = try lake.verify()
    #expect(Set(report.problems.map(\.path)) == [segments[1], tail], "\(report.problems)")
    #expect(report.warnings.contains { warning in warning.path == LakeStory.side + "/manifest.jsonl" })
    #expect(report.segments.map(\.path) == segments + [tail])
  }

  @Test func symbolicLinksLeadToAShippedLog() throws {
    let directory = try TemporaryDirectory()
    let files = POSIXFileSystem()
    let configuration = LogConfiguration(durability: .written, segmentLimitBytes: 600, environment: .test())
    let writer = try LogWriter.open(
      at: directory.path("log"), model: "counter", schema: 1, fileSystem: files, configuration: configuration)
    for number in 1...12 { try writer.appendNow([.numbered(number)]) }
    try writer.closeNow()
    let shipping = try LogShipping(at: directory.path("log"), to: directory.path("lake"), fileSystem: files)
    var pass = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    for segment in shipping.segments { _ = try pass.ship(segment) }
    _ = try pass.finish()
    let newest = try #require(shipping.segments.last)
    try FileManager.default.removeItem(atPath: newest.target)
    let model = directory.path("lake") + "/model=counter"
    // A link to the log, to the folder around it, to the lake, and to the folder under a name that has a lake of its own.
    let links = [
      ("link", model + "/" + Self.id), ("folder", model), ("other", directory.path("lake")), ("model=x", model),
    ]
    for (name, target) in links {
      try FileManager.default.createSymbolicLink(atPath: directory.path(name), withDestinationPath: target)
    }
    for path in ["link", "link/", "folder/" + Self.id, "other/model=counter/" + Self.id, "model=x/" + Self.id] {
      let report = try LogVerifier.verify(at: directory.path(path), fileSystem: files)
      #expect(report.problems.map(\.kind) == [.missingSegment], "\(path): \(report.problems)")
      for segment in report.segments { #expect(try files.status(of: segment.path)?.kind == .file, "\(path)") }
      #expect(try LakeFileSystem.isShippedLog(directory.path(path), files), "\(path)")
      // A view shows the same, also for a directory that was listed before.
      let view = LakeFileSystem(files)
      #expect(try view.names(in: directory.path(path)).filter { name in SegmentName.first(of: name) != nil }.count > 2)
      #expect(try view.status(of: directory.path(path) + "/" + String(newest.target.suffix(22))) == nil)
    }
    // The message has the path that was typed.
    let typed = directory.path("other") + "/model=counter/" + Self.id
    let report = try LogVerifier.verify(at: typed, fileSystem: files)
    #expect(report.segments.allSatisfy { segment in segment.path.hasPrefix(typed + "/date=") })
  }

  @Test func oneProcessShipsALog() throws {
    let lake = LakeStory()
    try lake.story.record(20)
    let shipping = try LogShipping(at: LogStory.path, to: LakeStory.lake, fileSystem: lake.files)
    var first = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    let error = #expect(throws: LogError.self) { try ShippingPass(shipping, now: { LogEnvironment.testStart }) }
    #expect(error?.code == .locked && error?.message.hasPrefix("another process is shipping this log") == true)
    for segment in shipping.segments { _ = try first.ship(segment) }
    _ = try first.finish()
    #expect(try lake.ship().outcomes.allSatisfy { outcome in outcome == .present })
  }

  @Test func snapshotsAndCheckpointsFollowTheLog() throws {
    let lake = LakeStory()
    let writer = try lake.story.open()
    for number in 1...30 { try writer.appendNow([.numbered(number)]) }
    for folder in ["snapshots", "proofs", "proofs/checkpoints"] { try lake.files.createDirectory("/log/" + folder) }
    let names = [5, 30, 31].map { revision in String(repeating: "0", count: 16 - "\(revision)".count) + "\(revision)" }
    for name in names { try lake.files.setContents(Array(name.utf8), of: "/log/snapshots/\(name).json") }
    try lake.files.setContents([1], of: "/log/proofs/checkpoints/\(names[0])")
    try lake.ship()
    // The last snapshot is ahead of what the lake has.
    let copies = { try lake.files.names(in: LakeStory.side + "/snapshots") }
    #expect(try copies() == [names[0] + ".json", names[1] + ".json"])
    #expect(try lake.files.contents(of: LakeStory.side + "/proofs/checkpoints/\(names[0])") == [1])
    try lake.files.remove("/log/snapshots/\(names[0]).json")
    try lake.files.setContents([2], of: "/log/snapshots/\(names[1]).json")
    try writer.appendNow([.numbered(31)])
    try lake.ship()
    #expect(try copies() == [names[1] + ".json", names[2] + ".json"])
    #expect(try lake.files.contents(of: LakeStory.side + "/snapshots/\(names[1]).json") == [2])
    #expect(try LakeFileSystem(lake.files).names(in: LakeStory.shipped).contains("snapshots"))
    try writer.closeNow()
  }

  // MARK: Two histories

  @Test func anotherHistoryIsNotShipped() throws {
    for shipsTail in [true, false] {
      let lake = LakeStory()
      try lake.story.record(20)
      try lake.ship()
      // The same log, continued in two places.
      _ = try LogBackup.backup(at: LogStory.path, to: "/other", fileSystem: lake.files)
      try lake.story.record(30, from: 21)
      try lake.ship()
      let writer = try LogWriter.open(
        at: "/other", model: "counter", schema: 1, fileSystem: lake.files, configuration: lake.story.configuration)
      for number in 1...(shipsTail ? 1 : 60) { try writer.appendNow([.numbered(1_000 + number)]) }
      if !shipsTail { try writer.closeNow() }
      let before = try lake.segments().map { path in try lake.files.contents(of: path) }
      let error = #expect(throws: LogError.self) { try lake.ship("/other") }
      #expect(error?.code == .exists, "\(String(describing: error))")
      #expect(try lake.segments().map { path in try lake.files.contents(of: path) } == before)
      #expect(try lake.verify().verdict == .clean)
    }
  }

  // MARK: Interruptions

  /// At every call of a first and of a second shipping: what the lake has is intact, and the next shipping completes it.
  @Test func shippingMayBeKilledAtEveryCall() throws {
    let lake = LakeStory()
    let writer = try lake.story.open()
    for number in 1...12 { try writer.appendNow([.numbered(number)]) }
    let left = Locked<[(disk: MemoryFileSystem, isCrashed: Bool)]>([])
    let base = lake.files
    let door = FaultyFileSystem(base) { call in
      guard call.isChange else { return }
      left.withLock { left in
        left += [(disk: base.copy(), isCrashed: false), (disk: base.crash(.onlySyncedSurvives), isCrashed: true)]
      }
    }
    try lake.ship(through: door)
    for number in 13...18 { try writer.appendNow([.numbered(number)]) }
    try lake.ship(through: door)
    let disks = left.withLock { left in left }
    #expect(disks.count > 60)
    for (index, (disk, isCrashed)) in disks.enumerated() {
      let killed = LakeStory(disk)
      if try LakeFileSystem.isShippedLog(LakeStory.shipped, disk),
        try !LakeFileSystem(disk).names(in: LakeStory.shipped).isEmpty
      {
        let report = try killed.verify()
        #expect(report.problems.isEmpty, "call \(index): \(report.problems)")
        let actions = try LakeStory.actions(disk)
        #expect(actions == Array((1...18).prefix(actions.count)))
      }
      try killed.ship()
      let all = try LakeStory.actions(disk, at: LogStory.path)
      let shipped = try LakeStory.actions(disk)
      // After a power cut, `HEAD` may not show how far the active segment is durable.
      #expect(isCrashed ? all.starts(with: shipped) && !shipped.isEmpty : all == shipped, "call \(index)")
      #expect(try killed.verify().warnings.isEmpty)
    }
    try writer.closeNow()
  }

  @Test(
    arguments: [
      FileCall.Operation.open, .append, .sync, .rename, .syncDirectory, .createDirectory, .read, .names, .lock,
    ])
  func everyFailedCallIsReportedAndRepeated(operation: FileCall.Operation) throws {
    var number = 1
    while true {
      let lake = LakeStory()
      try lake.story.record(12, close: false)
      let faulty = FaultyFileSystem(lake.files)
      faulty.add(FileFault(operation, number: number))
      do {
        try lake.ship(through: faulty)
      } catch let error as LogError {
        #expect(error.code == .inputOutput, "\(operation) \(number): \(error)")
      }
      faulty.heal()
      if try LakeFileSystem.isShippedLog(LakeStory.shipped, lake.files),
        try !LakeFileSystem(lake.files).names(in: LakeStory.shipped).isEmpty
      {
        #expect(try lake.verify().problems.isEmpty)
      }
      try lake.ship()
      #expect(try LakeStory.actions(lake.files) == Array(1...12))
      if faulty.firedCount == 0 { break }
      number += 1
    }
    #expect(number > 1)
  }

  @Test func aFullDiskLeavesWhatWasShipped() throws {
    let whole = LakeStory()
    try whole.story.record(20)
    let used = whole.files.filePaths.reduce(0) { sum, path in
      sum + ((try? whole.files.contents(of: path).count) ?? 0)
    }
    for extra in stride(from: 0, through: used * 2, by: 1_000) {
      let lake = LakeStory(MemoryFileSystem(capacityBytes: used + extra))
      try lake.story.record(20)
      do { try lake.ship() } catch let error as LogError {
        #expect(error.code == .noSpace)
        if try !lake.segments().isEmpty { #expect(try lake.verify().problems.isEmpty) }
      }
      #expect(try LakeStory.actions(lake.files, at: LogStory.path) == Array(1...20))
    }
  }

  // MARK: Storing by other programs

  @Test func segmentsMayBeStoredElsewhere() throws {
    struct Refusal: Error {}
    let lake = LakeStory()
    try lake.story.record(50)
    var stored: [String: String] = [:]
    var limit = 2
    let storing: ShippingPass.Storing = { segment, name, sha256, replaces in
      guard limit > 0 else { throw Refusal() }
      limit -= 1
      #expect(sha256 == SHA256.hexadecimal(try lake.files.contents(of: segment.source)))
      #expect(replaces == (stored[name] != nil))
      stored[name] = sha256
    }
    #expect(throws: Refusal.self) { try lake.ship(storing: storing) }
    #expect(stored.count == 2)
    limit = .max
    let outcomes = try lake.ship(storing: storing).outcomes
    #expect(outcomes.prefix(2).allSatisfy { outcome in outcome == .present } && stored.count == outcomes.count)
    #expect(outcomes.dropFirst(2).allSatisfy { outcome in outcome == .shipped } && outcomes.count > 2)
    #expect(try lake.segments().isEmpty)
    // The last segment of a closed log grows.
    try lake.story.record(1, from: 51)
    let later = try lake.ship(storing: storing).outcomes
    #expect(later.filter { outcome in outcome == .shipped }.count == 1 && stored.count == later.count)
  }
}

@Suite("Segments by age") struct SegmentAgeTests {
  private func firsts(_ age: LogConfiguration.SegmentAge, times: [String]) throws -> [Int] {
    let files = MemoryFileSystem()
    let clock = Locked(try #require(LogTime(parsing: "2026-11-21T23:00:00.000000Z")))
    var environment = LogEnvironment.test()
    environment.now = { clock.withLock { time in time } }
    var configuration = LogConfiguration(environment: environment)
    configuration.segmentAge = age
    for text in times {
      // A new writer for each action: the age is that of the segment, not of the process.
      let next = try #require(LogTime(parsing: text.dropLast() + ".000000Z"))
      clock.withLock { time in time = next }
      let writer = try LogWriter.open(
        at: "/log", model: "counter", schema: 1, fileSystem: files, configuration: configuration)
      try writer.appendNow([.numbered(1)])
      try writer.closeNow()
    }
    return try LogReader.open(at: "/log", fileSystem: files).segments.map(\.first)
  }

  @Test func midnightBeginsASegment() throws {
    let times = [
      "2026-11-21T23:00:00Z", "2026-11-21T23:59:59Z", "2026-11-22T00:00:00Z", "2026-11-22T20:00:00Z",
      "2026-11-25T01:00:00Z",
    ]
    #expect(try firsts(.day, times: times) == [1, 3, 5])
    // A clock that was set back begins none.
    #expect(try firsts(.day, times: ["2026-11-21T23:00:00Z", "2026-11-20T23:00:00Z"]) == [1])
  }

  @Test func anHourBeginsASegment() throws {
    let times = [
      "2026-11-21T23:00:00Z", "2026-11-21T23:59:59Z", "2026-11-22T00:00:00Z", "2026-11-22T00:30:00Z",
      "2026-11-22T01:00:01Z",
    ]
    #expect(try firsts(.duration(.seconds(3_600)), times: times) == [1, 3, 5])
  }
}

extension FileCall {
  /// Whether the call changes the file system.
  var isChange: Bool {
    switch operation {
    case .append, .truncate, .sync, .rename, .remove, .createDirectory, .syncDirectory: true
    default: false
    }
  }
}
