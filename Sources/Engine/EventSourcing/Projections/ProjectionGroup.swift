public import ActionLog
import Platform

/// Projections of one log that share one read and one decoding of its actions.
///
/// ```swift
/// let group = try await ProjectionGroup<Shop>.open(at: "my-log")
/// let sales = try await group.add(SalesPerDay.self)
/// let stock = try await group.add(StockByItem.self)
/// group.start()  // reads the actions that the snapshots of both lack, once
/// ```
///
/// A projection that is added after the start reads by itself what it lacks, and then shares with the others.
///
/// Everything runs on one thread of the group, which exists only while there is work. Memory is bounded: actions that a projection
/// is too slow for are read from the log again.
public final class ProjectionGroup<Source: Model>: Sendable {
  typealias Action = ProjectedAction<Source.Action>
  /// The projection by which the log is read: all of them have the same actions.
  private typealias Reading = Projected<ActionsOnly<Source>>

  /// The path of the log.
  public let path: String

  let fileSystem: any LogFileSystem
  private let options: ProjectionOptions
  private let history: History<Reading>
  private let keeper: SnapshotPublisher.LogKeeper
  private let thread = SerialQueue()
  private let contents: Locked<Contents>
  /// The recorder in this process, if there is one.
  private let recording: (feed: RecordingFeed<Source.Action>, feeds: RecordingFeeds<Source.Action>)?
  /// Used only on the group's thread.
  private let source: Locked<ActionSource>

  /// The origin of actions that were not in the log when it was read.
  private enum ActionSource: Sendable {
    /// A recorder in this process.
    case feed(RecordingFeed<Source.Action>)
    /// The log, which another process or another part of this one writes. It is followed from the first step on.
    case log(FollowedLog?)
  }

  /// The most portions of one step, so that callers that wait for the thread have their turn.
  private static var portionLimit: Int { 16 }

  private struct Contents: Sendable {
    var members: [any ProjectionMembership<Action>] = []
    var phase = ProjectionStatus.Phase.waiting
    /// The last revision that is known to exist.
    var known = 0
    var isStepScheduled = false
    var cancelTimer: (@Sendable () -> Void)?
    var work = ProjectionWork()
  }

  private init(
    _ history: History<Reading>,
    _ recording: (feed: RecordingFeed<Source.Action>, feeds: RecordingFeeds<Source.Action>)?,
    keeper: SnapshotPublisher.LogKeeper, options: ProjectionOptions
  ) {
    self.history = history
    self.recording = recording
    self.options = options
    self.keeper = keeper
    source = Locked(recording.map { recording in .feed(recording.feed) } ?? .log(nil))
    path = history.path
    fileSystem = history.fileSystem
    contents = Locked(Contents())
  }

  deinit {
    contents.withLock { contents in contents.cancelTimer }?()
    leaveFeed()
  }
}

// MARK: - Opening

extension ProjectionGroup {
  /// Opens a log that another process writes, or none. Following it takes a read at each polling interval.
  ///
  /// - Parameters:
  ///   - path: The log's directory.
  ///   - options: The durability of the actions to fold, and the polling interval.
  ///   - fileSystem: The file system that holds the log.
  /// - Throws: `LogError`, with the code `wrongModel` if the log belongs to another model; ``EventSourcingError``.
  public static func open(
    at path: String, options: ProjectionOptions = ProjectionOptions(),
    fileSystem: any LogFileSystem = POSIXFileSystem()
  ) async throws -> ProjectionGroup {
    try await BlockingWork.run {
      let history = try History<Reading>(at: path, fileSystem: fileSystem, unknownTypes: options.unknownTypes)
      guard !history.reader.isSingleSegment else {
        throw LogError(
          .invalidArgument, "a projection of a single segment cannot be kept up to date", path: path,
          advice: "Give the log's directory.")
      }
      // The actions are durable before they are folded, so there is nothing to sync.
      let keeper = SnapshotPublisher.LogKeeper(path: history.path, makeDurable: { _ in }, confirm: {})
      return ProjectionGroup(history, nil, keeper: keeper, options: options)
    }
  }

  /// Opens the log of a recorder in this process. What is recorded from now on is not read from the log.
  ///
  /// When the recorder is closed, the group follows the log instead.
  ///
  /// - Throws: As ``open(at:options:fileSystem:)``.
  public static func open(
    on recorder: Recorder<Source>, options: ProjectionOptions = ProjectionOptions()
  ) async throws -> ProjectionGroup {
    try await open(on: recorder.session, options)
  }

  /// Opens the log of a recording store in this process. What is recorded from now on is not read from the log.
  ///
  /// When the store is closed, the group follows the log instead.
  ///
  /// - Throws: As ``open(at:options:fileSystem:)``.
  public static func open(
    on store: RecordingStore<Source>, options: ProjectionOptions = ProjectionOptions()
  ) async throws -> ProjectionGroup {
    try await open(on: store.session, options)
  }

  private static func open(
    on session: RecordingSession<Source>, _ options: ProjectionOptions
  ) async throws -> ProjectionGroup {
    try await BlockingWork.run {
      let history = try History<Reading>(
        at: session.path, fileSystem: session.fileSystem, unknownTypes: options.unknownTypes)
      let feed = session.feeds.attach(options.level)
      let group = ProjectionGroup(
        history, (feed, session.feeds), keeper: SnapshotPublisher.LogKeeper(session.writer), options: options)
      feed.notify { [weak group] in group?.scheduleStep() }
      return group
    }
  }

  /// Adds a projection, from its newest usable snapshot.
  ///
  /// - Returns: The runner of the projection. Closing it leaves the others running.
  /// - Throws: `LogError.Code.invalidArgument` for a name that cannot be that of a folder; `LogError.Code.closed` if the group was
  ///   closed; the failure, if the group has failed.
  /// - Complexity: O(size of the state); see ``Model/sourceFingerprint`` for the examination of the snapshot.
  public func add<P: Projection>(
    _ projection: P.Type,
    configuration: ProjectionConfiguration<P.State> = ProjectionConfiguration()
  ) async throws -> ProjectionRunner<P> where P.Source == Source {
    let member = try await BlockingWork.run { [path, fileSystem, options, keeper] in
      let history = try ProjectionHistory<P>(at: path, fileSystem: fileSystem, unknownTypes: options.unknownTypes)
      return try ProjectionMember<P>(history, keeper: keeper, configuration: configuration)
    }
    do {
      let mustStart = try contents.withLock { contents in
        if let failure = contents.phase.failure { throw failure }
        contents.members.append(member)
        if case .waiting = contents.phase { return false }
        return true
      }
      if mustStart { scheduleStep() }
    } catch {
      await member.close()
      throw error
    }
    return ProjectionRunner(group: self, member: member)
  }

  /// Begins to read. Does nothing after the first call.
  public func start() {
    let isFirst = contents.withLock { contents in
      guard case .waiting = contents.phase else { return false }
      contents.phase = .catchingUp
      return true
    }
    if isFirst { scheduleStep() }
  }

  /// Ends all projections of the group, and finishes their snapshots.
  public func close() async {
    let (members, cancel) = contents.withLock { contents in
      contents.phase = .closed
      defer { contents.members = [] }
      return (contents.members, contents.cancelTimer)
    }
    cancel?()
    leaveFeed()
    for member in members { member.end(with: nil) }
    // A step in progress ends at the next batch.
    await onThread {}
    for member in members { await member.close() }
  }

  /// Ends one projection.
  func close(_ member: some ProjectionMembership<Action>) async {
    let isLast = contents.withLock { contents in
      contents.members.removeAll { other in other === member }
      return contents.members.isEmpty
    }
    member.end(with: nil)
    if isLast { return await close(after: member) }
    await onThread {}
    await member.close()
  }

  private func close(after member: some ProjectionMembership<Action>) async {
    await close()
    await member.close()
  }

  private func leaveFeed() {
    if let recording { recording.feeds.detach(recording.feed) }
  }
}

// MARK: - Status

extension ProjectionGroup {
  /// The work of the group so far, shared by its projections.
  package var work: ProjectionWork { contents.withLock { contents in contents.work } }

  /// The number of actions that a recorder has offered and that are not folded yet.
  package var heldCount: Int { recording?.feed.count ?? 0 }

  /// The most actions that are held.
  package static var heldLimit: Int { RecordingFeed<Source.Action>.limit }

  var phase: ProjectionStatus.Phase { contents.withLock { contents in contents.phase } }

  /// The last revision that is known to exist, whatever its durability.
  var knownRevision: Int {
    max(contents.withLock { contents in contents.known }, recording?.feeds.lastRevision ?? 0)
  }

  /// Runs a closure on the group's thread after the work in progress.
  func onThread<Success: Sendable>(_ body: @escaping @Sendable () -> Success) async -> Success {
    await withCheckedContinuation { continuation in thread.async { continuation.resume(returning: body()) } }
  }

  /// Runs a closure on the group's thread, without waiting for it.
  func wake(_ body: @escaping @Sendable () -> Void) { thread.async(body) }

  /// Returns the last revision that has reached the level, and begins to fold up to it.
  func reachedRevision() async throws -> Int {
    scheduleStep()
    if let recording, !recording.feed.isEnded { return recording.feed.reached }
    return try await BlockingWork.run { [self] in try reachedRevision(in: history.refreshed().reader) }
  }

  private func reachedRevision(in reader: LogReader) throws(LogError) -> Int {
    try options.level == .written ? reader.extent().lastRevision : reader.durableRevision()
  }
}

// MARK: - Steps

extension ProjectionGroup {
  func scheduleStep() {
    let mustSchedule = contents.withLock { contents in
      if case .waiting = contents.phase { return false }
      guard contents.phase.failure == nil, !contents.isStepScheduled else { return false }
      contents.isStepScheduled = true
      return true
    }
    guard mustSchedule else { return }
    thread.async { [weak self] in self?.step() }
  }

  private var isRunning: Bool { phase.failure == nil }

  private var members: [any ProjectionMembership<Action>] { contents.withLock { contents in contents.members } }

  /// Folds everything that has reached the level. Runs on the group's thread.
  private func step() {
    let mustWork = contents.withLock { contents in
      contents.isStepScheduled = false
      if case .waiting = contents.phase { return false }
      return contents.phase.failure == nil
    }
    guard mustWork else { return }
    do {
      let isDone = try source.withLock { source in
        for _ in 0..<Self.portionLimit {
          guard isRunning, try takeNext(&source) else { return true }
        }
        return false
      }
      if isDone { finishStep() } else { scheduleStep() }
    } catch {
      fail(error)
    }
  }

  /// The last revision that all projections have folded; `nil` if there are none.
  private var position: Int? { members.map(\.revision).min() }

  /// Takes one portion from the source.
  ///
  /// - Returns: Whether there may be more.
  private func takeNext(_ source: inout ActionSource) throws -> Bool {
    guard let position else { return false }
    switch source {
    case .feed(let feed):
      switch feed.take(after: position) {
      case .actions(let actions): fold(actions, through: actions.last?.revision ?? position, durable: .max)
      case .unread(let last): try readLog(through: last)
      case .nothing: return false
      case .ended: source = .log(nil)
      }
      return true
    case .log(let known):
      var followed = try known ?? follow()
      // The only owner, so that nothing is copied.
      source = .log(nil)
      defer { source = .log(followed) }
      return try takeNext(&followed)
    }
  }

  /// Reads the part of the log that has reached the level, in large batches, and begins to follow it from there.
  private func follow() throws -> FollowedLog {
    let reader = try history.refreshed().reader
    let last = try reachedRevision(in: reader)
    try readLog(through: last)
    return try FollowedLog(reader, after: max(last, position ?? 0), durable: reader.durableRevision())
  }

  /// Takes what was added to the log since the last call.
  private func takeNext(_ followed: inout FollowedLog) throws -> Bool {
    if let lost = try followed.poll() {
      // The writer has discarded actions that were not durable. Only a projection of written actions may have folded them.
      for member in members { try member.restore(atOrBefore: lost - 1) }
    }
    guard let position else { return false }
    note(known: followed.lastRevision)
    let reached = options.level == .written ? followed.lastRevision : followed.durableRevision
    guard reached > position else { return followed.mayHaveMore }
    // A projection that was added later lacks earlier actions, and those that were too many to hold are in the log.
    if let first = followed.firstPending {
      if first > position + 1 { try readLog(through: min(reached, first - 1)) }
    } else {
      try readLog(through: reached)
    }
    try fold(followed.take(through: reached), durable: followed.durableRevision)
    return followed.mayHaveMore
  }

  private func fold(_ records: [LogRecord], durable: Int) throws {
    guard let last = records.last?.revision else { return }
    var actions: [Action] = []
    var isOpaque = false
    for record in records {
      do {
        let decoded = try history.decoder.actions(of: record)
        actions += decoded.actions
        isOpaque = isOpaque || decoded.isOpaque
      } catch {
        if record.revision > (records.first?.revision ?? 0) {
          fold(actions, through: record.revision - 1, isOpaque: isOpaque, durable: durable)
        }
        throw error
      }
    }
    contents.withLock { contents in contents.work.actionsDecoded += records.count }
    fold(actions, through: last, isOpaque: isOpaque, durable: durable)
  }

  private func fold(_ actions: [Action], through last: Int, isOpaque: Bool = false, durable: Int) {
    for member in members {
      member.fold(actions, through: last, isOpaque: isOpaque, durable: durable)
      member.settle(isCaughtUp: true, durable: durable)
    }
    contents.withLock { contents in
      contents.work.actionsHandedOver += actions.count
      if contents.phase.failure == nil { contents.phase = .live }
    }
  }

  /// Folds the records up to a revision from the log, once for all projections.
  private func readLog(through target: Int) throws {
    let waiting = members.filter { member in member.revision < target }
    guard let start = waiting.map(\.revision).min() else { return }
    contents.withLock { contents in if contents.phase.failure == nil { contents.phase = .catchingUp } }
    let history = try history.refreshed()
    let bounds = FoldBounds(start: start, target: target, readsPastTarget: false)
    var pipeline = DecodingPipeline(
      // At revision 0 the log may begin with another state.
      try history.reader.batches(from: start == 0 ? 0 : start + 1), decoder: history.decoder, bounds: bounds,
      executor: { .thread() })
    defer { pipeline.stop() }
    var bytesRead = 0
    report(start, target)
    while isRunning, let batch = try pipeline.next() {
      for member in waiting {
        try member.fold(batch, within: bounds, history.decoder.chain)
        member.settle(isCaughtUp: false, durable: target)
      }
      contents.withLock { contents in
        contents.work.bytesRead += batch.bytesRead - bytesRead
        contents.work.actionsDecoded += batch.actions.count
      }
      bytesRead = batch.bytesRead
      let last = batch.records.entries.last?.revision ?? 0
      report(min(last, target), target)
      pipeline.recycle(batch)
      if last >= target { break }
    }
    guard isRunning, let position = waiting.map(\.revision).min(), position < target else { return }
    throw EventSourcingError(
      .incompleteHistory, "action \(position + 1) is missing, and action \(target) was durable", path: path,
      revision: position + 1, advice: "Run 'action-log verify' for the full report.")
  }

  private func report(_ revision: Int, _ target: Int) {
    note(known: target)
    guard let progress = options.progress else { return }
    let work = work
    progress(
      ReplayProgress(
        revision: revision, target: target, actionsFolded: work.actionsDecoded, actionsLimit: nil,
        bytesRead: work.bytesRead))
  }

  private func note(known: Int) {
    contents.withLock { contents in contents.known = max(contents.known, known) }
  }

  /// Ends a step: everything that has reached the level is folded.
  private func finishStep() {
    let (durable, isLog) = source.withLock { source -> (Int, Bool) in
      switch source {
      case .feed: (.max, false)
      case .log(let followed): (followed?.durableRevision ?? 0, true)
      }
    }
    let members = contents.withLock { contents in
      if contents.phase.failure == nil { contents.phase = .live }
      return contents.members
    }
    for member in members { member.settle(isCaughtUp: true, durable: durable) }
    if isLog { scheduleTimer() }
  }

  /// Schedules the next poll.
  private func scheduleTimer() {
    guard isRunning, contents.withLock({ contents in contents.cancelTimer == nil }) else { return }
    let cancel = options.schedule(options.pollingInterval) { [weak self] in self?.endTimer() }
    let isClosed = contents.withLock { contents in
      guard contents.phase.failure == nil else { return true }
      contents.cancelTimer = cancel
      return false
    }
    if isClosed { cancel() }
  }

  private func endTimer() {
    contents.withLock { contents in contents.cancelTimer = nil }
    scheduleStep()
  }

  private func fail(_ error: any Error) {
    let members = contents.withLock { contents -> [any ProjectionMembership<Action>] in
      guard contents.phase.failure == nil else { return [] }
      contents.phase = .failed(error)
      return contents.members
    }
    leaveFeed()
    for member in members { member.end(with: error) }
  }
}

/// A projection without a state, by which a group reads the actions of a model.
enum ActionsOnly<Source: Model>: Projection {
  struct State: Codable, Equatable, Sendable {}

  static var name: String { "actions" }
  static var version: Int { 1 }
  static var initialState: State { State() }
  static func apply(_ recorded: ProjectedAction<Source.Action>, to state: inout State) {}
}

/// A log that another process writes.
struct FollowedLog: Sendable {
  private var follower: LogFollower
  /// The actions that were read and not taken, in order.
  private var pending: [LogRecord] = []
  /// The last revision that was durable in the beginning.
  private let firstDurable: Int
  /// The last revision that was read.
  private(set) var lastRevision: Int
  /// Whether the last call of ``poll()`` may have left records unread.
  private(set) var mayHaveMore = false

  /// The most records of one poll, and the most that wait to be durable. If there are more, they are read from the log again.
  static let limit = 10_000

  /// - Parameters:
  ///   - revision: The last revision that is not needed.
  ///   - durable: The last revision that is known to be durable.
  init(_ reader: LogReader, after revision: Int, durable: Int) throws(LogError) {
    follower = try reader.follower(from: revision + 1)
    lastRevision = revision
    firstDurable = durable
  }

  /// The last revision that was read and is known to be durable.
  var durableRevision: Int { min(max(firstDurable, follower.durableRevision), lastRevision) }

  /// The first revision of the actions that wait.
  var firstPending: Int? { pending.first?.revision }

  /// Reads what was added.
  ///
  /// - Returns: The first revision that the writer has discarded; `nil` if it has discarded none.
  mutating func poll() throws(LogError) -> Int? {
    mayHaveMore = false
    do throws(LogError) {
      let records = try follower.poll(maximumCount: Self.limit)
      mayHaveMore = !records.isEmpty
      for record in records where !record.isControl && record.revision > lastRevision {
        lastRevision = record.revision
        if pending.count == Self.limit { pending.removeAll(keepingCapacity: true) }
        pending.append(record)
      }
      return nil
    } catch {
      guard error.code == .rejected, let revision = error.revision else { throw error }
      pending.removeAll { record in record.revision >= revision }
      lastRevision = min(lastRevision, revision - 1)
      mayHaveMore = true
      return revision
    }
  }

  /// Takes the actions up to a revision.
  mutating func take(through revision: Int) -> [LogRecord] {
    let count = pending.prefix { record in record.revision <= revision }.count
    defer { pending.removeFirst(count) }
    return Array(pending.prefix(count))
  }
}
