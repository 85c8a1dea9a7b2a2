import Foundation
import Platform
import TestSupport

/// A file system of a few KiB in memory, mounted for one test. Only Linux has it, and only for root.
final class SmallDisk: Sendable {
  /// Why tests that need a small disk are skipped elsewhere.
  static let need = "needs root on Linux, to mount a small file system in memory"
  static let isAvailable: Bool = {
    do {
      _ = try SmallDisk(kibibytes: 64)
      return true
    } catch {
      return false
    }
  }()

  private let directory: TemporaryDirectory
  let path: String

  init(kibibytes: Int) throws {
    directory = try TemporaryDirectory()
    path = directory.path
    try Self.run("mount", ["-t", "tmpfs", "-o", "size=\(kibibytes)k", "none", path])
  }

  deinit {
    do {
      try Self.run("umount", ["-l", path])
    } catch {
      print("a file system stays mounted: \(path): \(error)")
    }
  }

  /// Gives the disk another size.
  func resize(kibibytes: Int) throws {
    try Self.run("mount", ["-o", "remount,size=\(kibibytes)k", path])
  }

  /// Forbids writing.
  func makeReadOnly() throws {
    try Self.run("mount", ["-o", "remount,ro", path])
  }

  private static func run(_ name: String, _ arguments: [String]) throws {
    guard let program = Executable.find(name) else { throw SystemFailure(name, ENOENT) }
    let run = try ProgramRun([program] + arguments)
    guard run.status == 0 else { throw SystemFailure("\(name): \(run.messages)", EPERM) }
  }
}

/// An unnamed file for the standard error of a process. Unlike a pipe it never blocks the writer.
final class ScratchFile: Sendable {
  let descriptor: Int32

  init() throws {
    let path = FileManager.default.temporaryDirectory.path + "/actionlog-\(UUID().uuidString)"
    descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure("open") }
    unlink(path)
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
