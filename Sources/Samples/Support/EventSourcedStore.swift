package import ActionLog
import ActionLogTesting
package import EventSourcing
package import Foundation
import ImmutableData
import Platform

/// A store with its own log: the implementation of the samples' local stores.
///
/// Every change is one record of the log and is on disk when the call returns; the contents of the store are the fold
/// of the log. Changes are therefore atomic, a killed process loses no acknowledged change, and snapshots can be
/// deleted.
///
/// The first operation opens the log, off the calling thread. If a change cannot be written, the operation throws and
/// the store discards its state: the next operation opens the log again.
///
/// Operations run one at a time, in the order of the calls. They ignore cancellation: a change that has begun is
/// completed.
package actor EventSourcedStore<M: Model> {
  private let path: String
  /// Whether missing parent directories of the log are created.
  private let createsDirectories: Bool
  private let fileSystem: any LogFileSystem
  private let configuration: RecordingConfiguration<M>
  private let seed: (@Sendable (M.State) -> M.Action?)?
  private var opened: LogStore<M>?
  private var lastOperation: Task<Void, Never>?

  /// Creates a store without opening its log.
  package init(
    path: String, createsDirectories: Bool = false, fileSystem: any LogFileSystem,
    configuration: RecordingConfiguration<M>, seed: (@Sendable (M.State) -> M.Action?)? = nil
  ) {
    self.path = path
    self.createsDirectories = createsDirectories
    self.fileSystem = fileSystem
    self.configuration = configuration
    self.seed = seed
  }
}

extension EventSourcedStore {
  package func read<Value: Sendable>(_ body: @escaping @Sendable (M.State) -> Value) async throws -> Value {
    try await perform { store in try await store.log().select(body) }
  }

  /// Records a change and waits until it is on disk. `decide` returns the action to record, or `nil` if nothing
  /// changes, and can throw to refuse the change. If the call throws, the store is unchanged.
  package func change<Value: Sendable>(
    _ decide: @escaping @Sendable (M.State) throws -> (action: M.Action?, value: Value)
  ) async throws -> Value {
    try await perform { store in
      let log = try await store.log()
      let (action, value) = try decide(await log.state)
      if let action { try await store.record(action, in: log) }
      return value
    }
  }

  /// Closes the log. All changes are already on disk; a later operation opens the log again.
  package func close() async throws {
    try await perform { store in
      guard let opened = store.opened else { return }
      try await store.close(opened)
    }
  }

  /// Replaces the log by a new one that starts at the current state, and keeps the old log as `PATH.1`, `PATH.2` and so
  /// on.
  ///
  /// A log grows with every change. Old logs can be kept, moved or removed.
  ///
  /// - Parameter count: The number of old logs to keep, newest first; `nil` for all.
  /// - Returns: The new path of the old log.
  /// - Throws: `LogError` or `EventSourcingError`. The contents are then unchanged, and the store remains usable.
  package func roll(keeping count: Int? = nil) async throws -> String {
    try await perform { store in
      let log = try await store.log()
      try await store.close(log)
      let roll = LogRoll<M>(path: store.path, fileSystem: store.fileSystem, configuration: store.configuration)
      return try await roll.run(keeping: count)
    }
  }

  /// Releases the log without closing it, as if the process had been killed.
  package func abandon() async throws {
    try await perform { store in await store.reset() }
  }
}

extension EventSourcedStore {
  /// Performs an operation after all earlier operations have ended.
  private func perform<Value: Sendable>(
    _ operation: @escaping @Sendable (isolated EventSourcedStore) async throws -> Value
  ) async throws -> Value {
    let earlier = lastOperation
    let task = Task {
      await earlier?.value
      return try await operation(self)
    }
    lastOperation = Task { _ = await task.result }
    return try await task.value
  }

  private func log() async throws -> LogStore<M> {
    if let opened { return opened }
    if createsDirectories { try await createDirectories() }
    let roll = LogRoll<M>(path: path, fileSystem: fileSystem, configuration: configuration)
    try await roll.complete()
    let log = try await LogStore.open(at: path, configuration: configuration, fileSystem: fileSystem)
    opened = log
    if let seed = await log.select({ [seed] state in seed?(state) }) { try await record(seed, in: log) }
    return log
  }

  private func record(_ action: M.Action, in log: LogStore<M>) async throws {
    do {
      try await log.dispatch(action: action)
      _ = try await log.receipt()
    } catch {
      // After a failed sync, the state may be ahead of the log, which is the source of truth.
      await reset()
      throw error
    }
  }

  /// Closes a log, and releases it even if closing fails: the next operation opens it again.
  private func close(_ log: LogStore<M>) async throws {
    opened = nil
    do {
      try await log.close()
    } catch {
      await log.abandon()
      throw error
    }
  }

  private func reset() async {
    guard let opened else { return }
    self.opened = nil
    await opened.abandon()
  }

  /// Creates the missing parent directories of the log.
  private func createDirectories() async throws {
    let folder = path.split(separator: "/").dropLast().joined(separator: "/")
    let start = path.hasPrefix("/") ? "/" : ""
    try await BlockingWork.run { [fileSystem] in
      do throws(FileSystemError) { try fileSystem.makeDirectories(start + folder) } catch {
        guard error.code == .notADirectory else { throw error }
        throw LogError(.inputOutput, "a file exists where a directory is needed", path: error.path)
      }
    }
  }
}

package struct StoreLocation: Sendable {
  package static let defaultName = "default.store"

  package let path: String
  /// Whether missing parent directories are created; otherwise the parent must exist.
  package let createsDirectories: Bool
  /// The file system: the disk, or memory.
  package let fileSystem: any LogFileSystem

  /// Creates a location from a file URL. The parent directory must exist.
  package init<Code>(url: URL, orThrow code: Code) throws(SampleError<Code>) {
    guard url.isFileURL else {
      throw SampleError(code, "the address of a local store must be a file URL", path: url.absoluteString)
    }
    (path, createsDirectories, fileSystem) = (url.path, false, POSIXFileSystem())
  }

  /// Creates the default location of a product: a subdirectory of the application support directory, which programs of
  /// other products share on some platforms.
  package init<Code>(
    defaultOf product: String, isStoredInMemoryOnly: Bool, orThrow code: Code
  ) throws(SampleError<Code>) {
    guard !isStoredInMemoryOnly else {
      (path, createsDirectories, fileSystem) = (Self.defaultName, false, MemoryFileSystem())
      return
    }
    let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
    guard let folder = folders.first else {
      throw SampleError(code, "there is no application support directory", path: Self.defaultName)
    }
    path = folder.appending(path: "\(product)/\(Self.defaultName)").path
    (createsDirectories, fileSystem) = (true, POSIXFileSystem())
  }
}
