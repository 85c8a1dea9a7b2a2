#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The system calls of a server. All descriptors are close-on-exec.
enum ServerSocket {
  typealias Instant = ContinuousClock.Instant

  /// What a program waits for.
  enum Event: Sendable {
    /// Bytes to read, a connection to accept, or the end of one.
    case input
    /// Space for bytes to send.
    case space
  }

  enum Received: Sendable {
    case bytes([UInt8])
    case end
  }

  enum Accepted: Sendable {
    case connection(Int32)
    /// The client has disconnected already, or there was none.
    case none
    /// There are no descriptors at the moment.
    case exhausted
  }

  /// The size of the receive buffer, enough for most bodies.
  private static let portionBytes = 16 << 10

  /// - Returns: The nonblocking descriptor, and the port.
  static func listen(host: String, port: UInt16, backlog: Int32) throws -> (socket: Int32, port: UInt16) {
    let place = "\(host):\(port)"
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
      throw HTTPServerError(.addressError, "the host is not an IPv4 address", address: place)
    }
    let socket = makeSocket()
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
      guard systemListen(socket, backlog) == 0 else { throw HTTPServerError(system: "listen", address: place) }
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

  /// Whose reader ``wake(_:)`` wakes.
  static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard systemPipe(&ends) == 0 else { throw HTTPServerError(system: "pipe", address: "") }
    do { for end in ends { try prepare(end) } } catch {
      for end in ends { close(end) }
      throw error
    }
    return (read: ends[0], write: ends[1])
  }

  /// A full pipe is readable already.
  static func wake(_ pipe: Int32) { _ = write(pipe, [0], 1) }

  static func drain(_ pipe: Int32) {
    var buffer = [UInt8](repeating: 0, count: 64)
    while read(pipe, &buffer, buffer.count) == buffer.count {}
  }

  /// Whether the event of each descriptor has happened; a failure counts as an event. None after the deadline.
  static func wait(
    for waits: [(descriptor: Int32, event: Event?)], until deadline: Instant?
  ) -> [Bool] {
    var polled = waits.map { descriptor, event in
      // poll ignores negative descriptors.
      pollfd(fd: event == nil ? -1 : descriptor, events: Int16(event == .space ? POLLOUT : POLLIN), revents: 0)
    }
    while true {
      var milliseconds: Int32 = -1
      if let deadline {
        let (seconds, attoseconds) = max(.zero, ContinuousClock.now.duration(to: deadline)).components
        // Rounded up to avoid waking just before the deadline. An hour exceeds most timeouts, and the caller waits again.
        milliseconds = Int32(min(seconds, 3_600)) * 1_000 + Int32(attoseconds / 1_000_000_000_000_000) + 1
      }
      let count = poll(&polled, nfds_t(polled.count), milliseconds)
      guard count < 0, errno == EINTR || errno == EAGAIN else { break }
    }
    return polled.map { polled in polled.revents != 0 }
  }

  static func accept(on socket: Int32) -> Accepted {
    let connection = systemAccept(socket)
    guard connection >= 0 else { return [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) ? .exhausted : .none }
    do { try prepare(connection) } catch {
      close(connection)
      return .none
    }
    #if canImport(Darwin)
    set(SO_NOSIGPIPE, of: connection)
    #endif
    return .connection(connection)
  }

  /// - Returns: `nil` if there are no bytes yet.
  static func receive(from connection: Int32) -> Received? {
    var buffer = [UInt8](repeating: 0, count: portionBytes)
    let count = recv(connection, &buffer, buffer.count, 0)
    if count > 0 { return .bytes(Array(buffer.prefix(count))) }
    return count < 0 && [EINTR, EAGAIN, EWOULDBLOCK].contains(errno) ? nil : .end
  }

  /// - Returns: The number of bytes that there was space for; `nil` if the connection has ended.
  static func send(_ bytes: ArraySlice<UInt8>, to connection: Int32) -> Int? {
    let count = bytes.withUnsafeBytes { bytes in systemSend(connection, bytes) }
    if count >= 0 { return count }
    return [EINTR, EAGAIN, EWOULDBLOCK].contains(errno) ? 0 : nil
  }

  static func endSending(_ connection: Int32) { _ = shutdown(connection, Int32(SHUT_WR)) }

  static func end(_ connection: Int32) { _ = shutdown(connection, Int32(SHUT_RDWR)) }

  static func close(_ descriptor: Int32) { systemClose(descriptor) }
}

extension ServerSocket {
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

// The system's functions, which are hidden inside ``ServerSocket``, and what differs between platforms.

private func systemListen(_ socket: Int32, _ backlog: Int32) -> Int32 { listen(socket, backlog) }
private func systemPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }
private func systemAccept(_ socket: Int32) -> Int32 { accept(socket, nil, nil) }
private func systemClose(_ descriptor: Int32) { _ = close(descriptor) }

private func makeSocket() -> Int32 {
  #if canImport(Glibc)
  socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #else
  socket(AF_INET, SOCK_STREAM, 0)
  #endif
}

/// Sends bytes. A closed connection does not raise SIGPIPE: on Darwin, the socket has SO_NOSIGPIPE.
private func systemSend(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
  #if canImport(Darwin)
  send(socket, bytes.baseAddress, bytes.count, 0)
  #else
  send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  #endif
}
