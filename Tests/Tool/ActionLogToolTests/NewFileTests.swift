import ActionLog
import ActionLogTesting
import ActionLogTool
import TestSupport
import Testing

/// Files that appear complete, also with concurrent writers, failing calls and signals.
@Suite struct NewFileTests {
  private static let path = "out"
  private static let page = Array("<!DOCTYPE html>".utf8)

  private static func begin(
    on disk: any LogFileSystem, replacingPage replacesPage: Bool = false,
    unfinished: UnfinishedFiles = UnfinishedFiles()
  ) throws -> NewFile {
    try NewFile(path, replacingPage: replacesPage, in: disk, unfinished: unfinished)
  }

  private static func refusal(_ body: () throws -> Void) -> ToolFailure? {
    #expect(throws: ToolFailure.self) { try body() }
  }

  @Test("the first of two concurrent writers creates the file, and nothing is left of the other")
  func twoAtOnce() throws {
    let disk = MemoryFileSystem()
    let first = try Self.begin(on: disk)
    let second = try Self.begin(on: disk)
    try second.append(Array("second".utf8))
    try first.append(Array("first".utf8))
    try second.finish()
    let refused = Self.refusal { try first.finish() }
    #expect(refused?.code == "exists" && refused?.path == Self.path)
    first.discard()
    #expect(try disk.names(in: "/") == [Self.path])
    #expect(try disk.contents(of: Self.path) == Array("second".utf8))
  }

  @Test("the last of two concurrent pages remains, complete")
  func twoPagesAtOnce() throws {
    let disk = MemoryFileSystem()
    let first = try Self.begin(on: disk, replacingPage: true)
    let second = try Self.begin(on: disk, replacingPage: true)
    try first.append(Self.page + [1])
    try second.append(Self.page + [2, 2])
    try second.finish()
    try first.finish()
    #expect(try disk.names(in: "/") == [Self.path])
    #expect(try disk.contents(of: Self.path) == Self.page + [1])
  }

  @Test("a file that appears at the path while writing is not replaced", arguments: [false, true])
  func intruder(isPage: Bool) throws {
    let disk = MemoryFileSystem()
    let file = try Self.begin(on: disk, replacingPage: isPage)
    try file.append(Self.page)
    let intruder = try disk.open(Self.path, for: .create)
    try intruder.append(Array("mine".utf8))
    intruder.close()
    let refused = Self.refusal { try file.finish() }
    #expect(refused?.code == "exists" && refused?.status == .usage)
    file.discard()
    #expect(try disk.names(in: "/") == [Self.path])
    #expect(try disk.contents(of: Self.path) == Array("mine".utf8))
  }

  @Test(
    "whichever call fails, the path has the old or the complete new file, and no other file is left",
    arguments: [false, true])
  func failingCalls(isReplaced: Bool) throws {
    let old = Self.page + [1]
    let new = Self.page + [2]
    var (number, stages) = (1, Set<FileCall.Operation>())
    while true {
      let disk = MemoryFileSystem()
      if isReplaced { try disk.setContents(old, of: Self.path) }
      let door = FaultyFileSystem(disk, faults: [FileFault(number: number)])
      var file: NewFile?
      do throws(ToolFailure) {
        file = try NewFile(Self.path, replacingPage: true, in: door, unfinished: UnfinishedFiles())
        try file?.append(new)
        try file?.finish()
      } catch {
        let call = try #require(door.calls.last)
        stages.insert(call.operation)
        #expect(error.path == Self.path && error.code == "inputOutput", "\(call): \(error)")
        #expect(error.message.hasPrefix("the file cannot be created"), "\(call): \(error)")
        file?.discard()
        let isNamed = call.operation == .syncDirectory
        #expect(try disk.names(in: "/") == (isReplaced || isNamed ? [Self.path] : []), "\(call)")
        if isReplaced || isNamed { #expect(try disk.contents(of: Self.path) == (isNamed ? new : old), "\(call)") }
      }
      if door.firedCount == 0 { break }
      number += 1
    }
    #expect(stages.isSuperset(of: [.status, .open, .append, .sync, .rename, .syncDirectory]))
  }

  @Test("a power cut leaves nothing of an unfinished file, and all of a finished one", arguments: 0..<20)
  func powerCut(seed: UInt64) throws {
    let disk = MemoryFileSystem()
    let file = try Self.begin(on: disk)
    let bytes = [UInt8](repeating: 7, count: 20_000)
    try file.append(bytes)
    #expect(try disk.crash(CrashModel(seed: seed)).status(of: Self.path) == nil)
    try file.finish()
    #expect(try disk.crash(CrashModel(seed: seed)).contents(of: Self.path) == bytes)
  }

  @Test("the unfinished file of a killed process is harmless and is not changed")
  func remains() throws {
    let disk = MemoryFileSystem()
    let killed = try Self.begin(on: disk)
    try killed.append([1])
    let file = try Self.begin(on: disk)
    #expect(try disk.names(in: "/") == ["out.2.unfinished", "out.unfinished"])
    try file.finish()
    #expect(try disk.names(in: "/") == ["out", "out.unfinished"])
  }

  @Test("a signal removes unfinished files, and no file of another process")
  func signal() throws {
    let disk = MemoryFileSystem()
    let mine = UnfinishedFiles()
    let finished = try Self.begin(on: disk, unfinished: mine)
    try finished.finish()
    try disk.remove(Self.path)
    let others = try Self.begin(on: disk)
    let unfinished = try Self.begin(on: disk, unfinished: mine)
    #expect(try disk.names(in: "/") == ["out.2.unfinished", "out.unfinished"])
    mine.removeAll()
    #expect(try disk.names(in: "/") == ["out.unfinished"])
    unfinished.discard()
    try others.finish()
    #expect(try disk.names(in: "/") == ["out"])
  }

  @Test("a path that cannot be a file is refused before anything is created")
  func refusedPaths() throws {
    let disk = MemoryFileSystem()
    try disk.createDirectory("out")
    for isPage in [false, true] {
      #expect(Self.refusal { _ = try Self.begin(on: disk, replacingPage: isPage) }?.code == "exists")
    }
    let missing = Self.refusal { _ = try NewFile("none/out", in: disk, unfinished: UnfinishedFiles()) }
    #expect(missing?.status == .environment && missing?.path == "none/out")
    #expect(missing?.advice?.description.contains("Check that the path and its parent directory exist") == true)
    #expect(Self.refusal { _ = try NewFile("", in: disk, unfinished: UnfinishedFiles()) }?.status == .usage)
    #expect(try disk.names(in: "/") == ["out"] && disk.names(in: "out").isEmpty)
  }
}
