import ActionLog
import TestSupport
import Testing

@Suite("A log made of another's lines", .timeLimit(.minutes(60)))
struct BranchSinkTests {
  /// A log that another program wrote can hold such lines, each with a right checksum.
  @Test func anActionThatGoesBackToAnOlderSchemaIsRefused() throws {
    let disk = MemoryFileSystem()
    var sink = try BranchSink(to: "/log", model: "m", schema: 1, fileSystem: disk, environment: .test())
    try sink.append(.numbered(1), schema: 1)
    try sink.append(.numbered(2), schema: 2)
    let error = #expect(throws: LogError.self) { try sink.append(.numbered(3), schema: 1) }
    #expect(error?.code == .invalidRecord)
    #expect(error?.seq == 3)
    sink.discard()
    #expect(try disk.names(in: "/").isEmpty)
  }
}
