import Platform

/// A signal for a task that waits. A signal that no task awaits ends the next wait.
package final class WakeSignal: Sendable {
  private let turns = TurnCounter()
  private let seen = Locked(0)

  package init() {}

  package func notify() { turns.advance() }

  /// Waits for a signal since the end of the last wait, or until the task is canceled.
  package func wait() async {
    await turns.wait(after: seen.withLock { seen in seen })
    seen.withLock { [turns] seen in seen = turns.current }
  }
}

/// A counter with callers that wait for the next count.
final class TurnCounter: Sendable {
  private struct Contents: Sendable {
    var count = 0
    var lastID = 0
    var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    var canceled: Set<Int> = []
  }

  private let contents = Locked(Contents())

  var current: Int { contents.withLock { contents in contents.count } }

  func advance() {
    let waiters = contents.withLock { contents in
      contents.count += 1
      defer { contents.waiters = [:] }
      return contents.waiters.values
    }
    for waiter in waiters { waiter.resume() }
  }

  /// Waits for a higher count, or until the task is canceled.
  func wait(after count: Int) async {
    let id = contents.withLock { contents in
      contents.lastID += 1
      return contents.lastID
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isDone = contents.withLock { contents in
          if contents.canceled.remove(id) != nil || contents.count > count { return true }
          contents.waiters[id] = continuation
          return false
        }
        if isDone { continuation.resume() }
      }
    } onCancel: {
      let waiter = contents.withLock { contents in
        let waiter = contents.waiters.removeValue(forKey: id)
        if waiter == nil { contents.canceled.insert(id) }
        return waiter
      }
      waiter?.resume()
    }
    // A cancellation after the end of the wait leaves its mark.
    contents.withLock { contents in _ = contents.canceled.remove(id) }
  }
}
