internal import ActionLog
internal import ActionLogTesting
internal import Foundation
internal import Platform
internal import TestSupport
internal import Testing

@Suite("Files of every file system", .timeLimit(.minutes(60)))
struct FileConformanceTests {
  @Test(arguments: FileSystemUnderTest.allCases)
  func appendedBytesAreReadBack(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let file = try files.open("\(directory)/a", for: .create)
      try file.append([1, 2, 3])
      try file.append([])
      try file.append([4])
      #expect(try file.size() == 4)
      #expect(try file.bytes(at: 0, count: 10) == [1, 2, 3, 4])
      #expect(try file.bytes(at: 1, count: 2) == [2, 3])
      #expect(try file.bytes(at: 4, count: 1) == [])
      #expect(try file.bytes(at: 1_000_000, count: 1) == [])
      file.close()
      #expect(try files.read("\(directory)/a") == [1, 2, 3, 4])
    }
  }

  /// A notice of a program that has closed its standard error must not be written into a log.
  @Test func noFileIsAStandardStream() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("a")
    await #expect(processExitsWith: .success) { [path = path as String] in
      close(STDERR_FILENO)
      let file = try POSIXFileSystem().open(path, for: .create)
      SystemCall.writeToStandardError("notice")
      try file.append([1])
      file.close()
    }
    #expect(try POSIXFileSystem().read(path) == [1])
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func appendingUsesTheCurrentEnd(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let first = try files.open("\(directory)/a", for: .create)
      let second = try files.open("\(directory)/a", for: .append)
      try first.append([1])
      try second.append([2])
      try first.append([3])
      try second.truncate(toBytes: 2)
      try first.append([4])
      #expect(try files.read("\(directory)/a") == [1, 2, 4])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func overwritingKeepsOtherBytes(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let file = try files.open("\(directory)/a", for: .overwrite)
      try file.write([1, 2, 3, 4], at: 0)
      try file.write([9], at: 1)
      try file.write([7], at: 6)
      file.close()
      try files.open("\(directory)/a", for: .overwrite).close()
      #expect(try files.read("\(directory)/a") == [1, 9, 3, 4, 0, 0, 7])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func truncationShortensOrExtendsWithZeros(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let file = try files.open("\(directory)/a", for: .create)
      try file.append([1, 2, 3])
      try file.truncate(toBytes: 1)
      try file.truncate(toBytes: 3)
      #expect(try file.bytes(at: 0, count: 9) == [1, 0, 0])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func anOpenFileOutlivesItsName(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/a", [1, 2])
      let file = try files.open("\(directory)/a", for: .read)
      try files.remove("\(directory)/a")
      try files.syncDirectory(directory)
      #expect(try file.bytes(at: 0, count: 9) == [1, 2])
      #expect(try files.status(of: "\(directory)/a") == nil)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func syncingAndDroppingTheCacheKeepTheBytes(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let file = try files.open("\(directory)/a", for: .create)
      let bytes = [UInt8](repeating: 7, count: 10_000)
      try file.append(bytes)
      try file.sync(.data)
      try file.sync(.full)
      file.discardCache()
      #expect(try file.bytes(at: 0, count: 20_000) == bytes)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func closingTwiceHasNoEffect(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let file = try files.open("\(directory)/a", for: .create)
      file.close()
      file.close()
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func eachAccessModeChecksThePath(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      #expect(refusal { () throws(FileSystemError) in _ = try files.open("\(directory)/a", for: .read) } == .notFound)
      #expect(refusal { () throws(FileSystemError) in _ = try files.open("\(directory)/a", for: .append) } == .notFound)
      try files.open("\(directory)/a", for: .create).close()
      #expect(refusal { () throws(FileSystemError) in _ = try files.open("\(directory)/a", for: .create) } == .exists)
      try files.open("\(directory)/b", for: .overwrite).close()
      #expect(try files.names(in: directory) == ["a", "b"])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func aDirectoryIsNotAFile(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let path = "\(directory)/0000000000000001.jsonl"
      try files.createDirectory(path)
      for access in [FileAccess.read, .append, .overwrite] {
        #expect(refusal { () throws(FileSystemError) in _ = try files.open(path, for: access) } == .notARegularFile)
      }
      #expect(refusal { () throws(FileSystemError) in _ = try files.open(path, for: .create) } == .exists)
    }
  }
}

/// One of the two file systems with an empty directory, for tests that both must pass.
enum FileSystemUnderTest: CaseIterable {
  case posix, memory

  /// Runs a test in a directory of its own.
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
  /// Creates a file with bytes.
  func make(_ path: String, _ bytes: [UInt8]) throws {
    let file = try open(path, for: .create)
    try file.append(bytes)
    file.close()
  }

  /// Returns all bytes of a file.
  func read(_ path: String) throws -> [UInt8] {
    let file = try open(path, for: .read)
    defer { file.close() }
    return try file.bytes(at: 0, count: try file.size())
  }
}

/// The process of the tests.
var currentProcessID: Int32 { ProcessInfo.processInfo.processIdentifier }

/// The trial `calls` interrupts the calls of a process; these tests check the rules.
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

@Suite("Syncs of several files", .timeLimit(.minutes(60)))
struct SeveralSyncsTests {
  @Test(arguments: FileSystemUnderTest.allCases)
  func allFilesAreSynced(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let fakes = (0..<9).map { _ in SyncedFile() }
      try files.sync(fakes, .full)
      #expect(fakes.map { fake in fake.syncCount.withLock { count in count } } == Array(repeating: 1, count: 9))
      try files.sync([], .full)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func theFirstFailureIsThrown(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let fakes = (0..<9).map { index in SyncedFile(failure: index == 2 || index == 6 ? "file \(index)" : nil) }
      let error = #expect(throws: FileSystemError.self) { try files.sync(fakes, .data) }
      #expect(error?.path == "file 2")
    }
  }
}

/// A file that counts its syncs, and fails them if it has a failure.
private final class SyncedFile: LogFile {
  let syncCount = Locked(0)
  private let failure: String?

  init(failure: String? = nil) { self.failure = failure }

  func sync(_ strength: SyncStrength) throws(FileSystemError) {
    syncCount.withLock { count in count += 1 }
    if let failure { throw FileSystemError(code: .inputOutput, operation: "fdatasync", path: failure) }
  }

  func size() -> Int { 0 }
  func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int { 0 }
  func append(_ bytes: UnsafeRawBufferPointer) {}
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) {}
  func truncate(toBytes count: Int) {}
  func discardCache() {}
  func close() {}
}
