import Foundation

/// A system call that failed in a test.
package struct SystemFailure: Error, CustomStringConvertible {
  package let call: String
  package let number: Int32

  /// - Parameters:
  ///   - call: What was called.
  ///   - number: The error number; `nil` for the last one.
  package init(_ call: String, _ number: Int32? = nil) {
    self.number = number ?? errno
    self.call = call
  }

  package var description: String { "\(call): \(String(cString: strerror(number)))" }
}
