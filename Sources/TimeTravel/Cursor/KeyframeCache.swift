/// States that a cursor keeps, so that a step back folds few actions.
///
/// All states near the cursor are kept, and every 64th of those further away. States share what they have in common, so
/// a kept state costs what changed since the one before.
package struct KeyframeCache<State: Sendable>: Sendable {
  /// Away from the cursor one state in so many is kept; a step back across a gap folds at most so many actions.
  package static var spacing: Int { 64 }

  /// Within so many revisions of the cursor every state is kept: two gaps, so that turning round is free.
  private static var denseReach: Int { 2 * spacing }

  /// The largest window of a walker takes 256 keyframes and the dense ones 257: the rest is room for the last visit.
  package static var limit: Int { 768 }

  private struct Keyframe: Sendable {
    var revision: Int
    var state: State
  }

  /// In order of revision.
  private var keyframes: [Keyframe] = []

  /// Makes a cache that holds nothing.
  package init() {}

  /// How many states are kept.
  package var count: Int { keyframes.count }

  /// The state at a revision, if it is kept.
  ///
  /// - Complexity: O(log *n*).
  package func state(at revision: Int) -> State? {
    nearest(atOrBefore: revision).flatMap { nearest in nearest.revision == revision ? nearest.state : nil }
  }

  /// The kept state with the highest revision that is not above `revision`.
  ///
  /// - Complexity: O(log *n*).
  package func nearest(atOrBefore revision: Int) -> (revision: Int, state: State)? {
    let place = firstPlace(above: revision)
    guard place > 0 else { return nil }
    return (keyframes[place - 1].revision, keyframes[place - 1].state)
  }

  /// Keeps a state until it is far from the cursor.
  ///
  /// - Complexity: O(*n*).
  package mutating func insert(_ state: State, at revision: Int) {
    let place = firstPlace(above: revision)
    guard place == 0 || keyframes[place - 1].revision != revision else { return }
    keyframes.insert(Keyframe(revision: revision, state: state), at: place)
  }

  /// Lets go of what a cursor at `revision` is unlikely to need.
  ///
  /// - Complexity: O(*n*).
  package mutating func trim(around revision: Int) {
    keyframes.removeAll { keyframe in
      abs(keyframe.revision - revision) > Self.denseReach && !keyframe.revision.isMultiple(of: Self.spacing)
    }
    while keyframes.count > Self.limit, let first = keyframes.first, let last = keyframes.last {
      if revision - first.revision > last.revision - revision {
        keyframes.removeFirst()
      } else {
        keyframes.removeLast()
      }
    }
  }

  private func firstPlace(above revision: Int) -> Int {
    var (low, high) = (0, keyframes.count)
    while low < high {
      let middle = (low + high) / 2
      if keyframes[middle].revision <= revision { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
