import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Platform
import Testing

/// `ship --follow` on a disk in memory, with a writer that appends while it waits.
@Suite("ship --follow", .timeLimit(.minutes(60)))
struct FollowedShippingTests {
  private static let shipped = "lake/model=counter/log=3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  private func answers(_ run: CommandLineRun) throws -> [JSONValue] {
    try run.output.split(separator: "\n").map { line in try JSONValue(parsing: Array(line.utf8)) }
  }

  /// Appends while `ship --follow` waits, and stops it: one interval and the end are shipped.
  @Test func followingShipsTheTailAndTheEnd() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let writer = try LogWriter.open(
      at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
      configuration: LogConfiguration(environment: bench.logEnvironment))
    let (seconds, revisions, stop) = (Locked(0), Locked<[Int]>([]), StopRequest())
    let disk = bench.disk
    let run = await bench.run("ship", "my-log", "lake", "--follow", "--interval", "5s", "--json") { environment in
      environment.stop = stop
      environment.uptime = { .seconds(seconds.withLock { seconds in seconds }) }
      environment.pause = { _ in
        let now = seconds.withLock { seconds in
          seconds += 1
          return seconds
        }
        #expect(throws: Never.self) {
          try writer.appendNow([LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))])
          let last = try LogReader.open(at: Self.shipped, fileSystem: disk).extent().lastRevision
          revisions.withLock { revisions in revisions.append(last) }
        }
        if now == 12 { stop.request() }
        return now == 12
      }
    }
    #expect(run.status == 0, "\(run.messages)")
    let seen = revisions.withLock { revisions in revisions }
    // The tail after 0, 5 and 10 seconds.
    #expect(Set(seen).count == 3, "\(seen)")
    try writer.closeNow()
    let last = try LogReader.open(at: "my-log", fileSystem: disk).extent().lastRevision
    #expect(try LogReader.open(at: Self.shipped, fileSystem: disk).extent().lastRevision == last)
    #expect(try answers(run).filter { answer in answer["outcome"] == "tail" }.count == 4)
    for words in [["--interval", "5s"], ["--follow", "--seal"], ["--follow", "--interval", "5x"]] {
      #expect(await bench.run(["ship", "my-log", "lake"] + words).status == 2)
    }
  }

  /// The lake of a log that is redacted and pruned while it is followed is intact before the next action.
  @Test func aRedactionAndAPruningAreFollowed() async throws {
    let bench = Bench()
    let actions = (1...12).map { number in #"{"type":"didTapIncrementButton","meta":{"actor":"Ann \#(number)"}}"# }
    let recorded = await bench.run(
      "record", "counter", "my-log", "--redactable", "--segment-size", "1000",
      input: [actions.joined(separator: "\n") + "\n"])
    try #require(recorded.status == 0)
    try #require(await bench.run("prune", "my-log", "--before", "4", "--reason", "r", "--delete", "--yes").status == 0)
    let (steps, stop, disk) = (Locked(0), StopRequest(), bench.disk)
    let environment = bench.logEnvironment
    let run = await bench.run("ship", "my-log", "lake", "--follow", "--interval", "1s") { tool in
      tool.stop = stop
      tool.uptime = { .seconds(steps.withLock { steps in steps }) }
      tool.pause = { _ in
        let step = steps.withLock { steps in
          steps += 1
          return steps
        }
        #expect(throws: Never.self) {
          let report = try LogVerifier.verify(at: Self.shipped, fileSystem: disk)
          #expect(report.verdict == .clean && report.warnings.isEmpty, "\(step): \(report.problems) \(report.warnings)")
          if step == 1 {
            _ = try LogRedaction.redact(at: "my-log", reason: "r", fileSystem: disk, environment: environment) {
              reader in
              let index = try #require(try reader.lineIndices(ofActions: [9])[9])
              return [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["meta", "actor"]))])]
            }
          }
          if step == 3 {
            // Opened and closed: the segment grows without an action.
            try LogWriter.open(
              at: "my-log", model: "counter", schema: 1, fileSystem: disk,
              configuration: LogConfiguration(environment: environment)
            ).closeNow()
          }
        }
        if step == 5 { stop.request() }
        return step == 5
      }
    }
    #expect(run.status == 0 && steps.withLock { steps in steps } == 5, "\(run.messages)")
    #expect(await bench.run("verify", Self.shipped).status == 0)
    #expect(await bench.run("restore", Self.shipped, "restored").status == 0)
    #expect(await bench.run("verify", "restored").status == 0)
  }

  // MARK: Interruptions

  /// A writer of small segments, and the moments of a run of `ship --follow` next to it.
  private struct Writing {
    /// The number of durable actions.
    let count = Locked(0)
    /// That number at the first call and at the end of each pause.
    let counts = Locked<[Int]>([])
    /// The number of calls of the shipper at each of its pauses.
    let pauses = Locked<[Int]>([])
    let stop = StopRequest()

    /// Runs `ship --follow` through a file system, and appends two actions in each pause of a second.
    func follow(
      _ bench: Bench, through door: FaultyFileSystem, interval: String = "2s", pauseCount: Int = 4
    ) async throws -> CommandLineRun {
      let writer = try LogWriter.open(
        at: "my-log", model: "counter", schema: 1, fileSystem: bench.disk,
        configuration: LogConfiguration(segmentLimitBytes: 700, environment: bench.logEnvironment))
      let append: @Sendable () -> Void = { [count] in
        #expect(throws: Never.self) {
          try writer.appendNow([LogDraft(type: "didTapIncrementButton", data: Array("{}".utf8))])
          count.withLock { count in count += 1 }
        }
      }
      append()
      counts.withLock { counts in counts.append(count.withLock { count in count }) }
      let run = await bench.run("ship", "my-log", "lake", "--follow", "--interval", interval, "--json") { tool in
        tool.fileSystem = door
        tool.stop = stop
        tool.uptime = { [pauses] in .seconds(pauses.withLock { pauses in pauses.count }) }
        tool.pause = { [count, counts, pauses, stop] _ in
          append()
          append()
          counts.withLock { counts in counts.append(count.withLock { count in count }) }
          let number = pauses.withLock { pauses in
            pauses.append(door.calls.count)
            return pauses.count
          }
          if number == pauseCount { stop.request() }
          return number == pauseCount
        }
      }
      try writer.closeNow()
      return run
    }
  }

  /// The numbers of the actions of a log.
  private func actions(_ path: String, on disk: MemoryFileSystem) throws -> [Int] {
    var records = try LogReader.open(at: path, fileSystem: disk).records(from: 0)
    var actions: [Int] = []
    while let record = try records.next() { if !record.isControl { actions.append(record.revision) } }
    return actions
  }

  /// Ships what is missing after an interruption, and expects that the lake, and what is restored from it, equal the log.
  ///
  /// - Parameter count: The number of actions that the log has at least.
  private func expectResumed(_ disk: MemoryFileSystem, _ tool: ActionLogTool, count: Int, _ place: Comment) async throws
  {
    let bench = Bench(disk: disk, tool: tool)
    let before = disk.filePaths.filter { path in path.contains("/date=") && path.hasSuffix(".jsonl") }
    if !before.isEmpty {
      let report = try LogVerifier.verify(at: Self.shipped, fileSystem: disk)
      #expect(report.problems.isEmpty, "\(place): \(report.problems)")
      #expect(try actions(Self.shipped, on: disk) == Array(1...count).prefix(report.lastRevision).map(\.self), place)
    }
    let run = await bench.run("ship", "my-log", "lake", "--seal", "--json")
    #expect(run.status == 0, "\(place): \(run.messages)")
    // Nothing is shipped twice.
    for row in try answers(run) where before.contains(row["path"]?.text ?? "") {
      #expect(row["outcome"] == "present", "\(place): \(row)")
    }
    let report = try LogVerifier.verify(at: Self.shipped, fileSystem: disk)
    #expect(
      report.verdict == .clean && report.warnings.allSatisfy { warning in warning.kind == .clockWentBack },
      "\(place): \(report)")
    #expect(await bench.run("restore", Self.shipped, "restored").status == 0, place)
    let all = try actions("my-log", on: disk)
    #expect(all.count >= count && all == Array(1...all.count), place)
    #expect(try actions(Self.shipped, on: disk) == all, place)
    #expect(try actions("restored", on: disk) == all, place)
  }

  /// Between two changes, the disk is the same at each call. An interval is two pauses.
  @Test func aShipperMayBeKilledAtEveryCall() async throws {
    let (bench, writing) = (Bench(), Writing())
    let base = bench.disk
    let left = Locked<[(disk: MemoryFileSystem, count: Int, shippedCount: Int)]>([])
    let door = FaultyFileSystem(base) { call in
      guard ![.status, .names, .size, .read, .lock].contains(call.operation) else { return }
      let counts = writing.counts.withLock { counts in counts }
      let (count, shippedCount) = (counts.last ?? 0, counts.dropLast(2).last ?? 0)
      left.withLock { left in
        left += [(base.copy(), count, shippedCount), (base.crash(.onlySyncedSurvives), count, shippedCount)]
      }
    }
    let run = try await writing.follow(bench, through: door)
    #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
    #expect(try answers(run).count { row in row["outcome"] == "shipped" } >= 2)
    let disks = left.withLock { left in left }
    #expect(disks.count > 100)
    for (number, (disk, count, shippedCount)) in disks.enumerated() {
      let place: Comment = "change \(number / 2), crash \(number % 2)"
      if shippedCount > 0 { #expect(try actions(Self.shipped, on: disk).count >= shippedCount, place) }
      try await expectResumed(disk, bench.tool, count: count, place)
    }
  }

  /// A call that fails once ends the process only while it starts or stops.
  @Test func everyFailedCallIsRepeated() async throws {
    let (intact, model) = (Bench(), Writing())
    #expect(try await model.follow(intact, through: FaultyFileSystem(intact.disk)).status == 0)
    let pauses = model.pauses.withLock { pauses in pauses }
    try #require(pauses.count == 4)
    var (number, warned) = (0, 0)
    var hasFailed = true
    while hasFailed {
      number += 1
      let (bench, writing) = (Bench(), Writing())
      let door = FaultyFileSystem(bench.disk, faults: [FileFault(number: number)])
      let run = try await writing.follow(bench, through: door)
      hasFailed = door.firedCount > 0
      let isWithin = (pauses[0] + 1...pauses[3]).contains(number)
      #expect(run.status == 0 || (run.status == 3 && hasFailed && !isWithin), "call \(number): \(run.messages)")
      // Not every call is needed.
      if run.messages.contains("trying again") { warned += 1 }
      #expect(run.status == 0 || run.messages.contains("error"), "call \(number): \(run.messages)")
      let count = writing.count.withLock { count in count }
      if run.status == 0 {
        #expect(try actions(Self.shipped, on: bench.disk).last ?? 0 == count, "call \(number)")
      }
      try await expectResumed(bench.disk, bench.tool, count: count, "call \(number)")
    }
    #expect(number > 200 && warned > 50, "\(number) \(warned)")
  }

  @Test func aFullDiskIsOneWarningForEachInterval() async throws {
    let (bench, writing) = (Bench(), Writing())
    // The first pass writes the tail.
    let fault = FileFault(.append, number: 2, lasts: true, code: .noSpace)
    let door = FaultyFileSystem(bench.disk, faults: [fault])
    let run = try await writing.follow(bench, through: door, pauseCount: 8)
    // Attempts after two, four, six and eight seconds, or one earlier because of a roll. The last one is the end.
    let warnings = run.messages.ranges(of: "no space is left").count - 1
    #expect(run.status == 3 && (3...4).contains(warnings), "\(run.messages)")
    #expect(run.messages.contains("what was shipped before is intact"), "\(run.messages)")
    try await expectResumed(bench.disk, bench.tool, count: writing.count.withLock { count in count }, "full disk")
  }

  /// No interval passes: a segment is shipped at the next pause after the next one began.
  @Test func aRollIsShippedAtOnce() async throws {
    let (bench, writing) = (Bench(), Writing())
    let door = FaultyFileSystem(bench.disk)
    let run = try await writing.follow(bench, through: door, interval: "24h", pauseCount: 8)
    let segments = try LogReader.open(at: "my-log", fileSystem: bench.disk).segments
    let rows = try answers(run)
    #expect(run.status == 0 && segments.count > 3)
    // The tail of the first pass; each sealed segment by itself, with the tail of the one that follows.
    let outcomes = rows.map { row in row["outcome"]?.text ?? "" }
    #expect(outcomes.first == "tail", "\(outcomes)")
    let shipped = rows.filter { row in row["outcome"] == "shipped" }.map { row in row["first"]?.integer }
    #expect(shipped == segments.dropLast().map(\.first))
    let shippings = door.calls.enumerated().filter { _, call in
      call.operation == .rename && call.newPath?.contains("/date=") == true
    }.map(\.offset)
    let pauses = writing.pauses.withLock { pauses in pauses }
    // No two segments between the same two pauses: none waited for another one.
    let gaps = shippings.map { call in pauses.firstIndex { pause in call < pause } ?? pauses.count }
    #expect(Set(gaps).count == gaps.count && gaps.count == segments.count - 1, "\(gaps)")
  }
}
