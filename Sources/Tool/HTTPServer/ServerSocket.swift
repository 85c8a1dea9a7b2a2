#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system calls of a server. All descriptors are close-on-exec.
package enum ServerSocket {
  /// An instant of the clock that measures timeouts.
  package typealias Instant = ContinuousClock.Instant

  /// The result of waiting for bytes.
  package enum Received: Sendable {
    /// Received bytes.
    case bytes([UInt8])
    /// The peer has closed the connection.
    case end
    /// The deadline has passed.
    case timeout
    /// The interrupting descriptor became readable.
    case interrupted
  }

  /// The size of the receive buffer, enough for most bodies.
  private static let portionBytes = 16 << 10

  /// The pause before `accept` is retried when no descriptors are available.
  private static let pauseMicroseconds: UInt32 = 10_000

  /// Listens on an address of this machine.
  ///
  /// - Parameters:
  ///   - host: An IPv4 address, for instance `127.0.0.1`.
  ///   - port: The port; 0 lets the system choose one.
  ///   - backlog: The length of the system's queue of pending connections.
  /// - Returns: The nonblocking descriptor, and the port.
  package static func listen(host: String, port: UInt16, backlog: Int32) throws -> (socket: Int32, port: UInt16) {
    let place = "\(host):\(port)"
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
      throw HTTPServerError(.addressError, "the host is not an IPv4 address", address: place)
    }
    let socket = SystemCalls.makeSocket()
    guard socket >= 0 else { throw HTTPServerError(system: "socket", address: place) }
    do {
      try prepare(socket)
      // Connections of a server that stopped recently would otherwise block the port for minutes.
      set(SO_REUSEADDR, of: socket)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      // bind takes a generic address, and reads no more than `length` bytes.
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in bind(socket, pointer, length) }
      }
      guard bound == 0 else { throw HTTPServerError(system: "bind", address: place) }
      guard SystemCalls.listen(socket, backlog) == 0 else { throw HTTPServerError(system: "listen", address: place) }
      // getsockname writes no more than `length` bytes.
      let named = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in getsockname(socket, pointer, &length) }
      }
      guard named == 0 else { throw HTTPServerError(system: "getsockname", address: place) }
      return (socket: socket, port: UInt16(bigEndian: address.sin_port))
    } catch {
      close(socket)
      throw error
    }
  }

  /// Creates a pipe. Closing its write end makes its read end readable for all threads that poll it.
  package static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard SystemCalls.pipe(&ends) == 0 else { throw HTTPServerError(system: "pipe", address: "") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (read: ends[0], write: ends[1])
  }

  /// Waits until a connection can be accepted.
  ///
  /// - Returns: `false` if `stop` is readable.
  package static func waitForConnection(on socket: Int32, unless stop: Int32) -> Bool {
    wait(for: socket, POLLIN, or: stop, until: nil) == .ready
  }

  /// Waits for a connection.
  ///
  /// - Returns: A nonblocking descriptor, or `nil` if `stop` is readable.
  package static func accept(on socket: Int32, unless stop: Int32) -> Int32? {
    while true {
      guard wait(for: socket, POLLIN, or: stop, until: nil) == .ready else { return nil }
      let connection = SystemCalls.accept(socket)
      if connection >= 0 {
        do { try prepare(connection) } catch {
          close(connection)
          continue
        }
        #if canImport(Darwin)
        set(SO_NOSIGPIPE, of: connection)
        #endif
        return connection
      }
      let number = errno
      if number == EBADF || number == EINVAL { return nil }
      // The client has disconnected, or there are no descriptors at the moment. Both are temporary.
      if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(number) { _ = usleep(pauseMicroseconds) }
    }
  }

  /// Waits for bytes.
  ///
  /// - Parameters:
  ///   - connection: The connection to read from.
  ///   - deadline: The end of the wait.
  ///   - interruption: A descriptor that ends the wait when it becomes readable; `nil` for none.
  package static func receive(
    from connection: Int32, until deadline: Instant, unless interruption: Int32?
  ) -> Received {
    while true {
      switch wait(for: connection, POLLIN, or: interruption, until: deadline) {
      case .interrupted: return .interrupted
      case .timeout: return .timeout
      case .failed: return .end
      case .ready: break
      }
      var buffer = [UInt8](repeating: 0, count: portionBytes)
      let count = recv(connection, &buffer, buffer.count, 0)
      if count > 0 { return .bytes(Array(buffer.prefix(count))) }
      if count < 0, [EINTR, EAGAIN, EWOULDBLOCK].contains(errno) { continue }
      return .end
    }
  }

  /// Sends bytes.
  ///
  /// - Returns: Whether all bytes were sent before the deadline.
  package static func send(_ bytes: [UInt8], to connection: Int32, until deadline: Instant) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      guard wait(for: connection, POLLOUT, or: nil, until: deadline) == .ready else { return false }
      let count = rest.withUnsafeBytes { bytes in SystemCalls.send(connection, bytes) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if ![EINTR, EAGAIN, EWOULDBLOCK].contains(errno) {
        return false
      }
    }
    return true
  }

  /// Connects to a port of this machine.
  ///
  /// - Returns: A nonblocking descriptor.
  package static func connect(to port: UInt16, until deadline: Instant) throws -> Int32 {
    let place = "127.0.0.1:\(port)"
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let socket = SystemCalls.makeSocket()
    guard socket >= 0 else { throw HTTPServerError(system: "socket", address: place) }
    do {
      try prepare(socket)
      #if canImport(Darwin)
      set(SO_NOSIGPIPE, of: socket)
      #endif
      let length = socklen_t(MemoryLayout<sockaddr_in>.size)
      // connect takes a generic address, and reads no more than `length` bytes.
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          SystemCalls.connect(socket, pointer, length)
        }
      }
      guard result != 0 else { return socket }
      guard errno == EINPROGRESS else { throw HTTPServerError(system: "connect", address: place) }
      guard wait(for: socket, POLLOUT, or: nil, until: deadline) == .ready else {
        throw HTTPServerError(.systemError, "connect timed out", address: place)
      }
      var number = Int32(0)
      var numberLength = socklen_t(MemoryLayout<Int32>.size)
      guard getsockopt(socket, SOL_SOCKET, SO_ERROR, &number, &numberLength) == 0 else {
        throw HTTPServerError(system: "getsockopt", address: place)
      }
      errno = number
      guard number == 0 else { throw HTTPServerError(system: "connect", address: place) }
      return socket
    } catch {
      close(socket)
      throw error
    }
  }

  /// Shuts down the sending direction.
  package static func endSending(_ connection: Int32) { _ = shutdown(connection, Int32(SHUT_WR)) }

  /// Shuts down both directions, which wakes a thread that waits for the connection.
  package static func end(_ connection: Int32) { _ = shutdown(connection, Int32(SHUT_RDWR)) }

  /// Closes a descriptor.
  package static func close(_ descriptor: Int32) { SystemCalls.close(descriptor) }
}

extension ServerSocket {
  private enum Outcome {
    case ready
    case interrupted
    case timeout
    case failed
  }

  private static func wait(for socket: Int32, _ event: Int32, or other: Int32?, until deadline: Instant?) -> Outcome {
    while true {
      var milliseconds: Int32 = -1
      if let deadline {
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: deadline).components
        guard seconds >= 0, attoseconds >= 0 else { return .timeout }
        // Rounded up to avoid waking just before the deadline. An hour exceeds every timeout here.
        milliseconds = Int32(min(seconds, 3_600)) * 1_000 + Int32(attoseconds / 1_000_000_000_000_000) + 1
      }
      // poll ignores negative descriptors.
      var waiting = [
        pollfd(fd: socket, events: Int16(event), revents: 0),
        pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&waiting, 2, milliseconds)
      if count < 0 {
        guard errno == EINTR || errno == EAGAIN else { return .failed }
      } else if waiting[1].revents != 0 {
        return .interrupted
      } else if waiting[0].revents != 0 {
        return .ready
      }
    }
  }

  private static func prepare(_ descriptor: Int32) throws {
    guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) >= 0,
      fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) >= 0
    else { throw HTTPServerError(system: "fcntl", address: "") }
  }

  private static func set(_ option: Int32, of socket: Int32) {
    var yes: Int32 = 1
    setsockopt(socket, SOL_SOCKET, option, &yes, socklen_t(MemoryLayout<Int32>.size))
  }
}

/// System calls that differ between platforms or whose names clash with functions of this module.
enum SystemCalls {
  #if canImport(Darwin)
  static func makeSocket() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }
  static func listen(_ socket: Int32, _ backlog: Int32) -> Int32 { Darwin.listen(socket, backlog) }
  static func pipe(_ ends: inout [Int32]) -> Int32 { Darwin.pipe(&ends) }
  static func accept(_ socket: Int32) -> Int32 { Darwin.accept(socket, nil, nil) }
  static func connect(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    Darwin.connect(socket, address, length)
  }
  static func close(_ descriptor: Int32) { _ = Darwin.close(descriptor) }
  /// The socket has SO_NOSIGPIPE, so a closed connection does not raise SIGPIPE.
  static func send(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Darwin.send(socket, bytes.baseAddress, bytes.count, 0)
  }
  #elseif canImport(Glibc)
  static func makeSocket() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }
  static func listen(_ socket: Int32, _ backlog: Int32) -> Int32 { Glibc.listen(socket, backlog) }
  static func pipe(_ ends: inout [Int32]) -> Int32 { Glibc.pipe(&ends) }
  static func accept(_ socket: Int32) -> Int32 { Glibc.accept(socket, nil, nil) }
  static func connect(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    Glibc.connect(socket, address, length)
  }
  static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
  /// MSG_NOSIGNAL: a closed connection does not raise SIGPIPE.
  static func send(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Glibc.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  }
  #elseif canImport(Musl)
  static func makeSocket() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }
  static func listen(_ socket: Int32, _ backlog: Int32) -> Int32 { Musl.listen(socket, backlog) }
  static func pipe(_ ends: inout [Int32]) -> Int32 { Musl.pipe(&ends) }
  static func accept(_ socket: Int32) -> Int32 { Musl.accept(socket, nil, nil) }
  static func connect(_ socket: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    Musl.connect(socket, address, length)
  }
  static func close(_ descriptor: Int32) { _ = Musl.close(descriptor) }
  /// MSG_NOSIGNAL: a closed connection does not raise SIGPIPE.
  static func send(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Musl.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  }
  #endif
}
