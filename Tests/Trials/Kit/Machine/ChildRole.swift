import ActionLog
import ActionLogMaintenance
import Dispatch
import EventSourcing
import Foundation
import ImmutableData
import Platform

/// The roles of the trials program as a child of itself.
package enum ChildRole: String, CaseIterable {
  /// Appends numbered actions until it is ended, and prints the number of each when it is acknowledged.
  case write
  /// Like `write`, but prints the number before the action is durable: a control, which must be caught.
  case writeHasty = "write-hasty"
  /// Like `write`, at the level `written`.
  case writeFlush = "write-flush"
  /// Like `write-flush`, in batches of 256 KiB with prepared lines of 64 KiB.
  case writeLarge = "write-large"
  /// Like `write-large`; each batch is a unit.
  case writeUnits = "write-units"
  /// Opens the log, prints `won`, and keeps it open; or prints `locked`.
  case race
  /// Like `write`, but stops itself after three batches, like a process that the system suspends.
  case sleepy
  /// Like `sleepy`, with a new segment for each batch.
  case sleepyRolling = "sleepy-rolling"
  /// Like `write`, without a lock, which a network file system may not enforce.
  case intrude
  /// Like `intrude`, with a newer schema, so it begins with a new segment.
  case intrudeNewSchema = "intrude-new-schema"
  /// Like `intrude`, with a new segment for each batch.
  case intrudeRolling = "intrude-rolling"
  /// Verifies a path, and prints the verdict and its peak memory in KiB.
  case verify
  /// Verifies, reads and copies a log, prints its peak memory in KiB, salvages the log, and prints the peak again.
  case care
  /// Prints whether threads are available; then appends without waiting, and prints the durable revision each time.
  case enqueue
  /// Writes to `limit` logs at the level `interval`, keeps all of them open, and prints its number of threads.
  case intervals
  /// Appends to `limit` logs, keeps them open, and prints their threads, descriptors and KiB: first at work, and then
  /// when no idle thread is left.
  case openLogs = "open-logs"
  /// Records two actions in each of `limit` logs of a set, and prints the number of actions, of logs that cannot be read,
  /// of additional threads, and of open logs. A negative limit is a number of logs for which the set has places.
  case manyKeys = "many-keys"
  /// Records in `limit` logs of a set and consumes all of them, as ``ConsumedSet``.
  case consumeMany = "consume-many"
  /// Uses what is not isolated to the main actor while the main thread is blocked, and prints `done`.
  case blockedMain = "blocked-main"

  /// The number of actions of each large batch.
  static let batchSize = 4

  /// Performs the role.
  ///
  /// - Returns: The exit status: 0, or 1 for an error of the log.
  package func run(_ path: String, limit: Int) -> Int32 {
    // A limit on file sizes must be reported as an error instead of ending the process.
    signal(SIGXFSZ, SIG_IGN)
    if self == .manyKeys { recordManyKeys(path, limit) }
    if self == .blockedMain { BlockedMainThread.run(path) { line in say(line) } }
    if self == .consumeMany { ConsumedSet.run(path, limit: limit) { line in say(line) } }
    do throws(LogError) {
      switch self {
      case .write: try write(path, .synced, limit, files: POSIXFileSystem())
      case .writeHasty, .writeFlush: try write(path, .written, limit, files: POSIXFileSystem())
      case .writeLarge, .writeUnits: try writeLarge(path)
      case .sleepy: try write(path, .synced, limit, files: POSIXFileSystem(), sleepsAfter: 3)
      case .sleepyRolling:
        try write(path, .synced, limit, files: POSIXFileSystem(), segmentLimitBytes: 1, sleepsAfter: 3)
      case .intrude: try write(path, .synced, limit, files: UnlockedFileSystem())
      case .intrudeNewSchema: try write(path, .synced, limit, files: UnlockedFileSystem(), schema: 2)
      case .intrudeRolling: try write(path, .synced, limit, files: UnlockedFileSystem(), segmentLimitBytes: 1)
      case .race: try race(path)
      case .verify: try verify(path)
      case .care: try care(path)
      case .enqueue: try enqueue(path, limit)
      case .intervals: try keepIntervals(path, limit)
      case .openLogs: try keepOpen(path, limit)
      case .manyKeys, .consumeMany, .blockedMain: break
      }
      return 0
    } catch {
      say("error: \(error)")
      say("\(error.code)")
      return 1
    }
  }

  private func say(_ text: String) {
    FileHandle.standardOutput.write(Data((text + "\n").utf8))
  }

  private func write(
    _ path: String, _ durability: Durability, _ limit: Int, files: any LogFileSystem, schema: Int = 1,
    segmentLimitBytes: Int = 200_000, sleepsAfter: Int? = nil
  ) throws(LogError) {
    let writer = try LogWriter.open(
      at: path, model: SimulatedLog.model, schema: schema, fileSystem: files,
      configuration: LogConfiguration(durability: durability, segmentLimitBytes: segmentLimitBytes))
    var number = writer.opening.lastRevision
    say("\(number)")
    var generator = SystemRandomNumberGenerator()
    for batch in 0..<limit {
      // Stop between two batches: within a batch, the writer cannot notice the pause.
      if batch == sleepsAfter { raise(SIGSTOP) }
      let count = Int.random(in: 1...3, using: &generator)
      // The longest actions take long enough that a kill interrupts their write.
      let fills = [0, 10, 300, 5_000, 60_000, durability == .written ? 400_000 : 300]
      let drafts = (number + 1...number + count).map { next in
        LogDraft.numbered(next, attempt: next, fill: fills[Int.random(in: 0..<fills.count, using: &generator)])
      }
      number += count
      if durability == .synced { try writer.appendNow(drafts) } else { _ = try writer.writeNow(drafts) }
      say("\(number)")
    }
    try writer.closeNow()
  }

  /// Appends batches of four lines of 64 KiB. Only their numbers are encoded again, so most of the time is spent in
  /// writing.
  private func writeLarge(_ path: String) throws(LogError) {
    let writer = try LogWriter.open(
      at: path, model: SimulatedLog.model, schema: 1,
      configuration: LogConfiguration(durability: .written, segmentLimitBytes: 1 << 30))
    let fill = Array(#","x":""#.utf8) + [UInt8](repeating: UInt8(ascii: "l"), count: 1 << 16) + Array(#""}"#.utf8)
    var number = writer.opening.lastRevision
    say("\(number)")
    while true {
      let drafts = (number + 1...number + Self.batchSize).map { next in
        LogDraft(type: "add", data: Array(#"{"n":\#(next),"a":\#(next)"#.utf8) + fill)
      }
      number += drafts.count
      _ = try writer.writeNow((self == .writeUnits ? [LogDraft(UnitRecord(actions: drafts.count))] : []) + drafts)
      say("\(number)")
    }
  }

  private func race(_ path: String) throws(LogError) {
    do throws(LogError) {
      let writer = try LogWriter.open(at: path, model: SimulatedLog.model, schema: 1)
      let next = writer.opening.lastRevision + 1
      try writer.appendNow([.numbered(next, attempt: next, fill: 0)])
      say("won")
      // Wait until the parent has read the output of all children.
      while true { sleep(60) }
    } catch {
      guard error.code == .locked else { throw error }
      say("locked")
    }
  }

  private func verify(_ path: String) throws(LogError) {
    do throws(LogError) {
      let report = try LogVerifier.verify(at: path)
      say(report.verdict.rawValue)
      var records = try LogReader.open(at: path).records()
      while try records.next() != nil {}
    } catch {
      say("\(error.code)")
    }
    say("\(Self.peakKiB())")
  }

  private func care(_ path: String) throws(LogError) {
    let report = try LogVerifier.verify(at: path)
    say(report.verdict.rawValue)
    var records = try LogReader.open(at: path).records()
    while try records.next() != nil {}
    _ = try LogBackup.backup(at: path, to: path + ".copy")
    say("\(Self.peakKiB())")
    _ = try LogSalvage.salvage(at: path, to: path + ".saved")
    say("\(Self.peakKiB())")
  }

  private func enqueue(_ path: String, _ limit: Int) throws(LogError) {
    say(SystemThread.start {} ? "threads" : "no threads")
    let writer = try LogWriter.open(at: path, model: SimulatedLog.model, schema: 1)
    for number in 1...limit {
      _ = try writer.enqueue([.numbered(number, attempt: number, fill: 100)])
      say("\(writer.status.syncedRevision)")
    }
    try writer.closeNow()
  }

  private func keepIntervals(_ path: String, _ count: Int) throws(LogError) {
    var writers: [LogWriter] = []
    for number in 1...count {
      let writer = try LogWriter.open(
        at: "\(path)/\(number)", model: SimulatedLog.model, schema: 1,
        configuration: LogConfiguration(durability: .interval(.seconds(3_600))))
      _ = try writer.writeNow([.numbered(1, attempt: 1, fill: 0)])
      writers.append(writer)
    }
    say("\(Self.threadCount())")
    for writer in writers { try writer.closeNow() }
  }

  private func recordManyKeys(_ path: String, _ limit: Int) -> Never {
    let count = abs(limit)
    Task { @MainActor in
      do {
        let configuration = LogSetConfiguration<RecordedModel>(openLimit: limit < 0 ? count : nil)
        let set = try await LogSet<RecordedModel>.open(at: path, configuration: configuration)
        let threads = Self.threadCount()
        var most = 0
        for _ in 0..<2 {
          try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
              group.addTask {
                try await set.withStore(for: "log \(number)") { store in
                  _ = try await store.dispatch(
                    action: .offered(store.state.attempts.count + 1, by: number), awaiting: .synced)
                }
              }
            }
            for try await _ in group { most = max(most, Self.threadCount() - threads) }
          }
        }
        let openCount = set.openCount
        try await set.close()
        var (actions, failures) = (0, 0)
        for summary in try await set.summaries() {
          actions += summary.lastRevision
          if summary.failure != nil { failures += 1 }
        }
        for figure in [actions, failures, most, openCount] { say("\(figure)") }
        exit(0)
      } catch {
        say("error: \(error)")
        exit(1)
      }
    }
    dispatchMain()
  }

  private func keepOpen(_ path: String, _ count: Int) throws(LogError) {
    // Objects that the library creates once per process are not a cost of a log.
    let first = try LogWriter.open(at: "\(path)/first", model: SimulatedLog.model, schema: 1)
    try first.closeNow()
    let (threads, descriptors, memory) = (Self.threadCount(), Self.descriptorCount(), Self.memoryKiB("VmRSS:"))
    func sayCost() {
      say("\(Self.threadCount() - threads)")
      say("\(Self.descriptorCount() - descriptors)")
      say("\(Self.memoryKiB("VmRSS:") - memory)")
    }
    var writers: [LogWriter] = []
    for number in 1...count {
      let writer = try LogWriter.open(at: "\(path)/\(number)", model: SimulatedLog.model, schema: 1)
      _ = try writer.enqueue([.numbered(1, attempt: 1, fill: 0)])
      writers.append(writer)
    }
    sayCost()
    // Idle writers release what they keep within two seconds, and threads end a second after. Half a minute is the limit
    // for a hang.
    for _ in 0..<3_000
    where Self.threadCount() > threads || Self.descriptorCount() - descriptors > 2 * count {
      usleep(10_000)
    }
    sayCost()
    for writer in writers { try writer.closeNow() }
  }

  /// Returns the number of descriptors of this process, plus one; 0 if it is unknown.
  static func descriptorCount() -> Int {
    do { return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count } catch { return 0 }
  }

  /// Returns the number of threads of this process; 0 if it is unknown.
  static func threadCount() -> Int {
    do { return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count } catch { return 0 }
  }

  /// Returns the peak memory of this process.
  private static func peakKiB() -> Int { memoryKiB("VmHWM:") }

  /// Returns a memory figure of this process; 0 if it is unknown.
  private static func memoryKiB(_ name: String) -> Int {
    do {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { line in line.hasPrefix(name) }
      return line.flatMap { line in Int(line.filter(\.isNumber)) } ?? 0
    } catch {
      return 0
    }
  }
}

/// The file system of the machine, without its locks.
final class UnlockedFileSystem: ForwardingFileSystem {
  private final class NoLock: DirectoryLock {
    func unlock() {}
  }

  let base: any LogFileSystem = POSIXFileSystem()

  func lock(directory: String) throws(FileSystemError) -> any DirectoryLock { NoLock() }
}
