import ActionLog
import Platform

extension DeliveryLoop {
  /// The size of the window, for each handler. It bounds memory, and how far other actions get ahead of a slow one.
  private static var windowFactor: Int { 64 }

  /// Delivers with several handlers at a time, those of the same key in order.
  func runConcurrently(_ session: DeliverySession, width: Int, endsWhenCaughtUp: Bool) async throws {
    let limit = width * Self.windowFactor
    let outcomes = Locked<[DeliveredAction]>([])
    var window = DeliveryWindow<Payload>()
    var tasks: [Int: Task<Void, Never>] = [:]
    var failure: (any Error)?
    var (mayRead, isAtEnd, isCaughtUp) = (true, false, false)
    var delay = configuration.polling.shortest

    while true {
      let finished = outcomes.withLock { outcomes in
        defer { outcomes = [] }
        return outcomes
      }
      for action in finished { tasks[action.revision] = nil }
      do {
        try await settle(finished, in: &window, session)
        if window.isEmpty, failure == nil { try await deliverParked(session) }
        if failure == nil, !Task.isCancelled, mayRead, window.count < limit {
          let (items, end) = try await session.take(limit: limit - window.count)
          for item in items { window.append(prepare(item, session), session.position(after: item)) }
          (mayRead, isAtEnd) = (!items.isEmpty, end)
          if !items.isEmpty { (delay, isCaughtUp) = (configuration.polling.shortest, false) }
          try await settle([], in: &window, session)
        }
      } catch {
        failure = failure ?? error
      }
      if failure != nil || Task.isCancelled {
        // Delays between attempts end. Handlers run to their ends.
        for task in tasks.values { task.cancel() }
        for task in tasks.values { await task.value }
        if tasks.isEmpty { break }
        continue
      }
      for action in window.start(upTo: width - tasks.count) {
        tasks[action.record.revision] = Task { [wake] in
          let outcome = await settle(action, session)
          let delivered = DeliveredAction(revision: action.record.revision, outcome: outcome)
          outcomes.withLock { outcomes in outcomes.append(delivered) }
          wake.notify()
        }
      }
      if mayRead, window.count < limit { continue }
      if window.isEmpty, isAtEnd {
        if !isCaughtUp {
          isCaughtUp = true
          session.report?(.didCatchUp(revision: session.keeper.position.revision))
        }
        if endsWhenCaughtUp { break }
      }
      // Ended by the next outcome.
      await pause(for: delay)
      delay = min(delay * 2, configuration.polling.longest)
      mayRead = true
    }
    if let failure { throw failure }
  }

  /// Takes outcomes into account: parks actions, and advances the position over everything that was handled.
  private func settle(
    _ finished: [DeliveredAction], in window: inout DeliveryWindow<Payload>, _ session: DeliverySession
  ) async throws {
    var failure: (any Error)?
    for action in finished {
      switch action.outcome {
      case .handled: window.complete(action.revision)
      case .canceled: break
      case .stop(let reason): failure = failure ?? stopped(reason)
      case .skip(let reason):
        do {
          try await park(reason, session)
          window.complete(action.revision)
        } catch {
          failure = failure ?? error
        }
      }
    }
    if let (position, count) = window.removeCompleted() { session.keeper.advance(to: position, count: count) }
    if window.isEmpty { try await session.keeper.save() } else { try await session.keeper.saveIfDue() }
    if let failure { throw failure }
  }
}

/// The outcome of an action that was delivered concurrently.
private struct DeliveredAction: Sendable {
  var revision: Int
  var outcome: DeliveryOutcome
}

/// The actions from the first unhandled one on, with those that are being delivered.
///
/// The position follows its beginning. So it stays before an action that is not handled, however many after it are; after a crash, those
/// are delivered again.
struct DeliveryWindow<Payload: Sendable> {
  private enum Status { case isPending, isRunning, isCompleted }

  private struct Entry {
    var action: PreparedAction<Payload>?
    var position: SubscriptionPosition
    var status: Status
  }

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }
  var count: Int { entries.count }

  /// Adds the following action; `nil` if nothing is delivered for it.
  mutating func append(_ action: PreparedAction<Payload>?, _ position: SubscriptionPosition) {
    entries.append(Entry(action: action, position: position, status: action == nil ? .isCompleted : .isPending))
  }

  /// Returns the next actions to deliver: for each key, only the first one, and none while another one is being delivered.
  mutating func start(upTo limit: Int) -> [PreparedAction<Payload>] {
    guard limit > 0 else { return [] }
    var started: [PreparedAction<Payload>] = []
    var keys: Set<DeliveryKey> = []
    for index in entries.indices where entries[index].status != .isCompleted && started.count < limit {
      guard let action = entries[index].action else { continue }
      // An action that cannot be prepared has no key, and fails by itself.
      let isFirst = action.key.map { key in keys.insert(key).inserted } ?? true
      guard isFirst, entries[index].status == .isPending else { continue }
      entries[index].status = .isRunning
      started.append(action)
    }
    return started
  }

  mutating func complete(_ revision: Int) {
    // The revisions are consecutive.
    guard let first = entries.first?.position.revision, entries.indices.contains(revision - first) else { return }
    entries[revision - first].status = .isCompleted
  }

  mutating func removeCompleted() -> (position: SubscriptionPosition, count: Int)? {
    let completed = entries.prefix { entry in entry.status == .isCompleted }
    guard let last = completed.last else { return nil }
    let count = completed.count { entry in entry.action != nil }
    entries.removeFirst(completed.count)
    return (last.position, count)
  }
}
