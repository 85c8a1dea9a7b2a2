import ActionLog
import EventSourcing
import Foundation
import ImmutableData
import Platform
import TestSupport

/// A program that records in the logs of a set, and consumes all of them with one subscription.
enum ConsumedSet {
  /// Records and consumes until the process is killed, and prints a line for every 20 durable actions; or, with a negative limit,
  /// consumes what is left and prints ``Figures``. The files next to the set have what was acknowledged and what was delivered.
  static func run(_ path: String, limit: Int, say: @escaping @Sendable (String) -> Void) -> Never {
    Task.detached {
      do {
        let set = try await LogSet<RecordedModel>.open(at: path)
        let seen = try Lines(appendingTo: path + ".seen")
        let consumer = try LogSetSubscription(named: "consumer", of: set, pollingInterval: .milliseconds(100)) {
          key, delivery in try seen.append("\(key) \(delivery.revision)")
        }
        if limit > 0 {
          async let consumed: Void = consumer.run()
          try await record(in: set, limit, try Lines(appendingTo: path + ".acknowledged"), say)
          try await consumed
        }
        try await consumer.catchUp()
        for figure in try await figures(of: set) { say("\(figure)") }
        try await set.close()
        exit(0)
      } catch {
        say("error: \(error)")
        exit(1)
      }
    }
    while true { Thread.sleep(forTimeInterval: 1_000) }
  }

  private static func record(
    in set: LogSet<RecordedModel>, _ count: Int, _ acknowledged: Lines, _ say: @escaping @Sendable (String) -> Void
  ) async throws {
    let next = Locked(Int.random(in: 0..<count))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          while true {
            let number = next.withLock { next in
              next += 1
              return next
            }
            let key = "\(number % count)"
            let revision = try await set.withStore(for: key) { store in
              try await store.dispatch(action: .offered(store.revision + 1, by: number), awaiting: .synced)
              return store.revision
            }
            try acknowledged.append("\(key) \(revision)")
            if number % 20 == 0 { say("\(number)") }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Delivers all actions to a new subscription.
  ///
  /// - Returns: Their number, the milliseconds, and the threads and descriptors in addition to those before.
  private static func figures(of set: LogSet<RecordedModel>) async throws -> [Int] {
    let (count, isDone) = (Locked(0), Locked(false))
    let most = Locked((threads: 0, descriptors: 0))
    let before = (ChildRole.threadCount(), ChildRole.descriptorCount())
    Thread.detachNewThread {
      while !isDone.withLock({ isDone in isDone }) {
        let now = (ChildRole.threadCount() - 1 - before.0, ChildRole.descriptorCount() - before.1)
        most.withLock { most in most = (max(most.threads, now.0), max(most.descriptors, now.1)) }
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
    let consumer = try LogSetSubscription(named: "counter", of: set) { _, _ in count.withLock { count in count += 1 } }
    let duration = try await ContinuousClock().measure { try await consumer.catchUp() }
    isDone.withLock { isDone in isDone = true }
    let peak = most.withLock { most in most }
    return [count.withLock { count in count }, Int(duration / .milliseconds(1)), peak.threads, peak.descriptors]
  }

  /// A file of lines, each of which is written by one call.
  private final class Lines: Sendable {
    private let file: Locked<FileHandle>

    init(appendingTo path: String) throws {
      if !FileManager.default.fileExists(atPath: path) { try Data().write(to: URL(fileURLWithPath: path)) }
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
      try file.seekToEnd()
      self.file = Locked(file)
    }

    func append(_ line: String) throws {
      try file.withLock { file in try file.write(contentsOf: Data((line + "\n").utf8)) }
    }
  }
}

/// Kills a program that consumes 10 000 logs with one subscription.
package struct ManyLogConsumer: Sendable {
  package var context: TrialContext

  /// Creates a trial.
  package init(context: TrialContext) { self.context = context }

  /// Kills the program, and compares what was delivered with what was acknowledged.
  package func run() throws -> Goal {
    let (logs, kills) = (max(100, context.part(of: 10_000)), max(3, context.part(of: 100)))
    var generator = SeededGenerator(seed: context.seed)
    let path = try context.path("consumed")
    for suffix in [".seen", ".acknowledged"] { _ = try context.path("consumed" + suffix) }
    var flaws: [String] = []
    for kill in 1...kills {
      let child = try child(path, logs)
      child.waitForLines(Int.random(in: 1...max(2, 2 * logs / kills / 20), using: &generator))
      usleep(UInt32.random(in: 0...20_000, using: &generator))
      let status = child.killNow()
      if status != -SIGKILL {
        flaws.append("kill \(kill): it ended by itself with \(status), \(child.lines.suffix(2))")
      }
    }
    let last = try child(path, -1)
    let status = last.wait()
    let figures = last.lines.compactMap(Int.init)
    guard status == 0, figures.count == 4 else {
      flaws.append("the last one ended with \(status), \(last.lines.suffix(2))")
      return Goal("consumer of many logs", wanted: "none lost, in order", figure: "nothing", isMet: false, flaws: flaws)
    }
    let (seen, acknowledged) = (try lines(path + ".seen"), try lines(path + ".acknowledged"))
    var delivered: [Substring: Int] = [:]
    for (key, revision) in seen {
      // An action can be delivered again after a kill. A gap would be a loss.
      let previous = delivered[key, default: 0]
      if revision > previous + 1 { flaws.append("log \(key): \(revision) came after \(previous)") }
      delivered[key] = max(previous, revision)
    }
    for (key, revision) in acknowledged where delivered[key, default: 0] < revision {
      flaws.append("log \(key): \(revision) was acknowledged and not delivered")
    }
    let actions = delivered.values.reduce(0, +)
    if figures[0] != actions { flaws.append("a new subscription was given \(figures[0]) of \(actions) actions") }
    // The tasks of Swift have a thread for each processor, which may start meanwhile. On a busy machine, Dispatch adds some for those that wait
    // for a processor: 6 were seen. A thread for each log would be more.
    let threads = LogResources.defaultThreadLimit + ProcessInfo.processInfo.activeProcessorCount + 10
    if figures[2] > threads { flaws.append("\(figures[2]) threads") }
    if figures[3] > 100 { flaws.append("\(figures[3]) descriptors") }
    let rate = figures[0] * 1_000 / max(1, figures[1])
    return Goal(
      "a consumer of many logs, killed",
      wanted: "none lost; in order in each log; at most \(threads) threads and 100 descriptors",
      figure: "\(kills) kills, \(delivered.count) logs, \(actions) actions, \(seen.count - actions) delivered again, "
        + "\(flaws.count.counted("flaw")); all at once: \(rate) deliveries a second, \(figures[2]) threads and \(figures[3]) descriptors more",
      isMet: !acknowledged.isEmpty, flaws: Array(flaws.prefix(20)))
  }

  private func child(_ path: String, _ limit: Int) throws -> Child {
    try Child(context.executable, ["child", ChildRole.consumeMany.rawValue, path, "\(limit)"])
  }

  /// Returns the keys and revisions of a file.
  private func lines(_ path: String) throws -> [(Substring, Int)] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      guard parts.count == 2, let revision = Int(parts[1]) else { return nil }
      return (parts[0], revision)
    }
  }
}
