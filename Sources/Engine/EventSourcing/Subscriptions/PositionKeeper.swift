import ActionLog
import Platform

/// The position of a running subscription: the highest revision up to which everything was handled, and the one that is stored.
final class PositionKeeper: Sendable {
  private struct Contents: Sendable {
    var position: SubscriptionPosition
    /// Whether the file differs from this value.
    var isChanged = false
    /// The number of actions that were delivered since the position was stored.
    var unsavedCount = 0
    var savedAt: Duration
    /// The action whose delivery failed, the number of failed attempts, and the last error.
    var failing: (revision: Int, attempts: Int, error: String)?
  }

  private let name: String
  private let store: SubscriptionStore
  private let configuration: SubscriptionConfiguration
  private let thread: DeliveryThread
  private let contents: Locked<Contents>
  /// Held while the file is written.
  private let file = Locked<Void>(())

  init(
    name: String, position: SubscriptionPosition, store: SubscriptionStore, configuration: SubscriptionConfiguration,
    thread: DeliveryThread
  ) {
    self.name = name
    self.store = store
    self.configuration = configuration
    self.thread = thread
    contents = Locked(Contents(position: position, savedAt: configuration.environment.uptime()))
  }

  /// The position after everything that was handled.
  var position: SubscriptionPosition { contents.withLock { contents in contents.position } }

  /// Continues to count the failed attempts of an earlier run.
  func continueAttempts(of stored: StoredPosition) {
    guard let failing = stored.failing else { return }
    contents.withLock { contents in contents.failing = (failing, stored.attempts, stored.error ?? "") }
  }

  /// Returns the number of failed attempts to deliver an action in earlier runs.
  func attempts(before revision: Int) -> Int {
    contents.withLock { contents in contents.failing?.revision == revision ? contents.failing?.attempts ?? 0 : 0 }
  }

  /// Notes that everything up to a position was handled.
  ///
  /// - Parameter count: The number of actions that were delivered.
  func advance(to position: SubscriptionPosition, count: Int) {
    contents.withLock { contents in
      guard position.revision > contents.position.revision else { return }
      contents.position = position
      contents.isChanged = true
      contents.unsavedCount += count
      if let failing = contents.failing, failing.revision <= position.revision { contents.failing = nil }
    }
  }

  /// Notes a failed attempt.
  func note(_ failure: DeliveryFailure) {
    contents.withLock { contents in
      contents.failing = (failure.revision, failure.attempts, "\(failure.error)")
      contents.isChanged = true
    }
  }

  /// Notes a failed attempt and stores it, for the list of subscriptions.
  func noteAndSave(_ failure: DeliveryFailure) async {
    note(failure)
    // It is only for information: a position that cannot be stored is reported with the next handled action.
    do { try await save() } catch {}
  }

  /// Stores the position if the policy says so.
  func saveIfDue() async throws {
    let storing = configuration.storing
    let now = storing.interval == nil ? Duration.zero : configuration.environment.uptime()
    let isDue = contents.withLock { contents in
      guard contents.isChanged else { return false }
      if contents.unsavedCount >= storing.actions { return true }
      return storing.interval.map { interval in now - contents.savedAt >= interval } ?? false
    }
    if isDue { try await save() }
  }

  /// Stores the position if it changed.
  func save() async throws {
    guard contents.withLock({ contents in contents.isChanged }) else { return }
    try await thread.run { try self.saveNow() }
  }

  /// Stores the position. Blocks.
  func saveNow() throws(LogError) {
    let (now, uptime) = (configuration.environment.now(), configuration.environment.uptime())
    try file.withLock { [name, store, contents] _ throws(LogError) in
      let stored = contents.withLock { contents in
        (contents.isChanged, contents.unsavedCount, contents.savedAt) = (false, 0, uptime)
        return StoredPosition(
          name: name, position: contents.position, updated: now, failing: contents.failing?.revision,
          attempts: contents.failing?.attempts ?? 0, error: contents.failing?.error)
      }
      do throws(LogError) { try store.write(stored) } catch {
        contents.withLock { contents in contents.isChanged = true }
        throw error
      }
    }
  }
}

/// A signal that ends the pause of one waiter. A signal without a waiter ends the next pause.
package final class WakeSignal: Sendable {
  private struct Contents: Sendable {
    var isSignaled = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let contents = Locked(Contents())

  package init() {}

  /// Ends the pause of the waiter.
  package func notify() {
    let waiter = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
      defer { contents.waiter = nil }
      if contents.waiter == nil { contents.isSignaled = true }
      return contents.waiter
    }
    waiter?.resume()
  }

  /// Waits for a signal, or until the task is canceled.
  package func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = contents.withLock { contents in
          defer { contents.isSignaled = false }
          if contents.isSignaled || Task.isCancelled { return true }
          contents.waiter = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      // Not a signal: it must not end a later pause.
      let waiter = contents.withLock { contents -> CheckedContinuation<Void, Never>? in
        defer { contents.waiter = nil }
        return contents.waiter
      }
      waiter?.resume()
    }
  }
}
