/// How long a server waits. Each time is that of a whole step, so a client that sends a byte now and then gains nothing.
public struct HTTPTimeouts: Hashable, Sendable {
  /// For the next request on a connection that stays open: 30 seconds. Then it is closed without a word.
  public var idle = Duration.seconds(30)
  /// For the whole head of a request, from its first byte: 10 seconds. Then: 408.
  public var head = Duration.seconds(10)
  /// For the whole body of a request: 30 seconds. Then: 408.
  public var body = Duration.seconds(30)
  /// For the handler: 60 seconds. Then: 503; what it was about to do may happen all the same.
  public var handling = Duration.seconds(60)
  /// For the client to take the answer: 30 seconds. Then the connection is closed.
  public var sending = Duration.seconds(30)
  /// For the requests that are under way when the server is stopped: 10 seconds. Then their connections are closed.
  public var stopping = Duration.seconds(10)

  /// Makes the times that the properties say.
  public init() {}
}
