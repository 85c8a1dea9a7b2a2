import ActionLog
import ActionLogTesting
import Platform
import TestSupport
import Testing

@Suite("Faulty file system", .timeLimit(.minutes(60)))
struct FaultyFileSystemTests {
  @Test func theNthCallOfItsKindFailsOnce() throws {
    let files = FaultyFileSystem(MemoryFileSystem(), faults: [FileFault(.append, number: 2, code: .noSpace)])
    let file = try files.open("a", for: .create)
    try file.append([1])
    #expect(try file.size() == 1)
    do throws(FileSystemError) {
      try file.append([2])
      Issue.record("the second append passed")
    } catch {
      #expect(error == FileSystemError(code: .noSpace, operation: "append", path: "a"))
    }
    try file.append([3])
    #expect(try file.bytes(at: 0, count: 9) == [1, 3])
    #expect(files.firedCount == 1)
  }

  @Test func aLastingFaultEndsWhenHealed() throws {
    let files = FaultyFileSystem(MemoryFileSystem(), faults: [FileFault(number: 3, lasts: true)])
    let file = try files.open("a", for: .create)
    try file.append([1])
    #expect(refusal { () throws(FileSystemError) in try file.append([2]) } == .inputOutput)
    #expect(refusal { () throws(FileSystemError) in _ = try files.names(in: "/") } == .inputOutput)
    #expect(refusal { () throws(FileSystemError) in _ = try file.size() } == .inputOutput)
    files.heal()
    #expect(try file.size() == 1)
    #expect(files.firedCount == 3)
  }

  @Test(
    arguments: [(FileFault.PartialWrite.none, 0), (.bytes(1), 1), (.half, 2), (.bytes(99), 4), (.all, 4)]
      as [(FileFault.PartialWrite, Int)])
  func aShortWriteLeavesAPart(_ part: FileFault.PartialWrite, _ count: Int) throws {
    let memory = MemoryFileSystem()
    let files = FaultyFileSystem(
      memory, faults: [FileFault(.append, partialWrite: part), FileFault(.write, partialWrite: part)])
    let file = try files.open("a", for: .create)
    #expect(refusal { () throws(FileSystemError) in try file.append([1, 2, 3, 4]) } == .inputOutput)
    #expect(try memory.contents(of: "a") == (0..<count).map { index in UInt8(1 + index) })
    let head = try files.open("HEAD", for: .overwrite)
    #expect(refusal { () throws(FileSystemError) in try head.write([1, 2, 3, 4], at: 0) } == .inputOutput)
    #expect(try memory.contents(of: "HEAD") == (0..<count).map { index in UInt8(1 + index) })
  }

  @Test func onlyTheNamedPathCounts() throws {
    let files = FaultyFileSystem(
      MemoryFileSystem(), faults: [FileFault(.open, code: .permissionDenied, pathSuffix: "HEAD")])
    try files.open("a", for: .create).close()
    #expect(refusal { () throws(FileSystemError) in _ = try files.open("HEAD", for: .create) } == .permissionDenied)
  }

  @Test func callsAreRecordedInOrder() throws {
    let files = FaultyFileSystem(MemoryFileSystem())
    let file = try files.open("a.new", for: .create)
    try file.append([1])
    try file.sync(.data)
    file.close()
    try files.rename("a.new", to: "a")
    try files.syncDirectory("/")
    let calls = files.calls.map(\.description)
    #expect(calls == ["open a.new", "append a.new", "sync a.new", "rename a.new a", "syncDirectory /"])
    #expect(files.count(of: .append) == 1)
    files.forgetCalls()
    #expect(files.calls == [])
  }

  @Test(arguments: FileCall.Operation.allCases)
  func everyOperationCanFail(_ operation: FileCall.Operation) throws {
    let memory = MemoryFileSystem()
    try memory.setContents([1], of: "log/a")
    let files = FaultyFileSystem(memory, faults: [FileFault(operation, code: .fileTooLarge)])
    let code = refusal { () throws(FileSystemError) in
      _ = try files.status(of: "log")
      _ = try files.names(in: "log")
      try files.createDirectory("other")
      let file = try files.open("log/a", for: .overwrite)
      _ = try file.size()
      _ = try file.bytes(at: 0, count: 1)
      try file.write([2], at: 0)
      try file.truncate(toBytes: 0)
      try files.open("log/a", for: .append).append([1])
      try file.sync(.full)
      try files.rename("log/a", to: "log/b")
      try files.remove("log/b")
      try files.syncDirectory("log")
      try files.lock(directory: "log").unlock()
    }
    #expect(code == .fileTooLarge)
    #expect(files.firedCount == 1)
  }

  @Test(arguments: [true, false])
  func aFailedSyncCanLoseData(_ losesData: Bool) throws {
    let memory = MemoryFileSystem()
    try memory.setContents([], of: "a")
    let files = FaultyFileSystem(memory, faults: [FileFault(.sync, losesData: losesData)])
    let file = try files.open("a", for: .append)
    try file.append([1, 2])
    #expect(refusal { () throws(FileSystemError) in try file.sync(.data) } == .inputOutput)
    try file.sync(.data)
    #expect(try file.bytes(at: 0, count: 2) == [1, 2])
    #expect(try memory.durableContents(of: "a") == (losesData ? [] : [1, 2]))
  }

  @Test func theHookRunsBeforeEachCall() throws {
    let memory = MemoryFileSystem()
    try memory.setContents([], of: "a")
    let counts = CountList()
    let files = FaultyFileSystem(memory) { call in
      if call.operation == .append { counts.add(memory.usedBytes) }
    }
    let file = try files.open("a", for: .append)
    for _ in 0..<3 { try file.append([1, 2]) }
    #expect(counts.values == [0, 2, 4])
  }
}

/// Numbers collected by a hook.
private final class CountList: Sendable {
  private let list = Locked<[Int]>([])

  var values: [Int] { list.withLock { list in list } }

  func add(_ value: Int) {
    list.withLock { list in list.append(value) }
  }
}
