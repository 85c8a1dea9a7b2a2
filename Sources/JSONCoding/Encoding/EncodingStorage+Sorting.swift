extension EncodingStorage {
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
    let names = members[node.firstMember...]
    let order = output.withUnsafeBufferPointer { output in
      // There are members, so there is output.
      EncodingOrder.find(names, output.baseAddress.unsafelyUnwrapped, end: output.count, sorts: sorts)
    }
    switch order {
    case .kept: break
    case .changed(let parts): write(parts)
    case .duplicate(let member): failDuplicate(member)
    }
  }

  /// Sorts the elements of the innermost container by their bytes, in units.
  mutating func sortElements(of node: EncodingNode) {
    let starts = members[node.firstMember...].map(\.start)
    guard starts.count > node.unit, starts.count % node.unit == 0 else { return }
    var parts: [EncodingPart] = []
    parts.reserveCapacity(starts.count / node.unit)
    for first in stride(from: 0, to: starts.count, by: node.unit) {
      let next = first + node.unit
      parts.append(EncodingPart(start: starts[first], end: next < starts.count ? starts[next] - 1 : output.count))
    }
    output.withUnsafeBufferPointer { output in
      let base = output.baseAddress.unsafelyUnwrapped
      parts.sort { EncodingOrder.precedes($0, $1, base) }
    }
    write(parts)
  }

  /// Writes the members or elements of the innermost container in another order.
  private mutating func write(_ parts: [EncodingPart]) {
    guard let start = parts.min(by: { $0.start < $1.start })?.start else { return }
    var sorted: [UInt8] = []
    swap(&sorted, &scratch)
    sorted.reserveCapacity(output.count - start)
    output.withUnsafeBufferPointer { output in
      for part in parts {
        if !sorted.isEmpty { sorted.append(UInt8(ascii: ",")) }
        sorted.append(contentsOf: UnsafeBufferPointer(rebasing: output[part.start..<part.end]))
      }
    }
    output.removeSubrange(start...)
    output.append(contentsOf: sorted)
    sorted.removeAll(keepingCapacity: true)
    swap(&sorted, &scratch)
  }

  private mutating func failDuplicate(_ member: EncodingMember) {
    let name = output.withUnsafeBufferPointer { output in
      JSONStrings.string(member.token, output.baseAddress.unsafelyUnwrapped)
    }
    fail(JSONError(.duplicateName, "a value encodes two members of the name '\(name)'", path: path))
  }
}
