import ActionLog
import HTTPServer
import JSONCoding
import Platform

/// A server of a command for programs on this computer, which runs until the user ends it.
struct LocalServer {
  static let port = CommandOption.value("port", "PORT", "listen on this port (default: 0, any free port)")

  var limits = HTTPLimits()
  var timeouts = HTTPTimeouts()
  private let context: CommandContext

  /// The pause between two checks whether to stop; a request to stop ends it at once.
  private static let pause = Duration.seconds(60)

  init(_ context: CommandContext) { self.context = context }

  /// - Parameters:
  ///   - stop: Ends what would delay the end of the requests in progress.
  ///   - begin: Prints where the server listens. What it returns is kept until the end.
  func run(
    answering answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse, willStop stop: () -> Void = {},
    begin: @escaping @Sendable (_ port: UInt16) throws -> BrowserRedirection?
  ) async throws {
    let number = try context.arguments.integer(of: Self.port, in: 0...65_535) ?? 0
    let server = HTTPServer(limits: limits, timeouts: timeouts, handler: answer)
    context.environment.stop.accept()
    let port: UInt16
    do {
      port = try server.start(port: UInt16(number))
    } catch let error as HTTPServerError {
      throw ToolFailure(
        .init(rawValue: error.code.rawValue), .environment, "\(error.message): \(error.address)",
        advice: "Choose another port with --port.")
    }
    var failure: (any Error)?
    do {
      try await BlockingWork.run { [context] in
        let redirection = try begin(port)
        defer { redirection?.remove() }
        while !context.environment.pause(Self.pause) {}
      }
    } catch {
      failure = error
    }
    stop()
    await server.stop()
    if let failure { throw failure }
  }
}

extension AnswerShape where Value == Int {
  /// A port that a server listens on.
  static var port: AnswerShape {
    AnswerShape(AnswerSchema(["type": "integer", "minimum": 1, "maximum": 65_535]), JSONValue.integer)
  }
}

/// The check of requests to a server on this computer.
///
/// A site whose name resolves to this machine sends its own `Host` (DNS rebinding). A page of another site sends its `Origin`. All other
/// programs lack the token.
struct LocalAccess: Sendable {
  let token: BearerToken
  /// Empty before the server listens.
  private let hosts = Locked<Set<String>>([])

  init(_ token: BearerToken) { self.token = token }

  func listen(on port: UInt16) {
    hosts.withLock { hosts in hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }
  }

  /// - Parameter origins: The sites whose pages may send requests, besides that of the server.
  func checkSource(of request: HTTPRequest, allowing origins: Set<String> = []) throws(RequestFailure) {
    let hosts = hosts.withLock { hosts in hosts }
    let host = request.headers.values(of: "Host")
    guard host.count == 1, hosts.contains(host[0].lowercased()) else {
      throw RequestFailure(.misdirectedRequest, "wrongHost", "this server is not '\(host.first ?? "")'")
    }
    guard
      request.headers.values(of: "Origin").allSatisfy({ origin in
        origins.contains(origin.lowercased()) || origin.lowercased() == "http://" + host[0].lowercased()
      })
    else { throw Self.wrongOrigin }
  }

  static var wrongOrigin: RequestFailure {
    RequestFailure(.forbidden, "wrongOrigin", "the request comes from a page of another site")
  }

  func checkToken(of request: HTTPRequest, advice: MessageText) throws(RequestFailure) {
    guard token.authorizes(request) else {
      throw RequestFailure(.unauthorized, "wrongToken", "the request has no valid token", advice: advice)
    }
  }
}

extension BearerToken {
  /// Reads the token that a file keeps; or, if there is no file, keeps this one in it, readable for the user only. Blocks.
  ///
  /// - Returns: `nil` if the file holds something else.
  func kept(at path: String, in files: any LogFileSystem) throws(FileSystemError) -> BearerToken? {
    if try files.status(of: path) != nil {
      let text = String(decoding: try files.contents(of: path, limitBytes: 1_024), as: UTF8.self)
      return BearerToken(text.hasSuffix("\n") ? String(text.dropLast()) : text)
    }
    let file = try files.open(path, for: .create)
    defer { file.close() }
    try file.append(Array(text.utf8))
    return self
  }
}
