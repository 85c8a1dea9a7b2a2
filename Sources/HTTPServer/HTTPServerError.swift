#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why a server cannot listen.
public struct HTTPServerError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// The address is none, or none of this machine.
    case addressError
    /// Another program listens there.
    case addressInUse
    /// The port needs rights that the process does not have.
    case permissionDenied
    /// The system refused.
    case systemError
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// The host and the port.
  public var address: String

  init(_ code: Code, _ message: String, address: String) {
    self.code = code
    self.message = message
    self.address = address
  }

  /// Makes the error of a system call that failed a moment ago.
  init(system call: String, address: String) {
    let number = errno
    switch number {
    case EADDRINUSE: self.init(.addressInUse, "another program listens there", address: address)
    case EADDRNOTAVAIL: self.init(.addressError, "the host is no address of this machine", address: address)
    case EACCES: self.init(.permissionDenied, "the port needs more rights", address: address)
    default:
      self.init(.systemError, "\(call) failed: \(String(cString: strerror(number)))", address: address)
    }
  }
}

extension HTTPServerError: CustomStringConvertible {
  /// For instance `another program listens there: 127.0.0.1:8080`.
  public var description: String { address.isEmpty ? message : "\(message): \(address)" }
}
