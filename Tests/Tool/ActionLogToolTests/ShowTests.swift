import ActionLog
import ActionLogTool
import EventSourcing
import JSONCoding
import TestSupport
import Testing

@Suite("show") struct ShowTests {
  private let bench = Bench()

  /// An action that the model cannot read is shown all the same: its record may explain why.
  @Test func anActionThatTheModelDoesNotHaveIsShown() async throws {
    let writer = try LogWriter.open(at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk)
    try writer.appendNow([LogDraft(type: "didTapResetButton", data: Array(#"{"to":7}"#.utf8))])
    try writer.closeNow()
    let run = await bench.run("show", "my-log", "1")
    #expect(run.status == 0)
    #expect(run.output.contains("didTapResetButton"))
    #expect(run.output.contains(#"{"to":7}"#))
    #expect(run.messages.contains("the changes are not shown: 'counter' has no action"))
  }

  @Test func anActionNamesTheOthersOfItsDecision() async throws {
    let writer = try LogWriter.open(at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk)
    let action = LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))
    try writer.appendNow([action])
    try writer.appendNow([LogDraft(UnitRecord(actions: 2)), action, action])
    try writer.closeNow()
    let run = await bench.run("show", "my-log", "3")
    #expect(run.output.contains("together with the revisions 2…3: all or none"))
    let json = await bench.run("show", "my-log", "2", "--json")
    #expect(json.output.contains(#""decision":{"first":2,"last":3}"#))
    let alone = await bench.run("show", "my-log", "1")
    #expect(!alone.output.contains("decided"))
  }
}
