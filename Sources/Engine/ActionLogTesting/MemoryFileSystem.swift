public import ActionLog
import Platform

/// An in-memory file system that models unsynced data and power cuts.
///
/// It needs no files for tests and previews, and follows the same contract as `POSIXFileSystem`; one test suite
/// runs against both. It knows which bytes of each file and which entries of each directory are synced, and
/// ``crash(_:)`` returns a file system as a power cut could leave it.
///
/// Initially it has one directory, the root; `/log`, `log` and `./log` are the same path. Calls block only for each
/// other. A file has at most ``fileLimitBytes``.
///
/// ```swift
/// let files = MemoryFileSystem()
/// try files.createDirectory("log")
/// let file = try files.open("log/a", for: .create)
/// …
/// let afterwards = files.crash(CrashModel(seed: 7))
/// ```
public final class MemoryFileSystem: LogFileSystem {
  /// The maximum length of a file: an append beyond it fails with `FileSystemError.Code.fileTooLarge`, so that an
  /// offset read from a damaged file cannot exhaust memory.
  public static let fileLimitBytes = 1 << 32

  let volume: Locked<MemoryVolume>

  /// Creates a file system that contains only the root directory; without a capacity it has no limit.
  public init(capacityBytes: Int? = nil) {
    var volume = MemoryVolume()
    volume.capacityBytes = capacityBytes
    self.volume = Locked(volume)
  }

  init(_ volume: MemoryVolume) {
    self.volume = Locked(volume)
  }

  /// Returns the status of a path.
  public func status(of path: String) throws(FileSystemError) -> FileStatus? {
    try volume.withLock { volume throws(FileSystemError) in
      do throws(FileSystemError) {
        guard let node = try volume.node(at: path, "lstat") else { return nil }
        let identity = MemoryVolume.identity(of: node)
        guard let file = volume.files[node] else {
          return FileStatus(kind: .directory, sizeBytes: 0, identity: identity)
        }
        return FileStatus(kind: .file, sizeBytes: file.count, identity: identity)
      } catch {
        if error.code == .notFound { return nil }
        throw error
      }
    }
  }

  /// Returns the names in a directory, sorted by their bytes.
  public func names(in directory: String) throws(FileSystemError) -> [String] {
    try volume.withLock { volume throws(FileSystemError) in
      let node = try volume.directory(at: directory, "opendir")
      let names = volume.directories[node]?.entries.keys.sorted { first, second in
        first.lexicographicallyPrecedes(second)
      }
      return (names ?? []).map { name in String(decoding: name, as: UTF8.self) }
    }
  }

  /// Creates a directory.
  public func createDirectory(_ path: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      let (directory, name) = try volume.parent(of: path, "mkdir")
      if volume.directories[directory]?.entries[name] != nil {
        throw FileSystemError(code: .exists, operation: "mkdir", path: path)
      }
      _ = volume.make(.directory, in: directory, name)
    }
  }

  /// Opens a file.
  public func open(_ path: String, for access: FileAccess) throws(FileSystemError) -> any LogFile {
    let node = try volume.withLock { volume throws(FileSystemError) in
      volume.counts.opens += 1
      let node = try Self.node(forOpening: path, access, in: &volume)
      volume.openCounts[node, default: 0] += 1
      return node
    }
    return MemoryFile(node: node, of: volume, path: path, access: access)
  }

  /// Renames a file or directory. A file replaces a file; a directory replaces an empty directory.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      volume.counts.renames += 1
      try Self.rename(path, to: newPath, in: &volume)
    }
  }

  /// Renames a file to an unused path.
  public func renameWithoutReplacing(_ path: String, to newPath: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      volume.counts.renames += 1
      let (directory, name) = try volume.parent(of: newPath, "rename")
      guard volume.directories[directory]?.entries[name] == nil else {
        throw FileSystemError(code: .exists, operation: "rename", path: newPath)
      }
      try Self.rename(path, to: newPath, in: &volume)
    }
  }

  /// Removes a file or an empty directory.
  public func remove(_ path: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      volume.counts.removals += 1
      let (directory, name) = try volume.parent(of: path, "unlink")
      guard let node = volume.directories[directory]?.entries[name] else {
        throw FileSystemError(code: .notFound, operation: "unlink", path: path)
      }
      if volume.directories[node]?.entries.isEmpty == false {
        throw FileSystemError(code: .notEmpty, operation: "rmdir", path: path)
      }
      volume.apply(.unlink(directory: directory, name: name, node: node))
    }
  }

  /// Makes the entries of a directory durable, but not those of its subdirectories, nor its own entry in the parent
  /// directory.
  public func syncDirectory(_ path: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      volume.counts.directorySyncs += 1
      volume.syncEntries(of: try volume.directory(at: path, "fsync"))
    }
  }

  /// Acquires the exclusive lock on a directory.
  public func lock(directory: String) throws(FileSystemError) -> any DirectoryLock {
    let node = try volume.withLock { volume throws(FileSystemError) in
      let node = try volume.directory(at: directory, "flock")
      guard volume.locks.insert(node).inserted else {
        throw FileSystemError(code: .locked, operation: "flock", path: directory, holder: SystemCall.processID)
      }
      return node
    }
    return MemoryDirectoryLock(node: node, of: volume)
  }
}

extension MemoryFileSystem {
  private static func node(
    forOpening path: String, _ access: FileAccess, in volume: inout MemoryVolume
  ) throws(FileSystemError) -> MemoryVolume.NodeID {
    if let node = try volume.node(at: path, "open") {
      if access == .create { throw FileSystemError(code: .exists, operation: "open", path: path) }
      if volume.files[node] == nil { throw FileSystemError(code: .notARegularFile, operation: "open", path: path) }
      return node
    }
    guard access == .create || access == .overwrite else {
      throw FileSystemError(code: .notFound, operation: "open", path: path)
    }
    let (directory, name) = try volume.parent(of: path, "open")
    return volume.make(.file, in: directory, name)
  }

  private static func rename(
    _ path: String, to newPath: String, in volume: inout MemoryVolume
  ) throws(FileSystemError) {
    func failure(_ code: FileSystemError.Code) -> FileSystemError {
      FileSystemError(code: code, operation: "rename", path: path)
    }
    let (directory, name) = try volume.parent(of: path, "rename")
    let (newDirectory, newName) = try volume.parent(of: newPath, "rename")
    guard let node = volume.directories[directory]?.entries[name] else { throw failure(.notFound) }
    if volume.directories[node] != nil, volume.directory(newDirectory, isWithin: node) {
      throw failure(.inputOutput)
    }
    if let replaced = volume.directories[newDirectory]?.entries[newName] {
      if replaced == node { return }
      switch (volume.directories[node], volume.directories[replaced]) {
      case (nil, .some): throw failure(.notARegularFile)
      case (.some, nil): throw failure(.notADirectory)
      case (.some, .some(let directory)) where !directory.entries.isEmpty: throw failure(.notEmpty)
      default: break
      }
    }
    volume.apply(.move(from: directory, name: name, to: newDirectory, newName: newName, node: node))
  }
}

final class MemoryDirectoryLock: DirectoryLock {
  private let volume: Locked<MemoryVolume>
  /// The directory; `nil` after unlocking, when another lock may have been acquired.
  private let node: Locked<MemoryVolume.NodeID?>
  let identity: FileIdentity?

  init(node: MemoryVolume.NodeID, of volume: Locked<MemoryVolume>) {
    self.node = Locked(node)
    identity = MemoryVolume.identity(of: node)
    self.volume = volume
  }

  deinit { unlock() }

  func unlock() {
    node.withLock { node in
      if let held = node {
        volume.withLock { volume in _ = volume.locks.remove(held) }
      }
      node = nil
    }
  }
}

/// Access for tests: inspecting, planting and damaging files, and limiting space.
extension MemoryFileSystem {
  /// The paths of all files, sorted by their bytes; each begins with `/`.
  public var filePaths: [String] {
    volume.withLock { volume in
      func paths(in directory: MemoryVolume.NodeID, _ prefix: [UInt8]) -> [[UInt8]] {
        (volume.directories[directory]?.entries ?? [:]).flatMap { name, node in
          let path = prefix + [UInt8(ascii: "/")] + name
          return volume.files[node] != nil ? [path] : paths(in: node, path)
        }
      }
      let sorted = paths(in: MemoryVolume.root, []).sorted { first, second in first.lexicographicallyPrecedes(second) }
      return sorted.map { path in String(decoding: path, as: UTF8.self) }
    }
  }

  /// Returns all bytes of a file, as a reader sees them.
  public func contents(of path: String) throws(FileSystemError) -> [UInt8] {
    try file(at: path).bytes
  }

  /// Returns the synced bytes of a file: what a power cut leaves if nothing else survives.
  public func durableContents(of path: String) throws(FileSystemError) -> [UInt8] {
    try file(at: path).durableBytes
  }

  /// Replaces the bytes of a file, or creates it with its parent directories; all of it is durable at once. A program
  /// that has the file open sees the new bytes. The capacity is ignored.
  public func setContents(_ bytes: [UInt8], of path: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      var directory = MemoryVolume.root
      var names = try volume.names(in: path, "setContents")
      guard let last = names.popLast() else {
        throw FileSystemError(code: .notARegularFile, operation: "setContents", path: path)
      }
      for name in names {
        let existing = volume.directories[directory]?.entries[name]
        let next = existing ?? volume.make(.directory, in: directory, name)
        guard volume.directories[next] != nil else {
          throw FileSystemError(code: .notADirectory, operation: "setContents", path: path)
        }
        volume.syncEntries(of: directory)
        directory = next
      }
      let node = volume.directories[directory]?.entries[last] ?? volume.make(.file, in: directory, last)
      guard volume.files[node] != nil else {
        throw FileSystemError(code: .notARegularFile, operation: "setContents", path: path)
      }
      volume.files[node] = MemoryContents(durable: bytes)
      volume.syncEntries(of: directory)
    }
  }

  /// Flips a bit, 0 (the lowest) … 7, of a byte of a file, in the visible and in the durable bytes, as a failing device does.
  public func flipBit(_ bit: Int, ofByte offset: Int, in path: String) throws(FileSystemError) {
    precondition((0..<8).contains(bit), "a byte has the bits 0…7")
    try volume.withLock { volume throws(FileSystemError) in
      let node = try volume.file(at: path)
      precondition((0..<(volume.files[node]?.count ?? 0)).contains(offset), "the file has no such byte")
      volume.files[node]?.flip(bit: bit, ofByte: offset)
    }
  }

  /// The total capacity of all files; `nil` for no limit. An append beyond it writes what fits and fails with
  /// `FileSystemError.Code.noSpace`.
  public var capacityBytes: Int? {
    get { volume.withLock { volume in volume.capacityBytes } }
    set { volume.withLock { volume in volume.capacityBytes = newValue } }
  }

  /// The total size of all files.
  public var usedBytes: Int {
    volume.withLock { volume in volume.usedBytes }
  }

  /// The number of calls of each operation.
  public var counts: OperationCounts {
    volume.withLock { volume in volume.counts }
  }

  /// Resets all counts to zero.
  public func resetCounts() {
    volume.withLock { volume in volume.counts = OperationCounts() }
  }

  private func file(at path: String) throws(FileSystemError) -> MemoryContents {
    try volume.withLock { volume throws(FileSystemError) in
      volume.files[try volume.file(at: path)] ?? MemoryContents()
    }
  }
}

extension MemoryVolume {
  fileprivate func file(at path: String) throws(FileSystemError) -> NodeID {
    guard let node = try node(at: path, "contents") else {
      throw FileSystemError(code: .notFound, operation: "contents", path: path)
    }
    guard files[node] != nil else { throw FileSystemError(code: .notARegularFile, operation: "contents", path: path) }
    return node
  }
}

/// The number of calls of each operation of a ``MemoryFileSystem``, since it was created or the counts were reset.
/// Failed calls count, too.
public struct OperationCounts: Sendable, Equatable {
  /// Files opened.
  public var opens = 0
  /// Calls of `LogFile.read(at:into:)`.
  public var reads = 0
  /// Bytes that the reads returned.
  public var bytesRead = 0
  /// Calls of `LogFile.append(_:)`.
  public var appends = 0
  /// Calls of `LogFile.write(_:at:)`.
  public var writes = 0
  /// Bytes that appends and writes stored.
  public var bytesWritten = 0
  /// Calls of `LogFile.truncate(toBytes:)`.
  public var truncations = 0
  /// Calls of `LogFile.sync(_:)`.
  public var syncs = 0
  /// Calls of `LogFileSystem.syncDirectory(_:)`.
  public var directorySyncs = 0
  /// Calls of `LogFileSystem.rename(_:to:)` and `LogFileSystem.renameWithoutReplacing(_:to:)`.
  public var renames = 0
  /// Calls of `LogFileSystem.remove(_:)`.
  public var removals = 0

  /// Creates counts of zero.
  public init() {}
}
