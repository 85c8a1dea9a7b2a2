import Foundation

/// A system call that failed in a test.
struct SystemFailure: Error, CustomStringConvertible {
  let call: String
  let number: Int32

  init(_ call: String, _ number: Int32 = errno) {
    self.call = call
    self.number = number
  }

  var description: String { "\(call): \(String(cString: strerror(number)))" }
}
