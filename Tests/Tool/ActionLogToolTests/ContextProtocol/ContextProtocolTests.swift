import ActionLog
import ActionLogTool
import Dispatch
import JSONCoding
import Platform
import Testing
import TimeTravel

/// The messages of `mcp`, over two pipes.
@Suite("Model Context Protocol", .timeLimit(.minutes(60)))
struct ContextProtocolTests {
  private func session(
    change: @escaping @Sendable (inout ToolEnvironment) -> Void = { _ in }
  ) async throws -> ContextSession {
    let bench = Bench()
    try await bench.recordCounter()
    return try ContextSession(bench, ["my-log"], change: change)
  }

  @Test func requestsWithoutSessionAreAnswered() async throws {
    let session = try await session()
    try await session.request("server/discover")
    let found = try #require(try await session.next()?["result"])
    #expect(found["supportedVersions"] == ["2026-07-28", "2025-11-25", "2025-06-18"])
    #expect(found["resultType"] == "complete" && found["capabilities", "tools"] != nil)
    #expect(found["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "action-log")
    try await session.request("tools/list")
    let listed = try #require(try await session.next()?["result"])
    #expect(listed["ttlMs"]?.integer ?? 0 > 0 && listed["cacheScope"] == "private")
    let value = try await session.answer("state", ["path": "/value"])
    #expect(value["value"]?.integer != nil)
    // There is nothing to ping in this revision.
    try await session.request("ping")
    #expect(try await session.next()?["error", "code"]?.integer == -32_601)
    let (rest, status) = try await session.end()
    #expect(rest == [] && status == 0)
  }

  @Test(arguments: [
    ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-11-25"), ("2024-11-05", "2025-11-25"),
    ("2026-07-28", "2025-11-25"), ("x", "2025-11-25"),
  ])
  func sessionsAgreeOnARevision(wanted: String, agreed: String) async throws {
    let session = try await session()
    try await session.send(#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#)
    #expect(try await session.next()?["result"] == [:])
    try await session.send(
      #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(wanted)","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#
    )
    let begun = try #require(try await session.next())
    #expect(begun["id"] == 0 && begun["result", "protocolVersion"]?.text == agreed)
    #expect(
      begun["result", "serverInfo", "version"] == "1.2.3" && begun["result", "instructions"]?.text?.isEmpty == false)
    try await session.send(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)
    try await session.send(
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"state","arguments":{"path":"/value"}}}"#)
    let answer = try #require(try await session.next())
    #expect(answer["id"] == 1 && answer["result", "structuredContent", "value"] != nil)
    #expect(answer["result", "resultType"] == nil && answer["result", "_meta"] == nil)
    #expect(try await session.end().rest == [])
  }

  private static let meta = "\(ContextSession.meta())"

  static let wrongLines: [(line: String, code: Int, id: JSONValue)] = [
    ("nonsense", -32_700, .null), (#"{"jsonrpc":"2.0","id":1,"method":"ping""#, -32_700, .null),
    (#"{"a":"\#u{1}"}"#, -32_700, .null), (String(repeating: "[", count: 100), -32_700, .null),
    (String(repeating: #"{"a":"#, count: 100_000), -32_700, .null),
    ("[]", -32_600, .null), (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32_600, .null), ("3", -32_600, .null),
    ("{}", -32_600, .null), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32_600, 1),
    (#"{"jsonrpc":"2.0","id":1}"#, -32_600, 1), (#"{"jsonrpc":"2.0","id":1,"method":7}"#, -32_600, 1),
    (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32_600, .null),
    (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32_600, .null),
    (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32_600, .null),
    (#"{"jsonrpc":"2.0","id":"\#(String(repeating: "x", count: 2_000))","method":"ping"}"#, -32_600, .null),
    (#"{"jsonrpc":"2.0","id":"a","method":"ping","params":[]}"#, -32_602, "a"),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#, -32_602, 1),
    (#"{"jsonrpc":"2.0","id":1,"method":"nothing","params":{"_meta":\#(meta)}}"#, -32_601, 1),
    (#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"_meta":\#(meta)}}"#, -32_601, 1),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x","_meta":\#(meta)}}"#, -32_602, 1),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":\#(meta)}}"#, -32_602, 1),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"record","_meta":\#(meta)}}"#, -32_602, 1),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"show","arguments":[],"_meta":\#(meta)}}"#,
      -32_602, 1
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"1900-01-01"}}}"#,
      -32_022, 1
    ),
    (
      #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#,
      -32_602, 1
    ),
  ]

  /// All lines go to one server, which answers each and goes on.
  @Test func wrongLinesHaveErrors() async throws {
    let session = try await session()
    for (line, code, id) in Self.wrongLines {
      try await session.send(line)
      let answer = try #require(try await session.next())
      #expect(answer["error", "code"]?.integer == code, "\(line.prefix(200)): \(answer)")
      #expect(answer["id"] == id && answer["jsonrpc"] == "2.0" && answer["error", "message"]?.text?.isEmpty == false)
      if code == -32_022 { #expect(answer["error", "data", "requested"] == "1900-01-01") }
    }
    #expect(try await session.answer("state", ["path": "/value"])["value"] != nil)
    #expect(try await session.end().rest == [])
  }

  @Test func bytesThatAreNoTextAreRefused() async throws {
    let session = try await session()
    try await session.send(Array(#"{"jsonrpc":"2.0","id":"#.utf8) + [0xFF, 0xFE, 0x22, 0x0A])
    #expect(try await session.next()?["error", "code"]?.integer == -32_700)
    try await session.send([0x00, 0x0A])
    #expect(try await session.next()?["error", "code"]?.integer == -32_700)
    // Longer than a line may be, and longer than a pipe holds.
    try await session.send([UInt8](repeating: UInt8(ascii: "["), count: 3 << 20) + [0x0A])
    let answer = try await session.next()
    #expect(
      answer?["error", "code"]?.integer == -32_700 && answer?["error", "message"]?.text?.contains("longer than") == true
    )
    // The end of a line of Windows, and an empty line.
    try await session.send(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\r\n\r\n")
    #expect(try await session.next()?["result"] == [:])
    #expect(try await session.end().rest == [])
  }

  @Test func notificationsAndAnswersAreNotAnswered() async throws {
    let session = try await session()
    for line in [
      #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","method":"nothing","params":{}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}"#,
      #"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#, #"{"jsonrpc":"2.0","method":"x","params":3}"#,
      #"{"jsonrpc":"2.0","id":5,"result":{}}"#, #"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":""}}"#,
    ] { try await session.send(line) }
    let (rest, status) = try await session.end()
    #expect(rest == [] && status == 0)
  }

  @Test func serverWithoutLogsDoesNotStart() async throws {
    let bench = Bench()
    for (words, message) in [
      (["mcp"], "'mcp' needs --log NAME=PATH\n"), (["mcp", "--log", ""], "no path"),
      (["mcp", "--log", "a="], "no path"),
      (["mcp", "--log", "a=x", "--log", "a=y"], "two logs"), (["mcp", "--log", "a b=x"], "no name"),
      (["mcp", "--log", "/"], "no name"), (["mcp", "x"], "takes no argument"),
    ] {
      let run = await bench.run(words)
      #expect(run.status == 2 && run.messages.contains(message) && run.output.isEmpty, "\(words): \(run.messages)")
    }
  }
}

/// Running calls of `mcp`: progress, cancellation, and limits.
@Suite("Calls of the Model Context Protocol", .timeLimit(.minutes(60)))
struct ContextCallTests {
  @Test func progressGrowsUntilTheAnswer() async throws {
    let bench = Bench()
    _ = await bench.run("record", "counter", "long-log", "--workload", "1500")
    let clock = Locked(Duration.zero)
    let session = try ContextSession(bench, ["long-log"]) { environment in
      // Every reading is a minute later, so that all progress is due.
      environment.uptime = {
        clock.withLock { time in
          time += .seconds(60)
          return time
        }
      }
    }
    let id = try await session.start(
      "list", ["last": 1, "where": "/value > 1000000"], meta: ["progressToken": "t"])
    var amounts: [Int] = []
    while let message = try await session.next() {
      guard message["method"] == "notifications/progress" else {
        #expect(message["id"]?.integer == id && message["result"] != nil)
        break
      }
      #expect(message["params", "progressToken"] == "t" && message["params", "message"]?.text?.isEmpty == false)
      let amount = try #require(message["params", "progress"]?.integer)
      #expect(message["params", "total"]?.integer ?? amount >= amount)
      amounts.append(amount)
    }
    #expect(!amounts.isEmpty && zip(amounts, amounts.dropFirst()).allSatisfy { one, next in one < next }, "\(amounts)")
    // Without a token there is none.
    let answer = try await session.answer("list", ["last": 1, "where": "/value > 1000000"])
    #expect(answer["items"] == [])
    #expect(try await session.end().rest == [])
  }

  @Test func canceledCallsHaveNoAnswer() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let gate = Gate(bench.disk)
    let session = try ContextSession(bench, ["my-log"]) { environment in environment.fileSystem = gate }
    let first = try await session.start("show", ["at": 1])
    await gate.waitForReader()
    try await session.send(
      #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(first),"reason":"test"}}"#)
    // The reading task is not blocked by a call.
    try await session.request("server/discover")
    #expect(try await session.next()?["result", "supportedVersions"] != nil)
    gate.open()
    let second = try await session.start("show", ["at": 2])
    let answer = try await session.next()
    #expect(answer?["id"]?.integer == second && answer?["result", "structuredContent", "seq"] == 2)
    #expect(try await session.end().rest == [])
  }

  @Test func callsAreCompletedAtTheEndOfTheInput() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let gate = Gate(bench.disk)
    let session = try ContextSession(bench, ["my-log"]) { environment in environment.fileSystem = gate }
    for revision in 1...5 { _ = try await session.start("show", ["at": .integer(revision)]) }
    await gate.waitForReader()
    gate.open()
    let (rest, status) = try await session.end()
    #expect(Set(rest.compactMap { message in message["id"]?.integer }) == [1, 2, 3, 4, 5] && status == 0)
  }

  @Test func tooManyCallsAreRefused() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let gate = Gate(bench.disk)
    let session = try ContextSession(bench, ["my-log"]) { environment in environment.fileSystem = gate }
    for _ in 1...64 { _ = try await session.start("show", ["at": 1]) }
    // The identifier of a running call is in use.
    try await session.send(
      #"{"jsonrpc":"2.0","id":64,"method":"tools/call","params":{"name":"show","_meta":\#(ContextSession.meta())}}"#)
    #expect(try await session.next()?["error", "code"]?.integer == -32_600)
    _ = try await session.start("show", ["at": 1])
    let refusal = try await session.next()
    #expect(refusal?["id"] == 65 && refusal?["error", "code"]?.integer == -32_603)
    gate.open()
    #expect(try await session.end().rest.count == 64)
  }

  @Test func stopRequestCancelsCalls() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let gate = Gate(bench.disk)
    let stop = StopRequest()
    let session = try ContextSession(bench, ["my-log"]) { environment in
      environment.fileSystem = gate
      environment.stop = stop
    }
    _ = try await session.start("show", ["at": 1])
    await gate.waitForReader()
    #expect(stop.isAccepted)
    stop.request()
    gate.open()
    let (rest, status) = try await session.end()
    #expect(rest == [] && status == 0)
  }

  @Test func closedOutputEndsTheServer() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let session = try ContextSession(bench, ["my-log"])
    // The input stays open.
    #expect(try await session.closeOutput(after: #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#) == 0)
  }

  @Test func manyLogsAreNotRepeatedForEachTool() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let session = try ContextSession(bench, (1...17).map { number in "log-\(number)=my-log" })
    try await session.request("tools/list")
    let message = try #require(try await session.next())
    #expect(message["result", "tools", "0", "inputSchema"] != nil && !"\(message)".contains("log-17"))
    #expect(try await session.answer("state", ["log": "log-17", "path": "/value"])["value"] != nil)
    _ = try await session.end()
  }

  /// The first page of a large state would hide what follows it.
  @Test func largeStatesAreOutlinedByLevel() async throws {
    let bench = Bench()
    _ = await bench.run("record", "animals", "my-log", "--workload", "400")
    let session = try ContextSession(bench, ["my-log"])
    let whole = try await session.answer("state", ["maxBytes": 1_000_000])
    let tree = StateTree(try #require(whole["state"]))
    let result = try await session.call("state", ["maxBytes": 4_096])
    let outline = try #require(result["structuredContent"])
    #expect(outline["state"] == nil && outline["kind"] == "object" && outline["sha256"] == whole["sha256"])
    #expect(outline["bytes"]?.integer == tree.root.bytes().count)
    // All of the first levels, in order, and nothing of the one that does not fit.
    let members = outline["members"]?.elements ?? []
    #expect(
      members.compactMap { member in member["pointer"]?.text } == [
        "/animals", "/categories", "/animals/data", "/animals/queue", "/animals/status", "/categories/data",
        "/categories/status",
      ])
    for member in members {
      let value = try tree.value(at: try #require(JSONPointer(member["pointer"]?.text ?? "?")))
      guard case .object(let object) = value else { continue }
      #expect(member["kind"] == "object" && member["count"]?.integer == object.count, "\(member)")
      #expect(member["bytes"]?.integer == value.bytes().count, "\(member)")
    }
    let hint = try #require(outline["hints"]?.elements.last?.text)
    #expect(hint.contains("state with one of these pointers as path, such as /animals, has that part"), "\(hint)")
    // The next call goes deeper. A level that does not fit is truncated.
    var arguments: JSONObject = ["maxBytes": 4_096, "path": "/animals/queue"]
    var pointers: [String?] = []
    for _ in 0..<20 {
      let page = try await session.answer("state", arguments)
      #expect(page["pointer"] == "/animals/queue" && page.bytes().count <= 4_096)
      pointers += page["members"]?.elements.map { member in member["pointer"]?.text } ?? []
      guard let next = page["next"] else { break }
      arguments["cursor"] = next
    }
    guard case .object(let queue) = try tree.value(at: JSONPointer(["animals", "queue"])) else {
      Issue.record("no queue")
      return
    }
    #expect(pointers == queue.map { member in JSONPointer(["animals", "queue", member.name]).description })
    _ = try await session.end()
  }
}

/// A disk whose reads wait until a test opens it.
private final class Gate: LogFileSystem {
  private let base: any LogFileSystem
  private let isOpen = DispatchSemaphore(value: 0)
  private let hasReader = Locked(false)

  init(_ base: any LogFileSystem) { self.base = base }

  func open() { isOpen.signal() }

  func waitForReader() async {
    while !hasReader.withLock({ hasReader in hasReader }) { await Task.yield() }
  }

  private func pass() {
    hasReader.withLock { hasReader in hasReader = true }
    isOpen.wait()
    // The next one passes, too.
    isOpen.signal()
  }

  func status(of path: String) throws(FileSystemError) -> FileStatus? {
    pass()
    return try base.status(of: path)
  }

  func names(in directory: String) throws(FileSystemError) -> [String] { try base.names(in: directory) }

  func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    pass()
    return try base.open(path, for: access)
  }

  func canonicalPath(of path: String) throws(FileSystemError) -> String { try base.canonicalPath(of: path) }
  func createDirectory(_ path: String) throws(FileSystemError) { try base.createDirectory(path) }
  func rename(_ path: String, to newPath: String) throws(FileSystemError) { try base.rename(path, to: newPath) }
  func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try base.renameWithoutReplacing(path, to: newPath)
  }
  func remove(_ path: String) throws(FileSystemError) { try base.remove(path) }
  func syncDirectory(_ path: String) throws(FileSystemError) { try base.syncDirectory(path) }
  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock { try base.lock(directory: directory) }
}
