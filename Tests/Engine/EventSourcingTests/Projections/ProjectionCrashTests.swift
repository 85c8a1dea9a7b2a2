import ActionLog
import ActionLogTesting
import EventSourcing
import Platform
import TestSupport
import Testing

/// Each call to the disk of a projection's snapshot fails once, and the power fails after each of them. Whatever is left, the state is
/// the fold of the log.
@MainActor @Suite struct ProjectionCrashTests {
  private static let actionCount = 12

  /// A log with snapshots of the model and no projection.
  private func recordedLog() async throws -> MemoryFileSystem {
    let disk = MemoryFileSystem()
    try await record(
      (1...Self.actionCount).map(TallyAction.add), as: Tally.self, at: "log", in: disk,
      configuration: reproducible(Tally.self, snapshots: .every(5)))
    return disk
  }

  /// Catches up with the log, takes a snapshot, and keeps one.
  private func run(on files: any LogFileSystem) async throws {
    let configuration = ProjectionConfiguration<TallyTotals>(
      snapshots: .logGrowth(minimumBytes: 1), retention: .newest(1))
    let runner = try await ProjectionGroup<Tally>.open(
      at: "log", options: ProjectionOptions(schedule: HandTimer().schedule),
      fileSystem: files
    ).run(Totals.self, configuration: configuration)
    do { try await runner.caughtUp() } catch {
      await runner.close()
      throw error
    }
    #expect(await runner.current().revision == Self.actionCount)
    await runner.settleSnapshots()
    await runner.close()
  }

  /// The log is unchanged, and the projection is its fold.
  private func check(_ disk: MemoryFileSystem, _ comment: String) async throws {
    let expected = try totals(disk.records())
    #expect(expected.actions == Self.actionCount, "\(comment)")
    let history = try await ProjectionHistory<Totals>(at: "log", fileSystem: disk)
    #expect(try history.state() == expected, "\(comment)")
    #expect(
      try await History<Tally>(at: "log", fileSystem: disk).replay().report.snapshotsRefused.isEmpty, "\(comment)")
    // The next runner cleans up and takes a snapshot.
    try await run(on: disk)
    #expect(try disk.names(in: "log/projections/totals") == ["0000000000000012.json"], "\(comment)")
    #expect(try history.replay().report.startRevision == Self.actionCount, "\(comment)")
  }

  @Test func aProjectionSurvivesAPowerCutAtEachCall() async throws {
    let disk = try await recordedLog()
    let images = Locked<[(call: String, disk: MemoryFileSystem)]>([])
    let watched = FaultyFileSystem(disk) { call in
      guard call.path.contains("projections") else { return }
      let seed = images.withLock { images in images.count }
      let model = CrashModel(seed: UInt64(seed), pageSurvival: 0.5, entrySurvival: 0.5, sizeSurvival: 0.5)
      let image = disk.crash(model)
      images.withLock { images in images.append((call.description, image)) }
    }
    try await run(on: watched)
    let all = images.withLock { images in images }
    #expect(all.count > 8)
    for image in all { try await check(image.disk, image.call) }
  }

  @Test(arguments: FileCall.Operation.allCases)
  func aProjectionSurvivesEveryFault(of operation: FileCall.Operation) async throws {
    let earlier = try await recordedLog()
    for code in [FileSystemError.Code.inputOutput, .noSpace] {
      var number = 0
      var hasFired = true
      while hasFired {
        number += 1
        let disk = earlier.copy()
        let faulty = FaultyFileSystem(
          disk, faults: [FileFault(operation, number: number, code: code, partialWrite: .half)])
        do { try await run(on: faulty) } catch {
          #expect(error is LogError || error is EventSourcingError, "\(operation) \(number): \(error)")
        }
        try await check(disk, "\(operation) \(number) \(code)")
        hasFired = faulty.firedCount > 0
      }
    }
  }
}
