import ActionLog
import Foundation
import TestSupport
import Testing

@Suite("File system of the machine", .timeLimit(.minutes(1)))
struct POSIXFileSystemTests {
  private let files = POSIXFileSystem()
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  /// Things that are named like a segment and are none.
  enum Impostor: CaseIterable {
    case pipe, unixSocket, linkToFile, linkToDirectory, linkToNothing

    func make(at path: String, beside directory: TemporaryDirectory) throws {
      switch self {
      case .pipe:
        try #require(mkfifo(path, 0o600) == 0)
      case .unixSocket:
        try makeSocket(at: path)
      case .linkToFile:
        try POSIXFileSystem().make(directory.path("target"), [1])
        try #require(symlink(directory.path("target"), path) == 0)
      case .linkToDirectory:
        try #require(symlink(directory.path, path) == 0)
      case .linkToNothing:
        try #require(symlink(directory.path("nothing"), path) == 0)
      }
    }

    private func makeSocket(at path: String) throws {
      #if canImport(Darwin)
      let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
      #else
      let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #endif
      try #require(descriptor >= 0)
      defer { close(descriptor) }
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      try withUnsafeMutableBytes(of: &address.sun_path) { place in
        try #require(path.utf8.count < place.count)
        place.copyBytes(from: path.utf8)
      }
      let result = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_un>.size))
        }
      }
      try #require(result == 0)
    }
  }

  @Test(arguments: Impostor.allCases, [FileAccess.read, .append, .overwrite])
  func whatIsNoRegularFileIsRefused(_ impostor: Impostor, _ access: FileAccess) throws {
    let path = directory.path("0000000000000001.jsonl")
    try impostor.make(at: path, beside: directory)
    #expect(refusal { () throws(FileSystemError) in _ = try files.open(path, for: access) } == .notARegularFile)
    #expect(try files.status(of: path)?.kind == .other)
    #expect(try files.status(of: directory.path("nothing")) == nil)
  }

  @Test(arguments: Impostor.allCases)
  func nothingIsMadeWhereAnythingLies(_ impostor: Impostor) throws {
    let path = directory.path("0000000000000001.jsonl")
    try impostor.make(at: path, beside: directory)
    #expect(refusal { () throws(FileSystemError) in _ = try files.open(path, for: .create) } == .exists)
  }

  @Test func aDeviceIsRefused() {
    let code = refusal { () throws(FileSystemError) in _ = try files.open("/dev/null", for: .append) }
    #expect(code == .notARegularFile)
  }

  @Test func aDirectoryMayBeReachedThroughALink() throws {
    try files.createDirectory(directory.path("log"))
    try files.make(directory.path("log/a"), [1])
    try #require(symlink(directory.path("log"), directory.path("link")) == 0)
    #expect(try files.names(in: directory.path("link")) == ["a"])
    #expect(try files.read(directory.path("link/a")) == [1])
  }

  @Test func removingALinkLeavesItsTarget() throws {
    try files.createDirectory(directory.path("log"))
    try #require(symlink(directory.path("log"), directory.path("link")) == 0)
    try files.remove(directory.path("link"))
    #expect(try files.names(in: directory.path) == ["log"])
  }

  @Test func whatIsMadeIsForItsOwnerOnly() throws {
    try files.createDirectory(directory.path("log"))
    try files.make(directory.path("log/a"), [1])
    try files.open(directory.path("log/b"), for: .overwrite).close()
    func permissions(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: directory.path(name))[.posixPermissions] as? Int
    }
    #expect(try permissions("log") == 0o700)
    #expect(try permissions("log/a") == 0o600)
    #expect(try permissions("log/b") == 0o600)
  }

  @Test func errorsCarryTheNumberOfTheSystem() throws {
    do throws(FileSystemError) {
      _ = try files.open(directory.path("a"), for: .read)
      Issue.record("a missing file was opened")
    } catch {
      #expect(error.errorNumber == ENOENT)
      #expect(error.operation == "open")
      #expect(error.path == directory.path("a"))
    }
  }

  @Test func bytesBeyondOneTransferArriveInOrder() throws {
    // More than the kernel takes from a pipe or a page at once; every 8 bytes are their own number.
    let numbers = (0..<400_000).map(UInt64.init)
    let file = try files.open(directory.path("a"), for: .create)
    try numbers.withUnsafeBytes { bytes in try file.append(bytes) }
    let read = try file.bytes(at: 0, count: 8 * numbers.count)
    #expect(read.withUnsafeBytes { bytes in Array(bytes.bindMemory(to: UInt64.self)) } == numbers)
  }

  @Test func aFileThatGoesOutOfUseIsClosed() throws {
    try files.make(directory.path("a"), [1])
    // More openings than a process may hold at once: 1 024 is the usual limit, 20 000 above most raised ones.
    for _ in 0..<20_000 { _ = try files.open(directory.path("a"), for: .read) }
    for _ in 0..<20_000 { _ = try files.lock(directory: directory.path) }
  }
}
