package import ActionLog
import Platform

/// Replaces a log with a new one that begins at its last state, and keeps the old one under a numbered name.
///
/// The old log is kept complete, as `PATH.1`, `PATH.2` and so on, until it is removed explicitly. The process can be killed at any
/// point:
///
/// 1. Create the new log as `PATH.new`, with the state in its first segment, and close it.
/// 2. Rename `PATH` to `PATH.n`.
/// 3. Rename `PATH.new` to `PATH`.
///
/// While `PATH` exists, it is the log, and `PATH.new` is a leftover. If `PATH` does not exist, `PATH.new` is complete, because it
/// was closed before step 2, and ``complete()`` performs step 3. If step 3 fails, step 2 is undone.
package struct LogRoll<M: Model>: Sendable {
  private let path: String
  private let fileSystem: any LogFileSystem
  private let configuration: RecordingConfiguration<M>

  private var newPath: String { path + ".new" }

  /// A bound on the numbers of old logs; a name with a larger number is not one of them.
  private static var oldLogLimit: Int { 1_000_000 }

  package init(path: String, fileSystem: any LogFileSystem, configuration: RecordingConfiguration<M>) {
    self.path = path
    self.fileSystem = fileSystem
    self.configuration = configuration
  }

  /// Completes a roll that a killed process left unfinished, if there is one.
  package func complete() async throws {
    try await BlockingWork.run {
      guard try fileSystem.status(of: path) == nil, try fileSystem.status(of: newPath)?.kind == .directory else {
        return
      }
      do {
        try fileSystem.rename(newPath, to: path)
      } catch {
        // Another process has completed the roll.
        guard try fileSystem.status(of: path) != nil else { throw error }
      }
      try fileSystem.syncDirectory(parent)
    }
  }

  /// Rolls a log that this process has closed.
  package func run(keeping count: Int?) async throws -> String {
    // With the lock held, no other process can write; actions that others recorded since the log was closed are in the state.
    let lock = try await BlockingWork.run { try takeLock() }
    defer { lock.unlock() }
    let state = try await BlockingWork.run {
      try fileSystem.removeTree(newPath)
      return try History<M>(at: path, fileSystem: fileSystem).state()
    }
    // Opening writes and syncs the initial records; no action is waiting.
    let recorder = try await Recorder<M>.open(
      at: newPath, startingAt: state, configuration: configuration, fileSystem: fileSystem)
    await recorder.abandon()
    return try await BlockingWork.run { try replace(keeping: count) }
  }

  /// Performs steps 2 and 3, then removes old logs.
  private func replace(keeping count: Int?) throws -> String {
    let numbers = try oldLogNumbers()
    let number = (numbers.last ?? 0) + 1
    let target = path + ".\(number)"
    try fileSystem.rename(path, to: target)
    do {
      try fileSystem.rename(newPath, to: path)
    } catch {
      // Readers do not know `PATH.new`, so a log must exist at the path. If another process has completed the roll, one does.
      if try fileSystem.status(of: path) == nil { try fileSystem.rename(target, to: path) }
      throw error
    }
    try fileSystem.syncDirectory(parent)
    guard let count else { return target }
    for old in (numbers + [number]).dropLast(max(0, count)) { try fileSystem.removeTree(path + ".\(old)") }
    try fileSystem.syncDirectory(parent)
    return target
  }
}

extension LogRoll {
  private func takeLock() throws -> any DirectoryLock {
    do {
      return try fileSystem.lockPresent(directory: path)
    } catch let error where error.code == .locked {
      throw LogError(
        .locked, "another process holds the log", path: path, intact: "Nothing was changed.", advice: "Try again.",
        underlying: error)
    }
  }

  private var parent: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private var name: Substring {
    path[(path.lastIndex(of: "/").map { slash in path.index(after: slash) } ?? path.startIndex)...]
  }

  private func oldLogNumbers() throws -> [Int] {
    try fileSystem.names(in: parent).compactMap { entry in
      guard entry.hasPrefix(name + "."), let number = Int(entry.dropFirst(name.count + 1)) else { return nil }
      return (1...Self.oldLogLimit).contains(number) ? number : nil
    }.sorted()
  }
}

extension LogFileSystem {
  /// Removes a file, or a directory with everything in it. Does nothing if there is none. Symbolic links are removed, not followed.
  func removeTree(_ path: String) throws(FileSystemError) {
    guard try status(of: path)?.kind == .directory else {
      if try status(of: path) != nil { try remove(path) }
      return
    }
    // The last directory is in those before it.
    var directories = [path]
    while let directory = directories.last {
      let names = try names(in: directory)
      if names.isEmpty { try remove(directories.removeLast()) }
      for name in names {
        let child = directory + "/" + name
        if try status(of: child)?.kind == .directory { directories.append(child) } else { try remove(child) }
      }
    }
  }
}
