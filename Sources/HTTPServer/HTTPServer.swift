import Dispatch
import Foundation
import Locking

/// A small server of HTTP/1.1, for one machine and few clients.
///
/// ```swift
/// let server = HTTPServer { request in HTTPResponse(.ok, text: "you asked for \(request.path)") }
/// let port = try server.start(port: 8080)
/// …
/// await server.stop()
/// ```
///
/// Each connection has a thread of its own, and their number is bounded, as is everything else that a client could have
/// too much of: see ``HTTPLimits`` and ``HTTPTimeouts``. Connections stay open for more requests, which may come before
/// the answer to the first one; they are answered in order. Bodies may come in chunks. What is wrong with a request is
/// told with a status and a line of text.
///
/// - SeeAlso: RFC 9110, RFC 9112.
public final class HTTPServer: Sendable {
  private struct Contents: Sendable {
    var phase = Phase.new
    var connections: Set<Int32> = []
    var isAccepting = false
    /// Can be read once the server is being stopped; closed with the last thread that looks at it.
    var stop: Int32?
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private enum Phase: Sendable {
    case new
    case running(stopping: Int32)
    case stopping
  }

  /// Answers that are small need little; the default of half a megabyte for threads would do, too.
  private static let stackBytes = 512 << 10

  private let limits: HTTPLimits
  private let timeouts: HTTPTimeouts
  private let handler: @Sendable (HTTPRequest) async -> HTTPResponse
  private let contents = Locked(Contents())
  /// Counts free places for connections.
  private let places: DispatchSemaphore

  /// Makes a server; nothing listens yet.
  ///
  /// - Parameters:
  ///   - limits: How much it takes.
  ///   - timeouts: How long it waits.
  ///   - handler: Answers a request. Those of one connection come one after the other, those of several at once.
  public init(
    limits: HTTPLimits = HTTPLimits(), timeouts: HTTPTimeouts = HTTPTimeouts(),
    handler: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
  ) {
    precondition(limits.connections > 0, "a server has room for a connection")
    self.limits = limits
    self.timeouts = timeouts
    self.handler = handler
    // A semaphore that is let go with less than it began with is a crash: it begins with nothing.
    places = DispatchSemaphore(value: 0)
    for _ in 0..<limits.connections { places.signal() }
  }

  /// Listens, and answers from now on. A server is started once.
  ///
  /// - Parameters:
  ///   - host: The IPv4 address to listen on. With the default only this machine reaches it.
  ///   - port: The port; 0 for one that the system chooses.
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
      guard case .new = contents.phase else { preconditionFailure("a server is started once") }
      contents.phase = .running(stopping: stop.write)
      contents.isAccepting = true
      contents.stop = stop.read
    }
    start("http-server") { [self] in accept(on: listening, unless: stop.read) }
    return port
  }

  /// How many connections there are.
  public var connectionCount: Int { contents.withLock { contents in contents.connections.count } }

  /// Takes no more connections, lets the requests that are under way be answered, and returns when all has ended.
  ///
  /// Connections that take longer than ``HTTPTimeouts/stopping`` are cut off; a handler that does not end is waited for
  /// until ``HTTPTimeouts/handling`` all the same. Stopping twice, or what was never started, does nothing more.
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
  /// The work of the thread that accepts.
  private func accept(on listening: Int32, unless stop: Int32) {
    while true {
      // Beyond the limit connections wait in the system's queue.
      waitForPlace()
      guard !isStopping, let connection = ServerSocket.accept(on: listening, unless: stop) else { break }
      contents.withLock { contents in _ = contents.connections.insert(connection) }
      start("http-connection") { [self] in
        serve(connection, unless: stop)
        // The place is free when the descriptor is.
        places.signal()
      }
    }
    ServerSocket.close(listening)
    leave { contents in contents.isAccepting = false }
  }

  private func waitForPlace() {
    while !isStopping, places.wait(timeout: .now() + .milliseconds(Self.placeMilliseconds)) == .timedOut {}
  }

  /// How often a server without room for a connection looks whether it is being stopped.
  private static let placeMilliseconds = 100

  private func serve(_ descriptor: Int32, unless stop: Int32) {
    let connection = HTTPConnection(
      descriptor: descriptor, stop: stop, limits: limits, timeouts: timeouts, handler: handler,
      isUnwanted: { [self] in isStopping || connectionCount >= limits.connections })
    connection.serve()
    leave { contents in
      // Under the lock, so that nobody ends a descriptor that has become another one's.
      contents.connections.remove(descriptor)
      ServerSocket.close(descriptor)
    }
  }

  private var isStopping: Bool {
    contents.withLock { contents in
      if case .running = contents.phase { false } else { true }
    }
  }

  /// Ends all connections, whatever they are about.
  private func cut() {
    contents.withLock { contents in
      for connection in contents.connections { ServerSocket.end(connection) }
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
