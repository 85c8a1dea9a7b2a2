/// States that a cursor keeps, so that a move folds few actions.
///
/// Far from the cursor one state in ``coarseSpacing`` is kept, over the whole history once it was folded; near it one in
/// ``spacing``; around it every one. States share what they have in common, so a kept state costs what changed since the
/// one before. Where it costs a copy of the whole state (``StateWeight``) fewer are kept: far from the cursor as many as
/// ``weightLimit`` allows, near it those at distances that double.
package struct KeyframeCache<State: Sendable>: Sendable {
  /// Near the cursor one state in so many is kept; a step back across a gap folds at most so many actions.
  package static var spacing: Int { 64 }

  /// Within so many revisions of the cursor every state is kept: two gaps, so that turning round is free.
  private static var denseReach: Int { 2 * spacing }

  /// Within so many revisions of the cursor one in ``spacing`` is kept: two coarse gaps.
  private static var nearReach: Int { 2 * firstCoarseSpacing }

  /// Folding so many actions takes about a millisecond, which is what a jump may cost.
  private static var firstCoarseSpacing: Int { 1_024 }

  /// More states than this are not kept far from the cursor: enough for 10⁶ actions, then the gaps double.
  package static var coarseLimit: Int { 1_024 }

  /// The most states that are kept, far and near.
  package static var limit: Int { coarseLimit + 2 * nearReach / spacing + 2 * denseReach + 1 }

  /// The elements that all kept states may copy, at 50 to 150 bytes each.
  private static var weightLimit: Int { 1 << 22 }

  /// How many heavy states are kept near the cursor, at distances that double.
  private static var heavyNearLimit: Int { 24 }

  private struct Keyframe: Sendable {
    var revision: Int
    var state: State
  }

  /// In order of revision.
  private var keyframes: [Keyframe] = []
  /// Far from the cursor the states at multiples of this are kept.
  package private(set) var coarseSpacing = Self.firstCoarseSpacing
  /// How many of them.
  private var coarseCount = 0
  /// The weight of the state that was weighed last; `nil` before the first.
  private var knownWeight: Int?

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

  /// The first revision behind `revision` whose state is worth keeping on the way to a cursor at `target`.
  package func nextWanted(after revision: Int, to target: Int) -> Int? {
    guard revision < target else { return nil }
    let coarse = revision + coarseSpacing - revision % coarseSpacing
    if isHeavy {
      // The greatest distance from the target that is a power of two and lies ahead.
      let distance = target - revision - 1
      guard distance > 0 else { return target }
      return min(coarse, target - 1 << (Int.bitWidth - 1 - distance.leadingZeroBitCount))
    }
    if target - revision <= Self.spacing { return revision + 1 }
    let near = max(revision + 1, target - Self.nearReach)
    return min(coarse, near + (Self.spacing - near % Self.spacing) % Self.spacing, target - Self.spacing + 1)
  }

  /// Keeps a state until it is far from the cursor.
  ///
  /// - Complexity: O(*n*).
  package mutating func insert(_ state: State, at revision: Int) {
    let place = firstPlace(above: revision)
    guard place == 0 || keyframes[place - 1].revision != revision else { return }
    keyframes.insert(Keyframe(revision: revision, state: state), at: place)
    if knownWeight == nil || isCoarse(revision) { knownWeight = StateWeight.weight(of: state) }
    guard isCoarse(revision) else { return }
    coarseCount += 1
    while coarseCount > coarseLimit {
      let (old, new) = (coarseSpacing, 2 * coarseSpacing)
      keyframes.removeAll { keyframe in
        keyframe.revision.isMultiple(of: old) && !keyframe.revision.isMultiple(of: new)
      }
      coarseSpacing = new
      coarseCount = keyframes.count { keyframe in isCoarse(keyframe.revision) }
    }
  }

  /// Lets go of what a cursor at `revision` is unlikely to need.
  ///
  /// - Complexity: O(*n*).
  package mutating func trim(around revision: Int) {
    let (isHeavy, coarseSpacing) = (isHeavy, coarseSpacing)
    keyframes.removeAll { keyframe in
      let distance = abs(keyframe.revision - revision)
      if keyframe.revision.isMultiple(of: coarseSpacing) { return false }
      if isHeavy { return distance > coarseSpacing }
      return distance > Self.denseReach
        && !(distance <= Self.nearReach && keyframe.revision.isMultiple(of: Self.spacing))
    }
    while isHeavy, keyframes.count > coarseCount + Self.heavyNearLimit { removeLeastNeeded(at: revision) }
  }
}

extension KeyframeCache {
  private var weight: Int { knownWeight ?? 0 }

  /// Whether keeping a state for each revision around the cursor would copy more than is allowed.
  private var isHeavy: Bool { weight > Self.weightLimit / Self.limit }

  /// How many states may be kept far from the cursor.
  private var coarseLimit: Int {
    min(Self.coarseLimit, max(2, Self.weightLimit / max(1, weight)))
  }

  private func isCoarse(_ revision: Int) -> Bool { revision.isMultiple(of: coarseSpacing) }

  /// Removes a state that a heavy history can do without.
  ///
  /// Going back needs those behind the cursor, whose distances double; those ahead of it can be folded again.
  private mutating func removeLeastNeeded(at revision: Int) {
    let fine = keyframes.indices.filter { index in !isCoarse(keyframes[index].revision) }
    if let last = fine.last, keyframes[last].revision > revision {
      keyframes.remove(at: last)
    } else {
      keyframes.remove(at: fine.first ?? 0)
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
