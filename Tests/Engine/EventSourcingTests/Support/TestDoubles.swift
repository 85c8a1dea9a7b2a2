import Dispatch
import ImmutableData
import Platform

/// Blocks calls to the disk while it is closed, so that a test decides when they continue.
final class Gate: Sendable {
  private let state = Locked((isClosed: false, waiting: 0))
  private let semaphore = DispatchSemaphore(value: 0)

  /// The number of blocked calls.
  var waitingCount: Int { state.withLock { state in state.waiting } }

  func close() {
    state.withLock { state in state.isClosed = true }
  }

  func open() {
    let count = state.withLock { state in
      defer { state = (isClosed: false, waiting: 0) }
      return state.waiting
    }
    for _ in 0..<count { semaphore.signal() }
  }

  /// Blocks while the gate is closed.
  func pass() {
    let isClosed = state.withLock { state in
      if state.isClosed { state.waiting += 1 }
      return state.isClosed
    }
    if isClosed { semaphore.wait() }
  }
}

/// A store whose streams do not notice that their consumer was canceled, so the consumer sees later elements, as if it had been
/// busy at the time.
@MainActor final class StubbornStore<State: Sendable, Action: Sendable>: Selector, Streamer {
  let base: Store<State, Action>

  init(_ base: Store<State, Action>) {
    self.base = base
  }

  func select<T: Sendable>(_ selector: @Sendable (State) -> T) -> T { base.select(selector) }

  func makeStream() -> StubbornStream<(oldState: State, action: Action)> {
    StubbornStream(base: base.makeStream())
  }
}

struct StubbornStream<Element: Sendable>: CountedStream {
  let base: ActionStream<Element>

  var counts: StreamCounts { base.counts }
  var accepted: ActionCounter { base.accepted }

  func makeAsyncIterator() -> Iterator { Iterator(base: base) }

  struct Iterator: BatchIterator {
    let base: ActionStream<Element>

    mutating func next() async -> Element? { await nextBatch(limit: 1)?.first }

    mutating func nextBatch(limit: Int) async -> [Element]? {
      await Task.detached { [base] in
        var iterator = base.makeAsyncIterator()
        return await iterator.nextBatch(limit: limit)
      }.value
    }
  }
}
