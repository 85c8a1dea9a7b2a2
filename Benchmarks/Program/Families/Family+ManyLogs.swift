import ActionLog
import AnimalsData
import BenchmarkKit
import Dispatch
import EventSourcing
import Foundation
import Platform

extension Family {
  /// Many logs that are written to in turn, against one after the other; opening them; and what open ones cost.
  @MainActor static func manyLogs(_ data: DataSet) -> Family {
    let count = data.sizes.manyLogs
    return Family(
      "many logs",
      [
        Contender(Name.manyLogs("one after the other"), unit: "commit", count: count) {
          let logs = try ManyLogs(data, count: count)
          return {
            let clock = ContinuousClock()
            let start = clock.now
            for writer in logs.writers { try writer.appendNow([logs.draft]) }
            return logs.finish(after: clock.now - start)
          }
        },
        Contender(Name.manyLogs("in turn"), unit: "commit", count: count) {
          let logs = try ManyLogs(data, count: count)
          return {
            let clock = ContinuousClock()
            let start = clock.now
            let tickets = try logs.writers.map { writer in try writer.enqueue([logs.draft]) }
            for (writer, ticket) in zip(logs.writers, tickets) { try await writer.receipt(for: ticket) }
            return logs.finish(after: clock.now - start)
          }
        },
        Contender(Name.manyLogs("bare calls on seven threads"), unit: "commit", count: count) {
          SystemCall.raiseDescriptorLimit()
          let line = try data.lines(1)[0]
          let folder = try data.scratch("bare")
          try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
          let files = try (0..<count).map { number in try BareFile(creating: "\(folder)/\(number)") }
          let head = [UInt8](repeating: UInt8(ascii: " "), count: 128)
          for number in 0..<count { try BareFile.overwrite("\(folder)/\(number).head", head) }
          sync()
          return {
            let clock = ContinuousClock()
            let start = clock.now
            let failures = ManyLogs.onSevenThreads(count) { number in
              try files[number].appendAndSynchronize(line)
              try BareFile.overwrite("\(folder)/\(number).head", head)
            }
            let duration = clock.now - start
            guard failures == 0 else { throw HarnessError("\(failures) bare syncs failed") }
            return RoundResult(hash: UInt64(count), nanoseconds: duration.nanoseconds)
          }
        },
        Contender(Name.openLogs, unit: "log", count: count) {
          SystemCall.raiseDescriptorLimit()
          let set = try await ManyLogs.set(data, count: count)
          return {
            let clock = ContinuousClock()
            let start = clock.now
            try await ManyLogs.openAll(0..<count, of: set)
            let duration = clock.now - start
            let result = RoundResult(hash: UInt64(set.openCount), nanoseconds: duration.nanoseconds)
            try await set.close()
            return result
          }
        },
        // A process of its own: memory that other contenders have released would be used again, and not be counted.
        Contender(Name.keepLogsOpen, unit: "log", count: data.sizes.openLogs, place: .ownProcess(cores: nil)) {
          SystemCall.raiseDescriptorLimit()
          // A system may allow fewer descriptors, even to the administrator. The number of logs is one of the metrics.
          let count = min(data.sizes.openLogs, LogSetLimits.openLimit(descriptors: SystemCall.descriptorLimit))
          await ManyLogs.startTasks()
          let threads = ManyLogs.Usage().threads
          let set = try await ManyLogs.set(data, count: count)
          // What the first logs need is needed once: code, types, threads.
          let first = min(ManyLogs.warmUpCount, count / 2)
          try await ManyLogs.openAll(0..<first, of: set, dispatching: [ManyLogs.action])
          let before = ManyLogs.Usage()
          return {
            try await ManyLogs.openAll(first..<count, of: set, dispatching: [ManyLogs.action])
            let busy = ManyLogs.Usage()
            // Idle writers release what they keep within two seconds.
            try await Task.sleep(for: .seconds(3))
            let idle = ManyLogs.Usage()
            let logs = Double(count - first)
            let metrics = [
              "openLogs": Double(set.openCount),
              "threads": Double(busy.threads - threads),
              "descriptorsPerLog": Double(idle.descriptors - before.descriptors) / logs,
              "busyBytesPerLog": (busy.residentBytes - before.residentBytes) / logs,
              "bytesPerLog": (idle.residentBytes - before.residentBytes) / logs,
            ]
            try await set.close()
            return RoundResult(hash: UInt64(count), metrics: metrics)
          }
        },
        busyLogs(data, cores: 1), busyLogs(data, cores: 2),
        Contender(Name.slowNeighbor, unit: "dispatch", count: data.sizes.manyLogs) {
          let stores = try await BusyLogs.open(data, count: 2)
          return {
            let alone = try await BusyLogs.medianDispatch(to: stores[0], count: data.sizes.manyLogs)
            let neighbor = Task { while !Task.isCancelled { try await stores[1].dispatch(action: .wait) } }
            let beside = try await BusyLogs.medianDispatch(to: stores[0], count: data.sizes.manyLogs)
            neighbor.cancel()
            _ = await neighbor.result
            for store in stores { try await store.close() }
            return RoundResult(
              hash: 2, nanoseconds: beside.nanoseconds, metrics: ["medianRatio": beside / alone])
          }
        },
      ])
  }

  @MainActor private static func busyLogs(_ data: DataSet, cores: Int) -> Contender {
    let (logs, actions, tasks) = (min(500, data.sizes.manyLogs), 40, 2)
    return Contender(
      Name.dispatchToLogs(cores: cores), unit: "dispatch", count: logs * actions, place: .ownProcess(cores: cores)
    ) {
      let stores = try await BusyLogs.open(data, count: logs)
      return {
        let clock = ContinuousClock()
        let start = clock.now
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<tasks {
            group.addTask {
              for _ in 0..<actions {
                for index in stride(from: task, to: logs, by: tasks) { try await stores[index].dispatch(action: .add) }
              }
            }
          }
          try await group.waitForAll()
        }
        let duration = clock.now - start
        var sum = 0
        for store in stores {
          sum += await store.state.count
          try await store.close()
        }
        return RoundResult(hash: UInt64(sum), nanoseconds: duration.nanoseconds)
      }
    }
  }
}

/// Logs of a small model, written without syncs.
private enum BusyLogs {
  enum Counting: Model {
    struct State: Codable, Equatable, Sendable { var count = 0 }
    enum Action: Codable, Equatable, Sendable { case add, wait }
    static let name = "counting"
    static let schema = 1
    static let initialState = State()

    static func reduce(into state: inout State, action: Action) {
      state.count += 1
      guard action == .wait else { return }
      let clock = ContinuousClock()
      let end = clock.now + .milliseconds(100)
      while clock.now < end {}
    }
  }

  @MainActor static func open(_ data: DataSet, count: Int) async throws -> [LogStore<Counting>] {
    SystemCall.raiseDescriptorLimit()
    let path = try data.scratch("busy")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    var configuration = RecordingConfiguration<Counting>(log: LogConfiguration(durability: .written))
    configuration.snapshots = .never
    var stores: [LogStore<Counting>] = []
    for number in 0..<count { stores.append(try await .open(at: "\(path)/\(number)", configuration: configuration)) }
    return stores
  }

  static func medianDispatch(to store: LogStore<Counting>, count: Int) async throws -> Duration {
    let clock = ContinuousClock()
    var durations: [Duration] = []
    for _ in 0..<count {
      let start = clock.now
      try await store.dispatch(action: .add)
      durations.append(clock.now - start)
    }
    return durations.sorted()[count / 2]
  }
}

/// The logs of the contenders.
private struct ManyLogs {
  /// The threads, descriptors and memory of this process; 0 where the system does not report them.
  struct Usage {
    /// Without the workers that libdispatch starts beyond its limit, for queues of its own.
    let threads = Self.entries("/proc/self/task").count { thread in !Self.name(of: thread).hasSuffix("overcommit") }
    let descriptors = Self.entries("/proc/self/fd").count
    let residentBytes = ProcessMemory.residentMebibytes * 1_048_576

    private static func entries(_ path: String) -> [String] {
      do { return try FileManager.default.contentsOfDirectory(atPath: path) } catch { return [] }
    }

    private static func name(of thread: String) -> String {
      // A thread that has ended has no name.
      let name = FileManager.default.contents(atPath: "/proc/self/task/\(thread)/comm") ?? Data()
      return String(decoding: name, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
  }

  let writers: [LogWriter]
  let draft = LogDraft(type: "add", data: Array(#"{"number":1}"#.utf8))

  @MainActor init(_ data: DataSet, count: Int) throws {
    SystemCall.raiseDescriptorLimit()
    let path = try data.scratch("logs")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    writers = try (0..<count).map { number in
      try AppendRound.writer("\(path)/\(number)", LogConfiguration(durability: .synced))
    }
    sync()
  }

  /// Ends the writers. It is no part of the work.
  func finish(after duration: Duration) -> RoundResult {
    let last = writers.reduce(0) { sum, writer in sum + writer.status.syncedRevision }
    for writer in writers { writer.abandon() }
    return RoundResult(hash: UInt64(last), nanoseconds: duration.nanoseconds)
  }

  /// Calls a closure for each number, on as many threads as write for all logs of a process.
  ///
  /// - Returns: The number of calls that failed.
  static func onSevenThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> Int {
    let contents = Locked((next: 0, failures: 0))
    let group = DispatchGroup()
    for _ in 0..<(LogResources.defaultThreadLimit - 1) {
      group.enter()
      Thread.detachNewThread {
        while true {
          let number = contents.withLock { contents in
            defer { contents.next += 1 }
            return contents.next
          }
          guard number < count else { break }
          do { try body(number) } catch { contents.withLock { contents in contents.failures += 1 } }
        }
        group.leave()
      }
    }
    group.wait()
    return contents.withLock { contents in contents.failures }
  }

  /// The number of logs that are opened before the memory of the others is measured.
  static let warmUpCount = 64

  /// An action that every state accepts.
  static let action = AnimalsAction.ui(.categoryList(.onAppear))

  /// Starts the threads that run tasks, so that they are not counted as those of the logs.
  static func startTasks() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask { for _ in 0..<1_000 { await Task.yield() } }
      }
    }
  }

  /// Opens a set of logs with eight actions each, which is made once. No log is open.
  @MainActor static func set(_ data: DataSet, count: Int) async throws -> LogSet<AnimalsModel> {
    func open(_ path: String) async throws -> LogSet<AnimalsModel> {
      try await LogSet.open(at: path, configuration: LogSetConfiguration(openLimit: count))
    }
    let path = "\(data.directory)/set-\(count)-8"
    if !FileManager.default.fileExists(atPath: path) {
      let unfinished = path + ".unfinished"
      if FileManager.default.fileExists(atPath: unfinished) { try FileManager.default.removeItem(atPath: unfinished) }
      let set = try await open(unfinished)
      try await openAll(0..<count, of: set, dispatching: try data.accepted(8))
      try await set.close()
      try FileManager.default.moveItem(atPath: unfinished, toPath: path)
    }
    return try await open(path)
  }

  /// Opens logs as a server does: all requests at once.
  ///
  /// - Parameter actions: Actions that each log accepts. They are durable when the function returns.
  static func openAll(
    _ numbers: Range<Int>, of set: LogSet<AnimalsModel>, dispatching actions: [AnimalsAction] = []
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in numbers {
        group.addTask {
          let lease = try await set.store(for: "log-\(number)")
          defer { lease.release() }
          guard !actions.isEmpty else { return }
          for action in actions { try await lease.log.dispatch(action: action) }
          _ = try await lease.log.sync()
        }
      }
      try await group.waitForAll()
    }
  }
}
