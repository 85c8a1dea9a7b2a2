import Locking

/// Something that the loop of an application has to see to.
enum TerminalEvent: Sendable {
  case keys([Key])
  /// Something that is shown has changed.
  case changed
  /// The window has another size.
  case resized
  /// The process shall be suspended.
  case suspended
  /// The process was suspended, and goes on.
  case continued
  /// The application shall end.
  case stopped(TerminalEnding)
  /// No more keys will come.
  case ended
  case failed(TerminalError)
}

/// The events that wait for the loop, from any thread. One consumer.
final class TerminalEvents: Sendable {
  private struct Contents: Sendable {
    var waiting: [TerminalEvent] = []
    var consumer: CheckedContinuation<[TerminalEvent], Never>?
  }

  private let contents = Locked(Contents())

  func post(_ event: TerminalEvent) {
    let consumer = contents.withLock { contents -> CheckedContinuation<[TerminalEvent], Never>? in
      guard let consumer = contents.consumer else {
        contents.waiting.append(event)
        return nil
      }
      contents.consumer = nil
      return consumer
    }
    consumer?.resume(returning: [event])
  }

  /// Waits for events.
  ///
  /// - Returns: All that are there, in order, at least one.
  func next() async -> [TerminalEvent] {
    await withCheckedContinuation { continuation in
      let events = contents.withLock { contents -> [TerminalEvent] in
        if contents.waiting.isEmpty { contents.consumer = continuation }
        defer { contents.waiting = [] }
        return contents.waiting
      }
      if !events.isEmpty { continuation.resume(returning: events) }
    }
  }
}
