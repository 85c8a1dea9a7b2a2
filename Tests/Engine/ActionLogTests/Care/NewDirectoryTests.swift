import ActionLog
import Testing

/// Directories that appear whole: what is over for one of them is no longer its business.
@Suite struct NewDirectoryTests {
  private static func make(on disk: MemoryFileSystem) throws -> NewDirectory {
    try NewDirectory(at: "target", disk, failure: "the directory cannot be made")
  }

  @Test("one that has its name, or was taken away, leaves the next one at its place alone", arguments: [true, false])
  func isOverOnce(isFinished: Bool) throws {
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
