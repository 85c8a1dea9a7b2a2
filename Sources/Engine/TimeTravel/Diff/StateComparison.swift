import JSONCoding

/// Compares two values whose members are in order, and counts what that takes.
struct StateComparison {
  /// Pairs of values that were looked at.
  private(set) var nodesCompared = 0

  /// How `old` becomes `new`; `nil` if they are equal.
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

  /// Merges two lists of members that are in the same order.
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

  /// Takes off what is equal at both ends, aligns the rest, and compares what is left over pair by pair.
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
    // One element against one, or none against some, leaves nothing to align.
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

  /// Writes the edits of one gap in order: pairs are compared, what has no partner was removed or added.
  private mutating func append(
    _ old: [JSONValue], _ oldRange: Range<Int>, _ new: [JSONValue], _ newRange: Range<Int>,
    to edits: inout [StateEdit.ElementEdit]
  ) {
    var (oldNext, newNext) = (oldRange.lowerBound, newRange.lowerBound)
    func appendUnpaired(_ oldEnd: Int, _ newEnd: Int) {
      edits += (oldNext..<oldEnd).map { place in .remove(old[place], old: place) }
      edits += (newNext..<newEnd).map { place in .add(new[place], new: place) }
    }
    for pair in ElementPairing.pairs(old[oldRange], new[newRange]) {
      appendUnpaired(pair.old, pair.new)
      if let edit = compare(old[pair.old], new[pair.new]) {
        edits.append(.edit(edit, old: pair.old, new: pair.new))
      }
      (oldNext, newNext) = (pair.old + 1, pair.new + 1)
    }
    appendUnpaired(oldRange.upperBound, newRange.upperBound)
  }
}

// MARK: - Equality that counts

extension StateComparison {
  /// Whether two values are equal, without saying how they differ.
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

  /// Whether two arrays are the same bytes in memory: then there is nothing to look at.
  private static func shareStorage(_ old: [JSONValue], _ new: [JSONValue]) -> Bool {
    old.count == new.count
      && old.withUnsafeBufferPointer { old in new.withUnsafeBufferPointer { new in old.baseAddress == new.baseAddress }
      }
  }
}
