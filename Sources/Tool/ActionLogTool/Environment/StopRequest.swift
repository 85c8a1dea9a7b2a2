import Dispatch
import Platform

/// The wish that a running command ends: made by a signal, heard by commands that have something to close.
///
/// Commands that have nothing to close do not listen, and the process may simply end; see ``isAccepted``.
public final class StopRequest: Sendable {
  private struct Contents: Sendable {
    var isRequested = false
    var isAccepted = false
    var handlers: [@Sendable () -> Void] = []
  }

  /// What is taken away when the process ends at once.
  package let unfinishedFiles = UnfinishedFiles()
  private let contents = Locked(Contents())
  /// Given when the request is made, and handed on by each who takes it.
  private let requested = DispatchSemaphore(value: 0)

  /// Makes a request that nobody has made yet.
  public init() {}

  /// Whether the command was asked to end.
  public var isRequested: Bool { contents.withLock { contents in contents.isRequested } }

  /// Whether the running command listens, so that a signal need not end the process.
  public var isAccepted: Bool { contents.withLock { contents in contents.isAccepted } }

  /// Says that the running command ends by itself, cleanly, when asked.
  package func accept() {
    contents.withLock { contents in contents.isAccepted = true }
  }

  /// Asks the running command to end.
  ///
  /// - Returns: Whether this is the first time.
  @discardableResult public func request() -> Bool {
    let handlers = contents.withLock { contents -> [@Sendable () -> Void]? in
      guard !contents.isRequested else { return nil }
      contents.isRequested = true
      defer { contents.handlers = [] }
      return contents.handlers
    }
    guard let handlers else { return false }
    requested.signal()
    for handler in handlers { handler() }
    return true
  }

  /// Calls `handler` once, when the request is made; at once if it was made already.
  public func onRequest(_ handler: @escaping @Sendable () -> Void) {
    let isRequested = contents.withLock { contents -> Bool in
      if !contents.isRequested { contents.handlers.append(handler) }
      return contents.isRequested
    }
    if isRequested { handler() }
  }

  /// Waits, at most `duration`, for the request. Blocks.
  ///
  /// - Returns: Whether the command was asked to end.
  public func wait(for duration: Duration) -> Bool {
    let (seconds, attoseconds) = duration.components
    let nanoseconds = attoseconds / 1_000_000_000
    let timeout = DispatchTime.now() + .seconds(Int(clamping: seconds)) + .nanoseconds(Int(clamping: nanoseconds))
    guard requested.wait(timeout: timeout) == .success else { return false }
    requested.signal()
    return true
  }
}
