import ActionLog
import ActionLogTesting
import EventSourcing
import Platform

/// Tests of sets of tallies on one disk.
protocol TallySets {
  var disk: MemoryFileSystem { get }
}

extension TallySets {
  func open(limit: Int = 100, in files: (any LogFileSystem)? = nil) async throws -> LogSet<Tally> {
    try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: reproducible(Tally.self), openLimit: limit),
      fileSystem: files ?? disk)
  }

  func add(_ number: Int, to key: String, of set: LogSet<Tally>) async throws {
    try await set.withStore(for: key) { store in _ = try await store.dispatch(action: .add(number), awaiting: .synced) }
  }

  func sum(_ key: String, of set: LogSet<Tally>) async throws -> Int {
    try await set.history(for: key).state().sum
  }
}

/// The sequence of events in several tasks.
final class TaskJournal: Sendable {
  private let entries = Locked<[String]>([])
  var all: [String] { entries.withLock { entries in entries } }
  func note(_ entry: String) { entries.withLock { entries in entries.append(entry) } }
}
