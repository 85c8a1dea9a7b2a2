public import ActionLog
import Platform

/// Projections of one log that share one read and one decoding of its actions.
///
/// ```swift
/// let group = try await ProjectionGroup<Shop>.open(at: "my-log")
/// let sales = try await group.add(SalesPerDay.self)
/// let stock = try await group.run(StockByItem.self)  // reads the actions that the snapshots of both lack, once
/// ```
///
/// A projection that is added after the start reads by itself what it lacks, and then shares with the others.
///
/// Everything runs on one thread of the group, which exists only while there is work. Memory is bounded: actions that a projection
/// is too slow for are read from the log again.
public final class ProjectionGroup<Source: Model>: Sendable {
  typealias Action = ProjectedAction<Source.Action>
  /// The projection by which the log is read: all of them have the same actions.
  typealias Reading = Projected<ActionsOnly<Source>>

  /// The path of the log.
  public let path: String

  let fileSystem: any LogFileSystem
  let options: ProjectionOptions
  let history: History<Reading>
  let thread = SerialQueue()
  let contents: Locked<Contents>
  /// The recorder of the log in this process.
  private let session: RecordingSession<Source>?
  private let observation = Locked<Int?>(nil)
  /// The log from the end of the first reading on. Used only on the group's thread.
  let followed = Locked<FollowedLog?>(nil)

  struct Contents: Sendable {
    var members: [any ProjectionMembership<Action>] = []
    var phase = ProjectionStatus.Phase.waiting
    var known = 0
    var isStepScheduled = false
    var cancelTimer: (@Sendable () -> Void)?
    var work = ProjectionWork()
  }

  private init(_ history: History<Reading>, _ session: RecordingSession<Source>?, _ options: ProjectionOptions) {
    self.history = history
    self.session = session
    self.options = options
    path = history.path
    fileSystem = history.fileSystem
    contents = Locked(Contents())
  }

  deinit {
    contents.withLock { contents in contents.cancelTimer }?()
    endObservation()
  }
}

// MARK: - Opening

extension ProjectionGroup {
  /// Opens a log that another process writes, or none. Following it takes a read at each polling interval.
  ///
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
      return ProjectionGroup(history, nil, options)
    }
  }

  /// Opens the log of a recorder in this process, which reports new actions to the group. When it is closed, the group reads at each
  /// polling interval instead.
  ///
  /// - Throws: As ``open(at:options:fileSystem:)``.
  public static func open(
    on recorder: Recorder<Source>, options: ProjectionOptions = ProjectionOptions()
  ) async throws -> ProjectionGroup {
    try await open(on: recorder.session, options)
  }

  /// Opens the log of a recording store in this process, which reports new actions to the group. When it is closed, the group reads
  /// at each polling interval instead.
  ///
  /// - Throws: As ``open(at:options:fileSystem:)``.
  public static func open(
    on store: RecordingStore<Source>, options: ProjectionOptions = ProjectionOptions()
  ) async throws -> ProjectionGroup {
    try await open(on: store.session, options)
  }

  /// Opens the log of a store in this process that is an actor, for a server, and reports new actions to the group. When it is closed,
  /// the group reads at each polling interval instead.
  ///
  /// - Throws: As ``open(at:options:fileSystem:)``.
  public static func open(
    on store: LogStore<Source>, options: ProjectionOptions = ProjectionOptions()
  ) async throws -> ProjectionGroup {
    try await open(on: store.session, options)
  }

  private static func open(
    on session: RecordingSession<Source>, _ options: ProjectionOptions
  ) async throws -> ProjectionGroup {
    try await BlockingWork.run {
      let history = try History<Reading>(
        at: session.path, fileSystem: session.fileSystem, unknownTypes: options.unknownTypes)
      let group = ProjectionGroup(history, session, options)
      let observation = session.progress.observe(options.level) { [weak group] _ in group?.scheduleStep() }
      group.observation.withLock { number in number = observation }
      return group
    }
  }

  /// Adds a projection, from its newest usable snapshot.
  ///
  /// - Returns: The runner of the projection. Closing it leaves the others running.
  /// - Throws: `LogError.Code.invalidArgument` for a name that cannot be that of a folder; `LogError.Code.closed` if the group was
  ///   closed; the failure, if the group has failed.
  public func add<P: Projection>(
    _ projection: P.Type,
    configuration: ProjectionConfiguration<P.State> = ProjectionConfiguration()
  ) async throws -> ProjectionRunner<P> where P.Source == Source {
    let member = try await BlockingWork.run { [path, fileSystem, options, session] in
      let history = try ProjectionHistory<P>(at: path, fileSystem: fileSystem, unknownTypes: options.unknownTypes)
      return try ProjectionMember<P>(history, session?.writer, configuration: configuration)
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

  /// Adds a projection and begins to read: the only projection of the group, or the last one that is added.
  ///
  /// - Returns: As ``add(_:configuration:)``. Closing the last runner of a group closes the group.
  /// - Throws: As ``add(_:configuration:)``.
  public func run<P: Projection>(
    _ projection: P.Type, configuration: ProjectionConfiguration<P.State> = ProjectionConfiguration()
  ) async throws -> ProjectionRunner<P> where P.Source == Source {
    let runner = try await add(projection, configuration: configuration)
    start()
    return runner
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
    endObservation()
    for member in members { member.end(with: nil) }
    // A step in progress ends at the next batch.
    await onThread {}
    for member in members { await member.close() }
  }

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

  func endObservation() {
    if let number = observation.withLock({ number in number }) { session?.progress.remove(number) }
  }
}

// MARK: - Status

extension ProjectionGroup {
  package var work: ProjectionWork { contents.withLock { contents in contents.work } }

  var phase: ProjectionStatus.Phase { contents.withLock { contents in contents.phase } }

  /// The last revision that is known to exist, whatever its durability.
  var knownRevision: Int {
    max(contents.withLock { contents in contents.known }, session?.writer.status.lastRevision ?? 0)
  }

  /// What the writer of this process has reached; `nil` without one or after its end.
  var recorded: LogStatus? {
    session.map { session in session.writer.status }.flatMap { status in status.isClosed ? nil : status }
  }

  /// Runs a closure on the group's thread after the work in progress.
  func onThread<Success: Sendable>(_ body: @escaping @Sendable () -> Success) async -> Success {
    await withCheckedContinuation { continuation in thread.async { continuation.resume(returning: body()) } }
  }

  func reachedRevision() async throws -> Int {
    scheduleStep()
    if let recorded { return options.level == .written ? recorded.writtenRevision : recorded.syncedRevision }
    return try await BlockingWork.run { [self] in try reachedRevision(in: history.refreshed().reader) }
  }

  func reachedRevision(in reader: LogReader) throws(LogError) -> Int {
    try options.level == .written ? reader.extent().lastRevision : reader.durableRevision()
  }
}

/// A projection without a state, by which a group reads the actions of a model.
enum ActionsOnly<Source: Model>: Projection {
  struct State: Codable, Equatable, Sendable {}

  static var name: String { "actions" }
  static var version: Int { 1 }
  static var initialState: State { State() }
  static func state(startingFrom base: Source.State) -> State { State() }
  static func apply(_ recorded: ProjectedAction<Source.Action>, to state: inout State) {}
}
