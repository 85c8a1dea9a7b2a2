public import ActionLog
import Dispatch
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
/// Each connection has its own thread. The number of connections, and every other resource that a client can use, is bounded by
/// ``HTTPLimits`` and ``HTTPTimeouts``. Connections are persistent, and pipelined requests are answered in order. Chunked bodies are
/// supported. An invalid request is answered with a status and a line of text that describes the problem.
///
/// - SeeAlso: RFC 9110, RFC 9112.
public final class HTTPServer: Sendable {
  private struct Contents: Sendable {
    var phase = Phase.new
    /// The descriptors, each with the time since when its thread waits for the client; `nil` while a request is handled.
    var connections: [Int32: ContinuousClock.Instant?] = [:]
    var isAccepting = false
    /// Becomes readable when the server stops. Closed when the last thread that polls it has ended.
    var stop: Int32?
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private enum Phase: Sendable {
    case new
    case running(stopping: Int32)
    case stopping
  }

  /// The stack size of a connection's thread: half a megabyte. The handler runs elsewhere, so little is needed.
  private static let stackBytes = 512 << 10

  private let limits: HTTPLimits
  private let timeouts: HTTPTimeouts
  private let handler: @Sendable (HTTPRequest) async -> HTTPResponse
  private let contents = Locked(Contents())
  /// Counts the connections that can still be accepted.
  private let places: DispatchSemaphore

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
    precondition(limits.connections > 0, "the connection limit must be positive")
    self.limits = limits
    self.timeouts = timeouts
    self.handler = handler
    // Dispatch traps if a semaphore is destroyed with a lower value than its initial one, so the initial value is 0.
    places = DispatchSemaphore(value: 0)
    for _ in 0..<limits.connections { places.signal() }
  }

  /// Starts to listen and to answer requests. A server can be started only once.
  ///
  /// - Parameters:
  ///   - host: The IPv4 address to listen on. The default accepts connections from this machine only.
  ///   - port: The port; 0 lets the system choose one.
  /// - Returns: The port.
  /// - Throws: ``HTTPServerError``.
  @discardableResult public func start(host: String = "127.0.0.1", port: UInt16) throws -> UInt16 {
    let (listening, port) = try ServerSocket.listen(host: host, port: port, backlog: 128)
    let stop: (read: Int32, write: Int32)
    do {
      stop = try ServerSocket.pipe()
    } catch {
      ServerSocket.close(listening)
      throw error
    }
    contents.withLock { contents in
      guard case .new = contents.phase else { preconditionFailure("the server was already started") }
      contents.phase = .running(stopping: stop.write)
      contents.isAccepting = true
      contents.stop = stop.read
    }
    start("http-server") { [self] in accept(on: listening, unless: stop.read) }
    return port
  }

  /// The number of open connections.
  public var connectionCount: Int { contents.withLock { contents in contents.connections.count } }

  /// Stops accepting connections, finishes the requests in progress, and returns when all connections have ended.
  ///
  /// Connections that take longer than ``HTTPTimeouts/stopping`` are closed. A handler that does not return delays the end until
  /// ``HTTPTimeouts/handling``. Stopping a server twice, or before it was started, has no effect.
  public func stop() async {
    let stopping = contents.withLock { contents -> Int32? in
      guard case .running(let stopping) = contents.phase else { return nil }
      contents.phase = .stopping
      return stopping
    }
    if let stopping { ServerSocket.close(stopping) }
    let cutting = Task { [weak self, timeouts] in
      try await Task.sleep(for: timeouts.stopping)
      self?.cut()
    }
    await withCheckedContinuation { continuation in
      let hasEnded = contents.withLock { contents in
        let hasEnded = !contents.isAccepting && contents.connections.isEmpty
        if !hasEnded { contents.waiting.append(continuation) }
        return hasEnded
      }
      if hasEnded { continuation.resume() }
    }
    cutting.cancel()
  }
}

extension HTTPServer {
  /// The accepting thread's loop.
  private func accept(on listening: Int32, unless stop: Int32) {
    while true {
      // Connections beyond the limit wait in the system's queue.
      guard ServerSocket.waitForConnection(on: listening, unless: stop) else { break }
      waitForPlace()
      guard !isStopping, let connection = ServerSocket.accept(on: listening, unless: stop) else { break }
      contents.withLock { contents in contents.connections[connection] = .some(.now) }
      start("http-connection") { [self] in
        serve(connection, unless: stop)
        // After `serve` has closed the descriptor.
        places.signal()
      }
    }
    ServerSocket.close(listening)
    leave { contents in contents.isAccepting = false }
  }

  private func waitForPlace() {
    guard places.wait(timeout: .now()) == .timedOut else { return }
    repeat {
      endLongestWait()
    } while !isStopping
      && places.wait(timeout: .now() + .milliseconds(Self.placeMilliseconds)) == .timedOut
  }

  /// Ends the connection that has waited longest for its client, so that clients that send nothing delay new ones and do not block
  /// them. A request that is handled is not ended.
  private func endLongestWait() {
    contents.withLock { contents in
      let waits = contents.connections.compactMap { connection, start in start.map { start in (connection, start) } }
      guard let longest = waits.min(by: { left, right in left.1 < right.1 }),
        ContinuousClock.now - longest.1 >= Self.shortestWait
      else {
        return
      }
      contents.connections[longest.0] = .some(nil)
      ServerSocket.end(longest.0)
    }
  }

  /// The time that each client has: a request can be on its way.
  private static let shortestWait = Duration.seconds(1)
  /// The interval at which a full server checks whether it is stopping.
  private static let placeMilliseconds = 100

  private func serve(_ descriptor: Int32, unless stop: Int32) {
    let connection = HTTPConnection(
      descriptor: descriptor, stop: stop, limits: limits, timeouts: timeouts, handler: handler,
      isUnwanted: { [self] in isStopping || connectionCount >= limits.connections },
      isWaiting: { [contents] isWaiting in
        contents.withLock { contents in contents.connections[descriptor] = .some(isWaiting ? .now : nil) }
      })
    connection.serve()
    leave { contents in
      // Under the lock, so that `cut` cannot shut down a descriptor that has been reused.
      contents.connections[descriptor] = nil
      ServerSocket.close(descriptor)
    }
  }

  private var isStopping: Bool {
    contents.withLock { contents in
      if case .running = contents.phase { false } else { true }
    }
  }

  /// Shuts down all connections.
  private func cut() {
    contents.withLock { contents in
      for connection in contents.connections.keys { ServerSocket.end(connection) }
    }
  }

  private func leave(_ change: @Sendable (inout Contents) -> Void) {
    let waiting = contents.withLock { contents -> [CheckedContinuation<Void, Never>] in
      change(&contents)
      guard !contents.isAccepting, contents.connections.isEmpty else { return [] }
      if let stop = contents.stop { ServerSocket.close(stop) }
      contents.stop = nil
      defer { contents.waiting = [] }
      return contents.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  private func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
    let thread = Thread(block: body)
    thread.name = name
    thread.stackSize = Self.stackBytes
    thread.start()
  }
}

/// Size limits of a server. A request beyond a limit is answered with the status given below, and its connection is closed.
public struct HTTPLimits: Hashable, Sendable {
  /// The maximum length of the request line: 8000 bytes, the minimum that RFC 9112 recommends. Status 414.
  public var requestLineBytes = 8_000
  /// The maximum length of the header section, and of the trailer section: 32 KiB, enough for browsers with many cookies. Status
  /// 431.
  public var headerBytes = 32 << 10
  /// The maximum number of header fields: 100. Status 431.
  public var headerFields = 100
  /// The maximum length of a body: 1 MiB. Status 413.
  public var bodyBytes = 1 << 20
  /// The maximum number of concurrent connections: 64, with one thread each. While the limit is reached, each connection is closed after
  /// its next response, and a further one ends the connection that has waited longest, for a second or more, for its client: for a request, for the rest of
  /// one, or for the client to read a response. If there is none, it waits in the system's queue.
  public var connections = 64

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

  /// Creates an error from `errno` right after a failed system call.
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
