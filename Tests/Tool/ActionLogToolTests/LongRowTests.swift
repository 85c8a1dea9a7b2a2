import ActionLog
import ActionLogTool
import Platform
import TestSupport
import Testing

@Suite("Rows as long as lines can be") struct LongRowTests {
  @Test("a page of long rows is printed before the log is read further")
  func memory() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("log")
    let writer = try LogWriter.open(
      path, model: "counter", schema: 1, configuration: LogConfiguration(durability: .flush))
    let text = String(repeating: "x", count: 600_000)
    for _ in 0..<8 { _ = try writer.write([LogDraft(type: "note", data: Array(#"{"text":"\#(text)"}"#.utf8))]) }
    try writer.closeNow()
    let output = MemoryOutput()
    let printedAtLastRead = Locked(0)
    let files = FaultyFileSystem(POSIXFileSystem()) { call in
      guard call.operation == .read else { return }
      let count = output.bytes.count
      printedAtLastRead.withLock { last in last = count }
    }
    let run = await ActionLogTool.bare.run("list", path) { environment in
      environment.fileSystem = files
      environment.standardOutput = output
    }
    #expect(run.status == 0, "\(run.messages)")
    #expect(output.bytes.count > 4_800_000)
    // A page is full with a MiB, which two rows are; up to two pages and what is read ahead can be on their way.
    #expect(printedAtLastRead.withLock { last in last } > 2_000_000)
  }
}
