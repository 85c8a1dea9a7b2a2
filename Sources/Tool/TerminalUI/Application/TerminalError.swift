#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Why the terminal cannot be used.
public struct TerminalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, for programs.
  public enum Code: String, Sendable {
    /// A call of the system failed.
    case system
    /// Another application of this process holds the terminal.
    case busy
  }

  /// What went wrong, for programs.
  public let code: Code
  /// The system's error number; 0 where it has none.
  public let errorNumber: Int32
  /// What was tried.
  public let operation: String

  init(_ code: Code, _ operation: String, errorNumber: Int32 = 0) {
    self.code = code
    self.operation = operation
    self.errorNumber = errorNumber
  }

  /// What went wrong, for people.
  public var description: String {
    switch code {
    case .system: "the terminal cannot be used: \(operation): \(String(cString: strerror(errorNumber)))"
    case .busy: "the terminal cannot be used: another application of this process holds it"
    }
  }
}
