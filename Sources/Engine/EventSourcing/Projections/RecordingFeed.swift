import ActionLog
import Platform

// Hands the actions of a recorder to projections in the same process, without reading the log. An action is offered before its unit
// is accepted, with the revision that it will have, and is handed over once the log has it. Whatever a feed does not hold is read
// from the log instead, so it can drop actions at any time, and never waits for a projection.

/// The feeds of a recorder or a recording store.
final class RecordingFeeds<Action: Codable & Equatable & Sendable>: Sendable {
  private let writer: LogWriter
  private let feeds = Locked<[RecordingFeed<Action>]>([])
  /// Receives the last durable revision after each sync.
  private let observer = Locked<(@Sendable (Int) -> Void)?>(nil)

  init(_ writer: LogWriter) {
    self.writer = writer
  }

  var isNeeded: Bool { feeds.withLock { feeds in !feeds.isEmpty } }

  var lastRevision: Int { writer.status.lastRevision }

  func attach(_ level: AwaitedDurability) -> RecordingFeed<Action> {
    let feed = RecordingFeed<Action>(level)
    feeds.withLock { feeds in feeds.append(feed) }
    listen()
    // A log that is closed already has no later changes.
    if writer.status.isClosed { end() } else { advance() }
    return feed
  }

  func detach(_ feed: RecordingFeed<Action>) {
    let isLast = feeds.withLock { feeds in
      feeds.removeAll { other in other === feed }
      return feeds.isEmpty
    }
    guard isLast, observer.withLock({ observer in observer == nil }) else { return }
    writer.notifySyncs(nil)
    // Another thread may have attached a feed since, whose notification this was.
    if isNeeded { listen() }
  }

  /// Calls a closure with the last durable revision after each sync. It must not block.
  func observe(_ body: @escaping @Sendable (Int) -> Void) {
    observer.withLock { observer in observer = body }
    listen()
  }

  private func listen() {
    writer.notifySyncs { [weak self] in
      self?.noteSync()
      self?.advance()
    }
  }

  private func noteSync() {
    observer.withLock { observer in observer }?(writer.status.syncedRevision)
  }

  /// Offers an action that is about to be accepted. One that was offered for the same revision was rejected.
  func offer(_ action: Action, revision: Int, time: LogTime, meta: [UInt8]?, encodedBytes: Int) {
    let stamp = RecordStamp(
      revision: revision, time: time, meta: meta,
      lineBytes: SnapshotBookkeeping.envelopeBytes + encodedBytes + (meta?.count ?? 0))
    let stamped = ProjectedAction(action, stamp)
    for feed in feeds.withLock({ feeds in feeds }) { feed.offer(stamped) }
  }

  /// Hands over the actions that have reached the level of their feed.
  func advance() {
    let feeds = feeds.withLock { feeds in feeds }
    guard !feeds.isEmpty else { return }
    let status = writer.status
    for feed in feeds { feed.advance(written: status.writtenRevision, synced: status.syncedRevision) }
  }

  /// Ends the feeds, because the log was released.
  func end() {
    writer.notifySyncs(nil)
    noteSync()
    let ended = feeds.withLock { feeds in
      defer { feeds = [] }
      return feeds
    }
    guard !ended.isEmpty else { return }
    let status = writer.status
    for feed in ended {
      feed.advance(written: status.writtenRevision, synced: status.syncedRevision)
      feed.end()
    }
  }
}

/// The recorded actions that the projections of one group have not folded yet.
final class RecordingFeed<Action: Codable & Equatable & Sendable>: Sendable {
  private struct Contents: Sendable {
    var actions: [ProjectedAction<Action>] = []
    var reached = 0
    var isEnded = false
    var onChange: (@Sendable () -> Void)?
  }

  /// The most actions that are held: a fold that is slower than the recorder reads the rest from the log. At 100 000 actions a second
  /// this is a sixth of a second.
  static var limit: Int { 16_384 }

  private let level: AwaitedDurability
  private let contents = Locked(Contents())

  init(_ level: AwaitedDurability) {
    self.level = level
  }

  /// Sets the closure that is called when there is more to take. It must not block.
  func notify(_ body: @escaping @Sendable () -> Void) {
    contents.withLock { contents in contents.onChange = body }
  }

  func offer(_ action: ProjectedAction<Action>) {
    contents.withLock { contents in
      if let last = contents.actions.last, last.revision >= action.revision {
        contents.actions.removeAll { held in held.revision >= action.revision }
      }
      if let last = contents.actions.last, last.revision != action.revision - 1 || contents.actions.count == Self.limit
      {
        contents.actions.removeAll(keepingCapacity: true)
      }
      contents.actions.append(action)
    }
  }

  func advance(written: Int, synced: Int) {
    let onChange = contents.withLock { contents -> (@Sendable () -> Void)? in
      let reached = level == .written ? written : synced
      guard reached > contents.reached else { return nil }
      contents.reached = reached
      return contents.onChange
    }
    onChange?()
  }

  func end() {
    let onChange = contents.withLock { contents in
      contents.isEnded = true
      return contents.onChange
    }
    onChange?()
  }

  var reached: Int { contents.withLock { contents in contents.reached } }

  var isEnded: Bool { contents.withLock { contents in contents.isEnded } }

  var count: Int { contents.withLock { contents in contents.actions.count } }

  /// The actions after a revision, or the reason why there are none.
  enum Portion {
    /// The next actions.
    case actions([ProjectedAction<Action>])
    /// The next actions are in the log up to a revision, and not in the feed.
    case unread(through: Int)
    /// Nothing has reached the level yet.
    case nothing
    /// There will be nothing more.
    case ended
  }

  func take(after revision: Int) -> Portion {
    contents.withLock { contents in
      let folded = contents.actions.prefix { action in action.revision <= revision }.count
      if folded > 0 { contents.actions.removeFirst(folded) }
      guard contents.reached > revision else { return contents.isEnded ? .ended : .nothing }
      guard let first = contents.actions.first else { return .unread(through: contents.reached) }
      guard first.revision == revision + 1 else {
        return .unread(through: min(contents.reached, first.revision - 1))
      }
      // The actions are consecutive.
      let count = min(contents.actions.count, contents.reached - revision)
      guard count < contents.actions.count else {
        defer { contents.actions = [] }
        return .actions(contents.actions)
      }
      defer { contents.actions.removeFirst(count) }
      return .actions(Array(contents.actions.prefix(count)))
    }
  }
}
