internal import ActionLog
import ActionLogMaintenance
internal import ActionLogTesting
internal import TestSupport
internal import Testing

/// A finished or discarded directory does not affect the next one at its path.
@Suite struct NewDirectoryTests {
  private static func make(on disk: MemoryFileSystem) throws -> NewDirectory {
    try NewDirectory(at: "target", disk, failure: "the directory cannot be created")
  }

  @Test("a finished or discarded directory leaves the next one at its path alone", arguments: [true, false])
  func endsOnce(isFinished: Bool) throws {
    let disk = MemoryFileSystem()
    let first = try Self.make(on: disk)
    if isFinished {
      try first.finish(failure: "")
      try disk.rename("target", to: "elsewhere")
    } else {
      first.discard()
    }
    let second = try Self.make(on: disk)
    first.discard()
    #expect(try disk.status(of: second.path) != nil)
    let refused = #expect(throws: LogError.self) { try Self.make(on: disk) }
    #expect(refused?.code == .locked)
    try second.finish(failure: "")
    #expect(try disk.names(in: "/") == (isFinished ? ["elsewhere", "target"] : ["target"]))
  }
}

@Suite("A branch of a foreign log", .timeLimit(.minutes(60)))
struct LogSinkTests {
  /// A log of another program can have such lines with valid checksums.
  @Test func anActionOfAnOlderSchemaIsRefused() throws {
    let disk = MemoryFileSystem()
    var sink = try LogSink(to: "/log", model: "m", schema: 1, fileSystem: disk, environment: .test())
    try sink.append(.numbered(1), schema: 1)
    try sink.append(.numbered(2), schema: 2)
    let error = #expect(throws: LogError.self) { try sink.append(.numbered(3), schema: 1) }
    #expect(error?.code == .invalidRecord)
    #expect(error?.revision == 3)
    sink.discard()
    #expect(try disk.names(in: "/").isEmpty)
  }
}
