extension EncodingStorage {
  /// Up to so many members, comparing all pairs costs less than sorting.
  private static let pairwiseLimit = 12

  /// Refuses duplicate names among the members of the innermost container, and sorts them where the form or the type asks.
  mutating func finishMembers(of node: EncodingNode, isFinal: Bool) {
    guard members.count - node.firstMember > 1, failure == nil else { return }
    guard output.count < JSONToken.limit else {
      return fail(JSONError(.tooLarge, "the encoded value has more than \(JSONToken.limit) bytes", path: path))
    }
    var sorts = node.unit > 0
    if form == .canonical {
      sorts = sorts || isFinal
      needsCanonicalPass = needsCanonicalPass || !sorts
    }
    let items = members[node.firstMember...]
    if namesAscend(items) { return }
    if !sorts, items.count <= EncodingStorage.pairwiseLimit {
      for index in items.indices.dropFirst() {
        for earlier in items.startIndex..<index where order(items[earlier], items[index]) == 0 {
          return failDuplicate(items[index])
        }
      }
      return
    }
    let order = items.indices.sorted { self.order(items[$0], items[$1]) < 0 }
    for (left, right) in zip(order, order.dropFirst()) where self.order(items[left], items[right]) == 0 {
      return failDuplicate(items[right])
    }
    if sorts { permute(order) }
  }

  /// Sorts the elements of the innermost container by their bytes, in units.
  mutating func sortElements(of node: EncodingNode) {
    let first = node.firstMember
    let units = Array(stride(from: first, to: members.count, by: node.unit))
    guard units.count > 1, (members.count - first) % node.unit == 0 else { return }
    let ends = units.map { end(ofMember: $0 + node.unit - 1) }
    let order = output.withUnsafeBufferPointer { output in
      units.indices.sorted { left, right in
        let left = output[members[units[left]].start..<ends[left]]
        let right = output[members[units[right]].start..<ends[right]]
        return left.lexicographicallyPrecedes(right)
      }
    }
    permute(order.flatMap { units[$0]..<units[$0] + node.unit })
  }

  /// Writes the members of the innermost container in another order.
  private mutating func permute(_ order: [Int]) {
    guard let start = order.min().map({ members[$0].start }) else { return }
    var sorted: [UInt8] = []
    sorted.reserveCapacity(output.count - start)
    for (place, member) in order.enumerated() {
      if place > 0 { sorted.append(UInt8(ascii: ",")) }
      sorted.append(contentsOf: output[members[member].start..<end(ofMember: member)])
    }
    output.removeSubrange(start...)
    output.append(contentsOf: sorted)
  }

  /// Where the value of a member of the innermost container ends: before the comma or at the end of the output.
  private func end(ofMember index: Int) -> Int {
    index + 1 < members.count ? members[index + 1].start - 1 : output.count
  }

  private func namesAscend(_ items: ArraySlice<EncodingMember>) -> Bool {
    zip(items, items.dropFirst()).allSatisfy { order($0, $1) < 0 }
  }

  /// Compares the unescaped bytes of two names.
  private func order(_ left: EncodingMember, _ right: EncodingMember) -> Int {
    output.withUnsafeBufferPointer { output in
      guard let base = output.baseAddress else { return 0 }
      return JSONStrings.order(left.token, right.token, base)
    }
  }

  private mutating func failDuplicate(_ member: EncodingMember) {
    let name = output.withUnsafeBufferPointer { output in
      output.baseAddress.map { JSONStrings.string(member.token, $0) } ?? ""
    }
    fail(JSONError(.duplicateName, "a value encodes two members of the name '\(name)'", path: path))
  }
}

extension EncodingMember {
  /// The name as a token.
  fileprivate var token: JSONToken {
    JSONToken(nameIsEscaped ? .escapedString : .string, start: start, value: nameLength)
  }
}
