import ActionLog
import JSONCoding
import Platform

/// A server of the Model Context Protocol over standard input and output.
///
/// One task reads messages and answers the short ones. Each call of a tool is a task of its own, and a few of them run at a time.
/// Their commands read files on threads that may block. A canceled call has no answer.
final class ContextServer: Sendable {
  /// A message is a call with a condition and some points; edits can be longer.
  static let lineLimitBytes = 1 << 20
  /// The calls that run at a time: each folds a log.
  private static let runningLimit = 4
  /// The calls that run and wait.
  private static let callLimit = 64

  private let context: CommandContext
  private let logs: ServedLogs
  private let slots = CallSlots(count: ContextServer.runningLimit)
  private let contents = Locked(Contents())
  /// Messages are written one at a time.
  private let output: Locked<Printer>

  private struct Contents: Sendable {
    /// The revision that `initialize` agreed on.
    var session: ContextRevision?
    var calls: [JSONValue: Call] = [:]
    var lastNumber = 0
    var isClosed = false
  }

  private struct Call: Sendable {
    /// Distinguishes the calls of one identifier, which a client may use again.
    var number: Int
    var task: Task<Void, Never>
    var lastProgress: Int?
  }

  private let tools: [ContextTool]

  init(_ context: CommandContext, _ logs: ServedLogs) {
    (self.context, self.logs) = (context, logs)
    tools = ContextTool.all(of: context.tool.commands)
    output = Locked(context.output)
  }

  /// Answers until the input ends, and then completes the running calls. A stop request cancels them.
  func run() async throws -> ExitStatus {
    context.environment.stop.accept()
    context.environment.stop.onRequest { [self] in cancelAll() }
    let input = LineInput(context.environment, limitBytes: Self.lineLimitBytes)
    do {
      while !isClosed, let lines = try await input.next() {
        for line in lines { try await receive(line) }
      }
      await finishCalls()
    } catch {
      cancelAll()
      await finishCalls()
      throw error
    }
    return .success
  }

  private var isClosed: Bool { contents.withLock { contents in contents.isClosed } }

  private func cancelAll() {
    let tasks = contents.withLock { contents -> [Task<Void, Never>] in
      defer { contents.calls = [:] }
      return contents.calls.values.map(\.task)
    }
    for task in tasks { task.cancel() }
  }

  private func finishCalls() async {
    while let task = contents.withLock({ contents in contents.calls.values.first?.task }) { await task.value }
  }

  private func send(_ message: JSONObject) async throws {
    try await BlockingWork.run { [self] in try write(message) }
  }

  private func write(_ message: JSONObject) throws(ToolStreamError) {
    var bytes = JSONValue.object(message).bytes()
    bytes.append(0x0A)
    try output.withLock { output throws(ToolStreamError) in
      do throws(ToolStreamError) {
        try output.write(bytes)
        try output.flush()
      } catch {
        contents.withLock { contents in contents.isClosed = true }
        throw error
      }
    }
  }
}

extension ContextServer {
  private func receive(_ line: LineReader.Line) async throws {
    do throws(ContextError) {
      switch line {
      case .tooLong:
        throw ContextError(
          .parseError, "the line is longer than \(HumanText.bytes(Self.lineLimitBytes)), and was skipped")
      case .bytes(let bytes):
        // An empty line, or the end of a line of Windows.
        guard !bytes.allSatisfy({ byte in byte == 0x0D || byte == 0x20 }) else { return }
        switch try ClientMessage(parsing: bytes) {
        case .response: return
        case .notification(let method, let params): receive(method, params)
        case .request(let request):
          do throws(ContextError) {
            if let result = try answer(request) { await respond(request, result) }
          } catch { throw error.answering(request.id) }
        }
      }
    } catch {
      try await send(error.json)
    }
  }

  private func receive(_ method: String, _ params: JSONObject) {
    guard method == "notifications/cancelled", let id = params["requestId"] else { return }
    contents.withLock { contents in contents.calls.removeValue(forKey: id) }?.task.cancel()
  }

  /// Sends the result of a short request. An error of the output is noticed by the next read.
  private func respond(_ request: ClientRequest, _ result: JSONObject) async {
    do { try await send(["jsonrpc": "2.0", "id": request.id, "result": .object(result)]) } catch { cancelAll() }
  }

  /// Returns the result of a request; `nil` for a call, whose result follows.
  private func answer(_ request: ClientRequest) throws(ContextError) -> JSONObject? {
    let named = try request.revision()
    if request.method == "initialize", named == nil { return initialize(request) }
    let session = contents.withLock { contents in contents.session }
    if named == nil, session == nil, request.method != "ping" {
      throw ContextError(
        .invalidParams,
        "the request has no \"io.modelcontextprotocol/protocolVersion\" in \"_meta\", and no 'initialize' came before it",
        data: ["supported": ContextRevision.json])
    }
    let revision = named ?? session ?? .newestWithSessions
    switch request.method {
    case "ping" where revision.hasSessions: return [:]
    case "server/discover" where !revision.hasSessions:
      return complete(
        [
          "supportedVersions": ContextRevision.json, "capabilities": Self.capabilities,
          "instructions": .string(Self.instructions), "ttlMs": .integer(Self.cachedMilliseconds),
          "cacheScope": "private",
        ], revision)
    case "tools/list": return try tools(request, revision)
    case "tools/call":
      try start(request, revision)
      return nil
    default: throw ContextError(.methodNotFound, "there is no method '\(JSONPointer.excerpt(of: request.method))'")
    }
  }

  private static let capabilities: JSONValue = ["tools": ["listChanged": false]]
  /// The tools change only with the program and its command line.
  private static let cachedMilliseconds = 3_600_000
  private static let instructions = """
    The tools answer questions about logs of actions, and about the state after any of them. They only read. Begin with overview. \
    A point is a revision (42), start, end, a distance from the end (-3), a time (2026-11-21T09:00:05Z), a day, an age (5m ago), or \
    the name of a mark. seq is the number of an action, revision that of the state after it. A path is a JSON Pointer into the state, \
    such as /animals/data/Dog/name. To find one: state lists what is in the state, and with path what is in a part of it; list with \
    grep finds the actions that mention a name, and show has the paths that an action changed. To find the cause of a wrong value: \
    blame (its last change) or history (every change) of its path, show the action, then test with the wrong value as minimize and \
    the right one as expect. Answers are bounded by maxBytes: a truncated one has next, for cursor.
    """

  private var serverInfo: JSONValue {
    ["name": .string(context.tool.name), "title": "Action logs", "version": .string(context.tool.version)]
  }

  private func initialize(_ request: ClientRequest) -> JSONObject {
    var agreed = ContextRevision.newestWithSessions
    if case .string(let name)? = request.params["protocolVersion"], let wanted = ContextRevision(rawValue: name),
      wanted.hasSessions
    {
      agreed = wanted
    }
    contents.withLock { [agreed] contents in contents.session = agreed }
    return [
      "protocolVersion": .string(agreed.rawValue), "capabilities": Self.capabilities, "serverInfo": serverInfo,
      "instructions": .string(Self.instructions),
    ]
  }

  /// Adds what revision 2026-07-28 expects in every result.
  private func complete(_ result: JSONObject, _ revision: ContextRevision) -> JSONObject {
    guard !revision.hasSessions else { return result }
    var result = result
    result["resultType"] = "complete"
    result["_meta"] = .object(JSONObject([(name: ClientRequest.serverInfoName, value: serverInfo)]))
    return result
  }

  private func tools(_ request: ClientRequest, _ revision: ContextRevision) throws(ContextError) -> JSONObject {
    guard request.params["cursor"] == nil || request.params["cursor"] == .null else {
      throw ContextError(.invalidParams, "the list of tools has one page, and no cursor")
    }
    let models = context.tool.models
    var result: JSONObject = [
      "tools": .array(tools.map { tool in tool.json(logs.names, models) })
    ]
    if !revision.hasSessions {
      result["ttlMs"] = .integer(Self.cachedMilliseconds)
      result["cacheScope"] = "private"
    }
    return complete(result, revision)
  }
}

extension ContextServer {
  private func start(_ request: ClientRequest, _ revision: ContextRevision) throws(ContextError) {
    guard case .string(let name)? = request.params["name"] else {
      throw ContextError(.invalidParams, "the call has no \"name\" of a tool")
    }
    guard let tool = tools.first(where: { tool in tool.name == name }) else {
      let names = tools.map(\.name)
      throw ContextError(
        .invalidParams, "unknown tool: \(JSONPointer.excerpt(of: name))",
        data: [
          "advice": .string(
            Suggestion.sentence(for: name, among: names)?.description
              ?? "It is one of \(names.joined(separator: ", ")).")
        ])
    }
    var values = JSONObject()
    switch request.params["arguments"] {
    case .object(let members)?: values = members
    case nil: break
    default: throw ContextError(.invalidParams, "\"arguments\" is no object")
    }
    try contents.withLock { [values] contents throws(ContextError) in
      guard contents.calls[request.id] == nil else {
        throw ContextError(.invalidRequest, "the identifier \(request.id) is that of a running call")
      }
      guard contents.calls.count < Self.callLimit else {
        throw ContextError(
          .internalError, "\(Self.callLimit) calls are running or waiting: try again when one has ended")
      }
      contents.lastNumber += 1
      let number = contents.lastNumber
      // The task finds its entry when this lock is released.
      let task = Task { await perform(tool, values, request, number, revision) }
      contents.calls[request.id] = Call(number: number, task: task)
    }
  }

  private func perform(
    _ tool: ContextTool, _ values: JSONObject, _ request: ClientRequest, _ number: Int, _ revision: ContextRevision
  ) async {
    await slots.acquire()
    var result: JSONObject?
    if !Task.isCancelled {
      let call = ContextCall(context: context, logs: logs, tool: tool, values: values) { [self] done, total, message in
        report(done, of: total, message, request, number)
      }
      result = await call.result()
    }
    await slots.release()
    let isWanted = contents.withLock { contents in contents.calls[request.id]?.number == number }
    if isWanted, let result {
      do {
        try await send(["jsonrpc": "2.0", "id": request.id, "result": .object(complete(result, revision))])
      } catch {
        // The client has closed the output: no call has a reader.
        cancelAll()
      }
    }
    contents.withLock { contents in
      if contents.calls[request.id]?.number == number { contents.calls[request.id] = nil }
    }
  }

  /// Sends a notification of progress, whose amount grows from one to the next. Blocks.
  private func report(_ done: Int, of total: Int?, _ message: String, _ request: ClientRequest, _ number: Int) {
    guard let token = request.progressToken else { return }
    let isNew = contents.withLock { contents -> Bool in
      guard contents.calls[request.id]?.number == number else { return false }
      if let last = contents.calls[request.id]?.lastProgress, last >= done { return false }
      contents.calls[request.id]?.lastProgress = done
      return true
    }
    guard isNew else { return }
    var params: JSONObject = ["progressToken": token, "progress": .integer(done), "message": .string(message)]
    // A command has several jobs: the total of an earlier one may be smaller.
    if let total, total >= done { params["total"] = .integer(total) }
    do {
      try write(["jsonrpc": "2.0", "method": "notifications/progress", "params": .object(params)])
    } catch { cancelAll() }
  }
}

/// Lets a number of calls run at a time, the others in order.
private actor CallSlots {
  private var free: Int
  private var waiting: [CheckedContinuation<Void, Never>] = []

  init(count: Int) { free = count }

  func acquire() async {
    if free > 0 {
      free -= 1
    } else {
      await withCheckedContinuation { continuation in waiting.append(continuation) }
    }
  }

  func release() {
    if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
  }
}
