/// Calls a closure with values in the order in which they were added, one at a time, whatever threads add them.
///
/// No lock is held during a call, so the closure may use the object that adds the values. A thread that adds values while it holds
/// locks calls ``deliver()`` after it released them.
package final class OrderedCalls<Value: Sendable>: Sendable {
  private struct Contents: Sendable {
    var waiting: [Value] = []
    var isDelivering = false
  }

  private let body: (@Sendable (Value) -> Void)?
  private let contents = Locked(Contents())

  /// - Parameter body: The closure; `nil` ignores all values.
  package init(_ body: (@Sendable (Value) -> Void)?) {
    self.body = body
  }

  package func add(_ value: Value) {
    guard body != nil else { return }
    contents.withLock { contents in contents.waiting.append(value) }
  }

  /// Calls the closure with all waiting values, unless a thread is doing that, which then continues with them.
  package func deliver() {
    guard let body else { return }
    var isFirst = true
    while let value = next(isFirst) {
      isFirst = false
      body(value)
    }
  }

  private func next(_ isFirst: Bool) -> Value? {
    contents.withLock { contents in
      if isFirst, contents.isDelivering { return nil }
      contents.isDelivering = !contents.waiting.isEmpty
      return contents.isDelivering ? contents.waiting.removeFirst() : nil
    }
  }
}
