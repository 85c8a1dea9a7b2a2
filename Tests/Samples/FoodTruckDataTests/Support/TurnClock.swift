import AsyncSequenceTestUtils

/// A clock on which time passes when a test says: each sleep ends with one turn, which returns when somebody sleeps again.
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
    // Not an iterator of its own: the end of one would let go of the test before the sleeper has gone on.
    guard await turns.iterator.next() != nil else { throw CancellationError() }
  }
}
