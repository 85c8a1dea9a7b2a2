import ActionLog
import Foundation
import HTTPServer
import JSONCoding
import Platform

extension Command {
  static let listen = Command(
    "listen",
    group: .record,
    summary: "record actions that programs on this computer send over HTTP, each log by its name",
    details: """
      POST /logs/NAME takes lines as 'record' does, at most 4 MiB of them, and answers with a line for each when they are durable. NAME is any
      text, percent-encoded. The logs are in DIR, a set of logs, and other commands read them: 'list DIR/NAME'.
      Each request has the secret: Authorization: Bearer SECRET. Standard output gets the address and the secret, a new one for each
      run, or that of --secret. The server listens on 127.0.0.1 only. Ctrl-C ends it, after the requests in progress.
      A program that got no answer repeats its request. With a header Idempotency-Key, a text that no other request has, a line that is
      recorded among the last 10,000 actions of the log is not recorded again, and its answer has the revision of the first time.
      A line can have a key of its own, in meta.command.
      """,
    examples: [
      .init("listen patched my-logs --port 8100", "print the address and the secret"),
      .init("listen patched my-logs --port 8100 --secret my-secret", "keep the secret for the next run"),
      .init("listen patched my-logs --allow-origin http://localhost:5173", "for a page in a browser"),
    ],
    arguments: [
      CommandArgument("MODEL", "the model's name (see 'help models')"),
      CommandArgument("DIR", "the directory of the logs; created if missing"),
    ],
    options: [
      LocalServer.port, ListenCommand.secret, ListenCommand.allowOrigin, RecordOptions.durabilityOption,
      RecordOptions.intervalOption, RecordOptions.segmentSizeOption, RecordOptions.segmentAgeOption,
      RecordOptions.snapshotEveryOption, RecordOptions.redactableOption,
    ],
    rules: [.needsValue([RecordOptions.intervalOption], RecordOptions.durabilityOption, "interval")],
    schema: ListenCommand.shape.schema,
    asynchronous: { context in try await ListenCommand(context: context).run() }
  )
}

/// `listen`: records what other programs send until the user ends it.
private struct ListenCommand {
  static let secret = CommandOption.value(
    "secret", "FILE", "use the secret in FILE; if it is missing, a new one is kept there, readable for you only")
  static let allowOrigin = CommandOption.value(
    "allow-origin", "ORIGIN", isRepeatable: true, "let pages of this site send actions, such as http://localhost:5173")

  static let shape = AnswerShape<(url: String, port: Int, secret: String)>.object(
    "One object: the address below which the logs are, and the secret of the run.",
    [.member("url", .text, \.url), .member("port", .port, \.port), .member("secret", .text, \.secret)])

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let settings = try RecordOptions(context).settings
    let model = try context.model(named: context.arguments.positionals[0])
    let access = LocalAccess(try await BlockingWork.run { try token() })
    let origins = try Set(context.arguments.values(of: Self.allowOrigin).map(Self.origin))
    let logs = try await model.recordSet(context.logPath(1), settings)
    let service = ListenService(
      logs: logs, isPatched: model.isPatched, access: access, origins: origins, wording: context.wording)
    var server = LocalServer(context)
    server.limits.bodyBytes = ListenService.bodyBytes
    var failure: (any Error)?
    do {
      try await server.run(answering: { request in await service.answer(request) }) { port in
        access.listen(on: port)
        let url = "http://127.0.0.1:\(port)/logs/"
        try context.answer((url, Int(port), access.token.text), Self.shape) {
          try context.output.line("\(url)NAME")
          try context.output.line("Authorization: Bearer \(access.token.text)")
        }
        try context.flush()
        return nil
      }
    } catch {
      failure = error
    }
    try await logs.close()
    if let failure { throw failure }
    try context.note("all requests are answered; the logs are closed")
    return .success
  }

  private func token() throws -> BearerToken {
    guard let path = context.arguments.value(of: Self.secret) else { return BearerToken() }
    guard let token = try BearerToken().kept(at: path, in: context.files) else {
      throw ToolFailure(
        "notASecret", .usage, "the file of --secret holds something else", path: path,
        intact: "The file is not changed.",
        advice: "Name a file that does not exist, and a secret is made.")
    }
    return token
  }

  private static func origin(_ text: String) throws(ToolFailure) -> String {
    guard text.wholeMatch(of: /https?:\/\/[^\/\s,]+/.ignoresCase()) != nil else {
      throw .usage("--allow-origin takes a scheme and a host, such as http://localhost:5173, not '\(text)'")
    }
    return text.lowercased()
  }
}

/// Answers the requests of `listen`. It knows no socket.
struct ListenService: Sendable {
  /// The lines of a request. The server holds as many requests as it has connections, also those without the secret.
  static let bodyBytes = 4 << 20

  let logs: any RecordedLogs
  let isPatched: Bool
  let access: LocalAccess
  let origins: Set<String>
  let wording: MessageWording

  private static let prefix = "/logs/"

  func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var response: HTTPResponse
    do {
      try access.checkSource(of: request, allowing: origins)
      response = try await request.method == "OPTIONS" ? HTTPResponse(.ok) : record(request)
    } catch {
      response = RequestFailure(any: error).response(wording)
    }
    response.headers.append("Cache-Control", "no-store")
    response.headers.append("X-Content-Type-Options", "nosniff")
    guard let origin = request.headers["Origin"], origins.contains(origin.lowercased()) else { return response }
    for (name, value) in Self.fieldsForPages + [("Access-Control-Allow-Origin", origin)] {
      response.headers.append(name, value)
    }
    return response
  }

  private static let fieldsForPages = [
    ("Vary", "Origin"), ("Access-Control-Allow-Methods", "POST"), ("Access-Control-Max-Age", "600"),
    ("Access-Control-Allow-Headers", "authorization, content-type, idempotency-key"),
    ("Access-Control-Allow-Private-Network", "true"),
  ]

  private func record(_ request: HTTPRequest) async throws -> HTTPResponse {
    try access.checkToken(of: request, advice: "It is the one that \(command: .listen) printed.")
    guard request.path.hasPrefix(Self.prefix), !request.path.dropFirst(Self.prefix.count).contains("/"),
      let key = request.path.dropFirst(Self.prefix.count).removingPercentEncoding, !key.isEmpty, request.query == nil
    else { throw RequestFailure.missing(request.path) }
    try RequestFailure.require(request, ["POST"])
    var batch = AnswerBatch(firstLine: 1, isPatched: isPatched)
    var lines = request.body.split(separator: 0x0A, omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    for line in lines { batch.append(.bytes(line)) }
    let (answers, failure) = try await logs.record(batch, in: key, command: request.headers["Idempotency-Key"])
    // The answers say which lines are recorded, and why the others are not.
    var response = HTTPResponse(failure == nil ? .ok : .serviceUnavailable, body: answers)
    response.headers.append("Content-Type", "application/jsonl")
    return response
  }
}
