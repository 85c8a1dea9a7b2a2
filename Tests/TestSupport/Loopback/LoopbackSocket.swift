import Foundation

/// The system calls of ``LoopbackServer`` and ``LoopbackClient``. Descriptors are not inherited by child processes.
enum LoopbackSocket {
  struct Failure: Error {
    var operation: String
    var number: Int32
  }

  /// The timeout for an idle peer in seconds, longer than any delay of a busy machine.
  private static let patience = 3_000

  /// Connects to a port of 127.0.0.1.
  static func connect(to port: UInt16) throws -> Int32 {
    let socket = try make()
    closeOnExec(socket)
    var address = loopback(port)
    // The call takes the generic address type, and reads no more than the given length.
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        Foundation.connect(socket, pointer, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      let failure = Failure(operation: "connect", number: errno)
      close(socket)
      throw failure
    }
    limit(socket, SO_RCVTIMEO, patience)
    limit(socket, SO_SNDTIMEO, patience)
    return socket
  }

  private static func make() throws -> Int32 {
    #if canImport(Darwin)
    let socket = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #else
    let socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    guard socket >= 0 else { throw Failure(operation: "socket", number: errno) }
    return socket
  }

  private static func loopback(_ port: UInt16) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  /// Listens on 127.0.0.1, on a port that the system chooses.
  static func listen() throws -> (socket: Int32, port: UInt16) {
    let socket = try make()
    do {
      closeOnExec(socket)
      var address = loopback(0)
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      // The call takes the generic address type, and reads no more than the given length.
      let bound = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in bind(socket, pointer, length) }
      }
      guard bound == 0 else { throw Failure(operation: "bind", number: errno) }
      guard Foundation.listen(socket, 16) == 0 else { throw Failure(operation: "listen", number: errno) }
      // As above; the call writes no more than the given length.
      let named = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in getsockname(socket, pointer, &length) }
      }
      guard named == 0 else { throw Failure(operation: "getsockname", number: errno) }
      return (socket: socket, port: UInt16(bigEndian: address.sin_port))
    } catch {
      close(socket)
      throw error
    }
  }

  static func pipe() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [0, 0]
    guard Foundation.pipe(&ends) == 0 else { throw Failure(operation: "pipe", number: errno) }
    for end in ends { closeOnExec(end) }
    return (read: ends[0], write: ends[1])
  }

  /// Waits for a connection; `nil` if the other end of `stop` was closed, or no more connections can be accepted.
  static func accept(on socket: Int32, unless stop: Int32) -> Int32? {
    while true {
      var waiting = [
        pollfd(fd: socket, events: Int16(POLLIN), revents: 0), pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
      ]
      let count = poll(&waiting, 2, -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0, waiting[1].revents == 0 else { return nil }
      let connection = Foundation.accept(socket, nil, nil)
      if connection < 0, errno == EINTR || errno == ECONNABORTED { continue }
      guard connection >= 0 else { return nil }
      closeOnExec(connection)
      limit(connection, SO_RCVTIMEO, patience)
      limit(connection, SO_SNDTIMEO, patience)
      return connection
    }
  }

  /// Waits for bytes; `nil` at the end, and if the peer is idle.
  static func receive(from connection: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = recv(connection, &buffer, buffer.count, 0)
    return count > 0 ? Array(buffer.prefix(count)) : nil
  }

  /// Sends bytes, and ignores errors if the peer has closed the connection.
  static func send(_ bytes: [UInt8], to connection: Int32) {
    #if canImport(Darwin)
    var yes: Int32 = 1
    setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
    let flags: Int32 = 0
    #else
    let flags = Int32(MSG_NOSIGNAL)
    #endif
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { bytes in Foundation.send(connection, bytes.baseAddress, bytes.count, flags) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  static func close(_ descriptor: Int32) { _ = Foundation.close(descriptor) }

  private static func closeOnExec(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

  private static func limit(_ connection: Int32, _ option: Int32, _ seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
  }
}
