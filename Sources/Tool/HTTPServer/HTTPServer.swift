public import ActionLog
import Foundation
import Platform

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A small HTTP/1.1 server for local use by few clients.
///
/// ```swift
/// let server = HTTPServer { request in HTTPResponse(.ok, text: "requested \(request.path)") }
/// let port = try server.start(port: 8080)
/// …
/// await server.stop()
/// ```
///
/// One thread waits for all connections, and the handler runs on the cooperative pool. The number of connections, and every other
/// resource that a client can use, is bounded by ``HTTPLimits`` and ``HTTPTimeouts``. Connections are persistent, and pipelined
/// requests are answered in order. A body needs a `Content-Length`. An invalid request is answered with a status and a line of text
/// that describes the problem.
///
/// - SeeAlso: RFC 9110, RFC 9112.
public final class HTTPServer: Sendable {
  private struct Contents: Sendable {
    var phase = Phase.new
    var connectionCount = 0
    /// The responses that the thread has not taken yet, with the numbers of their requests.
    var responses: [(number: Int, response: HTTPResponse)] = []
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private enum Phase: Sendable {
    case new
    /// The thread runs, and this pipe wakes it.
    case running(waking: Int32, isStopping: Bool)
    case ended
  }

  /// The stack size of the thread: half a megabyte. The handler runs elsewhere, so little is needed.
  private static let stackBytes = 512 << 10

  fileprivate let limits: HTTPLimits
  fileprivate let timeouts: HTTPTimeouts
  private let handler: @Sendable (HTTPRequest) async -> HTTPResponse
  private let contents = Locked(Contents())

  /// Creates a server, which does not listen until ``start(host:port:)``.
  ///
  /// - Parameters:
  ///   - limits: The size limits.
  ///   - timeouts: The timeouts.
  ///   - handler: Returns the response to a request. It is called sequentially for each connection, and concurrently for different
  ///     connections.
  public init(
    limits: HTTPLimits = HTTPLimits(), timeouts: HTTPTimeouts = HTTPTimeouts(),
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) {
    precondition(limits.connections > 0 && limits.requests > 0, "the limits must be positive")
    self.limits = limits
    self.timeouts = timeouts
    self.handler = handler
  }

  /// Starts to listen and to answer requests, by default of this machine only. A server can be started only once.
  ///
  /// - Parameters:
  ///   - host: The IPv4 address to listen on.
  ///   - port: The port; 0 lets the system choose one.
  /// - Returns: The port.
  /// - Throws: ``HTTPServerError``.
  @discardableResult public func start(host: String = "127.0.0.1", port: UInt16) throws -> UInt16 {
    let (listening, port) = try ServerSocket.listen(host: host, port: port, backlog: 128)
    let pipe: (read: Int32, write: Int32)
    do {
      pipe = try ServerSocket.pipe()
    } catch {
      ServerSocket.close(listening)
      throw error
    }
    contents.withLock { contents in
      guard case .new = contents.phase else { preconditionFailure("the server was already started") }
      contents.phase = .running(waking: pipe.write, isStopping: false)
    }
    let thread = Thread { [self] in
      var loop = ServerLoop(server: self, listening: listening, waking: pipe.read)
      while loop.step() {}
      ServerSocket.close(pipe.read)
      end()
    }
    thread.name = "http-server"
    thread.stackSize = Self.stackBytes
    thread.start()
    return port
  }

  /// The number of open connections.
  public var connectionCount: Int { contents.withLock { contents in contents.connectionCount } }

  /// Stops accepting connections, finishes the requests in progress, and returns when all connections have ended.
  ///
  /// Connections that take longer than ``HTTPTimeouts/stopping`` are closed. A handler that does not return delays the end until
  /// ``HTTPTimeouts/handling``. Stopping a server twice, or before it was started, has no effect.
  public func stop() async {
    await withCheckedContinuation { continuation in
      let hasEnded = contents.withLock { contents in
        guard case .running(let waking, _) = contents.phase else { return true }
        contents.phase = .running(waking: waking, isStopping: true)
        contents.waiting.append(continuation)
        ServerSocket.wake(waking)
        return false
      }
      if hasEnded { continuation.resume() }
    }
  }
}

extension HTTPServer {
  fileprivate func handle(_ request: HTTPRequest, _ number: Int) -> Task<Void, Never> {
    Task { [self] in
      let response = await handler(request)
      contents.withLock { contents in
        // A handler whose time is up can return after the thread has ended.
        guard case .running(let waking, _) = contents.phase else { return }
        contents.responses.append((number, response))
        ServerSocket.wake(waking)
      }
    }
  }

  fileprivate func news() -> (responses: [(number: Int, response: HTTPResponse)], isStopping: Bool) {
    contents.withLock { contents in
      defer { contents.responses = [] }
      if case .running(_, isStopping: false) = contents.phase { return (contents.responses, false) }
      return (contents.responses, true)
    }
  }

  fileprivate func report(_ count: Int) { contents.withLock { contents in contents.connectionCount = count } }

  private func end() {
    let waiting = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
      if case .running(let waking, _) = contents.phase { ServerSocket.close(waking) }
      contents.phase = .ended
      contents.connectionCount = 0
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for continuation in waiting { continuation.resume() }
  }
}

/// The work of a server's thread.
private struct ServerLoop {
  /// The pause when the system has no descriptors and none can be closed.
  private static let pauseMicroseconds: UInt32 = 10_000

  let server: HTTPServer
  let listening: Int32
  let waking: Int32
  /// The connections in the order in which they began to wait for their clients: an answer moves its connection to the end.
  private var connections: [HTTPConnection] = []
  private var requests = 0
  /// When a stopping server cuts its connections; `nil` if it runs.
  private var stopping: ContinuousClock.Instant?
  private var isCut = false

  init(server: HTTPServer, listening: Int32, waking: Int32) {
    (self.server, self.listening, self.waking) = (server, listening, waking)
  }

  /// - Returns: Whether there is more to do.
  mutating func step() -> Bool {
    // A client that sends nothing costs a descriptor, which the next one gets, and never a place of the handler.
    let accepts = stopping == nil && (!isFull || connections.contains { connection in connection.awaited != nil })
    let deadline = (connections.map(\.deadline) + [isCut ? nil : stopping]).compactMap(\.self).min()
    let isReady = ServerSocket.wait(
      for: [(waking, .input), (listening, accepts ? .input : nil)]
        + connections.map { connection in (connection.descriptor, connection.awaited) },
      until: deadline)
    if isReady[0] { ServerSocket.drain(waking) }
    let now = ContinuousClock.now
    for index in connections.indices {
      if isReady[index + 2] { connections[index].advance() }
      if let deadline = connections[index].deadline, deadline <= now {
        connections[index].expire()
      }
    }
    let (responses, isStopping) = server.news()
    if isStopping, stopping == nil {
      stopping = now + server.timeouts.stopping
      ServerSocket.close(listening)
    }
    for (number, response) in responses { answer(number, response) }
    removeEnded()
    if isReady[1], !isStopping { accept() }
    handleRequests()
    if let stopping { endIdle(isCut: stopping <= now) }
    removeEnded()
    server.report(connections.count)
    return stopping == nil || !connections.isEmpty
  }

  private var isFull: Bool { connections.count >= server.limits.connections }
  private var keepsAlive: Bool { stopping == nil && !isFull }

  private mutating func answer(_ number: Int, _ response: HTTPResponse) {
    guard let index = connections.firstIndex(where: { connection in connection.handled == number }) else { return }
    // The connection itself counts toward the limit.
    let keepsAlive = keepsAlive
    var connection = connections.remove(at: index)
    connection.answer(response, keepsAlive: keepsAlive)
    connections.append(connection)
  }

  private mutating func accept() {
    if isFull, !endLongestWait() { return }
    switch ServerSocket.accept(on: listening) {
    case .connection(let descriptor):
      connections.append(HTTPConnection(descriptor, server.limits, server.timeouts))
    case .none: break
    case .exhausted: if !endLongestWait() { _ = usleep(Self.pauseMicroseconds) }
    }
  }

  /// Ends the connection that has waited longest for its client. A request that is handled is not ended.
  private mutating func endLongestWait() -> Bool {
    guard let index = connections.firstIndex(where: { connection in connection.awaited != nil }) else { return false }
    ServerSocket.close(connections.remove(at: index).descriptor)
    return true
  }

  private mutating func handleRequests() {
    var count = connections.count(where: { connection in connection.handled != nil })
    for index in connections.indices where count < server.limits.requests {
      guard case .ready = connections[index].phase else { continue }
      (count, requests) = (count + 1, requests + 1)
      connections[index].handle(requests) { [server, requests] request in server.handle(request, requests) }
    }
  }

  private mutating func removeEnded() {
    connections.removeAll { connection in
      guard case .ended = connection.phase else { return false }
      ServerSocket.close(connection.descriptor)
      return true
    }
  }

  /// Ends the connections without a request, and after the time for the others all that are not handled.
  private mutating func endIdle(isCut: Bool) {
    self.isCut = isCut
    for index in connections.indices {
      if isCut { ServerSocket.end(connections[index].descriptor) }
      if connections[index].isIdle || isCut && connections[index].handled == nil { connections[index].end() }
    }
  }
}

/// Size limits of a server. A request beyond a limit is answered with the status given below, and its connection is closed.
public struct HTTPLimits: Hashable, Sendable {
  /// The maximum length of the request line: 8000 bytes, the minimum that RFC 9112 recommends. Status 414.
  public var requestLineBytes = 8_000
  /// The maximum length of the header section: 32 KiB, enough for browsers with many cookies. Status 431.
  public var headerBytes = 32 << 10
  /// The maximum number of header fields: 100. Status 431.
  public var headerFields = 100
  /// The maximum length of a body: 1 MiB. Status 413.
  public var bodyBytes = 1 << 20
  /// The maximum number of connections: 128, with a descriptor each. While the limit is reached, each connection is closed after its next
  /// response, and a further one ends the connection that has waited longest for its client: for a request, for the rest of one, or
  /// for the client to read a response. If there is none, it waits in the system's queue.
  public var connections = 128
  /// The maximum number of requests that are handled at the same time: 64. Further ones wait.
  public var requests = 64

  /// Creates the default limits.
  public init() {}
}

/// Timeouts of a server. Each one limits a complete step, so a client cannot extend it by sending single bytes.
public struct HTTPTimeouts: Hashable, Sendable {
  /// The wait for the next request on a persistent connection: 30 seconds. The connection is then closed without a response.
  public var idle = Duration.seconds(30)
  /// The time from the first byte of a request to the end of its header section: 10 seconds. Status 408.
  public var head = Duration.seconds(10)
  /// The time to receive a complete body: 30 seconds. Status 408.
  public var body = Duration.seconds(30)
  /// The time for the handler: 60 seconds. Status 503. The handler's task is canceled, but its effects may still occur.
  public var handling = Duration.seconds(60)
  /// The time to send a response: 30 seconds. The connection is then closed.
  public var sending = Duration.seconds(30)
  /// The time for requests in progress when the server stops: 10 seconds. Their connections are then closed.
  public var stopping = Duration.seconds(10)

  /// Creates the default timeouts.
  public init() {}
}

/// The failure of a server to listen.
public struct HTTPServerError: DescribedError, Equatable, Sendable {
  /// The kind of a failure.
  public enum Code: String, Sendable, CaseIterable {
    /// The address is invalid, or not an address of this machine.
    case addressError
    /// Another process listens on the address.
    case addressInUse
    /// The process lacks the permission to use the port.
    case permissionDenied
    /// A system call failed.
    case systemError
  }

  /// The kind of failure.
  public var code: Code
  /// A description of the failure in lower case, without the address.
  public var message: String
  /// The host and the port.
  public var address: String

  init(_ code: Code, _ message: String, address: String) {
    self.code = code
    self.message = message
    self.address = address
  }

  /// Right after a failed system call, which has set `errno`.
  init(system call: String, address: String) {
    let number = errno
    switch number {
    case EADDRINUSE: self.init(.addressInUse, "another process listens on the address", address: address)
    case EADDRNOTAVAIL: self.init(.addressError, "the host is not an address of this machine", address: address)
    case EACCES: self.init(.permissionDenied, "no permission to use the port", address: address)
    default:
      self.init(.systemError, "\(call) failed: \(String(cString: strerror(number)))", address: address)
    }
  }
}

extension HTTPServerError {
  /// The host and the port.
  public var location: ErrorLocation { ErrorLocation(path: address.isEmpty ? nil : address) }
}
