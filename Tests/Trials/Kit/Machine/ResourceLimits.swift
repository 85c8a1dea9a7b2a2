import ActionLog
import EventSourcing
import Foundation

/// Trials with limits on file size, open files, threads and memory.
package struct ResourceLimits: Sendable {
  package var context: TrialContext

  /// Creates the trials.
  package init(context: TrialContext) { self.context = context }

  /// Runs a role under limits.
  ///
  /// - Parameter limits: Options of `prlimit`.
  private func run(_ role: ChildRole, _ path: String, limit: Int, under limits: String...) throws -> (Int32, [String]) {
    // If a system tool fails under the limits, a failure of our program would be meaningless.
    try Child.probe("prlimit", limits + ["true"])
    let child = try Child(
      try Child.tool("prlimit"), limits + [context.executable, "child", role.rawValue, path, "\(limit)"])
    return (child.wait(), child.lines)
  }

  /// Limits the length of files, sometimes to less than the length of the first actions.
  package func limitFileSize() throws -> Goal {
    var flaws: [String] = []
    var total = 0
    try flaws.collect { flaws in
      for round in 0..<8 {
        let path = try context.path("limited")
        let (_, lines) = try run(.write, path, limit: 1_000, under: "--fsize=100000")
        if lines.last != "rejected" { flaws.append("round \(round): the writer ended with \(lines.last ?? "nothing")") }
        let acknowledged = lines.compactMap(Int.init).last ?? 0
        if let flaw = MachineLog.look(path, atLeast: acknowledged).flaw { flaws.append("round \(round): \(flaw)") }
        total += acknowledged
      }
    }
    return Goal(
      "limit on file size", wanted: "a clean error; nothing lost",
      figure: "\(total) actions, \(flaws.count.counted("flaw"))",
      isMet: total > 0, flaws: flaws)
  }

  /// Tries every limit on open files, from the smallest that lets the program start to one that is sufficient.
  package func limitOpenFiles() throws -> Goal {
    var flaws: [String] = []
    var (failures, successes) = (0, 0)
    try flaws.collect { flaws in
      // Three files are open at the start, and one is needed to load the program.
      for count in 4...12 {
        let path = try context.path("few-files")
        let (status, lines) = try run(.write, path, limit: 12, under: "--nofile=\(count)")
        if status == 0 {
          successes += 1
        } else {
          failures += 1
          let isClear =
            ["inputOutput", "rejected", "failed"].contains(lines.last)
            && lines.contains { line in line.contains("Too many open files") }
          if !isClear { flaws.append("\(count) files: \(status), \(lines.suffix(2))") }
        }
        if let flaw = MachineLog.look(path, atLeast: lines.compactMap(Int.init).last ?? 0).flaw {
          flaws.append("\(count) files: \(flaw)")
        }
      }
    }
    return Goal(
      "limit on open files", wanted: "a clean error; nothing lost",
      figure: "\(failures) refusals, \(successes) successes, \(flaws.count.counted("flaw"))",
      isMet: failures > 0 && successes > 0, flaws: flaws)
  }

  /// Runs a process that cannot start threads: each stack would exceed its address space.
  package func limitThreads() throws -> Goal {
    var flaws: [String] = []
    let path = try context.path("no-threads")
    let (status, lines) = try run(.enqueue, path, limit: 50, under: "--stack=\(1 << 36)", "--as=\(1 << 33)")
    if lines.first != "no threads" { flaws.append("it had \(lines.first ?? "nothing")") }
    if status != 0 { flaws.append("the writer ended with \(lines.suffix(2))") }
    // Without a thread, the work is done before the call returns.
    if lines.dropFirst() != (1...50).map(String.init)[...] { flaws.append("durable were \(lines.dropFirst())") }
    let (last, _, flaw) = MachineLog.look(path, atLeast: 50)
    if let flaw { flaws.append("\(flaw)") }
    return Goal(
      "no threads", wanted: "writers continue", figure: "\(last) actions, \(flaws.count.counted("flaw"))",
      isMet: last == 50,
      flaws: flaws)
  }
}

// MARK: - Threads that wait

extension ResourceLimits {
  /// Counts the threads of writers with pending intervals: one thread waits for all of them.
  package func countWaitingThreads() throws -> Goal {
    guard FileManager.default.fileExists(atPath: "/proc/self/task") else {
      throw Unavailable("there is no /proc/self/task")
    }
    var threads: [Int] = []
    var flaws: [String] = []
    try flaws.collect { flaws in
      for count in [1, 200] {
        let path = try context.path("intervals")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        let child = try Child(context.executable, ["child", ChildRole.intervals.rawValue, path, "\(count)"])
        let status = child.wait()
        guard status == 0, let number = child.lines.last.flatMap(Int.init) else {
          flaws.append("\(count) writers ended with \(status), \(child.lines.suffix(2))")
          continue
        }
        if number == 0 { flaws.append("\(count) writers: /proc/self/task cannot be read") }
        threads.append(number)
      }
    }
    if let few = threads.first, let many = threads.last, many > few + 1 {
      flaws.append("200 writers hold \(many) threads")
    }
    return Goal(
      "threads of 1 and of 200 writers at the level interval", wanted: "one more at most",
      figure: threads.map { count in "\(count)" }.joined(separator: " and "), isMet: threads.count == 2, flaws: flaws)
  }
}

// MARK: - A blocked main thread

extension ResourceLimits {
  /// Uses the library in a process whose main thread never gets on.
  package func blockMainThread() throws -> Goal {
    let path = try context.path("blocked-main")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let child = try Child(context.executable, ["child", ChildRole.blockedMain.rawValue, path])
    let end = Date.now + 120
    while child.lines.isEmpty, Date.now < end { Thread.sleep(forTimeInterval: 0.01) }
    let line = child.lines.last
    if line == nil { _ = child.killNow() }
    if line != nil { _ = child.wait() }
    return Goal(
      "a program whose main thread is blocked", wanted: "ends", figure: line ?? "waits for the main thread",
      isMet: line == "done", flaws: [])
  }
}

// MARK: - Open logs

extension ResourceLimits {
  /// Measures 200 open logs: two descriptors each, and one more for the 64 that keep `HEAD` open; eight threads at work,
  /// and none while idle.
  package func countCostOfLogs() throws -> Goal {
    let count = 200
    let path = try context.path("open-logs")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    let child = try Child(context.executable, ["child", ChildRole.openLogs.rawValue, path, "\(count)"])
    let status = child.wait()
    let figures = child.lines.compactMap(Int.init)
    var flaws: [String] = []
    if status != 0 || figures.count != 6 {
      flaws.append("\(count) writers ended with \(status), \(child.lines.suffix(2))")
    } else {
      if figures[1] == 0 { throw Unavailable("there is no /proc/self/fd") }
      if figures[0] > LogResources.defaultThreadLimit { flaws.append("\(figures[0]) threads at work") }
      if figures[3] > 0 { flaws.append("\(figures[3]) threads while idle") }
      // Each thread may have opened another file for a moment.
      if figures[1] > 2 * count + 64 + LogResources.defaultThreadLimit {
        flaws.append("\(figures[1]) descriptors at work")
      }
      if figures[4] != 2 * count { flaws.append("\(figures[4]) descriptors while idle") }
      if figures[5] > 64 * count { flaws.append("\(figures[5]) KiB") }
    }
    return Goal(
      "cost of \(count) open logs", wanted: "2 descriptors and 64 KiB each, 8 threads at work, none while idle",
      // Of the threads that there were before, one can have ended.
      figure: figures.count == 6
        ? "\(figures[1]) descriptors at work and \(figures[4]) while idle, \(max(0, figures[0])) and \(max(0, figures[3])) threads "
          + "more than before, \(figures[5]) KiB"
        : "nothing",
      isMet: figures.count == 6, flaws: flaws)
  }
}

// MARK: - Sets of logs

extension ResourceLimits {
  /// Writes to 10 000 logs of a set with 1 024 descriptors, then under a limit that the set does not expect.
  package func limitFilesOfSet() throws -> Goal {
    let count = max(100, context.part(of: 10_000))
    var flaws: [String] = []
    var figures: [String] = []
    try flaws.collect { flaws in
      for (descriptors, openLimit) in [(1_024, 0), (64, 1_000)] {
        let path = try context.path("set")
        let (status, lines) = try run(
          .manyKeys, "\(path)", limit: openLimit == 0 ? count : -100, under: "--nofile=\(descriptors)")
        let wanted = openLimit == 0 ? count : 100
        let numbers = lines.compactMap(Int.init)
        guard status == 0, numbers.count == 4 else {
          flaws.append("with \(descriptors) descriptors it ended with \(status), \(lines.suffix(2))")
          continue
        }
        if numbers[0] != 2 * wanted { flaws.append("\(numbers[0]) actions of \(2 * wanted)") }
        if numbers[1] != 0 { flaws.append("\(numbers[1]) logs cannot be read") }
        // Tasks have a thread for each processor, which may have started in the meantime.
        let taskThreads = ProcessInfo.processInfo.activeProcessorCount + 2
        if numbers[2] > LogResources.defaultThreadLimit + taskThreads { flaws.append("\(numbers[2]) threads") }
        let places = openLimit == 0 ? LogSetLimits.openLimit(descriptors: descriptors) : descriptors / 2
        if numbers[3] > places { flaws.append("\(numbers[3]) logs are open") }
        figures.append("\(wanted) logs with \(descriptors) descriptors, \(numbers[3]) open, \(numbers[2]) threads")
      }
    }
    return Goal(
      "a set of logs and a limit on open files",
      wanted: "every action recorded; 8 threads at most in addition to those of tasks",
      figure: figures.joined(separator: "; "), isMet: figures.count == 2, flaws: flaws)
  }
}

// MARK: - Memory

extension ResourceLimits {
  /// The memory for reading in addition to four times the longest line, and for salvaging in addition to ten times (it
  /// holds a record, a draft and a new line): 64 MiB.
  private static let memoryKiB = 64 * 1_024

  /// Reads logs that are larger than the available memory.
  package func limitMemory() throws -> Goal {
    // The lengths and counts of lines. The last log contains a line of the maximum length.
    let logs = [
      [(100, max(10_000, context.part(of: 1_000_000)))], [(1 << 20, max(48, context.part(of: 400)))],
      [(100, 1_000), (LogFormat.lineLimitBytes - 1_000, 1)],
    ]
    var flaws: [String] = []
    var figures: [String] = []
    try flaws.collect { flaws in
      for lines in logs {
        let path = try context.path("large")
        for suffix in [".copy", ".saved"] { _ = try context.path("large" + suffix) }
        let bytes = try make(path, lines)
        let longest = lines.map(\.0).max() ?? 0
        let (readingKiB, salvagingKiB) = (4 * longest / 1_024 + Self.memoryKiB, 10 * longest / 1_024 + Self.memoryKiB)
        // Code and stacks of the runtime use address space but no memory: 400 MiB.
        let (status, said) = try run(.care, path, limit: 1, under: "--as=\((salvagingKiB << 10) + (400 << 20))")
        if status != 0 || said.first != "clean" { flaws.append("\(bytes) bytes: \(status), \(said.suffix(2))") }
        let peaks = said.compactMap(Int.init)
        if peaks.first ?? .max > readingKiB || peaks.last ?? .max > salvagingKiB {
          flaws.append("\(bytes) bytes took \(peaks) KiB")
        }
        figures.append("\(bytes >> 20) MiB in \(peaks.map { peak in "\(peak >> 10)" }.joined(separator: " and ")) MiB")
      }
    }
    return Goal(
      "large logs", wanted: "read in 64 MiB and four lines, salvaged in 64 MiB and ten",
      figure: figures.joined(separator: ", "), isMet: true, flaws: flaws)
  }

  /// Writes a log.
  ///
  /// - Returns: Its length.
  private func make(_ path: String, _ lines: [(fill: Int, count: Int)]) throws(LogError) -> Int {
    let writer = try LogWriter.open(
      at: path, model: SimulatedLog.model, schema: 1, configuration: LogConfiguration(durability: .written))
    var number = 0
    var bytes = 0
    for (fill, count) in lines {
      for _ in 0..<count {
        number += 1
        _ = try writer.writeNow([.numbered(number, attempt: number, fill: fill)])
        bytes += fill
      }
    }
    try writer.closeNow()
    return bytes
  }
}
