import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import Foundation
import HTTPServer
import JSONCoding
import Platform
import TestSupport
import Testing

/// What the inspector answers to broken requests, over hostile logs, over long ones, and while they grow.
@Suite(.timeLimit(.minutes(60))) struct InspectorLimitTests {
  /// The size of an answer that a page asks for while the user moves.
  private static let answerBytes = 64 << 10

  // MARK: - Broken requests

  private static let queries = [
    "log", "actions?from=1&count=20", "actions?revisions=3,5", "action?at=5",
    "state?view=abcdefgh&at=5&base=2&path=%2Fvalue&offset=0&count=20",
    "state?view=abcdefgh&at=5&only=changed",
    "value?view=abcdefgh&at=5&path=%2Fvalue", "density?axis=time&from=1&to=9&buckets=5",
    "follow?after=99&marks=0&wait=0", "jobs/1?after=0", "jobs/1/file", "marks/here",
    "causes?at=5&count=20", "state?view=abcdefgh&at=5&branch=BRANCH&path=%2Fvalue&offset=0&count=20",
    "value?view=abcdefgh&at=5&branch=BRANCH&path=%2Fvalue",
  ]
  private static let bodies: [(path: String, body: JSONValue)] = [
    ("jobs", ["kind": "go", "view": "abcdefgh", "at": 5, "base": 2]),
    ("jobs", ["kind": "filter", "text": "tap", "without": ["didTapIncrementButton"], "from": 1, "to": 9]),
    ("jobs", ["kind": "blame", "path": "/value", "at": 5]), ("jobs", ["kind": "history", "path": "/value", "from": 1]),
    ("jobs", ["kind": "first", "condition": "/value > 2", "from": 1, "to": 9]),
    ("jobs", ["kind": "bisect", "condition": "/value > 2"]),
    ("jobs", ["kind": "minimize", "condition": "/value > 2", "at": 5]),
    ("jobs", ["kind": "test", "from": 0, "to": 5, "minimize": "/value > 2", "expect": "/value exists"]),
    ("marks", ["name": "here", "revision": 3, "remark": "x"]),
    ("jobs", ["kind": "last", "condition": "/value > 2", "from": 1, "to": 9]), ("jobs", whatIf),
    ("jobs", ["kind": "what-if", "edits": [], "with": "animals"]),
    ("jobs", ["kind": "bug-report", "from": 2, "to": 9, "remark": "x"]),
    ("jobs", ["kind": "go", "view": "abcdefgh", "at": 5, "branch": "1"]),
    ("place", shown),
    ("place", ["view": "abcdefgh", "at": 5, "branch": "1", "open": ["", "/value"], "only": "changed"]),
    ("follow?after=3&marks=0", shown),
  ]
  private static let shown: JSONValue = [
    "view": "abcdefgh", "at": 5, "base": 2, "path": "", "open": ["", "/value"], "pointer": "/value", "reveals": true,
  ]
  /// All kinds of edits.
  private static let whatIf: JSONValue = [
    "kind": "what-if",
    "edits": [
      "skip 2-3", "replace 4=didTapIncrementButton", #"insert 5={"type":"didTapDecrementButton","data":{}}"#,
      "move 6=8",
    ],
  ]
  private static let extremes = [
    "", "-1", "0", "1e308", "9223372036854775807", "18446744073709551616", "null", "%00", "%FF", "%2F..%2F..", "~2",
    "\u{202E}", "/", "[]", "{}", "\"", String(repeating: "/a", count: 2_500), String(repeating: "(", count: 500),
    String(repeating: "%2F", count: 2_000),
  ]

  private static func mutated(_ text: String, _ generator: inout SeededGenerator) -> String {
    var pieces = text.split(separator: "&", omittingEmptySubsequences: false).map(String.init)
    for _ in 0..<Int.random(in: 0...3, using: &generator) {
      let index = Int.random(in: 0..<pieces.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: pieces.append(pieces[index])
      case 1 where pieces.count > 1: pieces.remove(at: index)
      case 2:
        let extreme = extremes.randomElement(using: &generator) ?? ""
        pieces[index] = (pieces[index].split(separator: "=").first.map(String.init) ?? "") + "=" + extreme
      case 3: pieces[index] += extremes.randomElement(using: &generator) ?? ""
      default: pieces[index] = String(pieces[index].dropLast(Int.random(in: 0...3, using: &generator)))
      }
    }
    return pieces.joined(separator: "&")
  }

  private static func mutated(_ value: JSONValue, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes = changed(value, &generator).bytes()
    for _ in 0..<Int.random(in: 0...1, using: &generator) where !bytes.isEmpty {
      bytes[Int.random(in: 0..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    return bytes
  }

  /// Changes a member of an object, or of an object in it.
  private static func changed(_ value: JSONValue, _ generator: inout SeededGenerator) -> JSONValue {
    switch value {
    case .array(var elements) where !elements.isEmpty:
      let index = Int.random(in: 0..<elements.count, using: &generator)
      elements[index] = changed(elements[index], &generator)
      return .array(elements)
    case .object(var object):
      guard let name = object.names.randomElement(using: &generator) else { return value }
      if case .array? = object[name], Bool.random(using: &generator) {
        object[name] = object[name].map { inner in changed(inner, &generator) }
        return .object(object)
      }
      let extreme = extremes.randomElement(using: &generator) ?? ""
      let values: [JSONValue] = [
        .string(extreme), nil, true, -1, 0, 9_223_372_036_854_775_807, [], [:], [.string(extreme)],
        .array(Array(repeating: "x", count: 1_001)),
      ]
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: object[name] = values.randomElement(using: &generator)
      case 1: object[extreme] = values.randomElement(using: &generator)
      default: object[name] = nil
      }
      return .object(object)
    default: return value
    }
  }

  @Test(arguments: Seeds.batches)
  func brokenRequestsAreRefused(batch: UInt64) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let page = try InspectorBench(bench)
    let last = try await page.get("log")["last"]
    _ = try await page.get("log", until: { log in log["indexed"] == last })
    // Requests for news then wait for nothing.
    page.service.stop()
    let (files, counts) = (bench.disk.filePaths, bench.disk.counts)
    for seed in Seeds.batch(batch, of: 24) {
      var generator = SeededGenerator(seed: seed)
      // An earlier request may have removed the branch.
      let branch = try #require(try await Self.started(page, Self.whatIf))
      _ = try await page.changes("view=abcdefgh&at=5&branch=\(branch)")
      for query in Self.queries {
        let target = Self.mutated(query.replacing("BRANCH", with: branch), &generator)
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let method = ["GET", "GET", "GET", "DELETE", "POST", "PUT"].randomElement(using: &generator) ?? "GET"
        let response = await page.answer(method, "/api/" + parts[0], parts.count > 1 ? parts[1] : nil)
        try Self.expect(response, "seed \(seed): \(method) \(target.prefix(300))")
      }
      for (path, var body) in Self.bodies {
        if case .object(var object) = body, object["branch"] != nil {
          object["branch"] = .string(branch)
          body = .object(object)
        }
        let parts = path.split(separator: "?").map(String.init)
        var request = page.request(
          path == "marks" ? "PUT" : "POST", "/api/" + parts[0], parts.count > 1 ? parts[1] : nil, body: body)
        request.body = Self.mutated(body, &generator)
        let response = await page.service.answer(request)
        try Self.expect(response, "seed \(seed): \(path) \(String(decoding: request.body.prefix(300), as: UTF8.self))")
      }
    }
    page.service.stop()
    // Nothing is written.
    #expect(bench.disk.filePaths == files && bench.disk.counts.bytesWritten == counts.bytesWritten)
    #expect(bench.disk.counts.renames == counts.renames && bench.disk.counts.removals == counts.removals)
  }

  /// Starts a job as soon as fewer than the greatest number run, and waits for its end.
  private static func started(_ page: InspectorBench, _ body: JSONValue) async throws -> String? {
    var job: String?
    _ = try await eventually(asking: {
      let response = await page.answer("POST", "/api/jobs", body: body)
      if response.status.code == 429 { return false }
      job = try JSONValue(parsing: response.body)["job"]?.text
      return true
    })
    guard let job else { return nil }
    _ = try await page.get("jobs/\(job)", until: { answer in answer["status"] == "done" })
    return job
  }

  /// A refusal has a code and a message; no request makes the server fail.
  private static func expect(_ response: HTTPResponse, _ comment: String) throws {
    #expect(response.status.code < 500 && response.body.count <= 8 << 20, "\(comment)")
    guard response.headers["Content-Type"] == "application/json" else {
      #expect(response.headers["Content-Disposition"] != nil, "\(comment)")
      return
    }
    let answer = try JSONValue(parsing: response.body)
    guard response.status.code >= 400 else { return }
    #expect(answer["error"]?["code"]?.text != nil && answer["error"]?["message"]?.text != nil, "\(comment)")
  }

  // MARK: - Hostile logs

  @Test func hostileTextsAreBounded() async throws {
    let markup = "</script><img src=x onerror=alert(1)>\u{202E}gnp.exe\u{2066}\u{0}\u{FEFF}"
    let long = String(repeating: "long\u{301}", count: 400_000)
    let (bench, log) = try Self.writer(to: Bench(), segmentBytes: nil)
    func draft(_ meta: JSONObject, type: String = "didTapIncrementButton") -> LogDraft {
      LogDraft(type: type, data: Array("{}".utf8), meta: JSONValue.object(meta).bytes())
    }
    _ = try log.appendNow([
      draft(["actor": .string(markup)]), draft(["actor": .string("a" + long)]), draft(["actor": .string("b" + long)]),
      draft(["actor": "ann", "note": .string(String(repeating: "</script>", count: 1_860_000))]),
      draft(["actor": "bob"], type: "type" + String(repeating: "e", count: 1_000)),
    ])
    try log.closeNow()
    let page = try InspectorBench(bench)
    func get(_ path: String, _ query: String? = nil) async throws -> JSONValue {
      let response = await page.answer("GET", "/api/" + path, query)
      #expect(response.status == .ok && response.body.count <= Self.answerBytes, "\(path): \(response.body.count)")
      return try JSONValue(parsing: response.body)
    }
    _ = try await page.get("log", until: { log in log["indexed"] == 5 })
    let rows = try #require(try await get("actions", "from=1&count=200")["actions"]?.elements)
    #expect(rows.count == 5 && rows[0]["actor"]?.text == markup && rows[1]["actor"]?.text?.hasSuffix("…") == true)
    _ = try await get("density", "axis=revision&buckets=5")
    for revision in 1...4 {
      let action = try await get("action", "at=\(revision)")
      #expect((action["cut"] == true) == (2...4).contains(revision), "\(revision)")
    }
    // A truncated name stands for the complete one.
    #expect(try await page.run(["kind": "filter", "without": [rows[4]["type"] ?? .null]])["results"] == [1, 2, 3, 4])
    let moved = try await page.changes("view=abcdefgh&at=4&base=0")
    #expect(moved["total"] == 1)
    // The counter does not have the last type: the failures are short, too.
    for (path, query) in [("action", "at=5"), ("state", "view=abcdefgh&at=5")] {
      let failed = await page.answer("GET", "/api/" + path, query)
      #expect(failed.status.code >= 400 && failed.body.count <= Self.answerBytes, "\(path)")
    }
  }

  // MARK: - Long and growing logs

  private static func writer(to bench: Bench, segmentBytes: Int? = 1 << 20) throws -> (bench: Bench, log: LogWriter) {
    var configuration = LogConfiguration(durability: .written, environment: bench.logEnvironment)
    if let segmentBytes { configuration.segmentLimitBytes = segmentBytes }
    let writer = try LogWriter.open(
      at: "my-log", model: CounterModel.name, schema: CounterModel.schema, fileSystem: bench.disk,
      configuration: configuration)
    return (bench, writer)
  }

  private static let last = 100_000
  private static let batch = 2_000

  /// A log that grows while a page reads it.
  private struct Growing: Sendable {
    var bench: Bench
    /// The ends that the page saw, in order.
    var ends: [Int] = []
    var largestAnswer = 0
    /// Whether all rows were those that were asked for.
    var isComplete = true
    var indexed: JSONValue?
    var counted = 0
  }

  /// Written once, without a fold: the million of the benchmark is the same, only longer.
  private static let grown = Task { () async throws -> Growing in
    let (bench, log) = try writer(to: Bench())
    let drafts = (0..<batch).map { number in
      LogDraft(type: number % 3 == 0 ? "didTapDecrementButton" : "didTapIncrementButton", data: Array("{}".utf8))
    }
    _ = try log.appendNow(drafts)
    let page = try InspectorBench(bench)
    var growing = Growing(bench: bench)
    func get(_ path: String, _ query: String) async throws -> JSONValue {
      let response = await page.answer("GET", "/api/" + path, query)
      growing.largestAnswer = max(growing.largestAnswer, response.body.count)
      return try JSONValue(parsing: response.body)
    }
    let writing = Task.detached {
      try await BlockingWork.run {
        for _ in 1..<(last / batch) { _ = try log.writeNow(drafts) }
        try log.closeNow()
      }
    }
    while growing.ends.last != last {
      let end = try await get("follow", "after=\(growing.ends.last ?? 0)&marks=0&wait=20")["last"]?.integer ?? 0
      growing.ends.append(end)
      let rows = try await get("actions", "from=\(max(1, end - 99))&count=100")["actions"]?.elements ?? []
      let revisions = rows.map { row in row["seq"]?.integer ?? 0 }
      growing.isComplete = growing.isComplete && revisions.first == end - 99 && revisions.count == 100
      growing.isComplete = growing.isComplete && revisions == revisions.sorted()
    }
    try await writing.value
    growing.indexed = try await page.get("log", until: { log in log["indexed"]?.integer == last })["indexed"]
    let counts = try await get("density", "axis=revision&buckets=600")["counts"]?.elements ?? []
    growing.counted = counts.reduce(0) { sum, count in
      count.elements.reduce(sum) { sum, count in sum + (count.integer ?? 0) }
    }
    return growing
  }

  @Test func pageFollowsAWriterWithoutGaps() async throws {
    let growing = try await Self.grown.value
    #expect(growing.ends == growing.ends.sorted() && growing.ends.last == Self.last)
    #expect(growing.isComplete && growing.largestAnswer <= Self.answerBytes, "\(growing.largestAnswer)")
    #expect(growing.indexed?.integer == Self.last && growing.counted == Self.last)
  }

  @Test func longLogsAreAnsweredInParts() async throws {
    let bench = try await Self.grown.value.bench
    let page = try InspectorBench(bench)
    var sizes: [Int] = []
    func get(_ path: String, _ query: String? = nil) async throws -> JSONValue {
      let response = await page.answer("GET", "/api/" + path, query)
      #expect(response.status == .ok, "\(path) \(query ?? "")")
      sizes.append(response.body.count)
      return try JSONValue(parsing: response.body)
    }
    // The answer does not wait for the index.
    let log = try await get("log")
    #expect(log["last"]?.integer == Self.last && log["indexed"] == 0)
    _ = try await page.get("log", until: { log in log["indexed"]?.integer == Self.last })
    // Rows near each other are read once.
    let size = try LogReader.open(at: "my-log", fileSystem: bench.disk).segments.reduce(0) { sum, segment in
      sum + segment.sizeBytes
    }
    let before = bench.disk.counts.bytesRead
    for offset in 0..<20 {
      let rows = try await get("actions", "from=\(90_000 + offset * 10)")["actions"]?.elements
      #expect(rows?.count == 200)
    }
    #expect(bench.disk.counts.bytesRead - before < size / 4)
    // A jump is a job; then steps fold nothing, and read little.
    #expect(try await page.get("state", "view=abcdefgh&at=90000")["isNear"] == false)
    let moved = try await page.run(["kind": "go", "view": "abcdefgh", "at": 90_000])
    #expect(moved["status"] == "done" && moved["reached"]?.integer ?? 0 <= 90_000)
    let jumped = bench.disk.counts.bytesRead
    for revision in (89_990..<90_000).reversed() {
      let rows = try await get("state", "view=abcdefgh&at=\(revision)")["rows"]?.elements ?? []
      #expect(rows.count == 1 && rows.first?["change"] == "changed")
    }
    #expect(bench.disk.counts.bytesRead - jumped < size / 10)
    // A filter finds many, and the page reads some of them.
    let filter = try await page.run(["kind": "filter", "without": ["didTapIncrementButton"]])
    #expect(filter["answer"]?["count"]?.integer == Self.last / Self.batch * ((Self.batch + 2) / 3))
    let revisions = (1...200).map { number in String(number * 400) }.joined(separator: ",")
    let found = try await get("actions", "revisions=\(revisions)")
    #expect(found["actions"]?.elements.count == 200)
    #expect(try await get("density", "axis=revision&buckets=600")["counts"]?.elements.count ?? 0 > 300)
    #expect(sizes.allSatisfy { size in size <= Self.answerBytes }, "\(sizes.max() ?? 0)")
  }

  @Test func pageSurvivesTheDeathOfTheRecorder() async throws {
    let directory = try TemporaryDirectory()
    let log = LogOnDisk(at: directory.path("my-log"))
    let recorder = try ToolProcess(["record", "counter", log.path, "--durability", "written"])
    recorder.feed { _ in String(repeating: LogOnDisk.increment, count: 20) }
    _ = try await recorder.nextLine()
    var bench = Bench()
    bench.directory = directory.path
    let page = try InspectorBench(bench)
    for _ in 0..<500 { _ = try await recorder.nextLine() }
    _ = try await page.get("follow", "after=0&marks=0", until: { news in news["last"]?.integer ?? 0 >= 500 })
    recorder.kill(SIGKILL)
    _ = try await recorder.remainingOutput()
    #expect(try await recorder.wait() == .signal(SIGKILL))
    // The next recorder truncates a torn tail, and continues.
    let next = try await ToolRun(
      "record", "counter", log.path, input: String(repeating: LogOnDisk.increment, count: 3))
    let end = try #require(try next.answers().last?.revision)
    let news = try await page.get(
      "follow", "after=0&marks=0", until: { news in news["last"]?.integer == end && news["isClosed"] == true })
    #expect(news["damage"] == nil && news["durable"]?.integer == end)
    let rows = try await page.get("actions", "from=\(end - 199)&count=200")["actions"]?.elements ?? []
    #expect(rows.map { row in row["seq"]?.integer } == (end - 199...end).map(Optional.some))
    let moved = try await page.run(["kind": "go", "view": "abcdefgh", "at": .integer(end)])
    #expect(moved["status"] == "done")
    #expect(try await page.get("value", "view=abcdefgh&at=\(end)")["value"]?.integer == end)
    _ = try await page.get("log", until: { log in log["indexed"]?.integer == end })
  }
}
