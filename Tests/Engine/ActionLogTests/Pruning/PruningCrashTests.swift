import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import Platform
import TestSupport
import Testing

/// A power cut, a killed process and a failing call at each call of a pruning, and a reader at each of them.
@Suite("Interrupted prunings", .timeLimit(.minutes(60)))
struct PruningCrashTests {
  private static let count = 12

  enum Operation: CaseIterable, Sendable {
    case prune, delete, restore, pruneToLake, restoreFromLake

    /// Whether a lake has all segments before the operation.
    var usesLake: Bool { self == .pruneToLake || self == .restoreFromLake }

    func prepare(_ story: LogStory) throws {
      try story.record(PruningCrashTests.count)
      if usesLake { try LakeStory(story.files, segmentLimitBytes: 600).ship() }
      if self == .restore { try story.prune(before: 7) }
      if self == .restoreFromLake { try story.prune(before: 7, archive: LakeStory.lake) }
    }

    func run(_ story: LogStory) throws {
      switch self {
      case .prune: try story.prune(before: 7)
      case .delete: try story.prune(before: 7, archive: nil)
      case .restore: try story.restore()
      case .pruneToLake: try story.prune(before: 7, archive: LakeStory.lake)
      case .restoreFromLake: try story.restore(from: LakeStory.lake)
      }
    }
  }

  /// The actions of a log, which begins with the first one or with its base.
  private func expectComplete(_ files: any LogFileSystem, _ comment: Comment) throws {
    let reader = try LogReader.open(at: LogStory.path, fileSystem: files)
    var records = try reader.records()
    var actions: [Int] = []
    while let record = try records.next() { if !record.isControl { actions.append(record.number) } }
    let first = actions.first ?? 0
    #expect(actions == Array(first...Self.count), comment)
    #expect([1, 7, 6, 5].contains(first), comment)
    #expect(try reader.extent().lastRevision == Self.count, comment)
  }

  /// Opens and closes a log that was interrupted, and expects that nothing of the interruption is left.
  private func expectFinished(_ story: LogStory, _ comment: Comment) throws {
    try story.open().closeNow()
    try expectComplete(story.files, comment)
    let report = try LogVerifier.verify(at: LogStory.path, fileSystem: story.files)
    #expect(report.verdict == .clean, "\(comment): \(report.problems)")
    let base = try story.reader().base
    #expect(try story.files.status(of: "/log/base.json.new") == nil, comment)
    // A pruning that is void is a warning. Segments that were put back without effect are one, too.
    let kinds = Set(report.warnings.map(\.kind))
    #expect(kinds.isSubset(of: [.unfinishedPruning, .outdatedSegment, .missingHead, .headDisagrees]), comment)
    if kinds.contains(.unfinishedPruning) { #expect(base == nil, comment) }
  }

  @Test(arguments: Operation.allCases)
  func aPowerCutLosesNothing(_ operation: Operation) throws {
    let models = (1...3).map { seed in CrashModel(seed: seed) }
    var story = LogStory(segmentLimitBytes: 600)
    try operation.prepare(story)
    let files = story.files
    let crashed = Locked<[(String, MemoryFileSystem)]>([])
    story.door = FaultyFileSystem(files) { call in
      // At each call what must have survived, and in turn what may have, and what a killed process leaves.
      crashed.withLock { crashed in
        let turn = crashed.count / 2 % (models.count + 1)
        crashed.append((call.description, files.crash(.onlySyncedSurvives)))
        crashed.append((call.description, turn < models.count ? files.crash(models[turn]) : files.copy()))
      }
    }
    try operation.run(story)
    let all = crashed.withLock { crashed in crashed }
    #expect(all.count > 100)
    // Deleting and restoring share most calls with the first operation: every third image of them, of both kinds in turn.
    for (number, (call, files)) in all.enumerated() where operation == .prune ? number % 4 != 3 : number % 3 == 0 {
      let comment: Comment = "\(operation) before \(call)"
      var after = LogStory(files)
      after.configuration.segmentLimitBytes = 600
      try expectComplete(files, comment)
      if operation.usesLake { #expect(try LakeStory.actions(files) == Array(1...Self.count), comment) }
      try expectFinished(after, comment)
      // Nothing keeps the log from being pruned again.
      if number % 10 == 0, try after.reader().base == nil, operation != .restore, operation != .restoreFromLake {
        try operation.run(after)
        try expectFinished(after, comment)
      }
    }
  }

  @Test(arguments: Operation.allCases)
  func aFailingCallLosesNothing(_ operation: Operation) throws {
    var number = 0
    var hasFailed = true
    let prepared = LogStory(segmentLimitBytes: 600)
    try operation.prepare(prepared)
    while hasFailed {
      number += operation == .delete ? 3 : 1
      var story = LogStory(prepared.files.copy(), segmentLimitBytes: 600)
      let door = FaultyFileSystem(story.files, faults: [FileFault(number: number)])
      story.door = door
      do { try operation.run(story) } catch is LogError {}
      hasFailed = door.firedCount > 0
      story.door = story.files
      let comment: Comment = "\(operation), call \(number): \(door.calls.last?.description ?? "")"
      try expectComplete(story.files, comment)
      try expectFinished(story, comment)
    }
    #expect(number > 50)
  }

  @Test(arguments: Operation.allCases)
  func readersNeverFail(_ operation: Operation) throws {
    var story = LogStory(segmentLimitBytes: 600)
    try operation.prepare(story)
    let files = story.files
    story.door = FaultyFileSystem(files) { [self] call in
      do { try expectComplete(files, "\(operation), before \(call)") } catch {
        Issue.record("\(operation), before \(call): \(error)")
      }
    }
    try operation.run(story)
  }

  /// A reader that began before the pruning reads on, or learns that the next actions are gone. It never sees damage.
  @Test func aReaderThatBeganBeforeIsTold() throws {
    var isComplete = false
    var number = 0
    let prepared = LogStory(segmentLimitBytes: 600)
    try prepared.record(Self.count)
    while !isComplete {
      var story = LogStory(prepared.files.copy(), segmentLimitBytes: 600)
      let reader = try story.reader()
      let cursors = Locked(
        try stride(from: 0, through: Self.count, by: 3).map { read in
          var cursor = try reader.records()
          var last = 0
          while last < read, let record = try cursor.next() { last = record.revision }
          return (cursor, last)
        })
      let calls = Locked(0)
      let turn = number
      story.door = FaultyFileSystem(story.files) { call in
        let isTurn = calls.withLock { calls in
          calls += 1
          return calls - 1 == turn
        }
        guard isTurn else { return }
        for (cursor, last) in cursors.withLock({ cursors in cursors }) {
          Self.expectRest(of: cursor, after: last, "before \(call)")
        }
      }
      try story.prune(before: 7)
      isComplete = calls.withLock { calls in calls } <= turn
      number += 1
    }
    #expect(number > 50)
  }

  /// Expects that a cursor reads on to the end, or learns that the next action is gone.
  private static func expectRest(of cursor: RecordCursor, after last: Int, _ comment: Comment) {
    var cursor = cursor
    var last = last
    do throws(LogError) {
      while let record = try cursor.next() {
        guard !record.isControl else { continue }
        last += 1
        #expect(record.number == last, comment)
      }
      #expect(last == count, comment)
    } catch {
      #expect(error.code == .pruned, "\(comment): \(error)")
    }
  }

  @Test func aFollowerIsToldThatActionsAreGone() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(Self.count)
    var follower = try story.reader().follower()
    #expect(try follower.poll(maximumCount: 3).count == 3)
    try story.prune(before: 7)
    var error: LogError?
    do throws(LogError) { while try !follower.poll().isEmpty {} } catch let thrown { error = thrown }
    #expect(error?.code == .pruned)
  }

  @Test func aPruningThatCannotBeFinishedIsVoid() throws {
    let story = LogStory(segmentLimitBytes: 600)
    try story.record(Self.count)
    let files = story.files
    let copy = Locked<MemoryFileSystem?>(nil)
    var watched = story
    watched.door = FaultyFileSystem(files) { call in
      if call.operation == .rename, call.newPath == "/log/base.json" { copy.withLock { copy in copy = files.copy() } }
    }
    try watched.prune(before: 7)
    let before = try #require(copy.withLock { copy in copy })
    let interrupted = LogStory(before)
    #expect(
      try LogVerifier.verify(at: LogStory.path, fileSystem: before).warnings.map(\.kind) == [.unfinishedPruning])
    try before.remove("/log/base.json.new")
    let warnings = try LogVerifier.verify(at: LogStory.path, fileSystem: before).warnings
    #expect(warnings.map(\.kind) == [.unfinishedPruning])
    #expect(warnings.first?.message.contains("it was not carried out") == true)
    try before.setContents([1], of: "/log/base.json.new")
    try interrupted.open().closeNow()
    #expect(try before.status(of: "/log/base.json.new") == nil)
    #expect(try interrupted.read().actions == Array(1...Self.count))
    #expect(try LogVerifier.verify(at: LogStory.path, fileSystem: before).verdict == .clean)
  }
}
