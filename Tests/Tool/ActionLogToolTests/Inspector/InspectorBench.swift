import ActionLog
import ActionLogTool
import Foundation
import HTTPServer
import JSONCoding
import TestSupport
import Testing

/// A service over a log, without a socket, and the requests of its page.
struct InspectorBench: Sendable {
  static let port: UInt16 = 4_711

  let bench: Bench
  let service: InspectorService

  /// Opens a log of a bench.
  init(
    _ bench: Bench, _ arguments: [String] = ["my-log"], indexLimit: Int? = nil, fileLimit: Int? = nil,
    keptBytes: Int? = nil, _ change: (inout ToolEnvironment) -> Void = { _ in }
  ) throws {
    self.bench = bench
    var environment = ToolEnvironment(
      standardInput: MemoryInput(), standardOutput: MemoryOutput(), standardError: MemoryOutput(),
      temporaryDirectory: "/nowhere", fileSystem: POSIXFileSystem(), uptime: { .zero }, pause: { _ in true })
    if let directory = bench.directory {
      environment.currentDirectory = directory
    } else {
      environment.fileSystem = bench.disk
    }
    environment.logEnvironment = bench.logEnvironment
    change(&environment)
    service = try InspectorService(
      arguments, of: bench.tool, environment: environment, indexLimit: indexLimit, fileLimit: fileLimit,
      keptBytes: keptBytes)
    service.listen(on: Self.port)
  }

  /// Opens the log of a model in `logs`.
  static func committed(_ model: String) throws -> InspectorBench {
    var bench = Bench(tool: .withStories)
    bench.directory = PackageFolder.root.path
    return try InspectorBench(bench, ["logs/\(model)"])
  }

  /// A request as the page sends it.
  func request(_ method: String, _ path: String, _ query: String? = nil, body: JSONValue? = nil) -> HTTPRequest {
    var headers = HTTPHeaders()
    headers.append("Host", "127.0.0.1:\(Self.port)")
    headers.append("Sec-Fetch-Site", "same-origin")
    headers.append("Authorization", "Bearer \(service.token.text)")
    if body != nil {
      headers.append("Content-Type", "application/json")
      headers.append("Origin", "http://127.0.0.1:\(Self.port)")
    }
    return HTTPRequest(method: method, path: path, query: query, headers: headers, body: body?.bytes() ?? [])
  }

  func answer(_ method: String, _ path: String, _ query: String? = nil, body: JSONValue? = nil) async -> HTTPResponse {
    await service.answer(request(method, path, query, body: body))
  }

  /// The answer of a route.
  func get(_ path: String, _ query: String? = nil) async throws -> JSONValue {
    let response = await answer("GET", "/api/\(path)", query)
    try #require(response.status == .ok, "\(path)?\(query ?? ""): \(String(decoding: response.body, as: UTF8.self))")
    return try JSONValue(parsing: response.body)
  }

  /// The changes that a page shows at a place, which has the parameters of other requests; without them if it is distant.
  func changes(_ query: String) async throws -> JSONValue {
    var body = JSONObject()
    for parameter in query.split(separator: "&") {
      let pair = parameter.split(separator: "=").map(String.init)
      body[pair[0]] = .string(pair[1])
    }
    let response = await answer("POST", "/api/place", body: .object(body))
    try #require(response.status == .ok, "\(query): \(String(decoding: response.body, as: UTF8.self))")
    let shown = try JSONValue(parsing: response.body)
    return shown["changes"] ?? shown
  }

  /// The status and the code of a refusal.
  func refusal(_ path: String, _ query: String? = nil) async throws -> (status: Int, code: String?) {
    let response = await answer("GET", "/api/\(path)", query)
    return (response.status.code, try JSONValue(parsing: response.body)["error"]?["code"]?.text)
  }

  /// Starts a job and waits for its end.
  func run(_ body: JSONObject) async throws -> JSONValue {
    let response = await answer("POST", "/api/jobs", body: .object(body))
    try #require(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
    let job = try #require(try JSONValue(parsing: response.body)["job"]?.text)
    return try await get("jobs/\(job)", until: { answer in answer["status"] != "running" })
  }

  /// Asks again until an answer has what is expected, for at most five minutes.
  func get(_ path: String, _ query: String? = nil, until isExpected: (JSONValue) -> Bool) async throws -> JSONValue {
    var answer = JSONValue.null
    let isAnswered = try await eventually(asking: {
      answer = try await get(path, query)
      return isExpected(answer)
    })
    if isAnswered { return answer }
    throw SystemFailure("the expected answer of \(path)")
  }

  /// The lines of a verb with `--json`.
  func lines(_ arguments: String...) async throws -> [JSONValue] {
    let run = await bench.run(arguments + ["--json"])
    return try run.output.split(separator: "\n").map { line in try JSONValue(parsing: line.utf8) }
  }
}

extension JSONValue {
  /// The elements of an array; none of another value.
  var elements: [JSONValue] {
    if case .array(let elements) = self { return elements }
    return []
  }
}
