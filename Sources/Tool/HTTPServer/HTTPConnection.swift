import Dispatch
import Platform

/// A connection, served by a thread of its own.
struct HTTPConnection: Sendable {
  /// The limits on reading further input after the last response. Closing a socket with unread input resets the connection, and the
  /// client may lose the response.
  private static let lingeringBytes = 4 << 20
  private static let lingeringTime = Duration.seconds(2)

  let descriptor: Int32
  /// Becomes readable when the server stops.
  let stop: Int32
  let limits: HTTPLimits
  let timeouts: HTTPTimeouts
  let handler: @Sendable (HTTPRequest) async -> HTTPResponse
  /// Whether to close the connection after its next response.
  let isUnwanted: @Sendable () -> Bool
  /// Reports that the connection begins to wait for its client, or that it handles a request.
  let isWaiting: @Sendable (Bool) -> Void

  /// Answers requests until the connection ends.
  func serve() {
    var parser = RequestParser(limits)
    var stage = RequestParser.Stage.idle
    var deadline = ContinuousClock.now + timeouts.idle
    do throws(HTTPProblem) {
      while true {
        switch try parser.next() {
        case .request(let request):
          guard answer(request) else { return }
          stage = .idle
          deadline = ContinuousClock.now + timeouts.idle
        case .expectsContinue:
          let text = "HTTP/1.1 \(HTTPStatus.continue.code) \(HTTPStatus.continue.reason)\r\n\r\n"
          guard send(Array(text.utf8)) else { return }
        case .needsMore:
          if parser.stage != stage {
            stage = parser.stage
            deadline = ContinuousClock.now + time(for: stage)
          }
          guard try receive(stage, until: deadline, into: &parser) else { return }
        }
      }
    } catch {
      refuse(error)
    }
  }

  private func time(for stage: RequestParser.Stage) -> Duration {
    switch stage {
    case .idle: timeouts.idle
    case .head: timeouts.head
    case .body: timeouts.body
    }
  }

  /// - Returns: Whether the connection stays open.
  private func receive(
    _ stage: RequestParser.Stage, until deadline: ContinuousClock.Instant, into parser: inout RequestParser
  ) throws(HTTPProblem) -> Bool {
    switch ServerSocket.receive(from: descriptor, until: deadline, unless: stage == .idle ? stop : nil) {
    case .bytes(let bytes):
      parser.append(bytes)
      return true
    case .timeout where stage == .idle, .interrupted:
      return false
    case .timeout:
      throw HTTPProblem(.requestTimeout, "the request was not complete in time")
    case .end where stage == .idle:
      return false
    case .end:
      // The client may have closed only its sending direction, so it can still read the response.
      throw HTTPProblem(.badRequest, "the request is incomplete")
    }
  }

  /// - Returns: Whether the connection stays open.
  private func answer(_ request: HTTPRequest) -> Bool {
    isWaiting(false)
    let response = response(to: request)
    isWaiting(true)
    let keepsAlive = request.keepsAlive && !isUnwanted()
    let bytes = response.bytes(toMethod: request.method, keepsAlive: keepsAlive, date: HTTPDate.now())
    guard send(bytes) else { return false }
    if !keepsAlive { linger() }
    return keepsAlive
  }

  /// Runs the handler on the cooperative pool and waits for it.
  private func response(to request: HTTPRequest) -> HTTPResponse {
    let result = Locked<HTTPResponse?>(nil)
    let semaphore = DispatchSemaphore(value: 0)
    let task = Task { [handler] in
      let response = await handler(request)
      result.withLock { result in result = response }
      semaphore.signal()
    }
    let (seconds, attoseconds) = timeouts.handling.components
    let limit = DispatchTime.now() + .seconds(Int(clamping: seconds)) + .nanoseconds(Int(attoseconds / 1_000_000_000))
    guard semaphore.wait(timeout: limit) == .success, let response = result.withLock({ result in result }) else {
      task.cancel()
      return HTTPResponse(.serviceUnavailable, text: "the request was not handled in time")
    }
    return response
  }

  private func refuse(_ problem: HTTPProblem) {
    let response = HTTPResponse(problem.status, text: problem.message)
    if send(response.bytes(toMethod: nil, keepsAlive: false, date: HTTPDate.now())) { linger() }
  }

  private func send(_ bytes: [UInt8]) -> Bool {
    ServerSocket.send(bytes, to: descriptor, until: ContinuousClock.now + timeouts.sending)
  }

  private func linger() {
    ServerSocket.endSending(descriptor)
    let deadline = ContinuousClock.now + Self.lingeringTime
    var count = 0
    while count < Self.lingeringBytes,
      case .bytes(let bytes) = ServerSocket.receive(from: descriptor, until: deadline, unless: stop)
    {
      count += bytes.count
    }
  }
}
