package import ActionLog
import Dispatch
import Foundation
import Platform

/// An observer that keeps the events.
package final class EventJournal: LogObserver {
  private let contents = Locked<[LogEvent]>([])
  private let body: @Sendable (LogEvent) -> Void

  /// - Parameter body: Called with each event, too.
  package init(_ body: @escaping @Sendable (LogEvent) -> Void = { _ in }) { self.body = body }

  package func observe(_ event: LogEvent) {
    contents.withLock { contents in contents.append(event) }
    body(event)
  }

  package var events: [LogEvent] { contents.withLock { contents in contents } }

  /// The names of the events of logs, without those of subscriptions.
  package var names: [String] { events.map(\.kind.name).filter { name in name != "subscription" } }

  /// The events of subscriptions.
  package var subscriptionEvents: [SubscriptionEvent] {
    events.compactMap { event in if case .subscription(_, let event) = event.kind { event } else { nil } }
  }
}

extension LogEvent.Kind {
  /// The name of the case.
  package var name: String { String("\(self)".prefix { character in character != "(" }) }

  /// The duration of an event that has one.
  package var duration: Duration? {
    switch self {
    case .opened(_, let duration), .restored(_, _, _, let duration), .written(_, _, let duration),
      .synced(_, let duration), .snapshotWritten(_, _, let duration):
      duration
    case .sealed, .writeFailed, .snapshotFailed, .evicted, .closed, .subscription: nil
    }
  }
}

/// Returns whether a closure ends on another thread. It does not if the calling thread holds a lock that the closure needs.
package func endsOnAnotherThread(_ body: @escaping @Sendable () -> Void) -> Bool {
  let ended = DispatchSemaphore(value: 0)
  Thread.detachNewThread {
    body()
    ended.signal()
  }
  return ended.wait(timeout: .now() + 10) == .success
}
