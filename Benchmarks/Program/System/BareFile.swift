import BenchmarkKit
import Foundation

/// A file that is written with nothing but the system calls: what the writer is compared with.
final class BareFile: Sendable {
  private let descriptor: Int32

  init(creating path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw HarnessError("open failed: \(errno)") }
  }

  deinit { close(descriptor) }

  /// One `write` and one `fdatasync`.
  func appendAndSynchronize(_ bytes: [UInt8]) throws(HarnessError) {
    let written = bytes.withUnsafeBytes { bytes in write(descriptor, bytes.baseAddress, bytes.count) }
    guard written == bytes.count else { throw HarnessError("write failed: \(errno)") }
    #if canImport(Darwin)
    let status = fsync(descriptor)
    #else
    let status = fdatasync(descriptor)
    #endif
    guard status == 0 else { throw HarnessError("fdatasync failed: \(errno)") }
  }

  /// One `open`, `pwrite` and `close` of another file, as a writer updates `HEAD`.
  static func overwrite(_ path: String, _ bytes: [UInt8]) throws(HarnessError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw HarnessError("open failed: \(errno)") }
    defer { close(descriptor) }
    let written = bytes.withUnsafeBytes { bytes in pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
    guard written == bytes.count else { throw HarnessError("pwrite failed: \(errno)") }
  }
}
