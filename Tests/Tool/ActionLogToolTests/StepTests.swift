import ActionLog
import ActionLogTool
import Testing

@Suite("step")
struct StepTests {
  @Test("without a terminal each step is printed with its changes")
  func printed() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let text = await bench.transcript([
      ["step", "my-log", "--at", "start", "--to", "2"], ["step", "my-log", "--at", "-1"],
      ["step", "my-log", "--at", "11", "--to", "12", "--json"], ["step", "my-log", "--at", "99"],
    ])
    try Golden.expect(text, is: "step.txt")
  }

  @Test("an empty log has one step")
  func emptyLog() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "my-log")
    let run = await bench.run("step", "my-log")
    #expect(run.status == 0)
    #expect(run.output == "revision 0  the start\n  the state before any action\n")
  }
}
