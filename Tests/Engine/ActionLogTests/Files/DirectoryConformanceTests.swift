internal import ActionLog
internal import ActionLogTesting
internal import Foundation
internal import TestSupport
internal import Testing

@Suite("Directories of every file system", .timeLimit(.minutes(60)))
struct DirectoryConformanceTests {
  @Test(arguments: FileSystemUnderTest.allCases)
  func statusHasKindAndSize(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/a", [1, 2, 3])
      let status = try #require(try files.status(of: "\(directory)/a"))
      #expect(status.kind == .file)
      #expect(status.sizeBytes == 3)
      #expect(try files.status(of: directory)?.kind == .directory)
      #expect(try files.status(of: "\(directory)/nothing") == nil)
      #expect(try files.status(of: "\(directory)/nothing/at all") == nil)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func identitiesDistinguishFiles(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let path = "\(directory)/a"
      let first = try files.open(path, for: .create)
      let identity = try #require(try first.identity())
      try first.append([1, 2, 3])
      #expect(try files.status(of: path)?.identity == identity)
      try files.rename(path, to: path + ".old")
      try files.make(path, [1, 2, 3])
      #expect(try first.identity() == identity)
      #expect(try files.status(of: path + ".old")?.identity == identity)
      let other = try #require(try files.status(of: path)?.identity)
      #expect(other != identity)
      first.close()

      try files.createDirectory("\(directory)/d")
      let lock = try files.lock(directory: "\(directory)/d")
      let locked = try #require(lock.identity)
      #expect(try files.status(of: "\(directory)/d")?.identity == locked)
      #expect(try files.status(of: directory)?.identity != locked)
      try files.rename("\(directory)/d", to: "\(directory)/e")
      try files.createDirectory("\(directory)/d")
      #expect(try files.status(of: "\(directory)/e")?.identity == locked)
      #expect(try files.status(of: "\(directory)/d")?.identity != locked)
      lock.unlock()
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func aFileOnTheWayIsNotADirectory(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/a", [])
      let path = "\(directory)/a/b"
      #expect(refusal { () throws(FileSystemError) in _ = try files.status(of: path) } == .notADirectory)
      #expect(refusal { () throws(FileSystemError) in _ = try files.open(path, for: .read) } == .notADirectory)
      #expect(refusal { () throws(FileSystemError) in _ = try files.open(path, for: .create) } == .notADirectory)
      #expect(refusal { () throws(FileSystemError) in try files.createDirectory(path) } == .notADirectory)
      #expect(refusal { () throws(FileSystemError) in try files.remove(path) } == .notADirectory)
      let file = "\(directory)/a"
      #expect(refusal { () throws(FileSystemError) in _ = try files.names(in: file) } == .notADirectory)
      #expect(refusal { () throws(FileSystemError) in try files.syncDirectory(file) } == .notADirectory)
      #expect(refusal { () throws(FileSystemError) in _ = try files.lock(directory: file) } == .notADirectory)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func aMissingFileIsNotFound(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let path = "\(directory)/missing"
      #expect(refusal { () throws(FileSystemError) in _ = try files.names(in: path) } == .notFound)
      #expect(refusal { () throws(FileSystemError) in try files.syncDirectory(path) } == .notFound)
      #expect(refusal { () throws(FileSystemError) in _ = try files.lock(directory: path) } == .notFound)
      #expect(refusal { () throws(FileSystemError) in try files.remove(path) } == .notFound)
      #expect(refusal { () throws(FileSystemError) in try files.rename(path, to: directory + "/b") } == .notFound)
      #expect(refusal { () throws(FileSystemError) in try files.createDirectory(path + "/b") } == .notFound)
      #expect(refusal { () throws(FileSystemError) in _ = try files.open(path + "/b", for: .create) } == .notFound)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func namesAreSortedByTheirBytes(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let names = ["Z", "a", "b.new", "b", ".hidden", "é", "e\u{301}", "10", "9", "\u{1F98A}", "\u{FF5E}"]
      for name in names { try files.make("\(directory)/\(name)", []) }
      let sorted = names.map { name in Array(name.utf8) }.sorted { first, second in
        first.lexicographicallyPrecedes(second)
      }
      #expect(try files.names(in: directory).map { name in Array(name.utf8) } == sorted)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func aDirectoryIsMadeOnce(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.createDirectory("\(directory)/d")
      try files.make("\(directory)/f", [])
      #expect(try files.names(in: "\(directory)/d") == [])
      #expect(refusal { () throws(FileSystemError) in try files.createDirectory("\(directory)/d") } == .exists)
      #expect(refusal { () throws(FileSystemError) in try files.createDirectory("\(directory)/f") } == .exists)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func renamingReplacesAFile(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/a.new", [2])
      try files.make("\(directory)/a", [1])
      try files.rename("\(directory)/a.new", to: "\(directory)/a")
      try files.syncDirectory(directory)
      #expect(try files.names(in: directory) == ["a"])
      #expect(try files.read("\(directory)/a") == [2])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func renamingWithoutReplacingNeedsAnUnusedName(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/a.new", [2])
      try files.make("\(directory)/a", [1])
      try files.createDirectory("\(directory)/d")
      for name in ["a", "d", "a.new"] {
        let error = #expect(throws: FileSystemError.self) {
          try files.renameWithoutReplacing("\(directory)/a.new", to: "\(directory)/\(name)")
        }
        #expect(error?.code == .exists && error?.path == "\(directory)/\(name)")
      }
      #expect(try files.names(in: directory) == ["a", "a.new", "d"])
      #expect(try files.read("\(directory)/a") == [1] && files.read("\(directory)/a.new") == [2])
      try files.renameWithoutReplacing("\(directory)/a.new", to: "\(directory)/b")
      try files.syncDirectory(directory)
      #expect(try files.names(in: directory) == ["a", "b", "d"])
      #expect(try files.read("\(directory)/b") == [2])
      for name in ["c", "missing/c"] {
        let path = "\(directory)/\(name)"
        #expect(
          refusal { () throws(FileSystemError) in try files.renameWithoutReplacing(path, to: path + "2") } == .notFound)
      }
    }
  }

  @Test func renamingWithoutReplacingKeepsASymbolicLink() throws {
    let directory = try TemporaryDirectory()
    let files = POSIXFileSystem()
    try files.make(directory.path("a"), [1])
    try FileManager.default.createSymbolicLink(atPath: directory.path("link"), withDestinationPath: "nowhere")
    #expect(
      refusal { () throws(FileSystemError) in
        try files.renameWithoutReplacing(directory.path("a"), to: directory.path("link"))
      } == .exists)
    #expect(try files.names(in: directory.path) == ["a", "link"])
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func renamingOntoItselfChangesNothing(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/a", [1])
      try files.rename("\(directory)/a", to: "\(directory)/a")
      #expect(try files.read("\(directory)/a") == [1])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func aDirectoryIsRenamedWithItsContents(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.createDirectory("\(directory)/d.new")
      try files.make("\(directory)/d.new/a", [1])
      try files.rename("\(directory)/d.new", to: "\(directory)/d")
      #expect(try files.names(in: directory) == ["d"])
      #expect(try files.read("\(directory)/d/a") == [1])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func renamingRefusesAnotherKind(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/f", [])
      try files.createDirectory("\(directory)/d")
      try files.createDirectory("\(directory)/full")
      try files.make("\(directory)/full/a", [])
      func rename(_ name: String, _ newName: String) -> FileSystemError.Code? {
        refusal { () throws(FileSystemError) in try files.rename("\(directory)/\(name)", to: "\(directory)/\(newName)")
        }
      }
      #expect(rename("f", "d") == .notARegularFile)
      #expect(rename("d", "f") == .notADirectory)
      #expect(rename("d", "full") == .notEmpty)
      #expect(rename("d", "d/inside") == .inputOutput)
      #expect(try files.names(in: directory) == ["d", "f", "full"])
      #expect(rename("full", "d") == nil)
      #expect(try files.names(in: "\(directory)/d") == ["a"])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func filesAndEmptyDirectoriesAreRemoved(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.createDirectory("\(directory)/d")
      try files.make("\(directory)/d/a", [1])
      #expect(refusal { () throws(FileSystemError) in try files.remove("\(directory)/d") } == .notEmpty)
      try files.remove("\(directory)/d/a")
      try files.remove("\(directory)/d")
      #expect(try files.names(in: directory) == [])
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func pathsWithANULAreRefused(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.make("\(directory)/a", [1])
      let path = "\(directory)/a\0b"
      #expect(refusal { () throws(FileSystemError) in _ = try files.open(path, for: .read) } == .inputOutput)
      #expect(refusal { () throws(FileSystemError) in _ = try files.status(of: path) } == .inputOutput)
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func aSecondLockIsRefusedWithTheHolder(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      let lock = try files.lock(directory: directory)
      do throws(FileSystemError) {
        _ = try files.lock(directory: directory)
        Issue.record("the second lock was granted")
      } catch {
        #expect(error.code == .locked)
        #expect(error.path == directory)
        #if os(Linux)
        #expect(error.holder == currentProcessID)
        #endif
      }
      lock.unlock()
      lock.unlock()
      try files.lock(directory: directory).unlock()
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func aLockEndsWithItsLastReference(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      var lock: (any DirectoryLock)? = try files.lock(directory: directory)
      #expect(refusal { () throws(FileSystemError) in _ = try files.lock(directory: directory) } == .locked)
      _ = lock
      lock = nil
      try files.lock(directory: directory).unlock()
    }
  }

  @Test(arguments: FileSystemUnderTest.allCases)
  func pathsAreComparedAfterResolution(_ system: FileSystemUnderTest) throws {
    try system.run { files, directory in
      try files.createDirectory("\(directory)/a")
      try files.createDirectory("\(directory)/a/b")
      let canonical = try files.canonicalPath(of: "\(directory)/a/b")
      #expect(canonical.hasPrefix("/") && canonical.hasSuffix("/a/b"))
      for other in ["a//b/", "a/./b", "a/b/../b", "./a/../a/b"] {
        #expect(try files.canonicalPath(of: "\(directory)/\(other)") == canonical, "\(other)")
      }
      #expect(try files.canonicalPath(of: "\(directory)/a/b/new/one") == canonical + "/new/one")
      #expect(try files.path("\(directory)/a/b/new", isWithin: "\(directory)/a"))
      #expect(try files.path("\(directory)/x/../a/b", isWithin: "\(directory)/./a/"))
      #expect(try !files.path("\(directory)/a/../ab", isWithin: "\(directory)/a"))
      #expect(try !files.path("\(directory)/a/.", isWithin: "\(directory)/a"), "it is no part of itself")
      #expect(try files.path(directory, isWithin: "/"))
    }
  }

  /// A symbolic link leads out of its directory.
  @Test func symbolicLinksAreFollowed() throws {
    let directory = try TemporaryDirectory()
    let files = POSIXFileSystem()
    try files.createDirectory(directory.path + "/log")
    try FileManager.default.createSymbolicLink(
      atPath: directory.path + "/link", withDestinationPath: directory.path + "/log")
    #expect(try files.path(directory.path + "/link/lake", isWithin: directory.path + "/log"))
    #expect(try files.path(directory.path + "/log/lake", isWithin: directory.path + "/link"))
    #expect(try !files.path(directory.path + "/link", isWithin: directory.path + "/log"))
  }
}

/// The parent directories of a log, which an application creates.
@Suite("Making directories", .timeLimit(.minutes(60)))
struct DirectoriesTests {
  private let disk = MemoryFileSystem()

  @Test(arguments: ["/a/b/c", "/a//b/c/", "a/b/c"])
  func eachIsDurable(path: String) throws {
    try disk.makeDirectories(path)
    let cut = disk.crash(.onlySyncedSurvives)
    #expect(try cut.status(of: path)?.kind == .directory)
    try disk.makeDirectories(path)
  }

  @Test func existingDirectoriesAreNotChanged() throws {
    try disk.makeDirectories("/a/b")
    try disk.setContents([1], of: "/a/b/file")
    let door = FaultyFileSystem(disk)
    try door.makeDirectories("/a/b")
    #expect(door.count(of: .syncDirectory) == 0)
    let error = try #require(#expect(throws: FileSystemError.self) { try disk.makeDirectories("/a/b/file/c") })
    #expect(error.code == .notADirectory && error.path == "/a/b/file")
    #expect(try disk.contents(of: "/a/b/file") == [1])
  }

  /// A reported success is durable, and a directory that may not be created may exist.
  @Test func everyFailureIsReported() throws {
    for number in 1...6 {
      let operation: FileCall.Operation = number % 2 == 0 ? .syncDirectory : .createDirectory
      let door = FaultyFileSystem(disk.copy(), faults: [FileFault(operation, number: (number + 1) / 2)])
      #expect(throws: FileSystemError.self) { try door.makeDirectories("/a/b/c") }
    }
    try disk.makeDirectories("/a/b/c")
    let door = FaultyFileSystem(disk, faults: [FileFault(.createDirectory, lasts: true, code: .permissionDenied)])
    try door.makeDirectories("/a/b/c")
  }

  /// A log in directories that an application created, up to a power cut after its first action.
  @Test func aLogInNewDirectoriesSurvivesAPowerCut() throws {
    try disk.makeDirectories("/data/application")
    let writer = try LogWriter.open(at: "/data/application/log", model: "counter", schema: 1, fileSystem: disk)
    try writer.appendNow([.numbered(1)])
    let cut = disk.crash(.onlySyncedSurvives)
    #expect(try LogReader.open(at: "/data/application/log", fileSystem: cut).extent().lastRevision == 1)
  }
}
