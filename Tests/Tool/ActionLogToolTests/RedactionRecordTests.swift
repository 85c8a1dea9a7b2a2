import ActionLog
import ActionLogTesting
import ActionLogTool
import EventSourcing
import Foundation
import JSONCoding
import Testing

/// Statements of a redaction about the values that it erases, and its warnings.
@Suite("What redact records and warns of")
struct RedactionRecordTests {
  private static let action = #"{"type":"didTapIncrementButton","meta":{"actor":"Ann Smith"}}"#

  private func bench(_ actions: [String]) async throws -> Bench {
    let bench = Bench(tool: .withStories)
    let run = await bench.run(
      "record", "counter", "my-log", "--redactable", input: [actions.joined(separator: "\n") + "\n"])
    try #require(run.status == 0, "\(run.messages)")
    return bench
  }

  @Test(arguments: [
    (["--reason", "Ann Smith's request"], "the reason contains a text that is erased"),
    (["--reason", "r", "--actor", "Ann Smith"], "the actor contains a text that is erased"),
    (["--reason", "r", "1:/meta/of/Ann Smith"], "the location /meta/of/Ann Smith contains a text that is erased"),
    (["--reason", "r", #"1:/meta/to="for Ann Smith""#], "the replacement of /meta/to contains a text that is erased"),
  ])
  func anErasedTextIsNotRecordedAgain(arguments: [String], message: String) async throws {
    let bench = try await bench([
      #"{"type":"didTapIncrementButton","meta":{"actor":"Ann Smith","to":"Bo","of":{"Ann Smith":1}}}"#
    ])
    let command = ["redact", "my-log", "1:/meta/actor"] + arguments
    let before = await bench.run("list", "my-log", "--format", "lines", "--all").output
    for flag in ["--dry-run", "--yes"] {
      let run = await bench.run(command + [flag])
      #expect(run.status == 2 && run.messages.contains(message), "\(run)")
      #expect(run.messages.contains("--record-erased"), "\(run)")
      #expect(await bench.run("list", "my-log", "--format", "lines", "--all").output == before)
    }
    let run = await bench.run(command + ["--record-erased", "--yes"])
    #expect(run.status == 0, "\(run)")
  }

  /// Names of properties, parts of words and short numbers are in many sentences.
  @Test func otherTextsAreRecorded() async throws {
    let bench = try await bench([
      #"{"type":"didTapIncrementButton","meta":{"request":{"actor":"Ann","number":12,"kind":"mark"}}}"#
    ])
    let run = await bench.run(
      "redact", "my-log", "1:/meta/request", "--reason", "request 12 of the actor, by Annette and Denmark", "--yes")
    #expect(run.status == 0, "\(run)")
  }

  @Test func namesInLocationsAreWarnedOf() async throws {
    let bench = try await bench([
      #"{"type":"didTapIncrementButton","meta":{"people":{"Anna Smith":{"phone":"555-1234","code":"x-1"}}}}"#
    ])
    let command = ["redact", "my-log", "1:/meta/people/Anna Smith/phone", "1:/meta/people/Anna Smith/code"]
    let warning =
      "the name 'Anna Smith' stays in its line, and the log states the location /meta/people/Anna Smith/phone"
    let dry = await bench.run(command + ["--reason", "r", "--dry-run"])
    #expect(dry.status == 0 && dry.messages.components(separatedBy: warning).count == 2, "\(dry)")
    #expect(dry.messages.contains("To erase the name, redact /meta/people\n"), "\(dry)")
    let run = await bench.run(command + ["--reason", "r", "--yes"])
    #expect(run.status == 0 && run.messages.contains(warning), "\(run)")
    #expect(await bench.run("list", "my-log", "--format", "lines", "--all").output.contains("Anna Smith"))
    // Then the object goes, and the location in the first record with it.
    let object = await bench.run("redact", "my-log", "1:/meta/people", "--reason", "r", "--yes")
    #expect(object.status == 0 && !object.messages.contains("the name 'Anna"), "\(object)")
    let log = await bench.run("list", "my-log", "--format", "lines", "--all").output
    #expect(!log.contains("Anna Smith"), "\(log)")
    #expect(await bench.run("redact", "my-log", "--find", "Anna Smith").status == 1)
    #expect(await bench.run("verify", "my-log").status == 0)
  }

  @Test func placesBeyondTheLimitAreCounted() async throws {
    let bench = try await bench(Array(repeating: Self.action, count: 24))
    let command = ["redact", "my-log", "1:/meta/actor", "--reason", "r"]
    let dry = await bench.run(command + ["--dry-run"])
    #expect(dry.messages.contains("3 more places contain an erased text"), "\(dry.messages)")
    #expect(dry.messages.components(separatedBy: "/meta/actor contains an erased text").count == 21, "\(dry.messages)")
    let json = await bench.run(command + ["--yes", "--json"])
    let answer = try JSONValue(parsing: json.output.utf8)
    #expect(answer["morePlaces"]?.integer == 3 && answer["unsearchedTexts"]?.integer == 0, "\(json)")
  }

  @Test func namesOfPropertiesAreNoPlaces() async throws {
    let line = #"{"type":"didTapIncrementButton","meta":{"actor":"Bo","place":{"city":"Ulm","Ann Smith":"actor"}}}"#
    let bench = try await bench([line, line])
    let run = await bench.run("redact", "my-log", "1:/meta", "--reason", "r", "--dry-run")
    #expect(run.status == 0, "\(run)")
    let warnings = run.messages.split(separator: "\n").filter { line in line.contains("contains an erased text") }
    // The key of a dictionary is a value of the user, and `city` is not.
    #expect(warnings.count == 2, "\(warnings)")
    #expect(warnings.contains { line in line.contains("/meta/place/Ann Smith (the name of a member)") }, "\(warnings)")
    #expect(warnings.contains { line in line.contains("/meta/place/Ann Smith contains") }, "\(warnings)")
  }

  @Test func anInterruptionIsExplained() async throws {
    let bench = try await bench([Self.action])
    func endingLine(_ words: [String]) async -> String? {
      var stop: StopRequest?
      let run = await bench.run(words) { environment in stop = environment.stop }
      #expect(run.status == 0, "\(run)")
      return stop?.endingLine
    }
    let redact = ["redact", "my-log", "1:/meta/actor", "--reason", "r"]
    #expect(await endingLine(redact + ["--dry-run"]) == "interrupted. Nothing was changed.")
    #expect(await endingLine(redact + ["--yes"])?.contains("'action-log redact LOG --finish' completes it") == true)
    #expect(await endingLine(["redact", "my-log", "--finish"])?.contains("The same command completes") == true)
    #expect(await endingLine(["checkpoint", "my-log"])?.contains("The log was not changed.") == true)
    #expect(await endingLine(["checkpoint", "my-log", "--json"])?.hasPrefix(#"{"warning":"interrupted."#) == true)
    #expect(await endingLine(["verify", "my-log"]) == nil)
  }
}
