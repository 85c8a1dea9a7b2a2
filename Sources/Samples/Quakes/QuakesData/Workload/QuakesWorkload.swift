import SampleSupport

/// A made-up history of the quakes sample, the same for the same seed on every platform.
///
/// It imitates people at work: they open the list, ask for feeds, delete quakes; feeds bring new quakes, correct and
/// withdraw old ones, and name some twice; the stores answer one request after the other, a little later, and sometimes
/// fail, so that deletions come back. About 1 in 200 actions is one that the reducer refuses: a tap on a quake that is
/// gone.
///
/// The actions of a shorter workload are the beginning of a longer one with the same seed.
///
/// ```swift
/// for action in QuakesWorkload(seed: 7, count: 1_000) {
///   do { try store.dispatch(action: action) } catch { print("refused: \(error)") }
/// }
/// ```
public struct QuakesWorkload: Sequence, IteratorProtocol, Sendable {
  /// More than this many requests never wait: the fastest finger is not that fast.
  private static let pendingLimit = 4

  private var remaining: Int
  var generator: SplitMix64
  /// What the table in the state holds.
  var quakes = LiveRows<Quake>()
  /// The quakes that were deleted last, for taps that come too late.
  var deleted: [Quake] = []
  /// What the stores were asked for and have not answered, oldest first: the listener works in this order.
  var requests: [Request] = []
  var wasAskedFor = false
  var isWaiting = false
  /// How many quakes there ever were: what ids are made of.
  var serial = 0
  /// The moment, in milliseconds since 1970.
  var now: Int64 = 1_795_251_600_000

  /// Makes a workload.
  ///
  /// - Parameters:
  ///   - seed: Any number; it alone decides what happens.
  ///   - count: How many actions there are, at least 0.
  public init(seed: UInt64, count: Int) {
    precondition(count >= 0, "a workload cannot hold \(count) actions")
    self.generator = SplitMix64(seed: seed)
    self.remaining = count
  }

  /// How many actions are left.
  public var underestimatedCount: Int { remaining }

  /// The next action, or `nil` after the last one.
  ///
  /// - Complexity: O(1) amortised for deletions, O(length of the feed) for feeds. The workload keeps the rows that
  ///   exist, O(n) memory in their number.
  public mutating func next() -> QuakesAction? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    now += Int64(1_000 + generator.next(below: 60_000))
    // A deletion that succeeds is answered by nothing.
    while let request = requests.first, isAnswerDue() {
      requests.removeFirst()
      if let action = answer(request) { return action }
    }
    return userAction()
  }

  private mutating func isAnswerDue() -> Bool {
    requests.count == Self.pendingLimit || quakes.isEmpty || generator.chance(2, in: 3)
  }
}

extension QuakesWorkload {
  /// What the stores are asked for.
  enum Request: Sendable {
    case fetchStored
    case fetchFeed(QuakesAction.UI.QuakeList.RefreshQuakesRange)
    /// With what the state lost.
    case delete([Quake])
  }
}
