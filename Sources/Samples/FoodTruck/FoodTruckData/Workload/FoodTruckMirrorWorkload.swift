/// The made-up history of ``FoodTruckWorkload`` in its mirrored form: the same day at the counter, told by whole tables.
///
/// Its actions grow with the table, which the walk-through names as the cost of this form: the log of *n* of them is
/// O(*n*²) bytes long.
public struct FoodTruckMirrorWorkload: Sequence, IteratorProtocol, Sendable {
  private var remaining: Int
  private var days: FoodTruckWorkload
  private var mirror = FoodTruckMirror()
  /// What is still to be told, the next one at the end.
  private var waiting: [FoodTruckAction] = []

  /// Makes a workload.
  ///
  /// - Parameters:
  ///   - seed: Any number; it alone decides what happens.
  ///   - count: How many actions of the mirrored form there are, at least 0.
  public init(seed: UInt64, count: Int) {
    precondition(count >= 0, "a workload cannot hold \(count) actions")
    remaining = count
    // What happens is told by at least one action, unless it is an activity, which at most every second action is.
    days = FoodTruckWorkload(seed: seed, count: .max)
  }

  /// How many actions are left.
  public var underestimatedCount: Int { remaining }

  /// The next action, or `nil` after the last one.
  public mutating func next() -> FoodTruckAction? {
    guard remaining > 0 else { return nil }
    remaining -= 1
    while waiting.isEmpty {
      guard let action = days.next() else { return nil }
      waiting = mirror.actions(for: action).reversed()
    }
    return waiting.removeLast()
  }
}

extension FoodTruckMirrorWorkload {
  /// The story of ``FoodTruckWorkload/story`` in its mirrored form.
  public static let story: [FoodTruckWorkload.Step] = {
    var mirror = FoodTruckMirror()
    var steps: [FoodTruckWorkload.Step] = []
    var pause = Duration.zero
    for step in FoodTruckWorkload.story {
      pause += step.pause
      let actions = mirror.actions(for: step.action)
      for (place, action) in actions.enumerated() {
        // The model answers at once.
        steps.append(FoodTruckWorkload.Step(place == 0 ? pause : .milliseconds(1), action))
      }
      if !actions.isEmpty { pause = .zero }
    }
    return steps
  }()
}
