/// A connection of a server. Only the thread of the server uses it, and no call waits for the client.
struct HTTPConnection {
  enum Phase {
    case reading(RequestParser.Stage)
    /// Has a complete request, which waits for the handler.
    case ready(HTTPRequest)
    case handling(HTTPRequest, number: Int, Task<Void, Never>)
    case sending(ArraySlice<UInt8>, keepsAlive: Bool)
    /// Has sent its last response, and reads what the client still sends.
    case lingering(bytes: Int)
    case ended
  }

  /// The limits on reading further input after the last response. Closing a socket with unread input resets the connection, and the
  /// client may lose the response.
  private static let lingeringBytes = 4 << 20
  private static let lingeringTime = Duration.seconds(2)

  let descriptor: Int32
  private let timeouts: HTTPTimeouts
  private var parser: RequestParser
  private(set) var phase = Phase.reading(.idle)
  /// The end of the phase; `nil` if it has none.
  private(set) var deadline: ContinuousClock.Instant?

  init(_ descriptor: Int32, _ limits: HTTPLimits, _ timeouts: HTTPTimeouts) {
    self.descriptor = descriptor
    self.timeouts = timeouts
    parser = RequestParser(limits)
    deadline = .now + timeouts.idle
  }

  /// `nil` if it does not wait for its client.
  var awaited: ServerSocket.Event? {
    switch phase {
    case .reading, .lingering: .input
    case .sending: .space
    case .ready, .handling, .ended: nil
    }
  }

  var isIdle: Bool {
    switch phase {
    case .reading(.idle), .lingering: true
    default: false
    }
  }

  /// The number of the request that the handler answers.
  var handled: Int? { if case .handling(_, let number, _) = phase { number } else { nil } }

  mutating func advance() {
    switch phase {
    case .reading(let stage):
      switch ServerSocket.receive(from: descriptor) {
      case .bytes(let bytes):
        parser.append(bytes)
        parse()
      case .end where stage == .idle: end()
      // The client may have closed only its sending direction, so it can still read the response.
      case .end: refuse(HTTPProblem(.badRequest, "the request is incomplete"))
      case nil: break
      }
    case .sending(var rest, let keepsAlive):
      guard let count = ServerSocket.send(rest, to: descriptor) else { return end() }
      rest = rest.dropFirst(count)
      if !rest.isEmpty {
        phase = .sending(rest, keepsAlive: keepsAlive)
      } else if keepsAlive {
        begin(.reading(.idle), timeouts.idle)
        parse()
      } else {
        ServerSocket.endSending(descriptor)
        begin(.lingering(bytes: 0), Self.lingeringTime)
      }
    case .lingering(let count):
      switch ServerSocket.receive(from: descriptor) {
      case .bytes(let bytes) where count + bytes.count < Self.lingeringBytes:
        phase = .lingering(bytes: count + bytes.count)
      case .bytes, .end: end()
      case nil: break
      }
    case .ready, .handling, .ended: break
    }
  }

  mutating func expire() {
    switch phase {
    case .reading(.idle), .sending, .lingering, .ready, .ended: end()
    case .reading: refuse(HTTPProblem(.requestTimeout, "the request was not complete in time"))
    case .handling(_, _, let task):
      task.cancel()
      // The handler may still run, so that the connection gets no other request.
      answer(HTTPResponse(.serviceUnavailable, text: "the request was not handled in time"), keepsAlive: false)
    }
  }

  mutating func handle(_ number: Int, _ start: (HTTPRequest) -> Task<Void, Never>) {
    guard case .ready(let request) = phase else { return }
    begin(.handling(request, number: number, start(request)), timeouts.handling)
  }

  mutating func answer(_ response: HTTPResponse, keepsAlive: Bool) {
    guard case .handling(let request, _, _) = phase else { return }
    let keepsAlive = keepsAlive && request.keepsAlive
    send(response.bytes(toMethod: request.method, keepsAlive: keepsAlive, date: HTTPDate.now()), keepsAlive: keepsAlive)
  }

  mutating func end() { begin(.ended, nil) }

  private mutating func begin(_ phase: Phase, _ time: Duration?) {
    self.phase = phase
    deadline = time.map { time in .now + time }
  }

  private mutating func parse() {
    do throws(HTTPProblem) {
      if let request = try parser.next() { return begin(.ready(request), nil) }
      let stage = parser.stage
      if case .reading(stage) = phase { return }
      switch stage {
      case .idle: begin(.reading(stage), timeouts.idle)
      case .head: begin(.reading(stage), timeouts.head)
      case .body: begin(.reading(stage), timeouts.body)
      }
    } catch {
      refuse(error)
    }
  }

  private mutating func refuse(_ problem: HTTPProblem) {
    let response = HTTPResponse(problem.status, text: problem.message)
    send(response.bytes(toMethod: nil, keepsAlive: false, date: HTTPDate.now()), keepsAlive: false)
  }

  private mutating func send(_ bytes: [UInt8], keepsAlive: Bool) {
    begin(.sending(bytes[...], keepsAlive: keepsAlive), timeouts.sending)
    advance()
  }
}
