import Foundation
import JSONCoding
import TestSupport
import Testing

@Suite("Other programs read the log unchanged")
struct ForeignReaderTests {
  /// A log of several segments with meta, refusals and control records in it.
  private static func log() async throws -> LogOnDisk {
    let log = try LogOnDisk()
    let lines = (0..<60).map { number in
      #"{"type":"didTapIncrementButton","data":{},"meta":{"actor":"Zoë \"u\#(number)\" \\ \u2028"}}"# + "\n"
    }
    let run = try await ToolRun(
      "record", "counter", log.path, "--segment-size", "4K", input: lines.joined() + LogOnDisk.decrement)
    try #require(run.ending == .status(0), "\(run.messages)")
    try #require(try log.segments().count > 1)
    return log
  }

  @Test("jq selects the actions of the segments", .enabled(if: Executable.find("jq") != nil, "needs jq"))
  func jq() async throws {
    let log = try await Self.log()
    let run = try ProgramRun(["jq", "-c", #"select(.type|startswith("@")|not)"#] + log.segments())
    #expect(run.status == 0, "\(run.messages)")
    let lines = run.output.split(separator: "\n")
    #expect(lines.count == 61)
    for (index, line) in lines.enumerated() {
      let value = try JSONValue(parsing: Array(line.utf8))
      #expect(value["seq"]?.integer == index + 1)
      #expect(value["type"]?.text == (index < 60 ? "didTapIncrementButton" : "didTapDecrementButton"))
    }
  }

  @Test("every line is an object to Python", .enabled(if: Executable.find("python3") != nil, "needs python3"))
  func python() async throws {
    let log = try await Self.log()
    let script = """
      import json, sys
      actions, records = 0, 0
      def refuse(pairs):
          assert len(dict(pairs)) == len(pairs), pairs
          return dict(pairs)
      for path in sys.argv[1:]:
          data = open(path, "rb").read()
          assert data.endswith(b"\\n"), path
          for line in data[:-1].split(b"\\n"):
              record = json.loads(line.decode("utf-8"), object_pairs_hook=refuse)
              assert list(record)[:4] == ["seq", "time", "type", "synced"] and list(record)[-1] == "crc", record
              assert isinstance(record["data"], dict), record
              records += 1
              if not record["type"].startswith("@"):
                  actions += 1
                  assert record["seq"] == actions, record
      print(records, actions)
      """
    let run = try ProgramRun(["python3", "-c", script] + log.segments())
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output == "\(try await log.types().count) 61\n")
  }
}
