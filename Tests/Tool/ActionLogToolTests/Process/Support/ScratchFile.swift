import Foundation
import Platform
import TestSupport

/// A file without a name that takes what a process says on standard error. Unlike a pipe it never makes anybody wait.
final class ScratchFile: Sendable {
  let descriptor: Int32

  init() throws {
    // The six letters are what mkstemp(3) puts a name of its own in place of.
    var template = Array((FileManager.default.temporaryDirectory.path + "/actionlog-XXXXXX").utf8CString)
    descriptor = try Spawn.lock.withLock { _ in
      let descriptor = mkstemp(&template)
      guard descriptor >= 0 else { throw SystemFailure("mkstemp") }
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      return descriptor
    }
    unlink(template)
  }

  deinit { close(descriptor) }

  func text() throws -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = pread(descriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count >= 0 else { throw SystemFailure("pread") }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer.prefix(count)
    }
  }
}
