import Platform

/// A file system in memory, with what a disk has and hides: data that is not synchronised yet, and power cuts.
///
/// Tests and previews need no files with it, and it keeps the same contract as ``POSIXFileSystem``; one suite of tests
/// runs against both. For every file it knows what was synchronised and what was not, for every directory the same of
/// its entries, and ``crash(_:)`` makes a file system as a power cut could have left it.
///
/// There is one directory, the root, to begin with; `/log`, `log` and `./log` are the same path. The calls do not block
/// but for one another. A file holds at most ``fileLimitBytes``.
///
/// ```swift
/// let files = MemoryFileSystem()
/// try files.createDirectory("log")
/// let file = try files.open("log/a", for: .create)
/// …
/// let afterwards = files.crash(CrashModel(seed: 7))
/// ```
public final class MemoryFileSystem: LogFileSystem {
  /// The most that one file holds: beyond it an append fails with ``FileSystemError/Code/fileTooLarge``, so that an
  /// offset that was read from a damaged file cannot ask for all the memory there is.
  public static let fileLimitBytes = 1 << 32

  let volume: Locked<MemoryVolume>

  /// Makes a file system that holds the root directory only.
  ///
  /// - Parameter capacityBytes: How many bytes all files together may hold; `nil` for no limit.
  public init(capacityBytes: Int? = nil) {
    var volume = MemoryVolume()
    volume.capacityBytes = capacityBytes
    self.volume = Locked(volume)
  }

  init(_ volume: MemoryVolume) {
    self.volume = Locked(volume)
  }

  /// What lies at a path.
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

  /// The names in a directory, sorted by their bytes.
  ///
  /// - Complexity: O(*n* log *n*) for *n* names.
  public func names(in directory: String) throws(FileSystemError) -> [String] {
    try volume.withLock { volume throws(FileSystemError) in
      let node = try volume.directory(at: directory, "opendir")
      let names = volume.directories[node]?.entries.keys.sorted { first, second in
        first.lexicographicallyPrecedes(second)
      }
      return (names ?? []).map { name in String(decoding: name, as: UTF8.self) }
    }
  }

  /// Makes a directory.
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

  /// Renames a file or directory. A file replaces a file, a directory an empty directory.
  public func rename(_ path: String, to newPath: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      volume.counts.renames += 1
      try Self.rename(path, to: newPath, in: &volume)
    }
  }

  /// Renames a file to a name that is free.
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

  /// Makes the entries of a directory durable. Those of the directories in it are not concerned, nor is its own entry
  /// in the directory above.
  public func synchronizeDirectory(_ path: String) throws(FileSystemError) {
    try volume.withLock { volume throws(FileSystemError) in
      volume.counts.directorySyncs += 1
      volume.synchronizeEntries(of: try volume.directory(at: path, "fsync"))
    }
  }

  /// Takes the exclusive lock on a directory.
  ///
  /// - Throws: ``FileSystemError/Code/locked``, with this process as the holder: no other one can reach the directory.
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
