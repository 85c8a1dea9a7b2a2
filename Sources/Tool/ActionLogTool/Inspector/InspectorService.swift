import ActionLog
import EventSourcing
import Foundation
package import HTTPServer
import JSONCoding
import Platform
import TimeTravel

/// The limits of the inspector. A request beyond a limit is refused, and says so.
enum InspectorLimits {
  /// The tabs of one user, each with its states. The view that was used least recently is dropped.
  static let views = 8
  /// Rows, actions or changes of an answer: several screens.
  static let rows = 1_000
  /// The characters of a value in a row, as in the terminal.
  static let textCharacters = StateText.lineLimit
  /// The characters of an action's data in a row, which has about half the width of a screen.
  static let actionCharacters = 240
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
  /// The jobs that a page asks for in one request for news.
  static let followedJobs = InspectorJobs.keptLimit
  /// A body: a condition and some options.
  static let bodyBytes = 64 << 10
  /// An answer: the largest value twice, escaped.
  static let answerBytes = 8 << 20
  /// The actions of a tree of causes: more than a user reads, few enough for every request to sort them.
  static let causes = 100_000
  /// A test or a bug report that a job writes.
  static let fileBytes = 64 << 20
  /// A browser opens six connections to a host, so this is enough for two browsers. Others wait.
  static let connections = 16
}

/// Answers the requests of the page that `inspect` serves. It knows no socket.
///
/// Only a page of the same address that knows the token gets answers; see `refusal(of:)`. Requests read the log and fold at most a
/// few hundred actions; nothing is written.
package final class InspectorService: Sendable {
  /// The secret of one run.
  package let token: BearerToken
  let source: InspectorSource
  let views: InspectorViews
  let jobs = InspectorJobs()
  private let app: InspectorApp
  /// The greatest bug report.
  let fileLimit: Int
  private let index: ActionIndex
  /// Set when the server stops.
  private let isStopping = Locked(false)
  /// The addresses of the server; empty before it listens.
  private let hosts = Locked<Set<String>>([])

  /// Opens a log as the command line `inspect` does. Blocks.
  ///
  /// - Parameters:
  ///   - arguments: The words after `inspect`.
  ///   - tool: The tool with its models.
  ///   - environment: The file system and the clock.
  ///   - indexLimit: The greatest number of actions that are counted; `nil` for the usual one.
  ///   - fileLimit: The greatest bug report in bytes; `nil` for the usual one.
  /// - Throws: The errors of the command line, and of opening the log.
  package convenience init(
    _ arguments: [String], of tool: ActionLogTool, environment: ToolEnvironment, indexLimit: Int? = nil,
    fileLimit: Int? = nil
  ) throws {
    let request = try ArgumentParser(toolName: tool.name, commands: tool.commands).parse(["inspect"] + arguments)
    guard case .run(_, let arguments) = request else { throw ToolFailure.usage("the arguments ask for help") }
    try self.init(
      CommandContext(tool: tool, arguments: arguments, environment: environment),
      indexLimit: indexLimit ?? ActionIndex.limit, fileLimit: fileLimit ?? InspectorLimits.fileBytes)
  }

  init(
    _ context: CommandContext, indexLimit: Int = ActionIndex.limit, fileLimit: Int = InspectorLimits.fileBytes
  ) throws {
    self.fileLimit = fileLimit
    token = BearerToken()
    source = try InspectorSource(context)
    views = try InspectorViews(of: source)
    app = InspectorApp(source)
    index = ActionIndex(source.reader, limit: indexLimit)
  }

  /// Accepts requests for this port.
  package func listen(on port: UInt16) {
    hosts.withLock { hosts in hosts = ["127.0.0.1:\(port)", "localhost:\(port)"] }
  }

  /// The number of times that a view has sorted the names of a container, for tests that count work. A step sorts none.
  package func sortCount(ofView name: String) throws -> Int { try views.view(named: name).sortCount }

  /// Cancels the jobs, and answers the waiting requests.
  package func stop() {
    isStopping.withLock { flag in flag = true }
    jobs.cancelAll()
  }

  /// Lets an app that the page moved return to the present. Blocks.
  package func releaseApp() { app.release() }

  /// Returns the response to a request.
  package func answer(_ request: HTTPRequest) async -> HTTPResponse {
    var response: HTTPResponse
    do {
      try refuse(request)
      response = try await respond(to: request)
    } catch {
      response = InspectorFailure(any: error).response
    }
    for (name, value) in Self.securityHeaders { response.headers.append(name, value) }
    return response
  }

  /// The fields of every response.
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
  /// A site whose name resolves to this machine sends its own `Host` (DNS rebinding). A page of another site sends its `Origin` or
  /// `Sec-Fetch-Site`. No CORS field is sent, so that no site can read an answer. All other programs lack the token.
  private func refuse(_ request: HTTPRequest) throws(InspectorFailure) {
    let hosts = hosts.withLock { hosts in hosts }
    let host = request.headers.values(of: "Host")
    guard host.count == 1, hosts.contains(host[0].lowercased()) else {
      throw InspectorFailure(.misdirectedRequest, "wrongHost", "this server is not '\(host.first ?? "")'")
    }
    guard
      request.headers.values(of: "Origin").allSatisfy({ origin in
        origin.lowercased() == "http://" + host[0].lowercased()
      })
    else { throw InspectorFailure(.forbidden, "wrongOrigin", "the request comes from a page of another site") }
    let site = request.headers.values(of: "Sec-Fetch-Site")
    guard site.allSatisfy({ site in site == "same-origin" || site == "none" }) || Self.isOpened(request) else {
      throw InspectorFailure(.forbidden, "wrongOrigin", "the request comes from a page of another site")
    }
    guard request.method != "OPTIONS" else { throw Self.wrongMethod(request, allowed: "GET") }
    guard request.path.hasPrefix(Self.prefix) else { return }
    guard token.authorizes(request) else {
      throw InspectorFailure(
        .unauthorized, "wrongToken", "the request has no valid token",
        advice: "Open the address that 'action-log inspect' printed, which contains the token.")
    }
  }

  /// Whether a tab is led to the page, for instance by the file that `--open` writes. The page holds nothing of the log.
  private static func isOpened(_ request: HTTPRequest) -> Bool {
    request.path == "/" && request.headers.values(of: "Sec-Fetch-Mode") == ["navigate"]
      && request.headers.values(of: "Sec-Fetch-Dest") == ["document"]
  }

  private static func wrongMethod(_ request: HTTPRequest, allowed: String) -> InspectorFailure {
    var failure = InspectorFailure(
      .methodNotAllowed, "wrongMethod", "\(request.path) accepts \(allowed), not \(request.method)")
    failure.allowed = allowed
    return failure
  }

  private static let prefix = "/api/"
}

// MARK: - Routes

extension InspectorService {
  /// Answers a request for data. Blocks.
  private typealias Route = @Sendable (InspectorService, inout InspectorQuery) throws -> JSONValue

  private static let routes: [String: Route] = [
    "log": { service, _ in .object(try service.description()) },
    "density": { service, query in .object(try service.index.density(&query)) },
    "actions": { service, query in .object(try service.actions(&query)) },
    "action": { service, query in .object(try service.source.action(&query)) },
    "state": { service, query in .object(try service.view(&query).state(&query)) },
    "changes": { service, query in .object(try service.view(&query).changes(&query)) },
    "value": { service, query in try service.view(&query).value(&query) },
    "causes": { service, query in .object(try service.causes(&query)) },
  ]

  private func respond(to request: HTTPRequest) async throws -> HTTPResponse {
    if request.path == "/" {
      guard request.method == "GET" || request.method == "HEAD" else { throw Self.wrongMethod(request, allowed: "GET") }
      return InspectorPage.response
    }
    guard request.path.hasPrefix(Self.prefix) else { throw Self.missing(request) }
    let rest = request.path.dropFirst(Self.prefix.count)
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let query = try InspectorQuery(request.query)
    let answer: JSONValue
    switch (parts.first ?? "", parts.count) {
    case ("follow", 1):
      try Self.require(request, "GET")
      answer = try await follow(query)
    case ("app", 1) where request.method == "POST":
      try query.finish()
      let body = try Self.body(of: request)
      answer = try await BlockingWork.run {
        var body = body
        return .object(try self.app.move(&body))
      }
    case ("app", 1):
      try Self.require(request, "GET, POST")
      try query.finish()
      answer = try await BlockingWork.run { .object(try self.app.description()) }
    case ("jobs", 1):
      try Self.require(request, "POST")
      try query.finish()
      let body = try Self.body(of: request)
      answer = try await BlockingWork.run {
        var body = body
        return .object(try self.startJob(&body))
      }
    case ("jobs", 2) where request.method == "DELETE":
      try query.finish()
      try jobs.remove(parts[1])
      answer = [:]
    case ("jobs", 2):
      try Self.require(request, "GET, DELETE")
      var query = query
      let after = try query.integer("after", or: 0)
      try query.finish()
      answer = .object(try jobs.job(parts[1]).json(after: after))
    case ("jobs", 3) where parts[2] == "file":
      try Self.require(request, "GET")
      try query.finish()
      guard let file = try jobs.job(parts[1]).file else { throw Self.missing(request) }
      var response = HTTPResponse(.ok, body: file.bytes)
      response.headers.append("Content-Type", "text/plain; charset=utf-8")
      response.headers.append("Content-Disposition", "attachment; filename=\"\(file.name)\"")
      return response
    case ("marks", 1):
      try Self.require(request, "PUT")
      try query.finish()
      let body = try Self.body(of: request)
      answer = try await BlockingWork.run {
        var body = body
        return .object(try self.source.addMark(&body))
      }
    case ("marks", 2):
      try Self.require(request, "DELETE")
      try query.finish()
      guard let name = parts[1].removingPercentEncoding else { throw Self.missing(request) }
      answer = try await BlockingWork.run { .object(try self.source.removeMark(name)) }
    case (let name, 1):
      guard let route = Self.routes[name] else { throw Self.missing(request) }
      try Self.require(request, "GET")
      answer = try await BlockingWork.run {
        var query = query
        let answer = try route(self, &query)
        try query.finish()
        return answer
      }
    default: throw Self.missing(request)
    }
    let bytes = answer.bytes()
    guard bytes.count <= InspectorLimits.answerBytes else { throw InspectorFailure.tooLarge("the answer", bytes.count) }
    return HTTPResponse(.ok, json: bytes)
  }

  private static func missing(_ request: HTTPRequest) -> InspectorFailure {
    InspectorFailure(.notFound, "noRoute", "there is nothing at \(request.path.prefix(100))")
  }

  private static func require(_ request: HTTPRequest, _ methods: String) throws(InspectorFailure) {
    guard methods.split(separator: ", ").contains(Substring(request.method)) else {
      throw wrongMethod(request, allowed: methods)
    }
  }

  private static func body(of request: HTTPRequest) throws(InspectorFailure) -> InspectorBody {
    // Sites can send other media types without a preflight request.
    guard request.mediaType == "application/json" else {
      throw InspectorFailure(.unsupportedMediaType, "wrongMediaType", "the media type of the body is application/json")
    }
    guard request.body.count <= InspectorLimits.bodyBytes else {
      throw InspectorFailure.tooLarge("the body", request.body.count)
    }
    return try InspectorBody(request.body)
  }

  /// The description of the log.
  private func description() throws -> JSONObject {
    let indexed = index.reached
    catchUp(to: source.tip())
    var object = try source.description()
    object["indexed"] = .integer(indexed)
    object["app"] = .integer(try app.port())
    (object["types"], object["actors"]) = index.names()
    if index.isCut, case .array(let notices)? = object["notices"] {
      object["notices"] = .array(notices + [.string("the timeline shows only the newest \(index.count) actions")])
    }
    return object
  }

  /// Lets the index follow the log.
  private func catchUp(to tip: InspectorSource.Tip) {
    index.catchUp(to: tip) { [isStopping] in isStopping.withLock { flag in flag } }
  }

  /// Actions in order, or those that a filter has found.
  private func actions(_ query: inout InspectorQuery) throws -> JSONObject {
    guard let name = query.text("job") else { return try source.actions(&query) }
    let (offset, count) = (try query.integer("offset", or: 0), try query.count())
    let found = try jobs.job(name).revisions(from: offset, count)
    let tip = source.tip()
    return [
      "last": .integer(tip.last), "total": .integer(found.total),
      "actions": .array(try source.actions(found.revisions, tip)),
    ]
  }

  /// Answers when there is news of the log, its marks or some jobs, or when the time is up.
  private func follow(_ query: InspectorQuery) async throws -> JSONValue {
    var query = query
    let after = try query.integer("after")
    let marks = try query.integer("marks")
    // Without it, the page does not wait for an app.
    let knownApp = try query.integer("app", or: -1)
    let wait = try query.integer("wait", or: 0, upTo: InspectorLimits.followSeconds)
    var known: [(job: InspectorJob, count: Int)] = []
    for part in (query.text("jobs") ?? "").split(separator: ",") {
      let pair = part.split(separator: ":")
      guard pair.count == 2, let count = Int(pair[1]), known.count < InspectorLimits.followedJobs else {
        throw InspectorQuery.wrong("'jobs' is not a list of jobs and numbers, like 3:0,4:17")
      }
      known.append((try jobs.job(String(pair[0])), count))
    }
    try query.finish()
    let end = ContinuousClock.now + .seconds(wait)
    var first: (tip: InspectorSource.Tip, indexed: Int)?
    while true {
      let (tip, marksVersion, port) = try await BlockingWork.run { [source, app] in
        (source.tip(), try source.marksVersion(), try app.port())
      }
      catchUp(to: tip)
      let indexed = index.reached
      let isChanged = first.map { first in
        first.tip.durable != tip.durable || first.tip.isClosed != tip.isClosed
          || (first.tip.damage == nil) != (tip.damage == nil) || first.indexed != indexed
      }
      first = first ?? (tip, indexed)
      if tip.last != after || marksVersion != marks || knownApp >= 0 && port != knownApp || isChanged ?? false
        || ContinuousClock.now >= end
        || isStopping.withLock({ flag in flag }) || Task.isCancelled
        || known.contains(where: { job, count in job.hasNews(after: count) })
      {
        var object = source.json(of: tip)
        object["indexed"] = .integer(indexed)
        object["marksVersion"] = .integer(marksVersion)
        object["app"] = .integer(port)
        object["jobs"] = .array(known.map { job, _ in .object(job.progressJSON()) })
        return .object(object)
      }
      // A canceled wait answers at once.
      do { try await Task.sleep(for: InspectorSource.pollInterval) } catch {}
    }
  }

  /// The actions that led to one, and those that follow from it, as `list --cause` selects them.
  private func causes(_ query: inout InspectorQuery) throws -> JSONObject {
    let at = try query.integer("at")
    let (wanted, count) = (try query.optionalInteger("offset"), try query.count())
    let tip = source.tip()
    try InspectorView.check([at], in: source.reader.firstRevision + 1...max(source.reader.firstRevision + 1, tip.last))
    catchUp(to: tip)
    var chain = try CausalChain(causesOf: at, in: source.reader, limit: InspectorLimits.rows)
    let isCut = chain.count > InspectorLimits.rows || index.isCut
    index.addEffects(to: &chain, limit: InspectorLimits.causes)
    let tree = chain.tree()
    // The action is on the page that is answered first.
    let place = tree.firstIndex { node in node.revision == at } ?? 0
    let offset = wanted ?? max(0, place - count / 2)
    let page = tree.dropFirst(offset).prefix(count)
    let depths = Dictionary(uniqueKeysWithValues: page.map { node in (node.revision, node.depth) })
    let nodes = try source.actions(page.map(\.revision)[...], tip).map { row -> JSONValue in
      guard case .object(var object) = row else { return row }
      if case .number(let seq)? = object["seq"] {
        object["depth"] = seq.int.flatMap { depths[$0] }.map(JSONValue.integer)
      }
      return .object(object)
    }
    var object: JSONObject = [
      "revision": .integer(at), "root": .integer(tree.first?.revision ?? at), "total": .integer(tree.count),
      "offset": .integer(offset), "indexed": .integer(index.reached),
      "isCut": .bool(isCut || chain.count >= InspectorLimits.causes),
    ]
    object["correlation"] = try RecordMeta(of: source.reader.record(at: at)).correlation.map(JSONValue.string)
    object["notice"] = chain.invalidCause.map { cause in .string(cause.description) }
    object["nodes"] = .array(nodes)
    return object
  }

  /// The view of a tab, or with `branch` that of an edited history.
  private func view(_ query: inout InspectorQuery) throws -> InspectorView {
    let name = try query.viewName()
    return try query.text("branch").map(branch) ?? views.view(named: name)
  }

  /// The edited history that a job of the kind `what-if` made.
  func branch(_ name: String) throws -> InspectorView {
    guard let branch = try jobs.job(name).branch, branch.rollbacks == source.tip().rollbacks else {
      throw InspectorFailure(
        .notFound, "noBranch", "job \(name.prefix(100)) has no branch of the present log",
        advice: "Ask 'what-if' again.")
    }
    return branch.view
  }
}
