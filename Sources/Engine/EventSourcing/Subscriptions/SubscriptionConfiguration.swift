public import ActionLog

/// The behavior of a ``Subscription``.
public struct SubscriptionConfiguration: Sendable {
  /// Patterns for the types of actions to deliver; an empty list delivers all.
  ///
  /// `*` matches any characters: `ui.*`, `*.onAppear`. A pattern without `*` matches a sequence of complete parts between dots:
  /// `onAppear`, `order.shipped`. Other actions are skipped without being decoded.
  public var types: [String] = []
  /// The policy for storing the position; `nil` for the default: after every action, or each second if the handler itself stores
  /// positions (``SubscriptionStart/resuming(after:or:)``), because the one in the log is only informative then.
  public var storing: PositionStoring?
  /// The reaction to another consumer that holds the subscription.
  public var whenHeld = HeldPolicy.fail
  /// The number of attempts for a delivery, and the delays between them.
  public var retries = RetryPolicy()
  /// The reaction to an action whose attempts have all failed.
  public var onFailure = FailurePolicy.stop
  /// The pauses between checks for new actions.
  public var polling = PollingPolicy()
  /// The clocks and random numbers, replaceable in tests.
  public var environment = SubscriptionEnvironment.live
  /// Receives the progress and the failures of the subscription, as `LogEvent.Kind.subscription`.
  public var observer: (any LogObserver)?

  /// Creates a configuration with the defaults.
  public init() {}
}

/// A policy for storing the position of a subscription.
///
/// The position is also stored whenever everything durable was delivered, and when the subscription ends. After a crash, the
/// actions past the stored position are delivered again.
public struct PositionStoring: Sendable, Equatable {
  /// The number of handled actions after which it is stored.
  public let actions: Int
  /// The time after which it is stored with the next handled action; `nil` for none.
  public let interval: Duration?

  /// After every action. This takes two syncs an action.
  public static let everyAction = PositionStoring(actions: 1, interval: nil)

  /// After a number of actions, at least 1, or with the next handled action after a time, whichever comes first.
  public static func every(_ actions: Int = .max, orAfter interval: Duration? = nil) -> PositionStoring {
    PositionStoring(actions: max(1, actions), interval: interval.map { interval in max(.zero, interval) })
  }
}

/// The reaction of a consumer to another one that holds the subscription.
public enum HeldPolicy: Sendable, Equatable {
  /// It fails with `LogError.Code.locked`.
  case fail
  /// It waits, and takes over when the other one ends.
  case standby
}

/// The number of attempts for a delivery, and the delays between them.
public struct RetryPolicy: Sendable, Equatable {
  /// The number of attempts in all, at least 1.
  public var attempts: Int
  /// The delay before the second attempt. Each further one is twice as long.
  public var firstDelay: Duration
  /// The longest delay.
  public var longestDelay: Duration
  /// The part of a delay that is random, from 0 to 1, so that many consumers do not repeat at the same time.
  public var jitter: Double

  /// Five attempts, after about 0.1, 0.2, 0.4 and 0.8 seconds.
  public init(
    attempts: Int = 5, firstDelay: Duration = .milliseconds(100), longestDelay: Duration = .seconds(30),
    jitter: Double = 0.25
  ) {
    self.attempts = max(1, attempts)
    self.firstDelay = max(.zero, firstDelay)
    self.longestDelay = max(.zero, longestDelay)
    self.jitter = min(max(jitter, 0), 1)
  }

  /// One attempt.
  public static let none = RetryPolicy(attempts: 1)

  func delay(after attempt: Int, random: Double) -> Duration {
    // Far more doublings than any limit allows, and far from an overflow.
    var delay = firstDelay
    for _ in 1..<min(max(attempt, 1), 64) where delay < longestDelay { delay *= 2 }
    return min(delay, longestDelay) * (1 - jitter * min(max(random, 0), 1))
  }
}

/// The reaction of a subscription to an action that could not be delivered.
public enum FailurePolicy: Sendable {
  /// It ends with the error. The next start begins with this action.
  case stop
  /// It stores the action in `NAME.parked.jsonl` and continues with the next one. ``SubscriptionStore/retryParked(_:)`` delivers
  /// parked actions again.
  case skip
  /// A closure decides after each failed attempt, instead of the ``RetryPolicy``.
  case custom(@Sendable (DeliveryFailure) async -> FailureDecision)
}

/// The decision on a failed delivery.
public enum FailureDecision: Sendable, Equatable {
  /// Attempt it again after a delay.
  case retry(after: Duration)
  /// As ``FailurePolicy/stop``.
  case stop
  /// As ``FailurePolicy/skip``.
  case skip
}

/// A failed attempt to deliver an action.
public struct DeliveryFailure: Sendable {
  /// The revision of the action.
  public let revision: Int
  /// Its type.
  public let type: String
  /// The number of failed attempts, those of earlier runs included.
  public let attempts: Int
  /// The error of the last one.
  public let error: any Error
  /// The record in the log.
  public let record: LogRecord
}

/// The pauses between checks of the log for new actions.
///
/// After an action, the first check follows after the shortest pause, and each further one after twice the pause, up to the longest. So
/// a busy log has short delays and an idle one costs little.
public struct PollingPolicy: Sendable, Equatable {
  /// The first pause.
  public var shortest: Duration
  /// The longest pause.
  public var longest: Duration

  /// Creates a policy. The pauses are at least a millisecond.
  public init(shortest: Duration = .milliseconds(2), longest: Duration = .milliseconds(200)) {
    self.shortest = max(.milliseconds(1), shortest)
    self.longest = max(self.shortest, longest)
  }
}

/// The clocks and random numbers of a subscription.
public struct SubscriptionEnvironment: Sendable {
  /// The time that is stored with positions.
  public var now: @Sendable () -> LogTime
  /// A monotonic clock, for ``PositionStoring/interval`` and the durations of events.
  public var uptime: @Sendable () -> Duration
  /// Waits; throws `CancellationError` if the task is canceled.
  public var sleep: @Sendable (Duration) async throws -> Void
  /// Returns a random number from 0 to 1, for ``RetryPolicy/jitter``.
  public var random: @Sendable () -> Double

  /// Creates an environment.
  public init(
    now: @escaping @Sendable () -> LogTime, uptime: @escaping @Sendable () -> Duration,
    sleep: @escaping @Sendable (Duration) async throws -> Void, random: @escaping @Sendable () -> Double
  ) {
    self.now = now
    self.uptime = uptime
    self.sleep = sleep
    self.random = random
  }

  /// The clocks of the system.
  public static let live: SubscriptionEnvironment = {
    let start = ContinuousClock.now
    return SubscriptionEnvironment(
      now: { LogTime.now() }, uptime: { start.duration(to: .now) },
      sleep: { duration in try await Task.sleep(for: duration) }, random: { Double.random(in: 0...1) })
  }()
}
