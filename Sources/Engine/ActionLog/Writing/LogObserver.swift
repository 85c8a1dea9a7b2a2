internal import Platform

/// Receives the events of logs, for the metrics, traces and log messages of a service.
///
/// Set ``LogConfiguration/observer``. Without an observer, no event is made and no clock is read.
public protocol LogObserver: Sendable {
  /// Receives an event.
  ///
  /// It is called on any thread, and must not block. The events of a writer, or of a run of a subscription, come in order and one at
  /// a time. The engine holds no lock during the call, so it may use the log. Events that this causes follow after it returns.
  func observe(_ event: LogEvent)
}

/// An event of a log.
public struct LogEvent: Sendable {
  /// The path of the log.
  public var log: String
  /// The key of the log in a set of logs.
  public var key: String?
  /// What happened.
  public var kind: Kind

  /// Creates an event, for a test of an observer.
  public init(log: String, key: String? = nil, kind: Kind) {
    (self.log, self.key, self.kind) = (log, key, kind)
  }

  /// What happened to a log.
  public enum Kind: Sendable {
    /// A writer has the log: it was locked and recovered, or created. Its `@open` record follows as ``written(actions:bytes:duration:)``.
    case opened(LogOpening, duration: Duration)
    /// The state at the last revision was rebuilt, from a snapshot at a revision if there was one, and `actions` were folded.
    case restored(revision: Int, snapshot: Int?, actions: Int, duration: Duration)
    /// The operating system has a batch of lines. The bytes include control records and the first line of each segment but that of a
    /// new log.
    case written(actions: Int, bytes: Int, duration: Duration)
    /// The device has everything up to a revision. A sync covers all batches since the one before.
    case synced(revision: Int, duration: Duration)
    /// A segment is complete, with this first and last revision and this length. Another one begins.
    case sealed(first: Int, last: Int, bytes: Int)
    /// Lines were not written (``LogError/Code/noSpace``, ``LogError/Code/rejected``), and the writer is usable; or the writer has failed.
    case writeFailed(LogError)
    /// A snapshot was written. The duration includes its encoding, if that was not done before, and syncs.
    case snapshotWritten(revision: Int, bytes: Int, duration: Duration)
    /// A snapshot or a digest could not be taken, or a snapshot could not be removed. The log is not affected.
    case snapshotFailed(any Error)
    /// A set of logs closes the log, because another one needs its slot or its file descriptors. Many of them say that the set's
    /// `openLimit` is too low. ``closed(revision:)`` follows.
    case evicted
    /// The writer has released the log.
    case closed(revision: Int)
    /// An event of a subscription.
    case subscription(name: String, SubscriptionEvent)
  }
}

/// The progress or a failure of a subscription.
public enum SubscriptionEvent: Sendable {
  /// Another consumer holds the subscription, and this one waits. The process is known on Linux only.
  case isWaiting(holder: Int32?)
  /// Delivery begins after this revision.
  case didStart(after: Int)
  /// The handler has handled `actions`, the last of which has this revision. Attempts are counted from 1.
  case didDeliver(revision: Int, actions: Int, attempt: Int, duration: Duration)
  /// Everything that is durable now, up to this revision, was handled. It is reported once after the last of several deliveries.
  case didCatchUp(revision: Int)
  /// An attempt failed. The number of attempts includes those of earlier runs.
  case didFail(revision: Int, attempts: Int, any Error)
  /// An action was parked after this number of attempts.
  case didPark(revision: Int, attempts: Int, any Error)
}

/// Sends the events of a log to its observer.
package final class LogEvents: Sendable {
  /// The clock of the durations.
  package let uptime: @Sendable () -> Duration
  private let log: String
  private let key: String?
  private let calls: OrderedCalls<LogEvent>

  /// Returns `nil` without an observer.
  package init?(
    _ observer: (any LogObserver)?, log: String, key: String?, uptime: @escaping @Sendable () -> Duration
  ) {
    guard let observer else { return nil }
    (self.log, self.key, self.uptime) = (log, key, uptime)
    calls = OrderedCalls { event in observer.observe(event) }
  }

  /// Adds an event that ``deliver()`` sends. The caller may hold locks.
  package func add(_ kind: LogEvent.Kind) { calls.add(LogEvent(log: log, key: key, kind: kind)) }

  /// Adds an event with the time since its begin.
  package func add(since begin: Duration?, _ kind: (Duration) -> LogEvent.Kind) {
    let end = uptime()
    add(kind(end - (begin ?? end)))
  }

  /// Sends the added events. The caller holds no lock.
  package func deliver() { calls.deliver() }

  /// Sends an event. The caller holds no lock.
  package func send(_ kind: LogEvent.Kind) {
    add(kind)
    deliver()
  }
}
