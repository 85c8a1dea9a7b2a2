import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import EventSourcing
import JSONCoding
import Platform
import TestSupport
import Testing

/// The snapshots of a projection of a set of logs: reopening folds only what is new, and whatever does not fit the logs is not used.
@MainActor @Suite struct LogSetSnapshotTests {
  private let disk = MemoryFileSystem()
  private let folder = "set/projections/sums"

  private func open(in files: (any LogFileSystem)? = nil, redactable: Bool = false) async throws -> LogSet<Tally> {
    var recording = reproducible(Tally.self)
    recording.log.redactable = redactable
    return try await LogSet<Tally>.open(
      at: "set", configuration: LogSetConfiguration(recording: recording, openLimit: 4), fileSystem: files ?? disk)
  }

  private func add(_ number: Int, to key: String, in set: LogSet<Tally>) async throws {
    _ = try await set.withStore(for: key) { store in
      try await store.dispatch(action: .add(number), awaiting: .synced)
    }
  }

  /// A projection that takes a snapshot after each window, and keeps one.
  private func make<P: Projection>(
    _ projection: P.Type, of set: LogSet<Tally>, retention: SnapshotRetention = .newest(1)
  ) -> LogSetProjection<P> where P.Source == Tally {
    LogSetProjection<P>(
      of: set, configuration: ProjectionConfiguration(snapshots: SnapshotPolicy { _ in true }, retention: retention))
  }

  /// Three logs with five actions each, and a snapshot of them.
  private func recorded<P: SumsProjection>(
    _ type: P.Type = Sums.self, redactable: Bool = false
  ) async throws -> LogSet<Tally> {
    let set = try await open(redactable: redactable)
    for number in 1...5 {
      for key in ["ann", "bob", "cid"] { try await add(number, to: key, in: set) }
    }
    let projection = make(type, of: set)
    #expect(try await projection.refresh() == 15)
    #expect(await projection.snapshotError == nil)
    await projection.close()
    #expect(try disk.names(in: folder) == ["0000000000000015.json"])
    return set
  }

  private func path(of key: String, in set: LogSet<Tally>) async throws -> String {
    try await set.history(for: key).path
  }

  /// The state without snapshots.
  private func expected(_ set: LogSet<Tally>) async throws -> [String: Int] {
    var sums: [String: Int] = [:]
    for key in try await set.keys() { sums[key] = try await set.history(for: key).state().sum }
    return sums
  }

  // MARK: - Reopening

  @Test func reopeningFoldsOnlyNewActions() async throws {
    let set = try await recorded()
    let unchanged = make(Sums.self, of: set)
    #expect(try await unchanged.refresh() == 0, "everything is in the snapshot")
    #expect(await unchanged.state.sums == ["ann": 15, "bob": 15, "cid": 15])
    #expect(await unchanged.revisions == ["ann": 5, "bob": 5, "cid": 5])
    await unchanged.close()
    try await add(100, to: "bob", in: set)
    try await add(1_000, to: "dan", in: set)
    let reopened = make(Sums.self, of: set)
    #expect(try await reopened.refresh() == 2)
    #expect(await reopened.state.sums == ["ann": 15, "bob": 115, "cid": 15, "dan": 1_000])
    #expect(await reopened.snapshotsRefused.isEmpty)
    await reopened.close()
    #expect(try disk.names(in: folder) == ["0000000000000017.json"], "one snapshot is kept")
    try await set.close()
  }

  @Test func aSnapshotIsTakenDuringALongFold() async throws {
    let count = LogSetProjection<Sums>.windowActions + 1
    let set = try await open()
    try await set.withStore(for: "ann") { store in
      for _ in 1...count { try store.dispatch(action: .add(1)) }
      try await store.sync()
    }
    let projection = make(Sums.self, of: set, retention: .all)
    #expect(try await projection.refresh() == count)
    await projection.close()
    #expect(try disk.names(in: folder) == ["0000000000001024.json", "0000000000001025.json"])
    try await set.close()
  }

  @Test func aRebuildRemovesTheSnapshots() async throws {
    let set = try await recorded()
    let projection = LogSetProjection<Sums>(of: set, configuration: ProjectionConfiguration(snapshots: .never))
    #expect(try await projection.rebuild() == 15)
    #expect(await projection.state.sums == ["ann": 15, "bob": 15, "cid": 15])
    await projection.close()
    #expect(try disk.names(in: folder).isEmpty)
    try await set.close()
  }

  @Test func onlyOneProjectionTakesSnapshots() async throws {
    let set = try await recorded()
    let first = make(Sums.self, of: set)
    let second = make(Sums.self, of: set)
    try await first.refresh()
    try await add(1, to: "ann", in: set)
    #expect(try await second.refresh() == 1, "it reads the snapshot")
    #expect(await first.takesSnapshots)
    #expect(await !second.takesSnapshots)
    #expect(await second.snapshotError == nil)
    #expect(try disk.names(in: folder) == ["0000000000000015.json"])
    await second.close()
    await first.close()
    let third = make(Sums.self, of: set)
    try await third.refresh()
    #expect(await third.takesSnapshots, "the folder was released")
    await third.close()
    try await set.close()
  }

  // MARK: - Redactions

  nonisolated private static func redact(_ disk: MemoryFileSystem, _ revision: Int, at path: String) throws {
    let history = try History<Tally>(at: path, fileSystem: disk)
    let index = try #require(try history.reader.lineIndices(ofActions: [revision])[revision])
    _ = try history.redact(
      [RedactionTarget(index: index, replacements: [ValueReplacement(JSONPointer(["data", "_0"]))])],
      reason: "request", environment: tickingEnvironment())
  }

  @Test func aSnapshotFromBeforeARedactionIsNotUsed() async throws {
    let first = try await recorded(SealedSums.self, redactable: true)
    let log = try await path(of: "bob", in: first)
    try await first.close()
    let snapshot = folder + "/0000000000000015.json"
    let old = try disk.contents(of: snapshot)
    #expect(!String(decoding: old, as: UTF8.self).contains("redact"))
    try Self.redact(disk, 5, at: log)
    let set = try await open(redactable: true)
    for isRestored in [false, true] {
      if isRestored { try disk.setContents(old, of: snapshot) }
      let projection = make(SealedSums.self, of: set)
      #expect(try await projection.refresh() == 15)
      #expect(await projection.snapshotsRefused.map(\.code) == [.redacted])
      #expect(await projection.state.sums == ["ann": 15, "bob": 10, "cid": 15])
      await projection.close()
      #expect(try disk.contents(of: snapshot) != old)
      // The new one states the redaction.
      let reopened = make(SealedSums.self, of: set)
      #expect(try await reopened.refresh() == 0)
      #expect(await reopened.snapshotsRefused.isEmpty)
      #expect(await reopened.state.sums == ["ann": 15, "bob": 10, "cid": 15])
      await reopened.close()
    }
    try await set.close()
  }

  /// Later redactions of values that were not folded yet do not count.
  @Test func aRedactionOfLaterActionsKeepsTheSnapshot() async throws {
    let first = try await recorded(SealedSums.self, redactable: true)
    let log = try await path(of: "bob", in: first)
    for number in 6...7 { try await add(number, to: "bob", in: first) }
    try await first.close()
    try Self.redact(disk, 6, at: log)
    let set = try await open(redactable: true)
    for count in [2, 0] {
      let projection = make(SealedSums.self, of: set)
      #expect(try await projection.refresh() == count)
      #expect(await projection.snapshotsRefused.isEmpty)
      #expect(await projection.state.sums["bob"] == 22)
      await projection.close()
    }
    try await set.close()
  }

  @Test func noSnapshotIsTakenOfRedactedValues() async throws {
    let first = try await recorded(SealedSums.self, redactable: true)
    let log = try await path(of: "bob", in: first)
    try await first.close()
    let set = try await open(redactable: true)
    let projection = make(SealedSums.self, of: set)
    #expect(try await projection.refresh() == 0)
    try Self.redact(disk, 5, at: log)
    try await add(7, to: "bob", in: set)
    #expect(try await projection.refresh() == 1)
    #expect((await projection.snapshotError as? LogError)?.code == .rejected)
    #expect(try disk.names(in: folder) == ["0000000000000015.json"])
    #expect(try await projection.rebuild() == 16)
    #expect(await projection.snapshotError == nil)
    #expect(await projection.state.sums["bob"] == 17)
    #expect(try disk.names(in: folder) == ["0000000000000016.json"])
    await projection.close()
    try await set.close()
  }

  // MARK: - Other code

  @Test func otherCodeIsFoldedFromTheBeginning() async throws {
    let set = try await recorded()
    let newer = make(NewSums.self, of: set)
    #expect(try await newer.refresh() == 15)
    #expect(await newer.snapshotsRefused.map(\.code) == [.otherProjection])
    await newer.close()
    try await set.close()
  }

  @Test func aDamagedSnapshotIsPassedOver() async throws {
    let set = try await recorded()
    try disk.flipBit(0, ofByte: 60, in: folder + "/0000000000000015.json")
    let projection = make(Sums.self, of: set)
    #expect(try await projection.refresh() == 15)
    #expect(await projection.snapshotsRefused.map(\.code) == [.damaged])
    #expect(await projection.state.sums == (try expected(set)))
    await projection.close()
    try await set.close()
  }

  // MARK: - Other logs

  @Test func aReplacedLogDiscardsTheSnapshot() async throws {
    let set = try await replaced(Sums.self)
    let projection = make(Sums.self, of: set)
    try await check(projection, folds: 16, to: ["ann": 15, "bob": 42, "cid": 15])
    try await set.close()
  }

  /// With a fingerprint, no log is read before it is its turn.
  @Test func aReplacedLogIsFoundWhenItIsRead() async throws {
    let set = try await replaced(SealedSums.self)
    let projection = make(SealedSums.self, of: set)
    #expect(try await projection.refresh(["ann"]) == 0, "the snapshot fits this log")
    try await check(projection, folds: 16, to: ["ann": 15, "bob": 42, "cid": 15])
    try await set.close()
  }

  /// Another log with more actions has taken the place of one.
  private func replaced<P: SumsProjection>(_ type: P.Type) async throws -> LogSet<Tally> {
    let set = try await recorded(type)
    let path = try await path(of: "bob", in: set)
    try await set.close()
    try disk.rename(path, to: "aside")
    let reopened = try await open()
    for _ in 1...6 { try await add(7, to: "bob", in: reopened) }
    return reopened
  }

  private func check<P: SumsProjection>(
    _ projection: LogSetProjection<P>, folds count: Int, to sums: [String: Int], _ keys: [String]? = nil
  ) async throws {
    #expect(try await projection.refresh(keys) == count)
    #expect(await projection.state.sums == sums)
    #expect(await projection.snapshotsRefused.map(\.code) == [.otherHistory])
    #expect(await projection.snapshotError == nil)
    await projection.close()
    #expect(try disk.names(in: folder) == ["00000000000000\(count < 10 ? "0" : "")\(count).json"])
  }

  @Test func aRestoredLogDiscardsTheSnapshot() async throws {
    try await restore(Sums.self)
  }

  @Test func aRestoredLogIsFoundWhenItIsRead() async throws {
    try await restore(SealedSums.self)
  }

  /// The same log with the same revisions, and another third action.
  private func restore<P: SumsProjection>(_ type: P.Type) async throws {
    let set = try await open()
    for number in 1...2 { try await add(number, to: "ann", in: set) }
    let path = try await path(of: "ann", in: set)
    try await set.close()
    let backup = try disk.names(in: path).map { name in (name, try disk.contents(of: path + "/" + name)) }
    let later = try await open()
    try await add(3, to: "ann", in: later)
    let first = make(type, of: later)
    #expect(try await first.refresh() == 3)
    await first.close()
    try await later.close()
    for (name, bytes) in backup { try disk.setContents(bytes, of: path + "/" + name) }
    let restored = try await open()
    try await add(100, to: "ann", in: restored)
    let projection = make(type, of: restored)
    try await check(projection, folds: 3, to: ["ann": 103])
    try await restored.close()
  }

  @Test func aRemovedLogIsNoPartOfTheState() async throws {
    let set = try await recorded()
    let live = make(OtherSums.self, of: set)
    try await live.refresh()
    let path = try await path(of: "bob", in: set)
    try await set.close()
    try disk.rename(path, to: "aside")
    let reopened = try await open()
    // A projection that has folded its actions reports it; one that begins does not use the snapshot.
    try await live.refresh()
    #expect(await (live.failures["bob"] as? LogError)?.code == .notFound)
    await live.close()
    let projection = make(Sums.self, of: reopened)
    #expect(try await projection.refresh() == 10)
    #expect(await projection.state.sums == ["ann": 15, "cid": 15])
    await projection.close()
    try await reopened.close()
  }

  @Test func aDamagedLogKeepsTheSnapshot() async throws {
    let set = try await recorded()
    let path = try await path(of: "bob", in: set)
    try await set.close()
    try disk.flipBit(0, ofByte: 30, in: path + "/0000000000000001.jsonl")
    let reopened = try await open()
    try await add(1, to: "ann", in: reopened)
    let projection = make(Sums.self, of: reopened)
    #expect(try await projection.refresh() == 1)
    #expect(await projection.state.sums == ["ann": 16, "bob": 15, "cid": 15], "the damaged log was folded before")
    #expect(await Array(projection.failures.keys) == ["bob"])
    #expect(await projection.snapshotsRefused.isEmpty)
    await projection.close()
    try await reopened.close()
  }

  // MARK: - Keys

  @Test func keysThatSwiftTakesForEqualAreTwoLogs() async throws {
    let set = try await open()
    for (number, key) in ["\u{E9}", "e\u{301}"].enumerated() { try await add(number + 1, to: key, in: set) }
    for _ in 1...2 {
      let projection = make(Counts.self, of: set)
      try await projection.refresh()
      #expect(await projection.state == 3)
      #expect(await projection.failures.isEmpty)
      await projection.close()
    }
    try await set.close()
  }

  // MARK: - Faults

  /// Each call to the disk of a snapshot fails once, and the power fails before each of them. Whatever is left, the state is the fold
  /// of the logs.
  @Test func theStateIsTheFoldAfterEachPowerCut() async throws {
    let set = try await recorded()
    try await add(100, to: "bob", in: set)
    try await set.close()
    let images = Locked<[(call: String, disk: MemoryFileSystem)]>([])
    let watched = FaultyFileSystem(disk) { [disk] call in
      guard call.path.contains("projections") else { return }
      let seed = images.withLock { images in images.count }
      let image = disk.crash(
        CrashModel(seed: UInt64(seed), pageSurvival: 0.5, entrySurvival: 0.5, sizeSurvival: 0.5))
      images.withLock { images in images.append((call.description, image)) }
    }
    try await refresh(in: watched)
    let all = images.withLock { images in images }
    #expect(all.count > 8)
    for (call, image) in all { try await refresh(in: image, call) }
  }

  @Test(arguments: FileCall.Operation.allCases) func theStateIsTheFoldAfterEachFault(
    of operation: FileCall.Operation
  ) async throws {
    let set = try await recorded()
    try await add(100, to: "bob", in: set)
    try await set.close()
    var number = 0
    var hasFired = true
    while hasFired {
      number += 1
      let copy = disk.copy()
      let faulty = FaultyFileSystem(copy)
      let set = try await open(in: faulty)
      faulty.add(FileFault(operation, number: number, partialWrite: .half))
      let projection = make(Sums.self, of: set)
      do { try await projection.refresh() } catch {
        #expect(error is LogError, "\(operation) \(number): \(error)")
      }
      hasFired = faulty.firedCount > 0
      faulty.heal()
      try await projection.refresh()
      #expect(await projection.state.sums == ["ann": 15, "bob": 115, "cid": 15], "\(operation) \(number)")
      #expect(await projection.failures.isEmpty, "\(operation) \(number)")
      await projection.close()
      try await set.close()
      try await refresh(in: copy, "\(operation) \(number)")
    }
    #expect(number > 0)
  }

  private func refresh(in files: any LogFileSystem, _ comment: String = "") async throws {
    let set = try await open(in: files)
    let projection = make(Sums.self, of: set)
    try await projection.refresh()
    #expect(await projection.state.sums == ["ann": 15, "bob": 115, "cid": 15], "\(comment)")
    #expect(await projection.takesSnapshots, "\(comment)")
    #expect(await projection.snapshotError == nil, "\(comment)")
    await projection.close()
    try await set.close()
  }
}

/// The sum of each log.
private protocol SumsProjection: Projection where Source == Tally, State == LogSums {}

struct LogSums: Codable, Equatable, Sendable {
  var sums: [String: Int] = [:]
}

extension SumsProjection {
  static var name: String { "sums" }
  static var version: Int { 1 }
  static var initialState: LogSums { LogSums() }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout LogSums) {
    guard case .add(let number) = recorded.action else { return }
    state.sums[recorded.key ?? "", default: 0] += number
  }
}

private enum Sums: SumsProjection {}

/// The same projection with another version.
private enum NewSums: SumsProjection {
  static var version: Int { 2 }
}

/// The same projection with a fingerprint of its sources.
private enum SealedSums: SumsProjection {
  static var sourceFingerprint: String? { "1" }
}

/// The same projection with another name.
private enum OtherSums: SumsProjection {
  static var name: String { "other" }
}

/// The sum of all logs.
private enum Counts: Projection {
  typealias Source = Tally
  static var name: String { "counts" }
  static var version: Int { 1 }
  static var initialState: Int { 0 }

  static func apply(_ recorded: ProjectedAction<TallyAction>, to state: inout Int) {
    if case .add(let number) = recorded.action { state += number }
  }
}
