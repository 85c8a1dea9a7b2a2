extension EncodingStorage {
  /// Refuses duplicate names among the members of the innermost container, and sorts the members if the form or the
  /// type requires it.
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
    let names = UnsafeBufferPointer(rebasing: members.elements[node.firstMember...])
    switch EncodingOrder.find(names, output.start, end: output.count, sorts: sorts) {
    case .kept: break
    case .changed(let parts): write(parts)
    case .duplicate(let member): failDuplicate(member)
    }
  }

  /// Sorts the elements of the innermost container by their bytes, in units.
  mutating func sortElements(of node: EncodingNode) {
    let starts = members.elements[node.firstMember...].map(\.start)
    guard starts.count > node.unit, starts.count % node.unit == 0 else { return }
    var parts: [EncodingPart] = []
    parts.reserveCapacity(starts.count / node.unit)
    for first in stride(from: 0, to: starts.count, by: node.unit) {
      let next = first + node.unit
      parts.append(EncodingPart(start: starts[first], end: next < starts.count ? starts[next] - 1 : output.count))
    }
    let base = UnsafePointer(output.start)
    parts.sort { EncodingOrder.precedes($0, $1, base) }
    write(parts)
  }

  /// Writes the members or elements of the innermost container in another order.
  private mutating func write(_ parts: [EncodingPart]) {
    guard let start = parts.min(by: { $0.start < $1.start })?.start else { return }
    // If the output before the members is small, it is moved as well, and the two buffers are swapped.
    let swaps = start <= (output.count - start) / 2
    scratch.cut(to: 0)
    scratch.reserve(output.count)
    if swaps { scratch.append(output.raw(0..<start)) }
    for (index, part) in parts.enumerated() {
      if index > 0 { scratch.byte(UInt8(ascii: ",")) }
      scratch.append(output.raw(part.start..<part.end))
    }
    if swaps {
      swap(&output, &scratch)
    } else {
      output.cut(to: start)
      output.append(scratch.raw(0..<scratch.count))
    }
  }

  private mutating func failDuplicate(_ member: EncodingMember) {
    let name = JSONStrings.string(member.token, output.start)
    fail(JSONError(.duplicateName, "a value encodes two members of the name '\(name)'", path: path))
  }
}
