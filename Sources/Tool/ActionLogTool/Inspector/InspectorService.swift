import ActionLog
import EventSourcing
import Foundation
package import HTTPServer
import JSONCoding
import Platform
import TimeTravel

/// The limits of the inspector. A request beyond a limit is refused, and says so.
package enum InspectorLimits {
  /// The tabs of one user, each with its states. The view that was used least recently is dropped.
  static let views = 8
  /// Rows, actions or changes of an answer: several screens.
  static let rows = 1_000
  /// The rows of an open container, and those of all that an answer opens.
  static let openedRows = 200
  static let openRows = 2_000
  /// The characters of a value in a row, as in the terminal.
  static let textCharacters = StateText.lineLimit
  /// What an action says in a row, which has about half the width of a screen.
  static let summaryBytes = 240
  /// The most members of a container whose scalars are shown next to its name: more would not fit, and cost an encoding each.
  static let previewMembers = 12
  /// The record whose data an answer contains: a page cannot show more of it.
  static let recordBytes = 1 << 20
  /// A value that the page copies or shows completely.
  static let valueBytes = 4 << 20
  /// The parts of a timeline: one for each pixel of a large screen.
  static let buckets = 2_000
  /// A condition or a path that a user types.
  static let conditionCharacters = 4_000
  /// The time that a request for news waits. The server allows 60 seconds.
  static let followSeconds = 20
  /// A body: a condition and some options.
  static let bodyBytes = 64 << 10
  /// An answer: the largest value twice, escaped.
  static let answerBytes = 8 << 20
  /// The actions of a tree of causes: more than a user reads, few enough for every request to sort them.
  static let causes = 100_000
  /// A test or a bug report that a job writes.
  static let fileBytes = 64 << 20
  /// The requests that are handled at the same time. A browser opens six connections to a host, so these are those of ten. Others wait.
  static let requests = 64
  /// The requests for news that wait at the same time: half, so that they keep no others out. Further ones are answered at once.
  package static let followers = requests / 2
}

/// Answers the requests of the page that `inspect` serves. It knows no socket.
///
/// Only a page of the same address that knows the token gets answers; see `refusal(of:)`. Requests read the log and fold at most a
/// few hundred actions; nothing is written to the log.
package final class InspectorService: Sendable {
  private let access: LocalAccess
  let source: InspectorSource
  let views: InspectorViews
  let jobs: InspectorJobs
  let fileLimit: Int
  let index: ActionIndex
  private let followers = Locked(0)
  let isStopping = Locked(false)

  /// The secret, without which nothing is answered.
  package var token: BearerToken { access.token }

  /// Opens a log as the command line `inspect` does. Blocks.
  ///
  /// - Parameters:
  ///   - arguments: The words after `inspect`.
  ///   - indexLimit: The greatest number of actions that are counted; `nil` for the usual one.
  ///   - fileLimit: The greatest bug report in bytes; `nil` for the usual one.
  ///   - keptBytes: The size of the results that jobs keep; `nil` for the usual one.
  package convenience init(
    _ arguments: [String], of tool: ActionLogTool, environment: ToolEnvironment, indexLimit: Int? = nil,
    fileLimit: Int? = nil, keptBytes: Int? = nil
  ) throws {
    let request = try ArgumentParser(toolName: tool.name, commands: tool.commands).parse(["inspect"] + arguments)
    guard case .run(_, let arguments) = request else { throw ToolFailure.usage("the arguments ask for help") }
    try self.init(
      CommandContext(tool: tool, arguments: arguments, environment: environment),
      indexLimit: indexLimit ?? ActionIndex.limit, fileLimit: fileLimit ?? InspectorLimits.fileBytes,
      keptBytes: keptBytes ?? InspectorJobs.keptBytes)
  }

  init(
    _ context: CommandContext, indexLimit: Int = ActionIndex.limit, fileLimit: Int = InspectorLimits.fileBytes,
    keptBytes: Int = InspectorJobs.keptBytes
  ) throws {
    self.fileLimit = fileLimit
    jobs = InspectorJobs(keptBytes: keptBytes)
    source = try InspectorSource(context)
    access = LocalAccess(try InspectCommand.token(context, ofLog: source.reader.header.log))
    views = try InspectorViews(of: source)
    index = ActionIndex(source.reader, limit: indexLimit)
  }

  package func listen(on port: UInt16) { access.listen(on: port) }

  /// For tests that count work. Few, because most actions have one of a few types.
  package var decodedNames: Int { index.decodedTexts }

  /// For tests that count work.
  package var jobCounts: (kept: Int, active: Int, bytes: Int) { jobs.counts }

  @discardableResult package func withFollowers<Result: Sendable>(_ body: (inout Int) -> Result) -> Result {
    followers.withLock(body)
  }

  /// Cancels the jobs, and answers the waiting requests.
  package func stop() {
    isStopping.withLock { flag in flag = true }
    jobs.cancelAll()
  }

  package func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var response: HTTPResponse
    do {
      try refuse(request)
      response = try await respond(to: request)
    } catch {
      response = RequestFailure(any: error).response(source.context.wording)
    }
    for (name, value) in Self.securityHeaders { response.headers.append(name, value) }
    return response
  }

  private static let securityHeaders = [
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Content-Security-Policy", InspectorPage.policy),
  ]
}

// MARK: - Refusals

extension InspectorService {
  /// Refuses a request that may come from another site, or from another program.
  ///
  /// A page of another site sends its `Sec-Fetch-Site`, too. No CORS field is sent, so that no site can read an answer.
  private func refuse(_ request: HTTPRequest) throws(RequestFailure) {
    try access.checkSource(of: request)
    let site = request.headers.values(of: "Sec-Fetch-Site")
    guard site.allSatisfy({ site in site == "same-origin" || site == "none" }) || Self.isOpened(request) else {
      throw LocalAccess.wrongOrigin
    }
    guard request.method != "OPTIONS" else { return try RequestFailure.require(request, ["GET"]) }
    guard request.path.hasPrefix(Self.prefix) else { return }
    try access.checkToken(
      of: request, advice: "Open the address that \(command: .inspect) printed, which contains the token.")
  }

  /// Whether a tab is led to the page, for instance by the file that `--open` writes. The page holds nothing of the log.
  private static func isOpened(_ request: HTTPRequest) -> Bool {
    request.path == "/" && request.headers.values(of: "Sec-Fetch-Mode") == ["navigate"]
      && request.headers.values(of: "Sec-Fetch-Dest") == ["document"]
  }

  private static let prefix = "/api/"
}

// MARK: - Routes

extension InspectorService {
  /// Answers a request from its parameters, or the members of its body, and from the rest of its path. Blocks.
  private typealias Route = @Sendable (InspectorService, inout InspectorQuery, [String]) throws -> JSONValue

  /// The routes by path and method; `*` is any text.
  private static let routes: [String: [String: Route]] = [
    "log": ["GET": { service, _, _ in .object(try service.description()) }],
    "density": ["GET": { service, query, _ in .object(try service.index.density(&query)) }],
    "actions": ["GET": { service, query, _ in .object(try service.source.actions(&query)) }],
    "action": ["GET": { service, query, _ in .object(try service.source.action(query.integer("at"))) }],
    "state": ["GET": { service, query, _ in .object(try service.view(&query).state(&query)) }],
    "value": ["GET": { service, query, _ in try service.view(&query).value(&query) }],
    "causes": ["GET": { service, query, _ in .object(try service.causes(&query)) }],
    "place": ["POST": { service, body, _ in .object(try service.place(&body)) }],
    "jobs": ["POST": { service, body, _ in .object(try service.startJob(&body)) }],
    "jobs/*": [
      "GET": { service, query, names in
        let after = try query.integer("after", or: 0)
        return .object(try service.jobs.job(names[0]).json(after: after, service.source.context.wording))
      },
      "DELETE": { service, _, names in
        try service.jobs.remove(names[0])
        return [:]
      },
    ],
    "marks": ["PUT": { service, body, _ in .object(try service.source.addMark(&body)) }],
    "marks/*": [
      "DELETE": { service, _, names in
        guard let name = names[0].removingPercentEncoding else { throw RequestFailure.missing("marks/\(names[0])") }
        return .object(try service.source.removeMark(name))
      }
    ],
  ]

  private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
    if request.path == "/" {
      try RequestFailure.require(request, ["GET", "HEAD"])
      return InspectorPage.response
    }
    guard request.path.hasPrefix(Self.prefix) else { throw RequestFailure.missing(request.path) }
    let rest = request.path.dropFirst(Self.prefix.count)
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let names = Array(parts.dropFirst())
    let hasBody = request.method == "POST" || request.method == "PUT"
    let query = try InspectorQuery(request.query)
    let answer: JSONValue
    switch (parts[0], names.count) {
    case ("follow", 0):
      try RequestFailure.require(request, ["GET", "POST"])
      answer = try await follow(query, hasBody ? try Self.body(of: request) : nil)
    case ("jobs", 2) where names[1] == "file":
      try RequestFailure.require(request, ["GET"])
      try query.finish()
      guard let file = try jobs.job(names[0]).file else { throw RequestFailure.missing(request.path) }
      var response = HTTPResponse(.ok, body: file.bytes)
      response.headers.append("Content-Type", "text/plain; charset=utf-8")
      response.headers.append("Content-Disposition", "attachment; filename=\"\(file.name)\"")
      return response
    default:
      guard let methods = Self.routes[([parts[0]] + names.map { _ in "*" }).joined(separator: "/")] else {
        throw RequestFailure.missing(request.path)
      }
      try RequestFailure.require(request, methods.keys.sorted())
      guard let route = methods[request.method] else { throw RequestFailure.missing(request.path) }
      // Before the effect of a request.
      if hasBody || request.method == "DELETE" { try query.finish() }
      let parameters = hasBody ? try Self.body(of: request) : query
      answer = try await BlockingWork.run {
        var parameters = parameters
        let answer = try route(self, &parameters, names)
        try parameters.finish()
        return answer
      }
    }
    let bytes = answer.bytes()
    guard bytes.count <= InspectorLimits.answerBytes else { throw RequestFailure.tooLarge("the answer", bytes.count) }
    return HTTPResponse(.ok, json: bytes)
  }

  private static func body(of request: HTTPRequest) throws(RequestFailure) -> InspectorQuery {
    // Sites can send other media types without a preflight request.
    guard request.mediaType == "application/json" else {
      throw RequestFailure(.unsupportedMediaType, "wrongMediaType", "the media type of the body is application/json")
    }
    guard request.body.count <= InspectorLimits.bodyBytes else {
      throw RequestFailure.tooLarge("the body", request.body.count)
    }
    return try InspectorQuery(request.body)
  }
}

/// The document of the inspector. It holds nothing of a log, so it needs no token.
enum InspectorPage {
  static let response: HTTPResponse = {
    var response = HTTPResponse(.ok, body: Array(document.html(title: "action-log inspect").utf8))
    response.headers.append("Content-Type", "text/html; charset=utf-8")
    return response
  }()

  /// The content security policy: the page's own script and style sheet, and requests to this server.
  static let policy =
    document.policy + "; connect-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"

  private static let document = PageDocument(source: PackageResources.source_js)
}
