import JSONCoding

/// Compares two values whose members are sorted, and counts the work.
struct StateComparison {
  private(set) var nodesCompared = 0

  /// Returns the edit from `old` to `new`; `nil` if they are equal.
  mutating func compare(_ old: JSONValue, _ new: JSONValue) -> StateEdit? {
    switch (old, new) {
    case (.object(let old), .object(let new)):
      nodesCompared += 1
      return compare(old, new)
    case (.array(let old), .array(let new)):
      return Self.shareStorage(old, new) ? nil : compare(old, new)
    default:
      nodesCompared += 1
      return old == new ? nil : .replace(old: old, new: new)
    }
  }

  /// Merges two sorted lists of members.
  private mutating func compare(_ old: JSONObject, _ new: JSONObject) -> StateEdit? {
    var edits: [(name: String, edit: StateEdit.MemberEdit)] = []
    var (oldRest, newRest) = (old[...], new[...])
    while let member = oldRest.first, let other = newRest.first {
      if member.name.utf8.elementsEqual(other.name.utf8) {
        if let edit = compare(member.value, other.value) { edits.append((member.name, .edit(edit))) }
        oldRest.removeFirst()
        newRest.removeFirst()
      } else if MemberOrder.precedes(member.name, other.name) {
        edits.append((member.name, .remove(member.value)))
        oldRest.removeFirst()
      } else {
        edits.append((other.name, .add(other.value)))
        newRest.removeFirst()
      }
    }
    edits += oldRest.map { member in (member.name, .remove(member.value)) }
    edits += newRest.map { member in (member.name, .add(member.value)) }
    return edits.isEmpty ? nil : .object(edits)
  }

  /// Trims equal ends, aligns the rest, and compares the remaining elements in pairs.
  private mutating func compare(_ old: [JSONValue], _ new: [JSONValue]) -> StateEdit? {
    nodesCompared += 1
    let shorter = min(old.count, new.count)
    var start = 0
    while start < shorter, areEqual(old[start], new[start]) { start += 1 }
    if start == old.count, start == new.count { return nil }
    var end = 0
    while end < shorter - start, areEqual(old[old.count - 1 - end], new[new.count - 1 - end]) { end += 1 }

    var edits: [StateEdit.ElementEdit] = []
    let oldMiddle = old[start..<(old.count - end)]
    let newMiddle = new[start..<(new.count - end)]
    for gap in gaps(oldMiddle, newMiddle) {
      append(old, gap.old, new, gap.new, to: &edits)
    }
    return .array(edits)
  }

  private func gaps(_ old: ArraySlice<JSONValue>, _ new: ArraySlice<JSONValue>) -> [SequenceAlignment.Gap] {
    // There is nothing to align.
    if old.count <= 1, new.count <= 1 || old.isEmpty {
      return [SequenceAlignment.Gap(old: old.indices, new: new.indices)]
    }
    var numbering = Numbering<JSONValue>()
    let alignment = SequenceAlignment(
      old: old.map { value in numbering.number(of: value) },
      new: new.map { value in numbering.number(of: value) }
    )
    return alignment.gaps.map { gap in
      SequenceAlignment.Gap(
        old: (gap.old.lowerBound + old.startIndex)..<(gap.old.upperBound + old.startIndex),
        new: (gap.new.lowerBound + new.startIndex)..<(gap.new.upperBound + new.startIndex)
      )
    }
  }

  /// Appends the edits of one gap in order: pairs are compared, other elements were removed or added.
  private mutating func append(
    _ old: [JSONValue], _ oldRange: Range<Int>, _ new: [JSONValue], _ newRange: Range<Int>,
    to edits: inout [StateEdit.ElementEdit]
  ) {
    var (oldNext, newNext) = (oldRange.lowerBound, newRange.lowerBound)
    func appendUnpaired(_ oldEnd: Int, _ newEnd: Int) {
      edits += (oldNext..<oldEnd).map { place in StateEdit.ElementEdit(edit: .remove(old[place]), old: place) }
      edits += (newNext..<newEnd).map { place in StateEdit.ElementEdit(edit: .add(new[place]), new: place) }
    }
    for pair in ElementPairing.pairs(old[oldRange], new[newRange]) {
      appendUnpaired(pair.old, pair.new)
      if let edit = compare(old[pair.old], new[pair.new]) {
        edits.append(StateEdit.ElementEdit(edit: .edit(edit), old: pair.old, new: pair.new))
      }
      (oldNext, newNext) = (pair.old + 1, pair.new + 1)
    }
    appendUnpaired(oldRange.upperBound, newRange.upperBound)
  }
}

// MARK: - Equality that counts

extension StateComparison {
  private mutating func areEqual(_ old: JSONValue, _ new: JSONValue) -> Bool {
    switch (old, new) {
    case (.object(let old), .object(let new)):
      nodesCompared += 1
      guard old.count == new.count else { return false }
      for (member, other) in zip(old, new) {
        guard member.name.utf8.elementsEqual(other.name.utf8), areEqual(member.value, other.value) else { return false }
      }
      return true
    case (.array(let old), .array(let new)):
      if Self.shareStorage(old, new) { return true }
      nodesCompared += 1
      guard old.count == new.count else { return false }
      for (element, other) in zip(old, new) {
        guard areEqual(element, other) else { return false }
      }
      return true
    default:
      nodesCompared += 1
      return old == new
    }
  }

  /// Whether two arrays share their storage, so that they need no comparison.
  private static func shareStorage(_ old: [JSONValue], _ new: [JSONValue]) -> Bool {
    old.count == new.count
      && old.withUnsafeBufferPointer { old in new.withUnsafeBufferPointer { new in old.baseAddress == new.baseAddress }
      }
  }
}

/// Pairs the removed elements of an array with the added ones.
///
/// Of all pairings that keep the order, this is the one whose pairs have most in common, then the one with the most pairs. So
/// a changed element next to an inserted one is recognized.
enum ElementPairing {
  /// The most possible pairs; above it, elements are paired in order.
  private static let tableLimit = 10_000

  static func pairs(_ old: ArraySlice<JSONValue>, _ new: ArraySlice<JSONValue>) -> [(old: Int, new: Int)] {
    let (pairCount, overflow) = old.count.multipliedReportingOverflow(by: new.count)
    if overflow || pairCount > tableLimit || pairCount <= 1 {
      return Array(zip(old.indices, new.indices))
    }
    let table = scores(old.map(Signature.init), new.map(Signature.init))
    return path(through: table).map { pair in (old.startIndex + pair.old, new.startIndex + pair.new) }
  }

  /// `best[row][column]` is the best sum for the elements from `row` and from `column` on; `gain` is that of the pair.
  private struct Table {
    var best: [[Int]]
    var gain: [[Int]]
  }

  private static func scores(_ old: [Signature], _ new: [Signature]) -> Table {
    let row = [Int](repeating: 0, count: new.count + 1)
    var table = Table(
      best: [[Int]](repeating: row, count: old.count + 1), gain: [[Int]](repeating: row, count: old.count))
    for (oldPlace, signature) in old.enumerated().reversed() {
      for (newPlace, other) in new.enumerated().reversed() {
        let gain = signature.similarity(to: other)
        table.gain[oldPlace][newPlace] = gain
        table.best[oldPlace][newPlace] = max(
          table.best[oldPlace + 1][newPlace + 1] + gain,
          table.best[oldPlace + 1][newPlace],
          table.best[oldPlace][newPlace + 1]
        )
      }
    }
    return table
  }

  private static func path(through table: Table) -> [(old: Int, new: Int)] {
    var pairs: [(old: Int, new: Int)] = []
    var (old, new) = (0, 0)
    while old < table.gain.count, new < table.best[old].count - 1 {
      let best = table.best[old][new]
      if best == table.best[old + 1][new + 1] + table.gain[old][new] {
        pairs.append((old, new))
        (old, new) = (old + 1, new + 1)
      } else if best == table.best[old + 1][new] {
        old += 1
      } else {
        new += 1
      }
    }
    return pairs
  }

  /// The content of an element: hashes of its members or elements. A collision makes a pairing worse, not wrong.
  private struct Signature {
    private let parts: [Int]

    init(_ value: JSONValue) {
      switch value {
      case .null, .bool, .number, .string: parts = []
      case .array(let elements): parts = elements.map(\.hashValue).sorted()
      case .object(let object):
        parts = object.map { member in JSONValue.object([member.name: member.value]).hashValue }.sorted()
      }
    }

    /// One for each pair, and much more for each common member or element.
    func similarity(to other: Signature) -> Int {
      var common = 0
      var (left, right) = (parts[...], other.parts[...])
      while let one = left.first, let two = right.first {
        if one == two { common += 1 }
        if one <= two { left.removeFirst() }
        if two <= one { right.removeFirst() }
      }
      return 1 + 4 * common
    }
  }
}
