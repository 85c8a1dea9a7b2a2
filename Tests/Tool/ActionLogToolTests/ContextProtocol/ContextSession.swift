import ActionLogTool
import JSONCoding
import Platform
import TestSupport
import Testing

/// A client of `mcp` in this process: the server reads and writes two pipes.
final class ContextSession: Sendable {
  private struct PipeInput: ToolInput {
    let end: PipeEnd

    func read(limit: Int) throws(ToolStreamError) -> [UInt8] {
      // The server asks for as much as a pipe holds.
      do { return try end.read() } catch { throw .closed }
    }
  }

  private struct PipeOutput: ToolOutput {
    let end: PipeEnd

    func write(_ bytes: [UInt8]) throws(ToolStreamError) {
      let isRead: Bool
      do { isRead = try end.write(bytes) } catch { throw .closed }
      guard isRead else { throw .closed }
    }
  }

  private let input: PipeEnd
  private let output: PipeEnd
  private let pending = Locked<[UInt8]>([])
  private let received = Locked(0)
  private let server: Task<Int32, Never>
  private let lastNumber = Locked(0)

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - logs: The values of `--log`.
  ///   - change: Changes the environment of the server.
  init(_ bench: Bench, _ logs: [String], change: @escaping @Sendable (inout ToolEnvironment) -> Void = { _ in }) throws
  {
    let (serverInput, input) = try PipeEnd.pair()
    let (output, serverOutput) = try PipeEnd.pair()
    (self.input, self.output) = (input, output)
    server = Task {
      let run = await bench.run(["mcp"] + logs.flatMap { log in ["--log", log] }) { environment in
        environment.standardInput = PipeInput(end: serverInput)
        environment.standardOutput = PipeOutput(end: serverOutput)
        change(&environment)
      }
      serverOutput.close()
      return run.status
    }
  }

  /// Sends bytes as they are.
  func send(_ bytes: [UInt8]) async throws {
    _ = try await BlockingWork.run { [input] in try input.write(bytes) }
  }

  /// Sends a line.
  func send(_ line: String) async throws { try await send(Array((line + "\n").utf8)) }

  /// The metadata that revision 2026-07-28 expects.
  static func meta(_ more: JSONObject = [:]) -> JSONValue {
    var meta: JSONObject = [
      "io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:],
    ]
    for (name, value) in more { meta[name] = value }
    return .object(meta)
  }

  /// Sends a request of revision 2026-07-28.
  ///
  /// - Returns: Its identifier.
  @discardableResult
  func request(_ method: String, _ params: JSONObject = [:], meta: JSONObject = [:]) async throws -> Int {
    let id = lastNumber.withLock { number in
      number += 1
      return number
    }
    var params = params
    params["_meta"] = Self.meta(meta)
    try await send(
      "\(["jsonrpc": "2.0", "id": .integer(id), "method": .string(method), "params": .object(params)] as JSONValue)")
    return id
  }

  /// Sends a call of a tool.
  func start(_ tool: String, _ arguments: JSONObject, meta: JSONObject = [:]) async throws -> Int {
    try await request("tools/call", ["name": .string(tool), "arguments": .object(arguments)], meta: meta)
  }

  /// Calls a tool and waits for its result.
  func call(_ tool: String, _ arguments: JSONObject) async throws -> JSONValue {
    let id = try await start(tool, arguments)
    let answer = try #require(try await next())
    try #require(answer["id"]?.integer == id, "\(answer)")
    return try #require(answer["result"], "\(answer)")
  }

  /// The structured answer of a tool without its hints.
  func answer(_ tool: String, _ arguments: JSONObject) async throws -> JSONValue {
    let result = try await call(tool, arguments)
    #expect(result["isError"] == false, "\(result)")
    guard case .object(var object)? = result["structuredContent"] else { return .null }
    #expect(result["content", "0", "text"]?.text == "\(JSONValue.object(object))")
    object["hints"] = nil
    return .object(object)
  }

  /// The bytes of the messages that ``next()`` has returned, as they were sent.
  var bytesReceived: Int { received.withLock { count in count } }

  /// Waits for a message; `nil` at the end.
  func next() async throws -> JSONValue? {
    while true {
      let line = pending.withLock { pending -> [UInt8]? in
        guard let end = pending.firstIndex(of: 0x0A) else { return nil }
        defer { pending.removeSubrange(...end) }
        return Array(pending[..<end])
      }
      if let line {
        received.withLock { count in count += line.count + 1 }
        return try JSONValue(parsing: line)
      }
      let bytes = try await BlockingWork.run { [output] in try output.read() }
      guard !bytes.isEmpty else { return nil }
      pending.withLock { pending in pending += bytes }
    }
  }

  /// Ends the input, and waits for the server.
  ///
  /// - Returns: The messages that were not read, and the exit status.
  func end() async throws -> (rest: [JSONValue], status: Int32) {
    input.close()
    var rest: [JSONValue] = []
    while let message = try await next() { rest.append(message) }
    return (rest, await server.value)
  }

  /// Stops reading, and waits for the server.
  ///
  /// - Parameter line: The last message to it.
  func closeOutput(after line: String) async throws -> Int32 {
    output.close()
    try await send(line)
    return await server.value
  }
}
