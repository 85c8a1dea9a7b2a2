import Platform

/// The states that a cursor keeps, so that a move folds few actions.
///
/// Far from the cursor the cache keeps one state in ``coarseSpacing``, near it one in ``spacing``, around it all states, and in
/// between some at distances that double, so that a search backward folds little more than it visits.
///
/// States share storage, so a kept state costs what changed since the previous one. If it costs a copy of the complete state
/// (``StateWeight``), fewer states are kept: far from the cursor as many as ``weightLimit`` allows, near it those at distances
/// that double.
package struct KeyframeCache<State: Sendable>: Sendable {
  /// Near the cursor one state in this many is kept, so a step back across a gap folds at most this many actions.
  package static var spacing: Int { 16 }

  /// Within this distance of the cursor all states are kept: a few gaps, so that turning back is free and the states that were
  /// folded ahead are still there.
  private static var denseReach: Int { 6 * spacing }

  /// At this distance from a gap, steps back begin to fill it, which takes two actions a step.
  private static var gapReach: Int { spacing / 2 }

  /// Within this distance of the cursor one state in ``spacing`` is kept: eight coarse gaps.
  private static var nearReach: Int { 8 * firstCoarseSpacing }

  /// Folding this many actions takes up to 1 ms with cold processor caches; a jump may take 1.5 ms. Half as many would cost a
  /// third more memory, because neighboring states share less of the paths to what changed.
  package static var firstCoarseSpacing: Int { 128 }

  /// The most states far from the cursor: enough for 10⁶ actions; beyond that the gaps double.
  package static var coarseLimit: Int { 8_192 }

  /// The most states far from the cursor of a user interface, which may take 0.1 s for a jump through folded history. The fold copies
  /// what it writes after each kept state: through 10⁶ actions of the animals sample, 512 states took as long as half of the fold, and
  /// two fifths of the memory.
  package static var frugalCoarseLimit: Int { 16 }

  /// Up to this distance, which takes about 0.1 s to fold, the states of a user interface move apart. In a longer history there are
  /// more of them instead, up to ``frugalLimit``.
  package static var frugalSpacing: Int { 1 << 16 }

  /// The most states far from the cursor of a user interface, in a history of any length.
  package static var frugalLimit: Int { 64 }

  package static var limit: Int { coarseLimit + 2 * nearReach / spacing + 2 * denseReach + 1 + middleLimit }

  /// The most states beyond ``nearReach`` that are not far from the cursor: two for each doubling of the distance, on both sides.
  private static var middleLimit: Int { 4 * (Int.bitWidth - nearReach.leadingZeroBitCount) }

  /// The most elements that all kept states may copy, at 50 to 150 bytes each.
  private static var weightLimit: Int { 1 << 22 }

  /// The number of heavy states that are kept near the cursor, at distances that double.
  private static var heavyNearLimit: Int { 24 }

  /// One in this many of the states far from the cursor is weighed: a state grows little from one to the next.
  private static var weighedCoarse: Int { 8 }

  /// The states far from the cursor. They stay while the cursor moves.
  private var coarse = KeyframeList<State>()
  /// The states around the cursor.
  private var fine = KeyframeList<State>()
  /// Far from the cursor the states at multiples of this are kept.
  package private(set) var coarseSpacing = Self.firstCoarseSpacing
  /// The weight of the last weighed state; `nil` before the first.
  private var knownWeight: Int?
  /// The most states far from the cursor, if they weigh nothing and are less than ``frugalSpacing`` apart.
  let lightCoarseLimit: Int

  package init(coarseLimit: Int = Self.coarseLimit) { lightCoarseLimit = min(coarseLimit, Self.coarseLimit) }

  package var count: Int { coarse.count + fine.count }

  package func state(at revision: Int) -> State? {
    guard contains(revision) else { return nil }
    return (isCoarse(revision) ? coarse : fine).nearest(atOrBefore: revision)?.state
  }

  package func contains(_ revision: Int) -> Bool { (isCoarse(revision) ? coarse : fine).contains(revision) }

  /// Returns how many actions to fold at a position, so that no later step back has to fold a complete gap.
  ///
  /// - Returns: The last revision of the next gap before `revision`, if it is near and steps can fill it one after another,
  ///   and how many of its actions each step has to fold from its beginning on.
  package func gap(before revision: Int) -> (last: Int, actions: Int)? {
    guard !isHeavy else { return nil }
    for distance in 1...Self.gapReach where revision >= distance && !contains(revision - distance) {
      let last = revision - distance
      guard let start = nearest(atOrBefore: last)?.revision, last - start < Self.spacing else { return nil }
      // The step to the end of the gap may fold as many actions as those before it.
      return (last, (last - start + distance - 1) / distance)
    }
    return nil
  }

  package func nearest(atOrBefore revision: Int) -> (revision: Int, state: State)? {
    let (far, near) = (coarse.nearest(atOrBefore: revision), fine.nearest(atOrBefore: revision))
    guard let near, near.revision > far?.revision ?? -1 else { return far.map { far in (far.revision, far.state) } }
    return (near.revision, near.state)
  }

  func nearest(to middle: Int, in range: Range<Int>) -> (revision: Int, state: State)? {
    let before = nearest(atOrBefore: middle)
    let after = [coarse, fine].compactMap { list in list.nearest(after: middle) }
      .min { left, right in left.revision < right.revision }.map { kept in (revision: kept.revision, state: kept.state)
      }
    return [before, after].compactMap { kept in kept }.filter { kept in range.contains(kept.revision) }
      .min { left, right in abs(left.revision - middle) < abs(right.revision - middle) }
  }

  /// The next revision after `revision` whose state is worth keeping on the way to a cursor at `target`.
  package func nextWanted(after revision: Int, to target: Int) -> Int? {
    guard revision < target else { return nil }
    let coarse = revision + coarseSpacing - revision % coarseSpacing
    if isHeavy {
      // The largest power of two up to the distance from the target.
      let distance = target - revision - 1
      guard distance > 0 else { return target }
      return min(coarse, target - 1 << (Int.bitWidth - 1 - distance.leadingZeroBitCount))
    }
    if target - revision <= Self.spacing { return revision + 1 }
    let near = max(revision + 1, target - Self.nearReach)
    var next = min(coarse, near + (Self.spacing - near % Self.spacing) % Self.spacing, target - Self.spacing + 1)
    if let spacing = Self.middleSpacing(at: target - revision) {
      next = min(next, revision + spacing - revision % spacing)
    }
    return next
  }

  /// The distance of the states that are kept at a distance from the cursor: a quarter to half of it; `nil` near the cursor.
  private static func middleSpacing(at distance: Int) -> Int? {
    guard distance > nearReach else { return nil }
    return 1 << (Int.bitWidth - 2 - distance.leadingZeroBitCount)
  }

  /// Prepares for a move: doubles the distance of the states far from the cursor until those on the way fit in, too. Otherwise the
  /// move would keep, and later discard, many more states, and the fold copies what it writes after each of them.
  package mutating func prepare(toMoveFrom revision: Int, to target: Int) {
    while coarse.count + (target - revision) / coarseSpacing > coarseLimit { doubleSpacing() }
  }

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

  /// Discards states that a cursor at `revision` is unlikely to need.
  package mutating func trim(around revision: Int) {
    let (isHeavy, coarseSpacing) = (isHeavy, coarseSpacing)
    fine.removeAll { kept in
      let distance = abs(kept - revision)
      if isHeavy { return distance > coarseSpacing }
      return distance > Self.denseReach && !kept.isMultiple(of: Self.middleSpacing(at: distance) ?? Self.spacing)
    }
    while isHeavy, fine.count > Self.heavyNearLimit { removeLeastNeeded(at: revision) }
  }
}

extension KeyframeCache {
  private var weight: Int { knownWeight ?? 0 }

  /// Whether keeping all states around the cursor would copy too much.
  private var isHeavy: Bool { weight > Self.weightLimit / Self.limit }

  /// The most states that may be kept far from the cursor, at their present distance.
  private var coarseLimit: Int {
    let light = coarseSpacing < Self.frugalSpacing ? lightCoarseLimit : max(lightCoarseLimit, Self.frugalLimit)
    return min(light, max(2, Self.weightLimit / max(1, weight)))
  }

  /// Doubles the distance of the states far from the cursor until there are few enough.
  private mutating func thinOut() {
    while coarse.count > coarseLimit { doubleSpacing() }
  }

  private mutating func doubleSpacing() {
    coarseSpacing *= 2
    let coarseSpacing = coarseSpacing
    coarse.removeAll { revision in !revision.isMultiple(of: coarseSpacing) }
  }

  private func isCoarse(_ revision: Int) -> Bool { revision.isMultiple(of: coarseSpacing) }

  /// Removes a state that a cursor of heavy states does not need.
  ///
  /// Moving back needs the states before the cursor, at distances that double; those after it can be folded again.
  private mutating func removeLeastNeeded(at revision: Int) {
    let isAhead = fine.keyframes.last.map { last in last.revision > revision } ?? false
    fine.remove(at: isAhead ? fine.count - 1 : 0)
  }
}

/// A list of states, ordered by revision.
struct KeyframeList<State: Sendable>: Sendable {
  struct Keyframe: Sendable {
    var revision: Int
    var state: State
  }

  private(set) var keyframes: [Keyframe] = []

  var count: Int { keyframes.count }

  func nearest(atOrBefore revision: Int) -> Keyframe? {
    let place = firstPlace(above: revision)
    return place > 0 ? keyframes[place - 1] : nil
  }

  func nearest(after revision: Int) -> Keyframe? {
    let place = firstPlace(above: revision)
    return place < keyframes.count ? keyframes[place] : nil
  }

  func contains(_ revision: Int) -> Bool {
    let place = firstPlace(above: revision)
    return place > 0 && keyframes[place - 1].revision == revision
  }

  mutating func insert(_ state: State, at revision: Int) -> Bool {
    let place = firstPlace(above: revision)
    guard place == 0 || keyframes[place - 1].revision != revision else { return false }
    keyframes.insert(Keyframe(revision: revision, state: state), at: place)
    return true
  }

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

  mutating func removeAll(where isRemoved: (_ revision: Int) -> Bool) {
    keyframes.removeAll { keyframe in isRemoved(keyframe.revision) }
  }

  mutating func remove(at place: Int) {
    keyframes.remove(at: place)
  }

  private func firstPlace(above revision: Int) -> Int {
    // Most states are added in order.
    guard let last = keyframes.last, last.revision > revision else { return keyframes.count }
    return keyframes.partitioningIndex { keyframe in keyframe.revision > revision }
  }
}

/// The cost of keeping a state: the number of elements that its next write must copy.
///
/// Arrays, dictionaries and sets of the standard library are copied completely by the first write after they were shared. A
/// collection that shares storage among its versions is not, and weighs nothing here. Elements are not inspected.
enum StateWeight {
  /// States are structs of structs; deeper nesting is not inspected.
  private static let depthLimit = 8
  /// More members than a hand-written struct has.
  private static let memberLimit = 256

  static func weight(of state: some Any) -> Int {
    weight(of: state, depth: 0)
  }

  private static func weight(of value: Any, depth: Int) -> Int {
    if let collection = value as? any CopiedWhole { return collection.elementCount }
    guard depth < depthLimit else { return 0 }
    if let optional = value as? any OptionalContent {
      return optional.content.map { content in weight(of: content, depth: depth + 1) } ?? 0
    }
    // A mirror that a type defines itself can cost as much as the value is large.
    guard !(value is any CustomReflectable) else { return 0 }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle != .class else { return 0 }
    return mirror.children.prefix(memberLimit).reduce(0) { sum, child in sum + weight(of: child.value, depth: depth + 1)
    }
  }
}

/// A collection that a write copies completely while it is shared.
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

/// The content of an optional of any type.
private protocol OptionalContent {
  var content: Any? { get }
}

extension Optional: OptionalContent {
  fileprivate var content: Any? { map { content in content } }
}
