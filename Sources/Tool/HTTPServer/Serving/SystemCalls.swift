#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// System calls that differ between platforms or whose names clash with functions of this module.
enum SystemCalls {
  #if canImport(Darwin)
  static func makeSocket() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }
  static func listen(_ socket: Int32, _ backlog: Int32) -> Int32 { Darwin.listen(socket, backlog) }
  static func pipe(_ ends: inout [Int32]) -> Int32 { Darwin.pipe(&ends) }
  static func accept(_ socket: Int32) -> Int32 { Darwin.accept(socket, nil, nil) }
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
  static func close(_ descriptor: Int32) { _ = Musl.close(descriptor) }
  /// MSG_NOSIGNAL: a closed connection does not raise SIGPIPE.
  static func send(_ socket: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    Musl.send(socket, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
  }
  #endif
}
