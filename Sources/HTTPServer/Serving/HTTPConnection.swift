import Dispatch
import Locking

/// One connection, from its first request to its end, on a thread of its own.
struct HTTPConnection: Sendable {
  /// How much of what a client still sends is read after an answer that ends the connection, and for how long: closing
  /// at once would make the system take the answer back.
  private static let lingeringBytes = 4 << 20
  private static let lingeringTime = Duration.seconds(2)

  let descriptor: Int32
  /// Can be read once the server is being stopped.
  let stop: Int32
  let limits: HTTPLimits
  let timeouts: HTTPTimeouts
  let handler: @Sendable (HTTPRequest) async -> HTTPResponse
  /// Whether the connection is to be closed after its next answer.
  let isUnwanted: @Sendable () -> Bool

  /// Answers requests until there are no more.
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

  /// - Returns: Whether the connection goes on.
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
      throw HTTPProblem(.requestTimeout, "the request did not come as a whole in time")
    case .end where stage == .idle:
      return false
    case .end:
      // Who ended only their own direction still learns why there is no answer.
      throw HTTPProblem(.badRequest, "the request ends in the middle")
    }
  }

  /// - Returns: Whether the connection goes on.
  private func answer(_ request: HTTPRequest) -> Bool {
    let response = response(to: request)
    let keepsAlive = request.keepsAlive && !isUnwanted()
    let bytes = response.bytes(toMethod: request.method, keepsAlive: keepsAlive, date: HTTPDate.now())
    guard send(bytes) else { return false }
    if !keepsAlive { linger() }
    return keepsAlive
  }

  /// Waits for the handler, which runs where asynchronous code does.
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
      return HTTPResponse(.serviceUnavailable, text: "the server had no answer in time")
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
