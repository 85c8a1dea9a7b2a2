import ActionLogTool
import AddedQuestion
import CounterData
import JSONCoding
import TestSupport
import Testing

/// A question of another target is on every surface, without a word about it anywhere else.
@Suite("A question that is added")
struct AddedQuestionTests {
  private static let tool = ActionLogTool(
    version: "1.2.3", models: [.model(CounterModel.self)], questions: [LargestAction.command])

  private func bench() async throws -> Bench {
    let bench = Bench(tool: Self.tool)
    let input = ["didTapIncrementButton", "didTapDecrementButton"].map { type in #"{"type":"\#(type)"}"# + "\n" }
    let run = await bench.run("record", "counter", "my-log", input: input)
    try #require(run.status == 0, "\(run.messages)")
    return bench
  }

  @Test func anAddedQuestionIsAnsweredAndExplained() async throws {
    let bench = try await bench()
    #expect(await bench.run("largest", "my-log").output == "revision 1: 2 bytes\n")
    let json = await bench.run("largest", "my-log", "--json")
    let answer = try JSONValue(parsing: Array(json.output.utf8))
    #expect(answer["bytes"] == 2 && answer["action", "type"] == "didTapIncrementButton")
    #expect(await bench.run("help").output.contains("largest     find the action with the most data"))
    #expect(await bench.run("largest", "--help").output.contains("action-log largest my-log  the largest action"))
    #expect(await bench.run("completions", "fish", "--", "").output.contains("largest"))
    let mistake = await bench.run("largset", "my-log")
    #expect(mistake.status == 2 && mistake.messages.contains("largest"))
    let bounded = await bench.run("largest", "my-log", "--json", "--max-bytes", "2048")
    #expect(bounded.output == json.output)
  }

  @Test func anAddedQuestionHasASchema() async throws {
    let bench = try await bench()
    let document = try JSONValue(parsing: Array(await bench.run("help", "json", "--json").output.utf8))
    let checker = SchemaChecker(document)
    let answer = try JSONValue(parsing: Array(await bench.run("largest", "my-log", "--json").output.utf8))
    #expect(try checker.errors(of: answer, as: "largest") == [])
    #expect(try checker.errors(of: ["bytes": "two"], as: "largest") != [])
    #expect(!AnswerSchemas.text.contains(#""largest""#))
  }

  @Test func anAddedQuestionIsAskedOfManyLogs() async throws {
    let bench = try await bench()
    _ = await bench.run("backup", "my-log", "copy")
    let run = await bench.run("each", "my-log", "copy", "--jobs", "0", "--", "largest")
    let rows = try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
    #expect(rows.map { row in row["answer", "bytes"] } == [2, 2], "\(run)")
    #expect(await bench.run("each", "--help").output.contains("largest"))
  }

  @Test func anAddedQuestionIsAToolOfClients() async throws {
    let session = try ContextSession(try await bench(), ["my-log"])
    let result = try await session.call("largest", [:])
    #expect(result["structuredContent", "bytes"] == 2)
    _ = try await session.end()
  }
}
