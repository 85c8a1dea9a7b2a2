/// States in order of their revisions.
struct KeyframeList<State: Sendable>: Sendable {
  struct Keyframe: Sendable {
    var revision: Int
    var state: State
  }

  private(set) var keyframes: [Keyframe] = []

  var count: Int { keyframes.count }

  /// The state with the highest revision that is not above `revision`.
  ///
  /// - Complexity: O(log *n*).
  func nearest(atOrBefore revision: Int) -> Keyframe? {
    let place = firstPlace(above: revision)
    return place > 0 ? keyframes[place - 1] : nil
  }

  /// The state with the lowest revision above `revision`.
  ///
  /// - Complexity: O(log *n*).
  func nearest(after revision: Int) -> Keyframe? {
    let place = firstPlace(above: revision)
    return place < keyframes.count ? keyframes[place] : nil
  }

  /// Whether there is a state at a revision.
  ///
  /// - Complexity: O(log *n*).
  func contains(_ revision: Int) -> Bool {
    let place = firstPlace(above: revision)
    return place > 0 && keyframes[place - 1].revision == revision
  }

  /// Adds a state, unless there is one at its revision.
  ///
  /// - Returns: Whether it was added.
  /// - Complexity: O(log *n*) behind all others, O(*n*) elsewhere.
  mutating func insert(_ state: State, at revision: Int) -> Bool {
    let place = firstPlace(above: revision)
    guard place == 0 || keyframes[place - 1].revision != revision else { return false }
    keyframes.insert(Keyframe(revision: revision, state: state), at: place)
    return true
  }

  /// Adds the states of another list at revisions that have none.
  ///
  /// - Complexity: O(*n*).
  mutating func merge(_ other: KeyframeList) {
    guard !other.keyframes.isEmpty else { return }
    var merged: [Keyframe] = []
    merged.reserveCapacity(keyframes.count + other.keyframes.count)
    var mine = keyframes[...]
    for keyframe in other.keyframes {
      while let first = mine.first, first.revision < keyframe.revision { merged.append(mine.removeFirst()) }
      if mine.first?.revision == keyframe.revision { continue }
      merged.append(keyframe)
    }
    keyframes = merged + mine
  }

  /// Removes the states at some revisions.
  ///
  /// - Complexity: O(*n*).
  mutating func removeAll(where isRemoved: (_ revision: Int) -> Bool) {
    keyframes.removeAll { keyframe in isRemoved(keyframe.revision) }
  }

  mutating func remove(at place: Int) {
    keyframes.remove(at: place)
  }

  private func firstPlace(above revision: Int) -> Int {
    // Most of what is kept comes in order.
    guard let last = keyframes.last, last.revision > revision else { return keyframes.count }
    var (low, high) = (0, keyframes.count)
    while low < high {
      let middle = (low + high) / 2
      if keyframes[middle].revision <= revision { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
