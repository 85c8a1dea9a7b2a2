import Platform

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
///
/// Keys can come faster than a screen handles them and a terminal takes what it draws. Whoever reads them asks first whether
/// there is room; while there is none, they stay where they come from.
final class TerminalEvents: Sendable {
  private struct Contents: Sendable {
    var waiting: [TerminalEvent] = []
    var waitingKeyCount = 0
    var consumer: CheckedContinuation<[TerminalEvent], Never>?
    /// To be told when there is room for keys again.
    var onRoom: (@Sendable () -> Void)?
  }

  /// A few readings of a paste: more than anybody types ahead.
  private static let keyLimit = 1 << 14

  private let contents = Locked(Contents())

  /// Whether more keys may come. If not, `onRoom` is called once when they may, from any thread; it must not block.
  func hasRoom(orTell onRoom: @escaping @Sendable () -> Void) -> Bool {
    contents.withLock { contents in
      guard contents.waitingKeyCount >= Self.keyLimit else { return true }
      contents.onRoom = onRoom
      return false
    }
  }

  func post(_ event: TerminalEvent) {
    let consumer = contents.withLock { contents -> CheckedContinuation<[TerminalEvent], Never>? in
      guard let consumer = contents.consumer else {
        contents.waiting.append(event)
        if case .keys(let keys) = event { contents.waitingKeyCount += keys.count }
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
      let (events, onRoom) = contents.withLock { contents -> ([TerminalEvent], (@Sendable () -> Void)?) in
        let (events, onRoom) = (contents.waiting, contents.onRoom)
        contents = Contents(consumer: events.isEmpty ? continuation : nil)
        return (events, onRoom)
      }
      onRoom?()
      if !events.isEmpty { continuation.resume(returning: events) }
    }
  }
}
