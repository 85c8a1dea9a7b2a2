import ActionLog
import Platform

/// The position of a running subscription: the highest revision up to which everything was handled, and the one that is stored.
final class PositionKeeper: Sendable {
  private struct Contents: Sendable {
    var position: SubscriptionPosition
    var isChanged = false
    var unsavedCount = 0
    var savedAt: Duration
    /// The actions whose delivery failed, by revision: several if those of different keys are delivered at the same time.
    var failing: [Int: (attempts: Int, error: String)] = [:]
  }

  private let name: String
  private let store: SubscriptionStore
  private let environment: SubscriptionEnvironment
  private let storing: PositionStoring
  private let thread: DeliveryThread
  private let contents: Locked<Contents>
  /// Held while the file is written.
  private let file = Locked<Void>(())

  init(
    name: String, position: SubscriptionPosition, store: SubscriptionStore, storing: PositionStoring,
    environment: SubscriptionEnvironment, thread: DeliveryThread
  ) {
    self.name = name
    self.store = store
    self.storing = storing
    self.environment = environment
    self.thread = thread
    contents = Locked(Contents(position: position, savedAt: environment.uptime()))
  }

  var position: SubscriptionPosition { contents.withLock { contents in contents.position } }

  /// Continues to count the failed attempts of an earlier run.
  func continueAttempts(of stored: StoredPosition) {
    contents.withLock { contents in
      contents.failing = stored.otherAttempts.mapValues { attempts in (attempts, "") }
      if let failing = stored.failing { contents.failing[failing] = (stored.attempts, stored.error ?? "") }
    }
  }

  func attempts(before revision: Int) -> Int {
    contents.withLock { contents in contents.failing[revision]?.attempts ?? 0 }
  }

  func advance(to position: SubscriptionPosition, count: Int) {
    contents.withLock { contents in
      guard position.revision > contents.position.revision else { return }
      contents.position = position
      contents.isChanged = true
      contents.unsavedCount += count
      if !contents.failing.isEmpty {
        contents.failing = contents.failing.filter { revision, _ in revision > position.revision }
      }
    }
  }

  func note(_ failure: DeliveryFailure) {
    contents.withLock { contents in
      contents.failing[failure.revision] = (failure.attempts, "\(failure.error)")
      contents.isChanged = true
    }
  }

  /// Notes a failed attempt and stores it, for the list of subscriptions.
  func noteAndSave(_ failure: DeliveryFailure) async {
    note(failure)
    // It is only for information: a position that cannot be stored is reported with the next handled action.
    do { try await save() } catch {}
  }

  func saveIfDue() async throws {
    let now = storing.interval == nil ? Duration.zero : environment.uptime()
    let isDue = contents.withLock { contents in
      guard contents.isChanged else { return false }
      if contents.unsavedCount >= storing.actions { return true }
      return storing.interval.map { interval in now - contents.savedAt >= interval } ?? false
    }
    if isDue { try await save() }
  }

  func save() async throws {
    guard contents.withLock({ contents in contents.isChanged }) else { return }
    try await thread.run { try self.saveNow() }
  }

  /// Stores the position. Blocks.
  func saveNow() throws(LogError) {
    let (now, uptime) = (environment.now(), environment.uptime())
    try file.withLock { [name, store, contents] _ throws(LogError) in
      let stored = contents.withLock { contents in
        (contents.isChanged, contents.unsavedCount, contents.savedAt) = (false, 0, uptime)
        return Self.stored(contents, name, now)
      }
      do throws(LogError) { try store.write(stored) } catch {
        contents.withLock { contents in contents.isChanged = true }
        throw error
      }
    }
  }
}

extension PositionKeeper {
  private static func stored(_ contents: Contents, _ name: String, _ now: LogTime) -> StoredPosition {
    var stored = StoredPosition(name: name, position: contents.position, updated: now)
    stored.otherAttempts = contents.failing.mapValues(\.attempts)
    if let first = contents.failing.min(by: { one, other in one.key < other.key }) {
      (stored.failing, stored.attempts, stored.error) = (first.key, first.value.attempts, first.value.error)
      stored.otherAttempts[first.key] = nil
    }
    return stored
  }
}
