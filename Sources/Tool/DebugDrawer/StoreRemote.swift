import ActionLog
public import EventSourcing
package import HTTPServer
import JSONCoding
public import TimeTravel

/// Lets the page of `action-log inspect` move a running app: the app's own views show the revision of the page.
///
/// It is for debugging, and off unless the app starts it. The app listens on 127.0.0.1, and answers only requests with a token, which is
/// in the file `inspector.json` of its log; only its user can read that file. A request can show a revision of the log, as
/// `TimeTravelStore.pause(at:)`, and the present, as `TimeTravelStore.resume()`. It can neither dispatch nor read the state.
///
/// ```swift
/// let remote = arguments.contains("--debug-inspector") ? try await StoreRemote.start(store) : nil
/// // … the app runs
/// await remote?.stop()
/// ```
///
/// If the app is killed, the file is left and does no harm: the next start replaces it.
@MainActor public final class StoreRemote<M: Model> {
  private let store: TimeTravelStore<M>
  /// The log at the start. A branch has revisions that the page does not know.
  private let path: String
  private let token = BearerToken()
  private var server: HTTPServer?

  package init(_ store: TimeTravelStore<M>) {
    self.store = store
    path = store.live.path
  }

  /// Starts to listen, and writes the file for `action-log inspect`. The log must be in a file system that other processes can read.
  ///
  /// - Parameters:
  ///   - store: The store that the app's views read. The log must be in a file system that other processes can read.
  ///   - inReleaseBuilds: Whether it also starts in a release build, for instance because the user of the app asked for it.
  /// - Returns: A value to keep and to stop it with; `nil` in a release build, unless `inReleaseBuilds` is `true`.
  /// - Throws: `HTTPServerError` if the app cannot listen, `FileSystemError` if the file cannot be written.
  public static func start(
    _ store: TimeTravelStore<M>, inReleaseBuilds: Bool = false
  ) async throws -> StoreRemote<M>? {
    guard inReleaseBuilds || isDebugBuild else { return nil }
    let remote = StoreRemote(store)
    try await remote.listen()
    return remote
  }

  /// Runs `body`, and lets the page move the app meanwhile if the user has asked for it, also in a release build.
  package static func serve<Value>(
    _ store: TimeTravelStore<M>, if isRequested: Bool, _ body: @MainActor () async throws -> Value
  ) async throws -> Value {
    let remote = isRequested ? try await start(store, inReleaseBuilds: true) : nil
    let value: Value
    do {
      value = try await body()
    } catch {
      await remote?.stop()
      throw error
    }
    await remote?.stop()
    return value
  }

  private static var isDebugBuild: Bool {
    #if DEBUG
    true
    #else
    false
    #endif
  }

  /// Removes the file, answers the requests in progress, and stops to listen. The revision that is shown stays as it is.
  public func stop() async {
    guard let server else { return }
    self.server = nil
    await StoreEndpoint.remove(fromLog: path, store.live.fileSystem)
    await server.stop()
  }

  private func listen() async throws {
    var limits = HTTPLimits()
    limits.bodyBytes = 1_024
    // One page at a time, and one that has not noticed its end.
    limits.requests = 4
    var timeouts = HTTPTimeouts()
    timeouts.stopping = .milliseconds(500)
    let server = HTTPServer(limits: limits, timeouts: timeouts) { [weak self] request in
      await self?.answer(request) ?? HTTPResponse(.serviceUnavailable, text: "the app has ended")
    }
    let port = try server.start(port: 0)
    let endpoint = StoreEndpoint(port: port, token: token.text, processID: Int(SystemCall.processID))
    do {
      try await endpoint.write(toLog: path, store.live.fileSystem)
    } catch {
      await server.stop()
      throw error
    }
    self.server = server
  }
}

// MARK: - Requests

extension StoreRemote {
  /// For tests.
  package var secret: String { token.text }

  /// Answers a request: `GET /revision`, or `PUT /revision` with `{"revision":R}` or `{"revision":null}` for the present.
  package func answer(_ request: HTTPRequest) async -> HTTPResponse {
    do {
      try check(request)
      if request.method == "PUT" { try await move(try Self.revision(in: request.body)) }
      return HTTPResponse(.ok, json: position.bytes())
    } catch {
      let refusal = Refusal(any: error)
      let json: JSONValue = ["error": ["code": .string(refusal.code), "message": .string(refusal.message)]]
      return HTTPResponse(refusal.status, json: json.bytes())
    }
  }

  private var position: JSONValue {
    let known = store.revisions
    return [
      "revision": store.revision.map { revision in .number(JSONNumber(revision)) } ?? .null,
      "first": .number(JSONNumber(known.lowerBound)), "last": .number(JSONNumber(known.upperBound)),
    ]
  }

  /// A page of another site has no token, and cannot read this app's answers.
  private func check(_ request: HTTPRequest) throws(Refusal) {
    guard token.authorizes(request) else {
      throw Refusal(status: .unauthorized, code: "wrongToken", message: "the request has no valid token")
    }
    guard request.path == "/revision" else {
      throw Refusal(status: .notFound, code: "noRoute", message: "there is nothing at \(request.path.prefix(100))")
    }
    guard request.method == "GET" || request.method == "PUT" else {
      throw Refusal(status: .methodNotAllowed, code: "wrongMethod", message: "the methods are GET and PUT")
    }
    guard store.live.path == path else {
      throw Refusal(
        status: .conflict, code: "otherLog", message: "the app continues in the branch \(store.live.path)")
    }
  }

  /// `nil` for the present.
  private static func revision(in body: [UInt8]) throws(Refusal) -> Int? {
    let wrong = Refusal(status: .badRequest, code: "usage", message: "the body is {\"revision\":R}, R a number or null")
    let value: JSONValue
    do { value = try JSONValue(parsing: body) } catch { throw wrong }
    guard case .object(let object) = value, object.count == 1 else { throw wrong }
    switch object["revision"] {
    case .null?: return nil
    case .number(let number)?:
      guard let revision = Int(number.text), revision >= 0 else { throw wrong }
      return revision
    default: throw wrong
    }
  }

  private func move(_ revision: Int?) async throws {
    if let revision { try await store.pause(at: .revision(revision)) } else { store.resume() }
  }
}

private struct Refusal: Error {
  var status: HTTPStatus
  var code: String
  var message: String
}

extension Refusal {
  init(any error: any Error) {
    switch error {
    case let error as Refusal: self = error
    case is CancellationError:
      self.init(status: .conflict, code: "replaced", message: "the app returned to the present during the move")
    case let error as TimeTravelError where error.code == .revisionOutOfRange || error.code == .pruned:
      self.init(status: .notFound, code: error.codeName, message: error.message)
    case let error as any DescribedError:
      self.init(status: .conflict, code: error.codeName, message: "\(error)")
    default: self.init(status: .internalServerError, code: "other", message: "\(error)")
    }
  }
}
