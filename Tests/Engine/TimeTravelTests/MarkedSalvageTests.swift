import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing
import TimeTravel

/// A damaged log with marks is salvaged together with them or not at all.
@Suite(.timeLimit(.minutes(60))) struct MarkedSalvageTests {
  private static let target = "saved"

  /// A log of nine actions with a damaged fifth one, and marks before, on and after it.
  private static func damaged() throws -> MemoryFileSystem {
    let log = try LedgerLog(actions: 9)
    let store = MarkStore(at: LedgerLog.path, fileSystem: log.disk)
    try store.add(Mark("early", at: 2, remark: "here", time: LedgerLog.created))
    try store.add(Mark("gone", at: 5, time: LedgerLog.created))
    try store.add(Mark("late", at: 8, time: LedgerLog.created))
    let place = try log.history().reader.record(at: 5).place
    try log.disk.flipBit(0, ofByte: place.byteOffset + 90, in: place.path)
    return log.disk
  }

  private static func salvage(_ files: any LogFileSystem) throws(LogError) -> MarkedSalvage {
    try LogSalvage.salvageWithMarks(
      at: LedgerLog.path, to: target, fileSystem: files,
      environment: LogEnvironment(
        now: { LedgerLog.created }, makeLogID: { "00000000-0000-4000-8000-000000000001" }, processID: 1,
        hostName: "mac",
        program: "test"))
  }

  /// Whether there is a new log, which must be complete, with its marks.
  private static func isSaved(on disk: MemoryFileSystem, _ place: Comment) throws -> Bool {
    guard let status = try disk.status(of: target) else { return false }
    #expect(status.kind == .directory, place)
    let report = try LogVerifier.verify(at: target, fileSystem: disk)
    #expect(report.verdict == .clean && report.isClosed && report.lastRevision == 4, place)
    let marks = try MarkStore(at: target, fileSystem: disk).read()
    #expect(marks.flaws.isEmpty, place)
    #expect(marks.marks.map(\.name) == ["early"], place)
    #expect(marks.marks.map(\.revision) == [2], place)
    #expect(marks["early"]?.remark == "here", place)
    return true
  }

  @Test func marksOfIntactActionsAreKept() throws {
    let disk = try Self.damaged()
    let salvage = try Self.salvage(disk)
    #expect(salvage.marks.kept.map(\.name) == ["early"])
    #expect(salvage.marks.lost.map(\.name) == ["gone", "late"])
    #expect(salvage.marksError == nil)
    #expect(try Self.isSaved(on: disk, "in the end"))
  }

  /// A regression: a crash between writing the log and its marks left a log without marks.
  @Test func crashLeavesACompleteLogOrNone() throws {
    let disk = try Self.damaged()
    let left = Locked<[(MemoryFileSystem, String)]>([])
    let door = FaultyFileSystem(disk) { call in
      let disks = [
        disk.copy(), disk.crash(.onlySyncedSurvives), disk.crash(CrashModel(seed: 1)),
        disk.crash(CrashModel(seed: 2, entrySurvival: 0.9)),
      ]
      left.withLock { left in left += disks.map { disk in (disk, "before \(call)") } }
    }
    _ = try Self.salvage(door)
    #expect(try Self.isSaved(on: disk.crash(.onlySyncedSurvives), "in the end"))
    let states = left.withLock { left in left }
    #expect(states.count > 100)
    var saved = 0
    for (disk, place) in states {
      if try Self.isSaved(on: disk, "\(place)") {
        saved += 1
      } else {
        _ = try Self.salvage(disk)
        #expect(try Self.isSaved(on: disk, "done again after a crash \(place)"))
      }
    }
    #expect(saved > 0 && saved < states.count)
  }

  @Test(arguments: [FileSystemError.Code.inputOutput, .noSpace])
  func failedCallLeavesACompleteLogOrNone(code: FileSystemError.Code) throws {
    var number = 1
    var withoutMarks = 0
    while true {
      let disk = try Self.damaged()
      let door = FaultyFileSystem(disk, faults: [FileFault(number: number, code: code, partialWrite: .half)])
      let outcome = Result { () throws(LogError) in try Self.salvage(door) }
      if door.firedCount == 0 { break }
      switch outcome {
      case .success(let salvage) where salvage.marksError == nil:
        #expect(try Self.isSaved(on: disk, "call \(number)"))
      case .success:
        // Reported in the result: unreadable marks do not prevent saving the actions.
        withoutMarks += 1
        #expect(try disk.status(of: Self.target + "/" + LogFormat.marksName) == nil)
        #expect(try LogVerifier.verify(at: Self.target, fileSystem: disk).lastRevision == 4)
      case .failure(let error):
        if try !Self.isSaved(on: disk, "call \(number): \(error)") {
          _ = try Self.salvage(disk)
          #expect(try Self.isSaved(on: disk, "done again after call \(number)"))
        }
      }
      number += 1
    }
    #expect(number > 50)
    // The status of the file, opening it, its length, and its bytes.
    #expect(withoutMarks == 4)
  }

  @Test func unwritableMarksLeaveNoLog() throws {
    let disk = try Self.damaged()
    let door = FaultyFileSystem(
      disk, faults: [FileFault(.append, code: .noSpace, pathSuffix: LogFormat.marksName)])
    let error = #expect(throws: LogError.self) { try Self.salvage(door) }
    #expect(error?.code == .noSpace && error?.path == Self.target)
    #expect(error?.message.contains("the marks cannot be copied") == true, "\(String(describing: error))")
    #expect(try disk.names(in: "/") == [LedgerLog.path])
  }
}
