/// Tells several consumers of a value that changes: the current one first, at once; who is slow is told of the last one.
@MainActor
final class LatestValue<Value: Sendable>: Sendable {
  private var count = 0
  private var continuations: [Int: AsyncStream<Value>.Continuation] = [:]

  deinit {
    for continuation in continuations.values { continuation.finish() }
  }

  /// Makes a stream for one consumer. It ends with this object.
  func makeStream(current: Value) -> AsyncStream<Value> {
    count += 1
    let number = count
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: .bufferingNewest(1))
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.continuations[number] = nil }
    }
    continuations[number] = continuation
    continuation.yield(current)
    return stream
  }

  func send(_ value: Value) {
    for continuation in continuations.values { continuation.yield(value) }
  }
}
