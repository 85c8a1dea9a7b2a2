import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import JSONCoding
import TestSupport
import Testing

/// Answers with `--limit`, `--max-bytes` and `--cursor`.
@Suite("Bounded answers")
struct BoundedAnswerTests {
  /// Made once: the story of the animals, forty more, and one with a long name.
  private static let disk = Task { () async throws -> Bench in
    let bench = Bench()
    try await bench.recordAnimals()
    let long = String(repeating: "long ", count: 1_000)
    let animals = (1...40).map { number in ("Fish\(number)", "a fish") } + [("Worm", long)]
    let lines = animals.map { id, name in
      #"{"type":"data.persistentSession.didAddAnimal","data":{"id":"x","result":{"success":{"animal":{"animalId":"\#(id)","#
        + #""name":"\#(name)","diet":"Herbivore","categoryId":"Fish"}}}}}"# + "\n"
    }
    let run = await bench.run("record", "animals", "my-log", input: lines)
    try #require(run.status == 0, "\(run.messages)")
    _ = await bench.run("record", "counter", "other-log", "--workload", "20")
    _ = await bench.run(
      "record", "counter", "long-log", "--workload", "600", "--segment-size", "4K", "--snapshot-every", "50")
    return bench
  }

  private static func lines(_ text: String) throws -> [JSONValue] {
    try text.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
  }

  /// Runs a command again and again, each time from where the previous answer was truncated.
  private func pages(_ words: [String], bytes: Int = 1 << 20, _ options: [String]) async throws -> [[JSONValue]] {
    let bench = try await Self.disk.value
    let checker = try SchemaChecker()
    var pages: [[JSONValue]] = []
    var cursor: [String] = []
    while pages.count < 200 {
      let run = await bench.run(words + ["--json"] + options + cursor, input: Self.input)
      // One of the logs may be missing.
      #expect(run.status < 2 || words.contains("nowhere") || words.contains("-"), "\(run.messages)")
      #expect(run.output.utf8.count <= bytes, "\(run.output.utf8.count) bytes")
      let lines = try Self.lines(run.output)
      for line in lines { #expect(try checker.errors(of: line, as: words[0]) == []) }
      pages.append(lines)
      guard let next = lines.last?["next"]?.text else { return pages }
      #expect(lines.last?["truncated"] == true)
      cursor = ["--cursor", next]
    }
    Issue.record("the answer does not end")
    return pages
  }

  static let lineCalls = [
    ["list", "my-log"], ["list", "my-log", "--all"], ["list", "my-log", "--last", "9"],
    ["list", "my-log", "other-log"],
    ["list", "my-log", "--from", "4", "--to", "20", "--where", "type like \"data*\""],
    ["list", "my-log", "--touching", "/animals/data/Dog"], ["history", "my-log", "/animals/data"],
    ["history", "my-log", "/animals/data/Dog/diet", "/animals/data/Cat/name"],
    ["minimize", "my-log", "/animals/data/Dog/diet == \"Omnivore\"", "--at", "12"],
    ["list", "my-log", "--last", "12"], ["list", "my-log", "--from", "50"],
    ["list", "my-log", "other-log", "--last", "12"],
  ]

  /// Calls whose lines have no revisions: a cursor counts them.
  static let rowCalls = [
    ["fleet", "my-log", "other-log", "my-log", "nowhere"], ["verify", "my-log", "other-log", "long-log"],
    ["replay", "my-log", "--digests-at", "0,5,9,20,40,60"], ["verify", "-"],
  ]

  @Test(arguments: rowCalls, [["--limit", "2"], ["--max-bytes", "4096"], ["--limit", "1", "--max-bytes", "8000"]])
  func pagesHaveEveryRowOnce(words: [String], options: [String]) async throws {
    let bench = try await Self.disk.value
    let all = try Self.lines(await bench.run(words + ["--json"], input: Self.input).output)
    #expect(all.count > 1)
    let bytes = options.contains("4096") ? 4_096 : 1 << 20
    let pages = try await pages(words, bytes: bytes, options)
    #expect(pages.count > 1 || !options.contains("--limit"))
    let rows = pages.flatMap { page in page.filter { row in row["truncated"] == nil || row["path"] != nil } }
    #expect(rows.count == all.count)
    for (row, whole) in zip(rows, all) where row["omitted"] == nil {
      #expect(Self.isEqual(row, whole), "\(row) \(whole)")
    }
  }

  /// The logs for `-`.
  private static let input = ["my-log\nother-log\nnowhere\nlong-log\n"]

  /// Compares rows without their times of folding.
  private static func isEqual(_ first: JSONValue, _ second: JSONValue) -> Bool {
    func timeless(_ value: JSONValue) -> JSONValue {
      guard case .object(var object) = value else { return value }
      object["microseconds"] = nil
      return .object(object)
    }
    return timeless(first) == timeless(second)
  }

  @Test func pagesOfAReportAreTheReport() async throws {
    let bench = try await Self.disk.value
    let whole = try #require(try Self.lines(await bench.run("verify", "long-log", "--json").output).first)
    let pages = try await pages(["verify", "long-log"], bytes: 2_048, ["--max-bytes", "2048"])
    #expect(pages.count > 2)
    let segments = pages.flatMap { page in page.first?["segments"]?.elements ?? [] }
    #expect(.array(segments) == whole["segments"] && segments.count > 10)
  }

  /// The commands whose answer in JSON has bounds; the page says why the others have none.
  @Test func everyCommandIsBoundedOrDocumented() throws {
    let page = try String(
      contentsOf: PackageFolder.root.appending(
        path: "Sources/Tool/ActionLogTool/ActionLogTool.docc/JSONAnswers.md"), encoding: .utf8)
    let parts = page.components(separatedBy: "### Answers without bounds")
    try #require(parts.count == 2)
    let bounded = try #require(parts[0].components(separatedBy: "### Answers of bounded size").last)
    for command in ActionLogTool.withStories.commands {
      let name = "`\(command.name)`"
      let isBounded = command.answer != nil
      let advice: Comment = "\(name): JSONAnswers.md lists it with bounds if Command.answer is set, without them if not"
      #expect(bounded.contains(name) == isBounded, advice)
      #expect(parts[1].contains(name) != isBounded, advice)
    }
  }

  @Test(
    arguments: lineCalls,
    [["--limit", "2"], ["--max-bytes", "2048"], ["--limit", "3", "--max-bytes", "4096"]])
  func pagesHaveEveryLineOnce(words: [String], options: [String]) async throws {
    let all = try Self.lines(await Self.disk.value.run(words + ["--json"]).output)
    let bytes = options.contains("2048") ? 2_048 : options.contains("4096") ? 4_096 : 1 << 20
    // The own limit of 'list' bounds nothing by itself: a bound of bytes makes it report where to continue.
    let more = words[0] == "list" && bytes == 1 << 20 ? ["--max-bytes", "\(bytes)"] : []
    let pages = try await pages(words, bytes: bytes, options + more)
    let lines = pages.flatMap { page in page.filter { line in line["seq"] != nil } }
    #expect(lines.count == all.count)
    for (line, whole) in zip(lines, all) where line["omitted"] == nil { #expect(line == whole) }
    for page in pages.dropLast() { #expect(page.count > 1 && page.last?["seq"] == nil) }
  }

  @Test func limitOfListAloneIsUnchanged() async throws {
    let bench = try await Self.disk.value
    let all = await bench.run("list", "my-log", "--json").output.split(separator: "\n")
    let first = await bench.run("list", "my-log", "--json", "--limit", "3").output.split(separator: "\n")
    #expect(first == Array(all.prefix(3)))
  }

  static let objectCalls = [
    ["show", "my-log", "4"], ["stats", "my-log"], ["state", "my-log"], ["diff", "my-log", "start", "end"],
    ["blame", "my-log", "/animals/data/Cat"], ["find", "my-log", "/animals/data/Dog exists"],
    ["find", "--bisect", "my-log", "/animals/data/Dog exists"], ["what-if", "my-log", "--skip", "4"],
    ["test", "my-log", "1", "4"],
    ["list", "my-log"], ["history", "my-log", "/animals/data"], ["history", "my-log", "/animals/data/Dog"],
    ["verify", "my-log"], ["replay", "other-log", "--verify"], ["fleet", "my-log", "other-log"],
    ["stats", "my-log", "other-log"],
  ]

  @Test(arguments: objectCalls)
  func boundsThatAreNotMetChangeNothing(words: [String]) async throws {
    let bench = try await Self.disk.value
    let (plain, bounded) = (
      await bench.run(words + ["--json"]), await bench.run(words + ["--json", "--max-bytes", "1000000"])
    )
    #expect(plain.output == bounded.output && plain.status == bounded.status)
  }

  @Test(arguments: objectCalls.filter { words in !["list", "history", "fleet"].contains(words[0]) })
  func objectsFitTheirBound(words: [String]) async throws {
    for bytes in [2_048, 3_000, 5_000] {
      _ = try await pages(words, bytes: bytes, ["--max-bytes", "\(bytes)"])
    }
  }

  @Test func pagesOfAStateAreTheState() async throws {
    let bench = try await Self.disk.value
    let whole = try #require(try Self.lines(await bench.run("state", "my-log", "--at", "63", "--json").output).first)
    let pages = try await pages(["state", "my-log", "--at", "63"], bytes: 2_048, ["--max-bytes", "2048"])
    #expect(pages.count > 2)
    let parts = pages.compactMap { page in page.first?["state"] }
    let merged = parts.dropFirst().reduce(parts[0]) { merged, part in Self.merged(merged, part) }
    #expect(merged.bytes(.canonical) == whole["state"]?.bytes(.canonical))
    #expect(pages.allSatisfy { page in page.first?["revision"] == whole["revision"] })
  }

  /// Adds the members of a later page. Arrays continue.
  private static func merged(_ first: JSONValue, _ second: JSONValue) -> JSONValue {
    switch (first, second) {
    case (.object(var object), .object(let more)):
      for (name, value) in more { object[name] = object[name].map { old in merged(old, value) } ?? value }
      return .object(object)
    case (.array(let elements), .array(let more)): return .array(elements + more)
    default: return second
    }
  }

  @Test func pagesOfAPatchAreThePatch() async throws {
    let bench = try await Self.disk.value
    let words = ["diff", "my-log", "start", "63"]
    let whole = try #require(try Self.lines(await bench.run(words + ["--json"]).output).first)
    for options in [["--max-bytes", "2048"], ["--limit", "2"]] {
      let pages = try await pages(words, options)
      var operations: [JSONValue] = []
      for page in pages {
        if case .array(let changes)? = page.first?["changes"] { operations += changes }
      }
      #expect(pages.count > 1 && .array(operations) == whole["changes"])
    }
  }

  @Test func valuesThatAreTooLargeAreListed() async throws {
    let state = try await pages(
      ["state", "my-log", "--path", "/animals/data/Worm"], bytes: 2_048, ["--max-bytes", "2048"])
    #expect(state.count == 1)
    #expect(state[0][0]["omitted"]?.description == #"[{"pointer":"/value/name","bytes":5002}]"#)
    #expect(state[0][0]["value"]?["diet"] == "Herbivore" && state[0][0]["value"]?["name"] == nil)
    let list = try await pages(["list", "my-log", "--last", "1"], bytes: 2_048, ["--max-bytes", "2048"])
    #expect(list[0][0]["omitted"]?.description.contains(#""pointer":"/data""#) == true)
    #expect(list[0][0]["type"] == "data.persistentSession.didAddAnimal")
  }

  /// A page is read from its beginning: the lines before it cost nothing.
  @Test func continuedListStartsAtItsCursor() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "long-log", "--workload", "2000", "--segment-size", "16K")
    let start = bench.disk.counts.bytesRead
    _ = await bench.run("list", "long-log", "--json")
    let middle = bench.disk.counts.bytesRead
    let run = await bench.run("list", "long-log", "--json", "--max-bytes", "2048", "--cursor", "1900")
    #expect(try Self.lines(run.output).first?["seq"] == 1_900)
    #expect(bench.disk.counts.bytesRead - middle < (middle - start) / 2)
  }

  @Test(arguments: [
    (["list", "my-log", "--max-bytes", "4096"], "--max-bytes needs --json"),
    (["state", "my-log", "--json", "--max-bytes", "10"], "2048…"),
    (["state", "my-log", "--json", "--max-bytes", "many"], "2048…"),
    (["history", "my-log", "/animals", "--json", "--limit", "0"], "1 or more"),
    (["list", "my-log", "--json", "--cursor", "x"], "no cursor of this answer"),
    (["list", "my-log", "--json", "--cursor", "99999999999999999999"], "no cursor of this answer"),
    (["list", "my-log", "--json", "--cursor", "+3"], "no cursor of this answer"),
    (["state", "my-log", "--json", "--cursor", "4"], "no cursor of this answer"),
    (["state", "my-log", "--json", "--cursor", "/nothing"], "no cursor of this answer"),
    (["compat", "my-log", "--json", "--max-bytes", "4096"], "no option"),
    (["list", "-f", "my-log", "--json", "--max-bytes", "4096"], "--follow and --max-bytes cannot be combined"),
    (["fleet", "my-log", "--json", "--cursor", "/logs/3"], "no cursor of this answer"),
    (["verify", "my-log", "--json", "--cursor", "+1"], "no cursor of this answer"),
    (["verify", "my-log", "other-log", "--json", "--cursor", "/segments/1"], "no cursor of this answer"),
  ])
  func wrongBoundsAreRefused(words: [String], message: String) async throws {
    let run = await (try Self.disk.value).run(words)
    #expect(run.status == 2 && run.messages.contains(message), "\(run.messages)")
  }
}
