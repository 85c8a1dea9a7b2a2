import ActionLog
import ActionLogTesting
import TestSupport
import Testing

@Suite("File system in memory", .timeLimit(.minutes(60)))
struct MemoryFileSystemTests {
  @Test func aFullDiskWritesTheBytesThatFit() throws {
    let files = MemoryFileSystem(capacityBytes: 10)
    let file = try files.open("a", for: .create)
    try file.append([1, 2, 3, 4, 5, 6, 7, 8])
    let short = refusal { () throws(FileSystemError) in try file.append([9, 10, 11, 12]) }
    #expect(short == .noSpace)
    #expect(try files.contents(of: "a") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    #expect(refusal { () throws(FileSystemError) in try file.append([1]) } == .noSpace)
    try file.truncate(toBytes: 8)
    try file.append([1, 2])
    files.capacityBytes = 11
    try file.append([3])
    #expect(files.usedBytes == 11)
  }

  @Test func overwritingTakesNoSpaceAndAGapDoes() throws {
    let files = MemoryFileSystem(capacityBytes: 4)
    let file = try files.open("a", for: .overwrite)
    try file.write([1, 2, 3, 4], at: 0)
    try file.write([5, 6], at: 2)
    #expect(refusal { () throws(FileSystemError) in try file.write([7, 8], at: 3) } == .noSpace)
    #expect(refusal { () throws(FileSystemError) in try file.write([7], at: 9) } == .noSpace)
    #expect(try files.contents(of: "a") == [1, 2, 5, 7])
  }

  @Test func removingAFileFreesItsSpaceOnceItIsClosed() throws {
    let files = MemoryFileSystem(capacityBytes: 4)
    let file = try files.open("a", for: .create)
    try file.append([1, 2, 3, 4])
    try files.remove("a")
    #expect(files.usedBytes == 4)
    file.close()
    #expect(files.usedBytes == 0)
  }

  @Test(arguments: [Int.max, MemoryFileSystem.fileLimitBytes])
  func anOffsetPastTheLimitAllocatesNothing(_ offset: Int) throws {
    let file = try MemoryFileSystem().open("a", for: .overwrite)
    #expect(refusal { () throws(FileSystemError) in try file.write([1], at: offset) } == .fileTooLarge)
    #expect(try file.size() == 0)
    #expect(try file.bytes(at: offset, count: 1) == [])
  }

  @Test func aNegativeOffsetIsAnError() throws {
    let file = try MemoryFileSystem().open("a", for: .overwrite)
    #expect(refusal { () throws(FileSystemError) in try file.write([1], at: -1) } == .inputOutput)
    #expect(refusal { () throws(FileSystemError) in _ = try file.bytes(at: -1, count: 1) } == .inputOutput)
    #expect(refusal { () throws(FileSystemError) in try file.truncate(toBytes: -1) } == .inputOutput)
  }

  @Test func plantedContentsAreDurableAndSeenByOpenFiles() throws {
    let files = MemoryFileSystem()
    try files.setContents([1, 2], of: "log/deep/a")
    let file = try files.open("log/deep/a", for: .append)
    try file.append([3])
    try files.setContents([7, 8, 9], of: "log/deep/a")
    #expect(try file.bytes(at: 0, count: 9) == [7, 8, 9])
    #expect(try files.durableContents(of: "log/deep/a") == [7, 8, 9])
    #expect(files.crash(.onlySyncedSurvives).filePaths == ["/log/deep/a"])
  }

  @Test func aFlippedBitIsReadAndIsDurable() throws {
    let files = MemoryFileSystem()
    try files.setContents([0, 0, 0], of: "a")
    let file = try files.open("a", for: .overwrite)
    try file.write([1], at: 0)
    try files.flipBit(7, ofByte: 1, in: "a")
    #expect(try files.contents(of: "a") == [1, 128, 0])
    #expect(try files.durableContents(of: "a") == [0, 128, 0])
  }

  @Test func operationsAreCounted() throws {
    let files = MemoryFileSystem()
    let file = try files.open("a", for: .create)
    try file.append([1, 2, 3])
    try file.append([4])
    try file.sync(.data)
    try files.syncDirectory("/")
    _ = try file.bytes(at: 2, count: 10)
    try file.truncate(toBytes: 1)
    try files.rename("a", to: "b")
    try files.remove("b")
    var expected = OperationCounts()
    expected.opens = 1
    expected.appends = 2
    expected.bytesWritten = 4
    expected.syncs = 1
    expected.directorySyncs = 1
    expected.reads = 1
    expected.bytesRead = 2
    expected.truncations = 1
    expected.renames = 1
    expected.removals = 1
    #expect(files.counts == expected)
    files.resetCounts()
    #expect(files.counts == OperationCounts())
  }

  @Test(arguments: ["/log/a", "log/a", "./log/./a", "//log//a", "log/../log/a", "/../log/a"])
  func equivalentPathsLeadToTheSameFile(_ path: String) throws {
    let files = MemoryFileSystem()
    try files.setContents([5], of: "/log/a")
    #expect(try files.contents(of: path) == [5])
  }

  @Test func readersAndWritersRunConcurrently() async throws {
    let files = MemoryFileSystem()
    let file = try files.open("a", for: .create)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for value in UInt8(0)..<8 {
        group.addTask { for _ in 0..<100 { try file.append([value, value]) } }
        group.addTask { for offset in 0..<100 { _ = try file.bytes(at: offset, count: 10) } }
      }
      try await group.waitForAll()
    }
    let bytes = try files.contents(of: "a")
    #expect(bytes.count == 1_600)
    #expect(stride(from: 0, to: bytes.count, by: 2).allSatisfy { index in bytes[index] == bytes[index + 1] })
  }
}
