import AsyncSequenceTestUtils

/// A clock on which time passes when a test says: each sleep ends with one turn.
struct TurnClock: Clock {
  let turns = AsyncSequenceTestDouble<Void>()
  private let sleeps: @Sendable (Duration) -> Void

  init(_ sleeps: @escaping @Sendable (Duration) -> Void = { _ in }) {
    self.sleeps = sleeps
  }

  struct Instant: InstantProtocol {
    var offset = Duration.zero
    func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    func duration(to other: Instant) -> Duration { other.offset - offset }
    static func < (lhs: Instant, rhs: Instant) -> Bool { lhs.offset < rhs.offset }
  }

  var now: Instant { Instant() }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    sleeps(deadline.offset)
    let iterator = turns.makeAsyncIterator()
    guard await iterator.next() != nil else { throw CancellationError() }
  }
}
