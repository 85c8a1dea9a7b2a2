import ActionLog
import Platform

/// Calls observers when a recorder has written or synced actions: projections and subscriptions in the same process, which then read
/// them from the log.
final class RecordingProgress: Sendable {
  private struct Observer: Sendable {
    var level: AwaitedDurability
    var onChange: @Sendable (Int) -> Void
  }

  private let writer: LogWriter
  private let observers = Locked<(count: Int, present: [Int: Observer])>((0, [:]))

  init(_ writer: LogWriter) {
    self.writer = writer
  }

  /// Adds an observer.
  ///
  /// - Parameters:
  ///   - level: Whether it is called after each write, too, or only after each sync.
  ///   - onChange: Receives the last revision that has reached the level. It must not block or call the writer, except for its status.
  ///     It is called once more when the recorder ends.
  /// - Returns: The number by which the observer is removed.
  @discardableResult
  func observe(_ level: AwaitedDurability, _ onChange: @escaping @Sendable (_ revision: Int) -> Void) -> Int {
    let number = observers.withLock { observers in
      observers.count += 1
      observers.present[observers.count] = Observer(level: level, onChange: onChange)
      return observers.count
    }
    writer.notifySyncs { [weak self] in self?.report { _ in true } }
    return number
  }

  func remove(_ number: Int) {
    observers.withLock { observers in observers.present[number] = nil }
  }

  /// Reports what was written.
  func advance() { report { level in level == .written } }

  /// Reports the end, and removes all observers.
  func end() {
    writer.notifySyncs(nil)
    report { _ in true }
    observers.withLock { observers in observers.present = [:] }
  }

  private func report(to isIncluded: (AwaitedDurability) -> Bool) {
    let included = observers.withLock { observers in
      observers.present.values.filter { observer in isIncluded(observer.level) }
    }
    guard !included.isEmpty else { return }
    let status = writer.status
    for observer in included {
      observer.onChange(observer.level == .written ? status.writtenRevision : status.syncedRevision)
    }
  }
}
