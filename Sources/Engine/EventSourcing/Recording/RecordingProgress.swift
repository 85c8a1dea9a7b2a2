import ActionLog
import Platform

/// Calls observers when a recorder has written or synced actions: projections and subscriptions in the same process, which then read
/// them from the log.
final class RecordingProgress: Sendable {
  private struct Observer: Sendable {
    var level: AwaitedDurability
    var reached = 0
    var onChange: @Sendable (Int) -> Void
  }

  private let writer: LogWriter
  private let observers = Locked<(count: Int, present: [Int: Observer])>((0, [:]))

  init(_ writer: LogWriter) {
    self.writer = writer
  }

  /// Adds an observer.
  ///
  /// - Parameter onChange: Receives the last revision that has reached the level. It must not block or call the writer, except for
  ///   its status. It is called once more when the recorder ends.
  /// - Returns: The number by which the observer is removed.
  @discardableResult
  func observe(_ level: AwaitedDurability, _ onChange: @escaping @Sendable (_ revision: Int) -> Void) -> Int {
    let number = observers.withLock { observers in
      observers.count += 1
      observers.present[observers.count] = Observer(level: level, onChange: onChange)
      return observers.count
    }
    writer.notifySyncs { [weak self] in self?.advance() }
    return number
  }

  func remove(_ number: Int) {
    observers.withLock { observers in observers.present[number] = nil }
  }

  /// Reports what the writer has written or synced since the last call.
  func advance() {
    guard observers.withLock({ observers in !observers.present.isEmpty }) else { return }
    let status = writer.status
    let changed = observers.withLock { observers in
      var changed: [Observer] = []
      for (number, observer) in observers.present {
        let reached = observer.level == .written ? status.writtenRevision : status.syncedRevision
        guard reached > observer.reached else { continue }
        observers.present[number]?.reached = reached
        changed.append(Observer(level: observer.level, reached: reached, onChange: observer.onChange))
      }
      return changed
    }
    for observer in changed { observer.onChange(observer.reached) }
  }

  func end() {
    writer.notifySyncs(nil)
    advance()
    let ended = observers.withLock { observers in
      defer { observers.present = [:] }
      return observers.present.values
    }
    for observer in ended { observer.onChange(observer.reached) }
  }
}
