import ActionLog
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Testing

/// Every command reports a missing revision in the same words.
@Suite("Revisions that are not in the log")
struct MissingRevisionTests {
  private static let calls: [[String]] =
    [
      ["list"], ["list", "--last", "2"], ["list", "--where", "/animals exists"], ["list", "--format", "lines"],
      ["stats"],
      ["list", "--format", "csv"], ["export"], ["history", "/animals"],
      ["history", "/animals"],
      ["find", "/animals exists"], ["find", "--last", "/animals exists"], ["find", "--bisect", "/animals exists"],
    ].flatMap { words in [words + ["--from", "99"], words + ["--to", "99"]] } + [
      ["state", "--at", "99"],
      ["show", "99"], ["diff", "99"], ["diff", "3", "99"], ["report", "3", "99", "-o", "page.html"],
      ["report", "-o", "page.html", "--at", "99"], ["blame", "/animals", "--at", "99"],
      ["minimize", "/animals exists", "--at", "99"], ["what-if", "--skip", "99"], ["what-if", "--skip", "5-99"],
      ["what-if", "--move", "3=99"], ["what-if", "--skip", "3", "--to", "99"], ["test", "3", "99"],
      ["bug-report", "3", "99", "-o", "bug.jsonl"], ["mark", "99", "late"], ["list", "--cause", "99"],
      ["replay", "--to", "99"], ["replay", "--digests-at", "99"], ["snapshot", "--at", "99"],
      ["branch", "new", "--at", "99"],
      ["tui", "--at", "99"],
      ["inspect", "--at", "99"],
    ]

  private static func words(_ call: [String], _ log: String) -> [String] { [call[0], log] + call.dropFirst() }

  @Test("the error names the log, its revisions and advice", arguments: calls)
  func wording(call: [String]) async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let run = await bench.run(Self.words(call, "my-log"))
    #expect(run.status == 2 && run.output.isEmpty, "\(run.output)")
    #expect(
      run.messages == """
        error: revision 99 is not in the log: my-log
        The log holds the revisions 0…23. Name one of them, or 'end'.

        """)
    #expect(try ["page.html", "bug.jsonl", "new"].allSatisfy { name in try bench.disk.status(of: name) == nil })
    // A screen, a table and the lines of the log are no answer in JSON.
    guard call[0] != "tui", !call.contains("csv"), !call.contains("lines") else { return }
    let json = await bench.run(Self.words(call, "my-log") + ["--json"])
    let error = try JSONValue(parsing: Array(json.messages.utf8))["error"]
    #expect(error?["code"] == "revisionOutOfRange" && error?["path"] == "my-log")
  }

  @Test("a point too far before the end, and any point of an empty log, are errors")
  func edges() async throws {
    let bench = Bench()
    try await bench.recordAnimals()
    let early = await bench.run("list", "my-log", "--from", "-24")
    #expect(early.status == 2 && early.messages.hasPrefix("error: revision -24 is not in the log: my-log\n"))
    #expect(await bench.run("list", "my-log", "--from", "-23").status == 0)
    try await bench.recordEmpty()
    let none = await bench.run("list", "empty-log", "--from", "1")
    #expect(
      none.messages == """
        error: revision 1 is not in the log: empty-log
        The log has only revision 0 and no actions.

        """)
    #expect(await bench.run("list", "empty-log", "--from", "start", "--to", "end").status == 1)
  }

  @Test("damage is reported instead if it hides the revision; a range is shown up to it")
  func damage() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.flipBit(0, ofByte: 1_500, in: Bench.segment)
    for call in [["list", "--from", "9"], ["state", "--at", "9"], ["find", "/value > 1", "--from", "9"]] {
      let run = await bench.run(Self.words(call, "my-log"))
      #expect(run.status == 1 && run.messages.contains("checksum mismatch"), "\(run.messages)")
    }
    let list = await bench.run("list", "my-log", "--to", "9", "--json")
    #expect(list.status == 1 && list.output.split(separator: "\n").count == 6)
    let history = await bench.run("history", "my-log", "/value", "--to", "9", "--json")
    #expect(history.status == 1 && history.output.split(separator: "\n").count == 6, "\(history)")
    // An intact range is not an error.
    for call in [
      ["list"], ["list", "--format", "lines"], ["stats"], ["export"], ["history", "/value"],
    ] {
      let run = await bench.run(Self.words(call, "my-log") + ["--to", "6"])
      #expect(run.status == 0 && !run.messages.contains("error") && !run.output.isEmpty, "\(call): \(run.messages)")
    }
    let export = await bench.run("export", "my-log", "--to", "6", "--output", "six.json")
    #expect(export.status == 0, "\(export.messages)")
    #expect(try bench.disk.status(of: "six.json") != nil)
    // A match before the damage is the first, whatever follows.
    #expect(await bench.run("find", "my-log", "/value > 1", "--to", "9").status == 0)
  }

  @Test("list --follow waits for a future action, with a note")
  func following() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let run = await bench.run("list", "-f", "my-log", "--from", "12") { environment in
      environment.pause = { _ in true }
    }
    #expect(run.status == 0 && run.output.isEmpty)
    #expect(run.messages == "the log ends with revision 10: waiting for action 12\n")
    #expect(await bench.run("list", "-f", "my-log", "--from", "10").messages.isEmpty)
  }
}

extension Bench {
  /// Makes a log without actions, `empty-log`.
  fileprivate func recordEmpty() async throws {
    let run = await run("record", "counter", "empty-log", input: [])
    try #require(run.status == 0, "\(run.messages)")
  }
}
