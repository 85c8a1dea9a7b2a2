import ActionLog
import Foundation
import TestSupport

/// A file system of either kind with an empty directory in it, for the tests that both must pass.
enum FileSystemUnderTest: CaseIterable {
  case posix, memory

  /// Runs a test in a directory that nobody else knows.
  func run(_ test: (_ files: any LogFileSystem, _ directory: String) throws -> Void) throws {
    switch self {
    case .posix:
      let directory = try TemporaryDirectory()
      try withExtendedLifetime(directory) { try test(POSIXFileSystem(), directory.path) }
    case .memory:
      let files = MemoryFileSystem()
      try files.createDirectory("/test")
      try test(files, "/test")
    }
  }
}

extension LogFileSystem {
  /// Makes a file with bytes in it.
  func make(_ path: String, _ bytes: [UInt8]) throws {
    let file = try open(path, for: .create)
    try file.append(bytes)
    file.close()
  }

  /// All bytes of a file.
  func read(_ path: String) throws -> [UInt8] {
    let file = try open(path, for: .read)
    defer { file.close() }
    return try file.bytes(at: 0, count: try file.size())
  }
}

/// The code of the ``FileSystemError`` that a call throws; `nil` when it throws none.
func refusal(_ call: () throws(FileSystemError) -> Void) -> FileSystemError.Code? {
  do throws(FileSystemError) {
    try call()
    return nil
  } catch {
    return error.code
  }
}

/// The process that the tests run in.
var currentProcessID: Int32 { ProcessInfo.processInfo.processIdentifier }
