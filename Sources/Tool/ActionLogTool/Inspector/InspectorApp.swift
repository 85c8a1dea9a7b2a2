import ActionLog
import HTTPServer
import JSONCoding
import Platform
import TimeTravel

/// The running app that records the log, if it lets the page move it (`StoreRemote`). All methods block.
final class InspectorApp: Sendable {
  /// The time for a move, in which the app reads and folds. The server allows 60 seconds.
  private static let patience = Duration.seconds(30)
  /// The time for the return to the present when `inspect` ends: less than its second.
  private static let lastPatience = Duration.milliseconds(200)

  private let log: String
  private let fileSystem: any LogFileSystem
  /// `false` for one segment of a log, which no app records.
  private let isFound: Bool
  /// The app that this inspector has moved; `nil` if it shows the present.
  private let moved = Locked<StoreEndpoint?>(nil)

  init(_ source: InspectorSource) {
    log = source.reader.path
    fileSystem = source.context.files
    isFound = !source.reader.isSingleSegment
  }

  /// 0 if there is none.
  func port() throws -> Int {
    try endpoint().map { endpoint in Int(endpoint.port) } ?? 0
  }

  private func endpoint() throws -> StoreEndpoint? {
    isFound ? try StoreEndpoint.read(fromLog: log, fileSystem) : nil
  }

  func description() throws -> JSONObject {
    guard let endpoint = try endpoint() else { return ["isRunning": false] }
    do {
      var object = try ask(endpoint, "GET", within: Self.patience)
      object["isRunning"] = true
      object["processID"] = .integer(endpoint.processID)
      return object
    } catch let failure as InspectorFailure {
      return ["isRunning": false, "reason": .string(failure.failure.message)]
    }
  }

  func move(_ body: inout InspectorQuery) throws -> JSONObject {
    let revision = try body.optionalInteger("revision")
    try body.finish()
    guard let endpoint = try endpoint() else {
      throw InspectorFailure(
        .notFound, "noApp", "no running app lets this page move it",
        advice: "Start the app so that it creates a StoreRemote, for instance 'counter --debug-inspector'.")
    }
    // Before the answer: a move that was not answered may have succeeded.
    moved.withLock { moved in moved = revision == nil ? nil : endpoint }
    return try ask(
      endpoint, "PUT", ["revision": revision.map(JSONValue.integer) ?? .null], within: Self.patience)
  }

  /// Lets an app that was moved return to the present.
  func release() {
    let endpoint = moved.withLock { moved in
      defer { moved = nil }
      return moved
    }
    guard let endpoint else { return }
    // An app that does not answer has ended, or its user can return to the present.
    do { _ = try ask(endpoint, "PUT", ["revision": .null], within: Self.lastPatience) } catch {}
  }

  private func ask(
    _ endpoint: StoreEndpoint, _ method: String, _ body: JSONObject? = nil, within duration: Duration
  ) throws -> JSONObject {
    let request = LoopbackRequest(
      method, "/revision", token: endpoint.token, body: body.map { body in JSONValue.object(body).bytes() } ?? [])
    let answer: (status: Int, body: [UInt8])
    do throws(LoopbackRequest.Failure) {
      answer = try request.send(to: endpoint.port, within: duration)
    } catch {
      switch error {
      case .noConnection(let reason): throw ended("the app does not answer: \(reason)")
      case .timeout: throw ended("the app did not answer in time")
      case .noResponse: throw ended("another program answers at port \(endpoint.port)")
      }
    }
    let value: JSONValue
    do { value = try JSONValue(parsing: answer.body) } catch {
      throw ended("another program answers at port \(endpoint.port)")
    }
    // The port now belongs to another app.
    guard case .object(let object) = value, answer.status != HTTPStatus.unauthorized.code else {
      throw ended("another program answers at port \(endpoint.port)")
    }
    guard answer.status != HTTPStatus.ok.code else { return object }
    guard case .object(let error)? = object["error"], case .string(let code)? = error["code"],
      case .string(let message)? = error["message"]
    else { throw ended("another program answers at port \(endpoint.port)") }
    throw InspectorFailure(
      answer.status == HTTPStatus.notFound.code ? .notFound : .conflict, .init(rawValue: code), "the app: \(message)")
  }

  private func ended(_ message: String) -> InspectorFailure {
    InspectorFailure(
      .conflict, "appEnded", "\(message) (\(log)/\(LogFormat.inspectorName))",
      advice: "The log is not affected. If the app was killed, start it again.")
  }
}
