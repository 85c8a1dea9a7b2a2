#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a server cannot listen.
public struct HTTPServerError: Error, Equatable, Sendable {
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

extension HTTPServerError: CustomStringConvertible {
  /// For instance `another process listens on the address: 127.0.0.1:8080`.
  public var description: String { address.isEmpty ? message : "\(message): \(address)" }
}
