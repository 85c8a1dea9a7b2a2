import JSONCoding
import TestSupport
import Testing

@Suite("record, as a process")
struct RecordProcessTests {
  @Test("actions from a pipe are recorded, and the state is their sum")
  func sum() async throws {
    let log = try LogOnDisk()
    let run = try await ToolRun(
      "record", "counter", log.path, input: LogOnDisk.increment + LogOnDisk.increment + LogOnDisk.decrement)
    #expect(run.ending == .status(0))
    #expect(try run.answers() == (1...3).map { number in Answer(line: number, .receipt(revision: number)) })
    let state = try await ToolRun("state", log.path)
    #expect(state.output == "{\n  \"value\": 1\n}\n")
    #expect(state.ending == .status(0))
  }

  @Test("an existing log is continued")
  func resumes() async throws {
    let log = try await LogOnDisk(increments: 5)
    let run = try await ToolRun("record", "counter", log.path, input: LogOnDisk.decrement)
    #expect(run.ending == .status(0))
    #expect(try run.answers() == [Answer(line: 1, .receipt(revision: 6))])
    #expect(try await log.state() == (4, 6))
  }

  @Test("an invalid line is refused with its number, and the others are recorded")
  func refusals() async throws {
    let log = try LogOnDisk()
    let refused = [
      ("{\"type\":", "notJSON"), ("\u{1}\u{7f}", "notJSON"), ("", "notJSON"), ("{\"type\":\"x\",}", "notJSON"),
      ("[1,2]", "notAnAction"), ("17", "notAnAction"), ("{\"type\":7}", "notAnAction"),
      ("{\"type\":\"@close\",\"data\":{}}", "notAnAction"), ("{\"type\":\"noSuchAction\"}", "unknownAction"),
    ]
    let input = refused.map { text, _ in text + "\n" + LogOnDisk.increment }.joined()
    let run = try await ToolRun("record", "counter", log.path, input: input)
    #expect(run.ending == .status(0))
    let expected = refused.enumerated().flatMap { index, refusal in
      [
        Answer(line: 2 * index + 1, .refused(code: refusal.1)),
        Answer(line: 2 * index + 2, .receipt(revision: index + 1)),
      ]
    }
    #expect(try run.answers() == expected)
    #expect(try await log.state() == (refused.count, refused.count))
  }

  @Test("a line is answered when it arrives, not when the input ends")
  func answersAtOnce() async throws {
    let log = try LogOnDisk()
    let process = try ToolProcess(["record", "counter", log.path])
    for number in 1...3 {
      try await process.send(LogOnDisk.increment)
      let answer = try Answer(parsing: try #require(try await process.nextLine()))
      #expect(answer == Answer(line: number, .receipt(revision: number)))
      // Readers are let in while the writer is at work, and see what was acknowledged.
      #expect(try await log.state() == (number, number))
    }
    process.endInput()
    #expect(try await process.wait() == .status(0))
  }

  @Test("more input than a pipe holds is answered line by line")
  func muchInput() async throws {
    let log = try LogOnDisk()
    let count = 6_000
    let run = try await ToolRun(
      "record", "counter", log.path, "--segment-size", "256K",
      input: String(repeating: LogOnDisk.increment, count: count))
    #expect(run.ending == .status(0))
    #expect(try run.answers() == (1...count).map { number in Answer(line: number, .receipt(revision: number)) })
    #expect(try await log.state() == (count, count))
    #expect(try log.segments().count > 2)
  }

  @Test("an unknown model creates no log", arguments: ["countr", ""])
  func unknownModel(name: String) async throws {
    let log = try LogOnDisk()
    let run = try await ToolRun("record", name, log.path, input: LogOnDisk.increment)
    #expect(run.ending == .status(2))
    #expect(run.output.isEmpty)
    #expect(run.messages.contains("there is no model '\(name)'"))
    #expect(throws: (any Error).self) { try log.segments() }
  }
}
