/// How long a session waits for its stores. A limit that is reached is a failure like any other, so that no status
/// waits for ever and no call that hangs stops all later ones.
public struct TimeLimits: Sendable {
  /// For the store on this device: 30 seconds, time enough for a disk that has to wake up.
  public var local: Duration
  /// For a feed: 60 seconds, as `URLSession` waits for the next byte. A feed of a month has some megabytes.
  public var remote: Duration
  /// What measures the time.
  public var clock: any Clock<Duration>

  /// Makes limits.
  public init(
    local: Duration = .seconds(30), remote: Duration = .seconds(60), clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.local = local
    self.remote = remote
    self.clock = clock
  }
}

/// A limit of time that was reached.
public struct TimeLimitError: Error, Equatable, Sendable {
  /// The kinds of failure that callers tell apart.
  public enum Code: String, Sendable, CaseIterable {
    /// No answer came in time.
    case timeLimitReached
  }

  /// What kind of failure it is.
  public var code: Code
  /// What happened: lower case, without place.
  public var message: String
  /// Who did not answer.
  public var path: String
}
