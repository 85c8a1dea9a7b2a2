import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Foundation
import Platform
import TestSupport
import Testing

@Suite("Restoring from a lake", .timeLimit(.minutes(60)))
struct LakeRestoringTests {
  @Test func everyPrefixOfALakeIsRestored() throws {
    let lake = LakeStory(segmentLimitBytes: 900)
    let writer = try lake.story.open()
    var disks: [(count: Int, disk: MemoryFileSystem)] = []
    for number in 1...14 {
      try writer.appendNow([.numbered(number)])
      try lake.ship()
      disks.append((number, lake.files.copy()))
    }
    try writer.closeNow()
    try lake.ship()
    disks.append((14, lake.files.copy()))
    for (count, disk) in disks {
      let restored = LakeStory(disk, segmentLimitBytes: 900)
      try restored.restore()
      #expect(try LakeStory.actions(disk, at: "/restored") == Array(1...count))
      #expect(try restored.verify("/restored").verdict == .clean)
      // It is written and shipped to the same lake.
      let writer = try LogWriter.open(
        at: "/restored", model: "counter", schema: 1, fileSystem: disk, configuration: restored.story.configuration)
      #expect(writer.opening.lastRevision == count)
      for number in 1...10 { try writer.appendNow([.numbered(count + number)]) }
      try writer.closeNow()
      try restored.ship("/restored")
      #expect(try LakeStory.actions(disk) == Array(1...(count + 10)))
      let report = try restored.verify()
      // The clock of each story begins anew.
      let others = report.warnings.filter { warning in warning.kind != .clockWentBack }
      #expect(report.verdict == .clean && others.isEmpty, "\(count): \(report.problems) \(others)")
      // The old machine comes back.
      try LogStory(disk, segmentLimitBytes: 900).record(10, from: 500)
      let error = #expect(throws: LogError.self) { try restored.ship() }
      #expect(error?.code == .exists, "\(count): \(String(describing: error))")
    }
  }

  @Test func aLogAppearsCompleteOrNotAtAll() throws {
    let lake = LakeStory()
    try lake.story.record(12)
    try lake.ship()
    let left = Locked<[MemoryFileSystem]>([])
    let base = lake.files.copy()
    let door = FaultyFileSystem(base) { call in
      guard call.isChange else { return }
      left.withLock { left in left += [base.copy(), base.crash(.onlySyncedSurvives)] }
    }
    try lake.restore(on: door)
    let disks = left.withLock { left in left }
    #expect(disks.count > 30)
    for disk in disks {
      if try disk.status(of: "/restored") == nil { try LakeStory(disk).restore() }
      #expect(try LakeStory.actions(disk, at: "/restored") == Array(1...12))
      #expect(try LogVerifier.verify(at: "/restored", fileSystem: disk).verdict == .clean)
    }
    var number = 1
    while true {
      let faulty = FaultyFileSystem(lake.files.copy())
      faulty.add(FileFault(number: number))
      do { try lake.restore(on: faulty) } catch {}
      faulty.heal()
      if try faulty.status(of: "/restored") == nil { try lake.restore(on: faulty) }
      #expect(try LakeStory.actions(faulty, at: "/restored") == Array(1...12))
      if faulty.firedCount == 0 { break }
      number += 1
    }
  }

  @Test func incompleteLakesAreRestoredOnlyPartially() throws {
    let whole = LakeStory()
    try whole.story.record(40)
    try whole.ship()
    let segments = try whole.segments()
    let manifest = ShippingManifest(parsing: try whole.files.contents(of: LakeStory.side + "/manifest.jsonl")).sorted
    for (index, entry) in manifest.enumerated() {
      for isFlipped in [false, true] {
        let lake = LakeStory(whole.files.copy())
        if isFlipped {
          try lake.files.flipBit(0, ofByte: entry.sizeBytes - 40, in: segments[index])
        } else {
          try lake.files.remove(segments[index])
        }
        guard index > 0 || isFlipped else {
          #expect(throws: LogError.self) { try lake.restore(isPartial: true) }
          continue
        }
        let error = #expect(throws: LogError.self) { try lake.restore() }
        #expect(error?.code == .damaged && error?.intact?.contains("Nothing was made") == true)
        #expect(try lake.files.status(of: "/restored") == nil)
        try lake.restore(isPartial: true)
        let actions = try LakeStory.actions(lake.files, at: "/restored")
        #expect(actions == Array(1...40).prefix(actions.count).map { number in number })
        #expect(actions.count >= entry.ends.first - 1 && actions.count <= entry.ends.lastRevision)
        #expect(try lake.verify("/restored").verdict == .clean)
      }
    }
  }

  /// A log has all actions of a unit or none.
  @Test func aPartialRestoreEndsBeforeADamagedUnit() throws {
    let lake = LakeStory(segmentLimitBytes: 900)
    let writer = try lake.story.open()
    for unit in 0..<6 {
      let actions = (1...3).map { number in LogDraft.numbered(unit * 3 + number) }
      try writer.appendNow([LogDraft(UnitRecord(actions: 3))] + actions)
    }
    try writer.closeNow()
    try lake.ship()
    let reader = try lake.story.reader()
    let (segments, shipped) = (reader.segments, try lake.segments())
    #expect(segments.count > 1 && shipped.count == segments.count)
    for number in 4..<(segments.last?.first ?? 0) {
      let place = try reader.record(at: number).place
      let index = try #require(segments.firstIndex { segment in segment.path == place.path })
      let damaged = LakeStory(lake.files.copy(), segmentLimitBytes: 900)
      try damaged.files.flipBit(0, ofByte: place.byteOffset + 40, in: shipped[index])
      let intact = (number - 1) / 3 * 3
      #expect(try LakeRestoring(from: LakeStory.shipped, fileSystem: damaged.files).lastRevision == intact)
      try damaged.restore(isPartial: true)
      #expect(try LakeStory.actions(damaged.files, at: "/restored") == Array(1...intact), "\(number)")
      #expect(try damaged.verify("/restored").verdict == .clean, "\(number)")
    }
  }

  /// A log with two snapshots and a checkpoint.
  private func lakeWithSnapshots() throws -> LakeStory {
    let lake = LakeStory()
    try lake.story.record(12)
    try ProofStory(story: lake.story).checkpoint()
    for number in 1...2 { try lake.files.setContents([1], of: LogStory.path + Self.snapshot(number)) }
    return lake
  }

  private static func snapshot(_ number: Int) -> String { "/snapshots/000000000000000\(number).json" }

  /// Regression: it blocked the restore.
  @Test(arguments: [true, false]) func oddSnapshotsAreNotRestored(isPartial: Bool) throws {
    let lake = try lakeWithSnapshots()
    try lake.ship()
    try lake.files.remove(LakeStory.side + Self.snapshot(1))
    try lake.files.setContents([1], of: LakeStory.side + Self.snapshot(1) + "/x")
    let leftOut = try lake.restore(isPartial: isPartial)
    #expect(leftOut.map { file in "/" + file.path } == [Self.snapshot(1)])
    #expect(leftOut.first?.isNeeded == false)
    #expect(leftOut.allSatisfy { file in file.message == "a different kind of file has its name" })
    #expect(try LakeStory.actions(lake.files, at: "/restored") == Array(1...12))
    #expect(try lake.files.names(in: "/restored/snapshots") == [String(Self.snapshot(2).dropFirst(11))])
    #expect(try lake.files.names(in: "/restored/proofs/checkpoints").count == 1)
  }

  /// Regression: it ended the shipping before the checkpoints.
  @Test func oddSnapshotsAreNotShipped() throws {
    let lake = try lakeWithSnapshots()
    try lake.files.remove(LogStory.path + Self.snapshot(1))
    try lake.files.setContents([1], of: LogStory.path + Self.snapshot(1) + "/x")
    let shipping = try LogShipping(at: LogStory.path, to: LakeStory.lake, fileSystem: lake.files)
    var pass = try ShippingPass(shipping, now: { LogEnvironment.testStart })
    for segment in shipping.segments { _ = try pass.ship(segment) }
    _ = try pass.finish()
    #expect(pass.leftOut.map { file in "/" + file.path } == [Self.snapshot(1)])
    #expect(try lake.files.names(in: LakeStory.side + "/snapshots") == [String(Self.snapshot(2).dropFirst(11))])
    #expect(try lake.files.names(in: LakeStory.side + "/proofs/checkpoints").count == 1)
  }

  /// Regression: the error had the path of the new log, with an unfinished name.
  @Test func aReadErrorHasThePathOfTheShippedFile() throws {
    let lake = try lakeWithSnapshots()
    try lake.ship()
    let segment = try #require(try lake.segments().last)
    let restoring = try LakeRestoring(
      from: LakeStory.shipped,
      fileSystem: FaultyFileSystem(lake.files) { call in
        guard call.operation == .open, call.path.hasPrefix("/restored.unfinished/") else { return }
        do { if try lake.files.status(of: segment) != nil { try lake.files.remove(segment) } } catch {
          Issue.record(error)
        }
      })
    let error = #expect(throws: LogError.self) {
      try restoring.run(to: "/restored", isPartial: false, environment: .test())
    }
    #expect(error?.code == .notFound && error?.path == segment, "\(String(describing: error))")
  }

  /// The lake changes while it is read.
  @Test func aFaultAtTheEndHasNoInventedPlace() throws {
    let lake = LakeStory()
    try lake.story.record(12)
    try lake.ship()
    let segment = try lake.segments()[0]
    let bytes = try lake.files.contents(of: segment)
    let ends = bytes.indices.filter { index in bytes[index] == 0x0A }
    try lake.files.flipBit(0, ofByte: ends[4] - 30, in: segment)
    var isFlipped = false
    let error = #expect(throws: LogError.self) {
      try LakeRestoring(from: LakeStory.shipped, fileSystem: lake.files) { done, total in
        guard done == total, !isFlipped else { return }
        isFlipped = true
        do { try lake.files.flipBit(0, ofByte: ends[3] - 30, in: segment) } catch { Issue.record(error) }
      }
    }
    #expect(isFlipped && error?.code == .damaged && error?.path == segment, "\(String(describing: error))")
    #expect(error?.line == nil && error?.revision == nil, "\(String(describing: error))")
  }

  @Test func onlyAShippedLogIsRestored() throws {
    let lake = LakeStory()
    try lake.story.record(20)
    try lake.ship()
    for path in [LogStory.path, LakeStory.lake, "/nowhere"] {
      let error = #expect(throws: LogError.self) { try LakeRestoring(from: path, fileSystem: lake.files) }
      #expect(error?.code == .invalidArgument)
    }
    let inside = #expect(throws: LogError.self) { try lake.restore(LakeStory.shipped + "/new") }
    #expect(inside?.code == .invalidArgument)
    try lake.restore()
    let taken = #expect(throws: LogError.self) { try lake.restore() }
    #expect(taken?.code == .exists)
  }
}
