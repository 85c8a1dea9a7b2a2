import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing
import TimeTravel

/// Concurrent changes of marks while their file is cleaned, and the limits of the file.
@Suite struct MarkCleaningTests {
  private static let path = LedgerLog.path + "/" + LogFormat.marksName
  private static let temporary = path + ".new"
  private static let time = LedgerLog.created

  /// The changes that were acknowledged.
  private struct Promise {
    var calls = 0
    var wasMade = false
    var wasRemoved = false
    var refused: [LogError.Code] = []
    var losses: [String] = []
  }

  /// A log with two marks, and a bad line and those of a removed mark between them.
  private static func cleanable() throws -> LedgerLog {
    let log = try LedgerLog(actions: 9)
    let store = MarkStore(at: LedgerLog.path, fileSystem: log.disk)
    try store.add(Mark("old", at: 1, time: time))
    try store.add(Mark("gone", at: 2, time: time))
    try log.disk.setContents(try log.disk.contents(of: path) + Array("no mark\n".utf8), of: path)
    try store.remove("gone", time: time)
    try store.add(Mark("going", at: 2, time: time))
    return log
  }

  /// The differences between a list and the acknowledged changes.
  private static func losses(_ list: MarkList, _ promise: Promise) -> [String] {
    var losses: [String] = []
    if list["old"] == nil { losses.append("'old' is lost") }
    if promise.wasMade, list["new"] == nil { losses.append("'new' is lost") }
    if promise.wasRemoved, list["going"] != nil { losses.append("'going' is back") }
    return losses
  }

  /// Cleans a file, and adds and removes a mark at one of its calls. Whichever call fails, and wherever power fails,
  /// acknowledged changes hold. Returns the number of calls, and the changes.
  private static func clean(actingAt place: Int, failingAt fault: Int?) throws -> Promise {
    let log = try cleanable()
    let disk = log.disk
    let promise = Locked(Promise())
    let files = FaultyFileSystem(
      disk, faults: fault.map { number in [FileFault(number: number, code: .noSpace)] } ?? []
    ) {
      _ in
      promise.withLock { promise in
        promise.calls += 1
        if promise.calls == place {
          let store = MarkStore(at: LedgerLog.path, fileSystem: disk)
          do {
            try store.add(Mark("new", at: 3, time: time))
            promise.wasMade = true
          } catch { promise.refused.append((error as? LogError)?.code ?? .inputOutput) }
          do {
            try store.remove("going", time: time)
            promise.wasRemoved = true
          } catch { promise.refused.append((error as? LogError)?.code ?? .inputOutput) }
        }
        for model in [CrashModel.onlySyncedSurvives, CrashModel(seed: 0), CrashModel(seed: 1)] {
          let list = try? MarkStore(at: LedgerLog.path, fileSystem: disk.crash(model)).read()
          promise.losses += list.map { list in losses(list, promise) } ?? ["the marks cannot be read"]
        }
      }
    }
    do { try MarkStore(at: LedgerLog.path, fileSystem: files).eraseRemovedMarks() } catch {
      #expect(fault != nil && error.code == .noSpace, "\(error)")
    }
    return try promise.withLock { promise in
      promise.losses += losses(try MarkStore(at: LedgerLog.path, fileSystem: disk).read(), promise)
      return promise
    }
  }

  @Test func promisesHoldDuringACleaning() throws {
    let calls = try Self.clean(actingAt: 0, failingAt: nil).calls
    #expect(calls > 10)
    var (made, refused) = (0, 0)
    for place in 1...calls {
      for fault in [nil] + (1...calls).map(Optional.some) {
        let promise = try Self.clean(actingAt: place, failingAt: fault)
        #expect(promise.losses.isEmpty, "acting at call \(place), failing at \(fault ?? 0)")
        #expect(promise.refused.allSatisfy { code in code == .locked })
        made += promise.wasMade && promise.wasRemoved ? 1 : 0
        refused += promise.refused.isEmpty ? 0 : 1
      }
    }
    #expect(made > 0 && refused > 0)
  }

  /// A process that adds or removes a mark finds its change afterwards, wherever a complete cleaning happens.
  @Test func cleaningBetweenCallsLosesNoMark() throws {
    var place = 1
    while true {
      let log = try Self.cleanable()
      let disk = log.disk
      let calls = Locked(0)
      let last = place
      let files = FaultyFileSystem(disk) { _ in
        let number = calls.withLock { calls in
          calls += 1
          return calls
        }
        if number == last { try? MarkStore(at: LedgerLog.path, fileSystem: disk).eraseRemovedMarks() }
      }
      let store = MarkStore(at: LedgerLog.path, fileSystem: files)
      try store.add(Mark("new", at: 3, time: Self.time))
      try store.remove("going", time: Self.time)
      for afterwards in [disk, disk.crash(.onlySyncedSurvives)] {
        let list = try MarkStore(at: LedgerLog.path, fileSystem: afterwards).read()
        #expect(list.marks.map(\.name) == ["old", "new"], "cleaned at call \(place)")
      }
      if calls.withLock({ calls in calls }) < place { break }
      place += 1
    }
    #expect(place > 10)
  }

  /// A cleaning that begins before a line is added and ends without it: the line is added again.
  @Test(arguments: [false, true]) func lineInTheReplacedFileIsAddedAgain(isReplaced: Bool) throws {
    let log = try Self.cleanable()
    let disk = log.disk
    let before = try disk.contents(of: Self.path)
    let statuses = Locked(0)
    let files = FaultyFileSystem(disk) { call in
      if call.operation == .append { try? disk.setContents([], of: Self.temporary) }
      guard call.operation == .status, call.path == Self.temporary else { return }
      // The first check is before the line is added, the second finds the cleaning, the third its end.
      let number = statuses.withLock { statuses in
        statuses += 1
        return statuses
      }
      guard number == 3 || number == 5 else { return }
      if isReplaced, number == 3 {
        try? disk.setContents(before, of: Self.temporary)
        try? disk.rename(Self.temporary, to: Self.path)
      } else {
        try? disk.remove(Self.temporary)
      }
    }
    try MarkStore(at: LedgerLog.path, fileSystem: files).add(Mark("new", at: 3, time: Self.time))
    #expect(files.count(of: .append) == (isReplaced ? 2 : 1))
    #expect(try MarkStore(at: LedgerLog.path, fileSystem: disk).read()["new"] != nil)
  }

  /// An interrupted cleaning is reported, and loses no mark.
  @Test func interruptedCleaningIsReported() throws {
    let log = try Self.cleanable()
    let store = MarkStore(at: LedgerLog.path, fileSystem: log.disk)
    let before = try log.disk.contents(of: Self.path)
    try log.disk.setContents([], of: Self.temporary)
    let adding = #expect(throws: LogError.self) { try store.add(Mark("new", at: 3, time: Self.time)) }
    let removing = #expect(throws: LogError.self) { try store.remove("old", time: Self.time) }
    for error in [adding, removing] {
      #expect(error?.code == .locked && error?.path == Self.temporary)
      #expect(error?.message.hasSuffix("; the mark was not written") == true)
    }
    for _ in 0..<3 {
      let cleaning = #expect(throws: LogError.self) { try store.eraseRemovedMarks() }
      #expect(cleaning?.code == .locked && cleaning?.path == Self.temporary)
    }
    #expect(try log.disk.contents(of: Self.path) == before)
    try log.disk.remove(Self.temporary)
    try store.add(Mark("new", at: 3, time: Self.time))
    try store.eraseRemovedMarks()
    let list = try store.read()
    #expect(list.marks.map(\.name) == ["old", "going", "new"] && list.flaws.map(\.line) == [2])
    #expect(!String(decoding: try log.disk.contents(of: Self.path), as: UTF8.self).contains("gone"))
  }

  /// A file that is too long is not truncated, and no mark makes it too long.
  @Test func fileGrowsOnlyToItsLimit() throws {
    let log = try Self.cleanable()
    let before = try log.disk.contents(of: Self.path)
    let tooSmall = MarkStore(at: LedgerLog.path, fileSystem: log.disk, limitBytes: before.count - 1)
    #expect(#expect(throws: LogError.self) { try tooSmall.eraseRemovedMarks() }?.code == .beyondLimit)
    #expect(try log.disk.contents(of: Self.path) == before)
    let mark = try Mark("new", at: 3, time: Self.time)
    try MarkStore(at: LedgerLog.path, fileSystem: log.disk).add(mark)
    let length = try log.disk.contents(of: Self.path).count
    try log.disk.setContents(before, of: Self.path)
    let oneLess = MarkStore(at: LedgerLog.path, fileSystem: log.disk, limitBytes: length - 1)
    let error = #expect(throws: LogError.self) { try oneLess.add(mark) }
    #expect(error?.code == .beyondLimit)
    #expect(try log.disk.contents(of: Self.path) == before)
    try MarkStore(at: LedgerLog.path, fileSystem: log.disk, limitBytes: length).add(mark)
    #expect(try log.disk.contents(of: Self.path).count == length)
  }

  @Test func markIsAddedToAConcurrentlyCreatedFile() throws {
    let log = try LedgerLog(actions: 9)
    var other: [UInt8] = []
    Self.append(1, "other", to: &other)
    let first = Locked(true)
    let files = FaultyFileSystem(log.disk) { [disk = log.disk, other] call in
      guard call.operation == .open, call.path == Self.path, first.withLock({ first in first })
      else { return }
      first.withLock { first in first = false }
      do { try disk.setContents(other, of: Self.path) } catch { Issue.record(error) }
    }
    try MarkStore(at: LedgerLog.path, fileSystem: files).add(Mark("mine", at: 2, time: Self.time))
    let list = try MarkStore(at: LedgerLog.path, fileSystem: log.disk).read()
    #expect(list.marks.map(\.name) == ["other", "mine"] && list.flaws.isEmpty)
  }

  /// Quadratic reading would compare a billion names.
  @Test(.timeLimit(.minutes(60))) func manyMarksAreRead() throws {
    let count = 50_000
    var bytes: [UInt8] = []
    for number in 0..<count { Self.append(number % 7, "mark \(number)", to: &bytes) }
    Self.append(9, "mark 3", to: &bytes)
    Self.append(1, "mark 5", removed: true, to: &bytes)
    Self.append(1, "mark 6", removed: true, to: &bytes)
    Self.append(8, "mark 6", to: &bytes)
    let log = try LedgerLog(actions: 9)
    try log.disk.setContents(bytes, of: Self.path)
    let list = try MarkStore(at: LedgerLog.path, fileSystem: log.disk).read()
    #expect(list.marks.count == count - 1 && list.flaws.isEmpty)
    #expect(list.marks.prefix(3).map(\.name) == ["mark 0", "mark 7", "mark 14"])
    #expect(list.marks.suffix(2).map(\.name) == ["mark 6", "mark 3"])
    #expect(list["mark 5"] == nil)
  }

  private static func append(_ revision: Int, _ name: String, removed: Bool = false, to bytes: inout [UInt8]) {
    let end = removed ? #","removed":true"# : ""
    var line = Array(#"{"seq":\#(revision),"time":"2026-11-21T09:00:00.000000Z","name":"\#(name)"\#(end)"#.utf8)
    CommitMark.append(to: &line)
    bytes += line
  }
}
