import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import JSONCoding
import Testing

@Suite("repair, salvage, backup")
struct CareCommandTests {
  @Test("the screens of repair, salvage and backup")
  func screens() async throws {
    let bench = try await damagedDisk()
    let text = await bench.transcript([
      ["repair", "my-log"], ["repair", "torn-log", "--dry-run"], ["repair", "torn-log"],
      ["repair", "torn-log", "--yes"],
      ["verify", "torn-log"], ["repair", "torn-log", "--json"], ["repair", "damaged-log"],
      ["salvage", "damaged-log", "saved"], ["verify", "saved"], ["state", "saved"],
      ["salvage", "damaged-log", "saved"], ["salvage", "damaged-log", "third", "--json"],
      ["backup", "my-log", "copy"], ["verify", "copy"], ["backup", "my-log", "copy"],
      ["backup", "my-log", "second", "--json"], ["backup", Bench.segment, "third-copy"],
    ])
    try Golden.expect(text, is: "care.txt")
  }

  @Test(
    "repair asks on a terminal and accepts only yes",
    arguments: [("y\n", true), ("yes\n", true), ("n\n", false), ("\n", false), ("", false)])
  func asks(answer: String, isDone: Bool) async throws {
    let bench = try await damagedDisk()
    let run = await bench.run("repair", "torn-log", input: [answer]) { environment in
      environment.inputIsTerminal = true
    }
    #expect(run.messages.contains("Repair the log? [y/N]"))
    #expect(run.status == (isDone ? 0 : 1))
    #expect(await bench.run("verify", "torn-log").status == (isDone ? 0 : 1))
  }

  @Test("a damaged log is readable up to the damage, and the error has its location")
  func damagedLog() async throws {
    let bench = try await damagedDisk()
    let list = await bench.run("list", "damaged-log")
    #expect(list.output.split(separator: "\n").count == 6)
    #expect(list.status == 1)
    #expect(list.messages.contains("damaged-log/0000000000000001.jsonl:10, seq 7"))
    #expect(await bench.run("state", "damaged-log", "--at", "6", "-q").status == 0)
    #expect(await bench.run("verify", "damaged-log").status == 1)
  }

  @Test("repair reports damage elsewhere when there is nothing to truncate")
  func damageBeforeTheEnd() async throws {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "100", "--segment-size", "4K")
    try #require(run.status == 0, "\(run.messages)")
    #expect(await bench.run("repair", "my-log", "--yes").status == 0)
    try bench.disk.flipBit(0, ofByte: 2_000, in: Bench.segment)
    for arguments in [
      ["repair", "my-log"], ["repair", "my-log", "--dry-run"], ["repair", "my-log", "--yes", "--json"],
    ] {
      let repair = await bench.run(arguments)
      #expect(repair.status == 1)
      #expect(repair.messages.contains("checksum mismatch: my-log/0000000000000001.jsonl"))
    }
    #expect(await bench.run("repair", "my-log").messages.contains("'action-log salvage my-log NEW'"))
  }

  @Test("a salvage onto a full disk, or of a segment that cannot be opened, says what to do")
  func salvageErrors() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    for (fault, texts) in [
      (
        FileFault(.append, lasts: true, code: .noSpace),
        ["the new log cannot be created: no space is left: saved", "there is no new one", "repeat the command"]
      ),
      (
        FileFault(.append, number: 2, lasts: true, code: .noSpace),
        ["the new log cannot be created: no space is left: saved", "there is no new one", "repeat the command"]
      ),
      (
        FileFault(.open, lasts: true, code: .permissionDenied, pathSuffix: Bench.segment),
        ["\(Bench.segment) cannot be opened: make it readable first."]
      ),
    ] {
      let run = await bench.run("salvage", "my-log", "saved") { environment in
        environment.fileSystem = FaultyFileSystem(bench.disk, faults: [fault])
      }
      #expect(run.status != 0)
      for text in texts { #expect(run.messages.contains(text), "\(run)") }
      #expect(try bench.disk.status(of: "saved") == nil)
    }
  }

  @Test(
    "a new log on a full disk says what to do",
    arguments: ["branch my-log new --skip 3", "bug-report my-log 2 5 -o new"])
  func fullDisk(call: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    for number in 1...2 {
      let run = await bench.run(call.split(separator: " ").map(String.init)) { environment in
        environment.fileSystem = FaultyFileSystem(
          bench.disk, faults: [FileFault(.append, number: number, lasts: true, code: .noSpace)])
      }
      #expect(run.status == 3 && run.messages.contains("cannot be created: no space is left: new\n"), "\(run)")
      #expect(run.messages.contains("Free space, or name a path on another disk"), "\(run)")
      #expect(!run.messages.contains("Appending works again"), "\(run)")
      #expect(try bench.disk.status(of: "new") == nil)
    }
  }

  @Test("a salvage that saves no action warns and fails")
  func nothingSaved() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let whole = try bench.disk.contents(of: Bench.segment)
    let firstAction = try #require(String(decoding: whole, as: UTF8.self).firstRange(of: #"{"seq":1,"#))
    try bench.makeLog("damaged-log", from: whole)
    let offset = String(decoding: whole, as: UTF8.self)[..<firstAction.lowerBound].utf8.count
    try bench.disk.flipBit(0, ofByte: offset + 60, in: "damaged-log/0000000000000001.jsonl")
    let run = await bench.run("salvage", "damaged-log", "saved")
    #expect(run.status == 1)
    #expect(run.messages.contains("no action of damaged-log is in the new log: none before the first gap is intact"))
    #expect(run.messages.contains("; those after it are in saved/after-gap.jsonl"), "\(run.messages)")
    #expect(await bench.run("verify", "saved").status == 0)
  }

  @Test("verify reports the same whatever the number of jobs", arguments: ["my-log", "damaged-log", "torn-log"])
  func jobs(log: String) async throws {
    let bench = try await damagedDisk()
    let one = await bench.run("verify", log, "--json", "--jobs", "1")
    for jobs in ["2", "256"] {
      let several = await bench.run("verify", log, "--json", "--jobs", jobs)
      #expect(several.output == one.output && several.status == one.status)
    }
    #expect(await bench.run("verify", log, "--json").output == one.output)
    for wrong in [["--jobs", "0"], ["--jobs", "257"], ["--jobs", "x"], ["--jobs", "2", "--checkpoint", "file"]] {
      let run = await bench.run(["verify", log] + wrong)
      #expect(run.status == 2 && run.messages.contains("--jobs"), "\(run)")
    }
  }

  @Test("a backup of a damaged log is kept and reports the errors of verify", arguments: [false, true])
  func damagedCopy(isJSON: Bool) async throws {
    let bench = try await damagedDisk()
    let run = await bench.run(["backup", "damaged-log", "copy"] + (isJSON ? ["--json"] : []))
    #expect(run.status == 1)
    #expect(run.messages.contains("the copy is kept, but it has errors"), "\(run)")
    let verify = await bench.run(["verify", "copy"] + (isJSON ? ["--json"] : []))
    #expect(verify.status == 1)
    guard isJSON else {
      #expect(run.output.contains(verify.output), "\(run.output)")
      return
    }
    // The backup has its own advice.
    let answer = try JSONValue(parsing: verify.output.utf8)
    guard case .object(var report) = answer else {
      Issue.record("no object: \(verify.output)")
      return
    }
    report["advice"] = nil
    #expect(.object(report) != answer)
    #expect(try JSONValue(parsing: run.output.utf8)["verification"] == .object(report), "\(run.output)")
  }

  @Test("a backup without the marks fails, and one without a snapshot succeeds")
  func incompleteCopy() async throws {
    let bench = try await damagedDisk()
    try bench.disk.setContents([1], of: "my-log/snapshots/0000000000000001.json/x")
    let first = await bench.run("backup", "my-log", "first")
    #expect(first.status == 0)
    #expect(
      first.messages.contains(
        "my-log/snapshots/0000000000000001.json was left out of the copy: a different kind"),
      "\(first)")
    try bench.disk.createDirectory("my-log/marks.jsonl")
    let second = await bench.run("backup", "my-log", "second", "--json")
    #expect(second.status == 1)
    let reason = "a different kind of file has its name"
    #expect(second.messages.contains("my-log/marks.jsonl was left out of the copy: \(reason)"))
    #expect(second.output.contains(#"{"path":"marks.jsonl","message":"\#(reason)"}"#))
  }

  /// Any program makes `HEAD` again, and a malformed one records nothing.
  @Test func aBackupWithoutAMalformedHeadSucceeds() async throws {
    let bench = try await damagedDisk()
    try bench.disk.setContents(Array("{}".utf8), of: "my-log/HEAD")
    let run = await bench.run("backup", "my-log", "copy")
    #expect(run.status == 0)
    #expect(run.messages.contains("my-log/HEAD was left out of the copy: it is malformed"), "\(run)")
  }

  @Test("the next recording truncates a torn tail with a warning")
  func tornTail() async throws {
    let bench = try await damagedDisk()
    let run = await bench.run("record", "counter", "torn-log", input: [#"{"type":"didTapIncrementButton"}"# + "\n"])
    #expect(run.status == 0)
    #expect(run.messages.hasPrefix("warning: the last writer was interrupted: "))
    #expect(bench.disk.filePaths.contains { path in path.contains("torn-log/quarantine/") })
    #expect(await bench.run("verify", "torn-log").status == 0)
  }

  @Test func logsOnStandardInputAreVerified() async throws {
    let bench = try await damagedDisk()
    let input = ["my-log\ntorn-log\n", "damaged-log\nnowhere\n"]
    let run = await bench.run("verify", "-", "--json", input: input)
    #expect(run.status == 3)
    let rows = try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
    #expect(rows.map { row in row["verdict"] } == ["clean", "torn", "damaged", nil])
    #expect(rows.map { row in row["path"] } == ["my-log", "torn-log", "damaged-log", "nowhere"])
    #expect(rows.map { row in row["error", "code"] } == [nil, nil, nil, "notFound"])
    let page = await bench.run("verify", "-", input: input)
    let named = await bench.run("verify", "my-log", "torn-log", "damaged-log", "nowhere")
    #expect(page.output == named.output && page.messages == named.messages && page.status == 3)
  }

  /// `my-log` is intact; `torn-log` has a torn tail and `damaged-log` has damage.
  private func damagedDisk() async throws -> Bench {
    let bench = Bench()
    try await bench.recordCounter()
    let whole = try bench.disk.contents(of: Bench.segment)
    try bench.makeLog("torn-log", from: Array(whole.dropLast(425)))
    try bench.makeLog("damaged-log", from: whole)
    try bench.disk.flipBit(0, ofByte: 1_500, in: "damaged-log/0000000000000001.jsonl")
    return bench
  }

  @Test(arguments: [
    ["list", "-"], ["list", "-", "--json"], ["list", "-", "--format", "csv"], ["list", "-", "--last", "3"],
    ["stats", "-"], ["stats", "-", "--json"], ["fleet", "-", "--json"],
  ])
  func logsOnStandardInputAreLikeArguments(call: [String]) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    try bench.disk.createDirectory("copies")
    _ = await bench.run("backup", "my-log", "copies/1")
    let named = await bench.run([call[0], "my-log", "nowhere", "copies"] + call.dropFirst(2))
    let read = await bench.run(call, input: ["my-log\nnowh", "ere\n\ncopies"])
    #expect(read.status == 3 && (read.output + read.messages).contains("nowhere"), "\(read.messages)")
    #expect(read.output.contains("copies/1") || call[0] == "stats")
    #expect(read.output == named.output && read.messages == named.messages && read.status == named.status)
  }

  /// Another log can have the name that invalid bytes are shown as.
  @Test(arguments: [
    ["list", "-", "--json"], ["verify", "-", "--json"], ["fleet", "-", "--json"],
  ])
  func linesThatAreNoPathsAreReported(call: [String]) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    _ = await bench.run("backup", "my-log", "bad\u{FFFD}")
    let long = Array(repeating: UInt8(ascii: "a"), count: LineReader.lineLimitBytes + 1)
    let input = Array("bad".utf8) + [0xFF, 0x0A] + long + [0x0A] + Array("my-log\n".utf8)
    let run = await bench.run(call) { environment in environment.standardInput = MemoryInput(bytes: input) }
    let rows = try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
    let codes = rows.compactMap { row in row["error", "code"]?.text }
    #expect(Set(codes) == ["usage", "beyondLimit"], "\(run)")
    #expect(run.status == 5)
    #expect(rows.contains { row in row["error"] == nil && row["total"] == nil })
    #expect(!bench.disk.filePaths.contains { path in path.hasPrefix("lake") && path.contains("bad") })
  }

  /// It is not one of many, whose rows name their logs.
  @Test(arguments: [
    ["list"], ["list", "--json"], ["list", "--format", "lines"], ["stats", "--json"], ["verify"],
    ["list", "--format", "csv"],
  ])
  func oneLogOnStandardInputIsLikeAnArgument(call: [String]) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let named = await bench.run([call[0], "my-log"] + call.dropFirst())
    let read = await bench.run([call[0], "-"] + call.dropFirst(), input: ["my-log\n"])
    #expect(read.status == 0 && !read.output.isEmpty, "\(read)")
    #expect(read.output == named.output && read.messages == named.messages)
  }

  @Test(arguments: ["verify -", "list -", "stats - --json", "list - --format csv", "fleet -"])
  func noLogOnStandardInputIsANegativeAnswer(call: String) async throws {
    let run = await Bench().run(call.split(separator: " ").map(String.init), input: ["\n\n"])
    #expect(run.status == 1 && run.output.isEmpty, "\(run)")
    #expect(run.messages.contains("standard input names no log"), "\(run)")
  }

  @Test(arguments: ["show - 1", "state -", "compat -", "blame - /value"])
  func commandOfOneLogNamesThoseOfMany(call: String) async throws {
    let run = await Bench().run(call.split(separator: " ").map(String.init), input: ["my-log"])
    #expect(run.status == 3 && run.messages.contains("'stats'"), "\(run.messages)")
  }
}
