import ActionLog
import ActionLogTesting
import EventSourcing
import ImmutableData
import TestSupport
import Testing

/// One run of a program with a faulty disk: the actions, the acknowledgments, and the checks after it.
@MainActor struct FaultLife {
  /// The disk without the faults.
  let disk: MemoryFileSystem
  /// The accepted actions, in order. The last one may be an action whose outcome the log reported as unknown.
  private(set) var accepted: [TallyAction]
  /// The number of actions that were acknowledged as durable.
  private(set) var acknowledged: Int
  /// Images of the disk after power cuts at several times, with the number of actions acknowledged by then.
  private var images: [(disk: MemoryFileSystem, acknowledged: Int)] = []

  private let faulty: FaultyFileSystem
  private let fault: FileFault

  /// More calls than any run needs, to detect an endless loop.
  private static let callLimit = 10_000

  /// Begins on a disk on which another run ended without closing its log.
  ///
  /// - Parameter earlier: The result of ``firstLife()``.
  init(_ fault: FileFault, after earlier: MemoryFileSystem) {
    disk = earlier.copy()
    accepted = Self.firstActions
    acknowledged = accepted.count
    self.fault = fault
    faulty = FaultyFileSystem(disk, faults: [fault])
  }

  private static let firstActions: [TallyAction] = [.add(1), .add(2), .add(3), .add(4)]

  /// A disk with the log of a killed program.
  static func firstLife() async throws -> MemoryFileSystem {
    let disk = MemoryFileSystem()
    let store = try RecordingStore<StrictTally>(at: "log", configuration: configuration, fileSystem: disk)
    for action in firstActions { try await store.dispatch(action: action, awaiting: .synced) }
    return disk.copy()
  }

  /// Small segments and a snapshot at every third revision, so that a short run writes every kind of file.
  private static var configuration: RecordingConfiguration<StrictTally> {
    var configuration = reproducible(StrictTally.self, snapshots: .every(3), segmentLimitBytes: 900)
    configuration.retention = .newest(2)
    return configuration
  }

  /// Whether the fault occurred.
  var hasFired: Bool { faulty.firedCount > 0 }

  /// Keeps an error, which must be one that is meant for people.
  private func note(_ error: any Error) {
    #expect(error is LogError || error is EventSourcingError, "\(fault): \(error)")
  }

  /// Keeps the disk as a power cut would leave it now: a different one in each run, and in every other run before the log is
  /// closed.
  private mutating func cutPower(beforeClosing: Bool) {
    guard beforeClosing == fault.number.isMultiple(of: 2) else { return }
    let crash = CrashModel(seed: UInt64(fault.number))
    images.append((disk: disk.crash(crash), acknowledged: acknowledged))
  }

  private mutating func acknowledge(_ receipt: LogReceipt) {
    #expect(receipt.revision <= accepted.count, "\(fault)")
    acknowledged = max(acknowledged, receipt.revision)
  }
}

// MARK: - Lives

extension FaultLife {
  /// Records through a store and its recorder.
  mutating func record() async throws {
    let recorder: Recorder<StrictTally>
    do {
      recorder = try await Recorder.open(at: "log", configuration: Self.configuration, fileSystem: faulty)
    } catch { return note(error) }
    let store = try recorder.makeStore()
    for number in 5...8 {
      do { try store.dispatch(action: .add(number)) } catch {
        note(error)
        break
      }
      accepted.append(.add(number))
      if number % 2 == 0 { await flush(recorder) }
      if number == 6 { await refuse(recorder) }
    }
    cutPower(beforeClosing: true)
    await close(recorder)
  }

  private mutating func flush(_ recorder: Recorder<StrictTally>) async {
    do { acknowledge(try await recorder.sync()) } catch {
      note(error)
      recorder.resume()
    }
  }

  private func refuse(_ recorder: Recorder<StrictTally>) async {
    do { try await recorder.recordRefusal(of: .add(-1), error: TallyError(code: .negative)) } catch { note(error) }
  }

  private mutating func close(_ recorder: Recorder<StrictTally>) async {
    do {
      try await recorder.close()
      acknowledged = accepted.count
    } catch {
      note(error)
      // A second attempt, as a user would make.
      do {
        try await recorder.close()
        if recorder.status.waiting == 0, recorder.logStatus.failure == nil { acknowledged = accepted.count }
      } catch {
        note(error)
        await recorder.abandon()
      }
    }
  }

  /// Records through a recording store.
  mutating func recordSynchronously() async throws {
    let store: RecordingStore<StrictTally>
    do {
      store = try RecordingStore(at: "log", configuration: Self.configuration, fileSystem: faulty)
    } catch { return note(error) }
    for number in 5...8 {
      await dispatch(.add(number), durably: number % 2 == 0, to: store)
      if number == 6 { await dispatch(.add(-1), durably: false, to: store) }
    }
    cutPower(beforeClosing: true)
    #expect(store.state == (try folded(StrictTally.self, accepted.prefix(store.logStatus.lastRevision))), "\(fault)")
    for attempt in 1...2 {
      do {
        try await store.close()
        if store.logStatus.failure == nil { acknowledged = accepted.count }
        break
      } catch {
        note(error)
        if attempt == 2 { await store.abandon() }
      }
    }
  }

  private mutating func dispatch(
    _ action: TallyAction, durably: Bool, to store: RecordingStore<StrictTally>
  ) async {
    let before = store.state
    do {
      try store.dispatch(action: action)
      accepted.append(action)
      if durably { acknowledge(try await store.sync()) }
    } catch is TallyError {
      #expect(store.state == before)
    } catch {
      note(error)
      let isUnknown = (error as? LogError)?.code == .failed && store.logStatus.failure != nil
      if isUnknown, store.state == before, accepted.last != action { accepted.append(action) }
    }
  }
}

// MARK: - Afterwards

extension FaultLife {
  /// Opens the log after power cuts, and on the repaired disk. It must have a prefix of the accepted actions that includes
  /// everything acknowledged, and accept more.
  mutating func check() async throws {
    #expect(faulty.calls.count < Self.callLimit, "\(fault)")
    cutPower(beforeClosing: false)
    for image in images { try await check(image.disk, acknowledged: image.acknowledged) }
    try await check(disk, acknowledged: acknowledged)
  }

  private func check(_ disk: MemoryFileSystem, acknowledged: Int) async throws {
    let store = try RecordingStore<StrictTally>(at: "log", configuration: Self.configuration, fileSystem: disk)
    let count = store.logStatus.lastRevision
    #expect((acknowledged...accepted.count).contains(count), "\(fault)")
    var expected = Array(accepted.prefix(count))
    #expect(store.state == (try folded(StrictTally.self, expected)), "\(fault)")
    try store.dispatch(action: .add(1_000))
    expected.append(.add(1_000))
    try await store.close()
    let history = try await History<StrictTally>(at: "log", fileSystem: disk)
    #expect(try history.actions(in: 1...expected.count).flatMap(\.actions) == expected, "\(fault)")
    // Snapshots are compared with the digests at their revisions.
    let report = try history.replay(options: .checkingDigests(usesSnapshots: false)).report
    #expect(report.divergences.isEmpty, "\(fault)")
    for snapshot in try history.snapshots?.revisions() ?? [] {
      #expect(try history.state(at: snapshot) == folded(StrictTally.self, expected.prefix(snapshot)), "\(fault)")
    }
  }
}
