import ActionLog
import ActionLogTesting
import Platform
import TestSupport
import Testing

/// Writers that share threads and descriptors.
@Suite(.timeLimit(.minutes(60))) struct SharedResourcesTests {
  private let files = MemoryFileSystem()

  private func open(
    _ path: String, _ environment: LogEnvironment, in door: any LogFileSystem
  ) throws -> LogWriter {
    try LogWriter.open(
      at: path, model: "counter", schema: 1, fileSystem: door,
      configuration: LogConfiguration(environment: environment))
  }

  @Test func aSlowDiskDelaysOnlyItsLog() async throws {
    let environment = LogEnvironment.test(threads: ThreadPool(threadLimit: 2))
    let door = GatedFileSystem(files)
    let slow = try open("/slow", environment, in: door)
    let fast = try open("/fast", environment, in: MemoryFileSystem())
    door.hold(.sync)
    let ticket = try slow.enqueue([.numbered(1)])
    await expectOffPool {
      door.waitForCall()
      return true
    }
    for number in 1...20 { try await fast.append([.numbered(number)]) }
    #expect(slow.status.syncedRevision == 0)
    door.letGo()
    #expect(try await slow.receipt(for: ticket).revision == 1)
  }

  /// With one thread for two logs, both are written before the first is synced.
  @Test func aBusyLogLetsOthersWrite() async throws {
    let environment = LogEnvironment.test(threads: ThreadPool(threadLimit: 1))
    let door = GatedFileSystem(files)
    let (busy, other) = (try open("/busy", environment, in: door), try open("/other", environment, in: door))
    door.hold(.sync)
    _ = try busy.enqueue([.numbered(1)])
    await expectOffPool {
      door.waitForCall()
      return true
    }
    let start = door.calls.count
    let tickets = (try other.enqueue([.numbered(1)]), try busy.enqueue([.numbered(2)]))
    door.letGo()
    _ = try await other.receipt(for: tickets.0)
    _ = try await busy.receipt(for: tickets.1)
    let calls = door.calls[start...].filter { call in call.operation == .append || call.operation == .sync }
    // A new segment is opened under this name, and renamed.
    let segment = "0000000000000001.jsonl.new"
    #expect(
      calls.map(\.description) == [
        "sync /busy/\(segment)", "append /other/\(segment)", "append /busy/\(segment)", "sync /other/\(segment)",
        "sync /busy/\(segment)",
      ])
  }

  /// An action arrives while a log syncs that has let another one write before. Its worker continues, although nothing is waiting for it.
  @Test(.timeLimit(.minutes(1))) func anActionDuringALateSyncIsWritten() async throws {
    let environment = LogEnvironment.test(threads: ThreadPool(threadLimit: 1))
    let writers = Locked<(busy: LogWriter, other: LogWriter)?>(nil)
    let (syncs, tickets) = (Locked(0), Locked<[LogTicket]>([]))
    let door = FaultyFileSystem(files) { call in
      guard call.operation == .sync, let (busy, other) = writers.withLock({ writers in writers }) else { return }
      let number = syncs.withLock { syncs in
        syncs += 1
        return syncs
      }
      #expect(throws: Never.self) {
        // The second is that of the other log.
        if number == 1 { _ = (try other.enqueue([.numbered(1)]), try busy.enqueue([.numbered(2)])) }
        if number == 3 {
          let ticket = try busy.enqueue([.numbered(3)])
          tickets.withLock { tickets in tickets.append(ticket) }
        }
      }
    }
    let (busy, other) = (try open("/busy", environment, in: door), try open("/other", environment, in: door))
    writers.withLock { writers in writers = (busy, other) }
    _ = try await busy.receipt(for: busy.enqueue([.numbered(1)]))
    while tickets.withLock({ tickets in tickets.isEmpty }) { await Task.yield() }
    let last = try #require(tickets.withLock { tickets in tickets.first })
    #expect(try await busy.receipt(for: last).revision == 3)
    let kinds: [FileCall.Operation] = [.append, .sync]
    let calls = door.calls.filter { call in kinds.contains(call.operation) && call.path.hasPrefix("/busy") }
    #expect(calls.suffix(2).map(\.operation) == kinds)
  }

  @Test func idleWritersReleaseHeadAndBuffers() async throws {
    let sweeps = Locked<[@Sendable () -> Void]>([])
    var environment = LogEnvironment.test()
    environment.resources = LogResources(
      threads: ThreadPool(threadLimit: 1),
      schedule: { _, body in
        sweeps.withLock { sweeps in sweeps.append(body) }
        return {}
      })
    let door = FaultyFileSystem(files)
    let writer = try open("/log", environment, in: door)
    func headCount() -> Int { door.calls.count { call in call.operation == .open && call.path == "/log/HEAD" } }
    func sweep(_ number: Int) throws {
      let last = sweeps.withLock { sweeps in sweeps.count == number ? sweeps.last : nil }
      let body = try #require(last)
      body()
    }
    for number in 1...3 { try await writer.append([.numbered(number)]) }
    let before = headCount()
    try sweep(1)
    try await writer.append([.numbered(4)])
    #expect(headCount() == before, "it was busy before the first sweep")
    try sweep(2)
    try sweep(3)
    try await writer.append([.numbered(5)])
    #expect(headCount() == before + 1, "HEAD was closed, and is opened again")
    #expect(sweeps.withLock { sweeps in sweeps.count } == 4, "the writer is swept again")
    try await writer.append([.numbered(6)])
    #expect(headCount() == before + 1)
    try await writer.close()
    try sweep(4)
    #expect(sweeps.withLock { sweeps in sweeps.count } == 4, "a closed writer is not")
  }

  @Test func fewWritersKeepHeadOpen() async throws {
    let environment = LogEnvironment.test()
    let door = FaultyFileSystem(files)
    let writers = try (0..<66).map { number in try open("/log\(number)", environment, in: door) }
    door.forgetCalls()
    func headCount() -> Int { door.calls.count { call in call.operation == .open && call.path.hasSuffix("/HEAD") } }
    for writer in writers { try await writer.append([.numbered(1)]) }
    #expect(headCount() == 2, "64 keep it open")
    try await writers[0].close()
    for number in 2...4 { try await writers[65].append([.numbered(number)]) }
    #expect(headCount() == 3, "the last one has taken the place of the first")
    for writer in writers { try await writer.close() }
    #expect(try files.contents(of: "/log64/HEAD") != files.contents(of: "/log65/HEAD"))
  }
}

extension SharedResourcesTests {
  /// Two logs share one thread. The power is cut before each of their calls: what was acknowledged survives in both.
  @Test func aPowerCutAtAnyCallKeepsBothLogs() async throws {
    let files = MemoryFileSystem()
    let acknowledged = Locked([0, 0])
    let images = Locked<[(disk: MemoryFileSystem, acknowledged: [Int])]>([])
    let door = FaultyFileSystem(files) { _ in
      // In this order: an acknowledgment between the two would be missing from the image.
      let counts = acknowledged.withLock { counts in counts }
      let disk = files.crash(.onlySyncedSurvives)
      images.withLock { images in images.append((disk, counts)) }
    }
    let environment = LogEnvironment.test(threads: ThreadPool(threadLimit: 1))
    let writers = try ["/a", "/b"].map { path in try open(path, environment, in: door) }
    for number in 1...6 {
      let tickets = try writers.map { writer in try writer.enqueue([.numbered(number)]) }
      for (index, writer) in writers.enumerated() {
        _ = try await writer.receipt(for: tickets[index])
        acknowledged.withLock { counts in counts[index] = number }
      }
    }
    for writer in writers { try await writer.close() }
    let all = images.withLock { images in images }
    #expect(all.count > 100)
    for image in all {
      for (index, path) in ["/a", "/b"].enumerated() where image.acknowledged[index] > 0 {
        let reader = try LogReader.open(at: path, fileSystem: image.disk)
        let extent = try reader.extent()
        #expect(extent.ending.damage == nil)
        #expect(extent.lastRevision >= image.acknowledged[index])
      }
    }
  }
}
