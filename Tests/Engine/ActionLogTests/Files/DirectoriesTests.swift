import ActionLog
import TestSupport
import Testing

/// The directories above a log, which an application makes.
@Suite("Making directories", .timeLimit(.minutes(60)))
struct DirectoriesTests {
  private let disk = MemoryFileSystem()

  @Test(arguments: ["/a/b/c", "/a//b/c/", "a/b/c"])
  func eachIsDurable(path: String) throws {
    try disk.makeDirectories(path)
    let cut = disk.crash(.onlySyncedSurvives)
    #expect(try cut.status(of: path)?.kind == .directory)
    try disk.makeDirectories(path)
  }

  @Test func whatIsThereIsLeftAlone() throws {
    try disk.makeDirectories("/a/b")
    try disk.setContents([1], of: "/a/b/file")
    let door = FaultyFileSystem(disk)
    try door.makeDirectories("/a/b")
    #expect(door.count(of: .syncDirectory) == 0)
    let error = try #require(#expect(throws: FileSystemError.self) { try disk.makeDirectories("/a/b/file/c") })
    #expect(error.code == .notADirectory && error.path == "/a/b/file")
    #expect(try disk.contents(of: "/a/b/file") == [1])
  }

  /// Who is told that it was made can rely on that; and what may not be made may be there.
  @Test func everyFailureIsTold() throws {
    for number in 1...6 {
      let operation: FileCall.Operation = number % 2 == 0 ? .syncDirectory : .createDirectory
      let door = FaultyFileSystem(disk.copy(), faults: [Fault(operation, number: (number + 1) / 2)])
      #expect(throws: FileSystemError.self) { try door.makeDirectories("/a/b/c") }
    }
    try disk.makeDirectories("/a/b/c")
    let door = FaultyFileSystem(disk, faults: [Fault(.createDirectory, lasts: true, code: .permissionDenied)])
    try door.makeDirectories("/a/b/c")
  }

  /// A log whose folders an application has made, up to the power cut behind its first action.
  @Test func aLogInThemOutlivesAPowerCut() throws {
    try disk.makeDirectories("/data/application")
    let writer = try LogWriter.open("/data/application/log", model: "counter", schema: 1, fileSystem: disk)
    try writer.commit([.numbered(1)])
    let cut = disk.crash(.onlySyncedSurvives)
    #expect(try LogReader.open("/data/application/log", fileSystem: cut).extent().lastSeq == 1)
  }
}
