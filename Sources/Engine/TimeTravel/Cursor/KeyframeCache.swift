/// States that a cursor keeps, so that a move folds few actions.
///
/// Far from the cursor one state in ``coarseSpacing`` is kept, over the whole history once it was folded; near it one in
/// ``spacing``; around it every one. States share what they have in common, so a kept state costs what changed since the
/// one before. Where it costs a copy of the whole state (``StateWeight``) fewer are kept: far from the cursor as many as
/// ``weightLimit`` allows, near it those at distances that double.
package struct KeyframeCache<State: Sendable>: Sendable {
  /// Near the cursor one state in so many is kept; a step back across a gap folds at most so many actions.
  package static var spacing: Int { 16 }

  /// Within so many revisions of the cursor every state is kept: a few gaps, so that turning round is free, and those that steps back
  /// fold ahead are still there.
  private static var denseReach: Int { 6 * spacing }

  /// From so many revisions behind it on steps back fill a gap, which takes two actions a step.
  private static var gapReach: Int { spacing / 2 }

  /// Within so many revisions of the cursor one in ``spacing`` is kept: eight coarse gaps.
  private static var nearReach: Int { 8 * firstCoarseSpacing }

  /// Folding so many actions takes up to a millisecond where nothing of the state is in the processor's caches, of the one and a half
  /// that a jump may cost. Half as many would cost a third more memory: a kept state is its way to what changed, of which
  /// neighbours have less in common.
  package static var firstCoarseSpacing: Int { 128 }

  /// More states than this are not kept far from the cursor: enough for 10⁶ actions, then the gaps double.
  package static var coarseLimit: Int { 8_192 }

  /// The most states that are kept, far and near.
  package static var limit: Int { coarseLimit + 2 * nearReach / spacing + 2 * denseReach + 1 }

  /// The elements that all kept states may copy, at 50 to 150 bytes each.
  private static var weightLimit: Int { 1 << 22 }

  /// How many heavy states are kept near the cursor, at distances that double.
  private static var heavyNearLimit: Int { 24 }

  /// One in so many of the states far from the cursor is weighed: a state grows little from one to the next.
  private static var weighedCoarse: Int { 8 }

  /// Those far from the cursor. They stay where they are while the cursor moves.
  private var coarse = KeyframeList<State>()
  /// Those around the cursor.
  private var fine = KeyframeList<State>()
  /// Far from the cursor the states at multiples of this are kept.
  package private(set) var coarseSpacing = Self.firstCoarseSpacing
  /// The weight of the state that was weighed last; `nil` before the first.
  private var knownWeight: Int?

  /// Makes a cache that holds nothing.
  package init() {}

  /// How many states are kept.
  package var count: Int { coarse.count + fine.count }

  /// The state at a revision, if it is kept.
  ///
  /// - Complexity: O(log *n*).
  package func state(at revision: Int) -> State? {
    guard contains(revision) else { return nil }
    return (isCoarse(revision) ? coarse : fine).nearest(atOrBefore: revision)?.state
  }

  /// Whether the state at a revision is kept.
  ///
  /// - Complexity: O(log *n*).
  package func contains(_ revision: Int) -> Bool { (isCoarse(revision) ? coarse : fine).contains(revision) }

  /// How many actions are best folded while the cursor is at `revision`, so that none of the steps back from there has to fold a
  /// whole gap.
  ///
  /// - Returns: The highest revision before `revision` that is not kept, if a gap ends there that the cursor is near to and which
  ///   steps can fill one after the other; and how many of its actions each step is to fold, from its beginning on.
  /// - Complexity: O(log *n*).
  package func gap(before revision: Int) -> (last: Int, actions: Int)? {
    guard !isHeavy else { return nil }
    for distance in 1...Self.gapReach where revision >= distance && !contains(revision - distance) {
      let last = revision - distance
      guard let start = nearest(atOrBefore: last)?.revision, last - start < Self.spacing else { return nil }
      // The step that leads to the end of the gap may fold as many as those before it.
      return (last, (last - start + distance - 1) / distance)
    }
    return nil
  }

  /// The kept state with the highest revision that is not above `revision`.
  ///
  /// - Complexity: O(log *n*).
  package func nearest(atOrBefore revision: Int) -> (revision: Int, state: State)? {
    let (far, near) = (coarse.nearest(atOrBefore: revision), fine.nearest(atOrBefore: revision))
    guard let near, near.revision > far?.revision ?? -1 else { return far.map { far in (far.revision, far.state) } }
    return (near.revision, near.state)
  }

  /// The kept state in a range whose revision is nearest to another one.
  ///
  /// - Complexity: O(log *n*).
  func nearest(to middle: Int, in range: Range<Int>) -> (revision: Int, state: State)? {
    let before = nearest(atOrBefore: middle)
    let after = [coarse, fine].compactMap { list in list.nearest(after: middle) }
      .min { left, right in left.revision < right.revision }.map { kept in (revision: kept.revision, state: kept.state)
      }
    return [before, after].compactMap { kept in kept }.filter { kept in range.contains(kept.revision) }
      .min { left, right in abs(left.revision - middle) < abs(right.revision - middle) }
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
  /// - Complexity: O(number of states around the cursor); O(*n*) for one far from it that was passed over before.
  package mutating func insert(_ state: State, at revision: Int) {
    guard isCoarse(revision) else {
      if knownWeight == nil { knownWeight = StateWeight.weight(of: state) }
      _ = fine.insert(state, at: revision)
      return
    }
    guard coarse.insert(state, at: revision) else { return }
    if knownWeight == nil || revision.isMultiple(of: Self.weighedCoarse * coarseSpacing) {
      knownWeight = StateWeight.weight(of: state)
    }
    thinOut()
  }

  /// Keeps what another cache keeps of the same history, too.
  ///
  /// - Complexity: O(*n*) of what both keep.
  package mutating func merge(_ other: KeyframeCache) {
    coarse.merge(other.coarse)
    if coarseSpacing != other.coarseSpacing {
      let coarseSpacing = max(coarseSpacing, other.coarseSpacing)
      coarse.removeAll { revision in !revision.isMultiple(of: coarseSpacing) }
      self.coarseSpacing = coarseSpacing
    }
    fine.merge(other.fine)
    if let weight = other.knownWeight { knownWeight = max(weight, knownWeight ?? 0) }
    thinOut()
  }

  /// Lets go of what a cursor at `revision` is unlikely to need.
  ///
  /// - Complexity: O(number of states around the cursor).
  package mutating func trim(around revision: Int) {
    let (isHeavy, coarseSpacing) = (isHeavy, coarseSpacing)
    fine.removeAll { kept in
      let distance = abs(kept - revision)
      if isHeavy { return distance > coarseSpacing }
      return distance > Self.denseReach && !(distance <= Self.nearReach && kept.isMultiple(of: Self.spacing))
    }
    while isHeavy, fine.count > Self.heavyNearLimit { removeLeastNeeded(at: revision) }
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

  /// Doubles the distance of the states far from the cursor until they are few enough.
  private mutating func thinOut() {
    while coarse.count > coarseLimit {
      coarseSpacing *= 2
      let coarseSpacing = coarseSpacing
      coarse.removeAll { revision in !revision.isMultiple(of: coarseSpacing) }
    }
  }

  private func isCoarse(_ revision: Int) -> Bool { revision.isMultiple(of: coarseSpacing) }

  /// Removes a state that a heavy history can do without.
  ///
  /// Going back needs those behind the cursor, whose distances double; those ahead of it can be folded again.
  private mutating func removeLeastNeeded(at revision: Int) {
    let isAhead = fine.keyframes.last.map { last in last.revision > revision } ?? false
    fine.remove(at: isAhead ? fine.count - 1 : 0)
  }
}

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

/// How much a state costs to keep: the number of elements that a copy of it must copy as soon as it is written.
///
/// Arrays, dictionaries and sets of the standard library are copied whole by the first write after they were shared; a
/// collection whose versions share what they have in common is not, and weighs nothing here. What lies inside of elements is
/// not looked at.
enum StateWeight {
  /// States are structs of structs; deeper nesting than this is not looked into.
  private static let depthLimit = 8
  /// More members than a struct written by a person has.
  private static let memberLimit = 256

  /// The weight of a state.
  ///
  /// - Complexity: O(number of its members), not of its elements.
  static func weight(of state: some Any) -> Int {
    weight(of: state, depth: 0)
  }

  private static func weight(of value: Any, depth: Int) -> Int {
    if let collection = value as? any CopiedWhole { return collection.elementCount }
    guard depth < depthLimit else { return 0 }
    if let optional = value as? any OptionalContent {
      return optional.content.map { content in weight(of: content, depth: depth + 1) } ?? 0
    }
    // A mirror that a type makes by itself can cost as much as the value is large.
    guard !(value is any CustomReflectable) else { return 0 }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle != .class else { return 0 }
    return mirror.children.prefix(memberLimit).reduce(0) { sum, child in sum + weight(of: child.value, depth: depth + 1)
    }
  }
}

/// A collection that is copied as a whole when it is written while it is shared.
private protocol CopiedWhole {
  var elementCount: Int { get }
}

extension Array: CopiedWhole {
  fileprivate var elementCount: Int { count }
}

extension Dictionary: CopiedWhole {
  fileprivate var elementCount: Int { count }
}

extension Set: CopiedWhole {
  fileprivate var elementCount: Int { count }
}

/// What an optional holds, whatever it is an optional of.
private protocol OptionalContent {
  var content: Any? { get }
}

extension Optional: OptionalContent {
  fileprivate var content: Any? { map { content in content } }
}
