import ActionLog
import EventSourcing

/// Begins a log anew at the state that it has come to, and puts the old one aside.
///
/// The old log stays whole, with all its revisions, as `PATH.1`, `PATH.2` and so on: nothing of the past is lost unless
/// old logs are removed on purpose. A process can be killed at any point:
///
/// 1. The new log is made as `PATH.new`, with the state in its first segment, and is closed.
/// 2. `PATH` is renamed to `PATH.n`.
/// 3. `PATH.new` is renamed to `PATH`.
///
/// As long as there is a `PATH`, it counts, and `PATH.new` is rubbish. When there is none, `PATH.new` is complete, because
/// step 2 came after its end, and ``complete()`` does step 3. A step 3 that fails takes step 2 back.
struct LogRoll<M: Model>: Sendable {
  let path: String
  let fileSystem: any LogFileSystem
  let configuration: RecordingConfiguration<M>

  private var newPath: String { path + ".new" }

  /// More logs than anybody puts aside; a listing that names more is not ours.
  private static var asideLimit: Int { 1_000_000 }

  /// Does what a process that was killed has left to do.
  func complete() async throws {
    try await OffPool.run {
      guard try fileSystem.status(of: path) == nil, try fileSystem.status(of: newPath)?.kind == .directory else {
        return
      }
      do {
        try fileSystem.rename(newPath, to: path)
      } catch {
        // Another process was faster: the one that rolls, or one that has found the same.
        guard try fileSystem.status(of: path) != nil else { throw error }
      }
      try fileSystem.synchronizeDirectory(parent)
    }
  }

  /// Rolls a log that this process has closed.
  ///
  /// - Parameter count: How many of the logs that lie aside are kept, the newest; `nil` for all.
  /// - Returns: The path of the log that was put aside.
  /// - Throws: `LogError.Code.locked` when another process has taken the log. When it throws before step 2, the log is as
  ///   it was.
  func run(keeping count: Int?) async throws -> String {
    // From here on nobody else can write, and what others have written since the log was closed is in the state.
    let lock = try await OffPool.run { try takeLock() }
    defer { lock.unlock() }
    let state = try await OffPool.run {
      try removeTree(newPath)
      return try History<M>(path, fileSystem: fileSystem).state().state
    }
    // Its beginning is on disk when it has been opened; there is nothing to drain.
    let recorder = try await Recorder<M>.open(
      newPath, startingAt: state, configuration: configuration, fileSystem: fileSystem)
    await recorder.abandon()
    return try await OffPool.run { try exchange(keeping: count) }
  }

  /// Puts the old log aside and the new one in its place.
  private func exchange(keeping count: Int?) throws -> String {
    let aside = try asideNumbers()
    let number = (aside.last ?? 0) + 1
    let target = path + ".\(number)"
    try fileSystem.rename(path, to: target)
    do {
      try fileSystem.rename(newPath, to: path)
    } catch {
      // Readers know nothing of `PATH.new`: there is to be a log at the path. When another process has completed the roll,
      // there is one.
      if try fileSystem.status(of: path) == nil { try fileSystem.rename(target, to: path) }
      throw error
    }
    try fileSystem.synchronizeDirectory(parent)
    guard let count else { return target }
    for old in (aside + [number]).dropLast(max(0, count)) { try removeTree(path + ".\(old)") }
    try fileSystem.synchronizeDirectory(parent)
    return target
  }
}

extension LogRoll {
  private func takeLock() throws -> any DirectoryLock {
    do {
      return try fileSystem.lock(directory: path)
    } catch let error where error.code == .locked {
      throw LogError(
        .locked, "another process has taken the log", path: path, advice: "Nothing was changed. Try again.",
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

  /// The numbers of the logs that lie aside, ascending.
  private func asideNumbers() throws -> [Int] {
    try fileSystem.names(in: parent).compactMap { entry in
      guard entry.hasPrefix(name + "."), let number = Int(entry.dropFirst(name.count + 1)) else { return nil }
      return (1...Self.asideLimit).contains(number) ? number : nil
    }.sorted()
  }

  /// Removes a log, which has directories within a directory at most.
  private func removeTree(_ path: String, depth: Int = 0) throws {
    guard let status = try fileSystem.status(of: path) else { return }
    if status.kind == .directory {
      guard depth < 8 else {
        throw LogError(.notALog, "the directories lie too deep for a log", path: path)
      }
      for name in try fileSystem.names(in: path) { try removeTree(path + "/" + name, depth: depth + 1) }
    }
    try fileSystem.remove(path)
  }
}
