import ActionLog
import Foundation
import Testing

/// The trial `calls` interrupts the calls of a process; here are the rules.
@Suite("Interrupted calls")
struct InterruptedCallTests {
  @Test func interruptedCallIsRepeated() throws {
    var count = 0
    let value = try SystemCall.uninterrupted("opendir", "/log") { () -> Int? in
      count += 1
      errno = EINTR
      return count == 3 ? 7 : nil
    }
    #expect(value == 7)
    #expect(count == 3)
  }

  @Test func otherErrorsAreThrownAtOnce() {
    var count = 0
    let error = #expect(throws: FileSystemError.self) {
      try SystemCall.uninterrupted("opendir", "/log") { () -> Int? in
        count += 1
        errno = EACCES
        return nil
      }
    }
    #expect(error?.code == .permissionDenied)
    #expect(error?.operation == "opendir")
    #expect(count == 1)
  }

  @Test func endWithoutAnErrorIsNil() throws {
    errno = EIO
    #expect(try SystemCall.uninterrupted("readdir", "/log") { () -> Int? in nil } == nil)
  }
}
