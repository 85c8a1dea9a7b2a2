/// What is kept to take back a member whose value could not be encoded.
struct EncodingMark {
  let output: Int
  let nodes: Int
  let members: Int
  let depth: Int
  let frames: Int
  let container: EncodingHandle
  let caseKeys: [String]
}

extension EncodingStorage {
  /// Begins a member of the current node, an object: a comma and the name.
  ///
  /// - Returns: Where the name begins.
  mutating func beginMember(_ name: String) -> Int {
    beginChild()
    let start = output.count
    JSONText.appendString(name, to: &output)
    let length = output.count - start
    members.append(EncodingMember(start: start, nameLength: length, nameIsEscaped: length != name.utf8.count + 2))
    output.append(UInt8(ascii: ":"))
    return start
  }

  /// Begins an element of the current node, an array: a comma.
  ///
  /// - Returns: The index of the element.
  mutating func beginElement() -> Int {
    beginChild()
    if nodes[current].unit > 0 {
      members.append(EncodingMember(start: output.count, nameLength: 0, nameIsEscaped: false))
    }
    return nodes[current].count - 1
  }

  @inline(__always)
  private mutating func beginChild() {
    let count = nodes[current].count
    nodes[current].count = count + 1
    guard count > 0 else { return }
    output.append(UInt8(ascii: ","))
    if count == 1 { forgetCases() }
  }

  /// A second member: the node is no enum, and what lies in its first member is no step.
  private mutating func forgetCases() {
    let node = nodes[current]
    if node.caseLevel >= 0 { keepCases(node.caseLevel) }
    if node.contentLevel >= 0 { keepCases(node.contentLevel + 1) }
  }

  private mutating func keepCases(_ count: Int) {
    if caseKeys.count > count { caseKeys.removeSubrange(count...) }
  }

  /// Notes a nested keyed container, the current node, as a case if it may be one.
  mutating func noteCase(_ key: String) {
    let (index, parent) = (current, nodes[current].parent)
    if let level = caseLevelOfChild(in: parent) {
      nodes[index].caseLevel = level
    } else if nodes[parent].caseLevel == caseKeys.count, nodes[parent].count == 1 {
      nodes[index].contentLevel = caseKeys.count
      caseKeys.append(key)
    }
  }

  /// The level at which the first member of a case's content may be an enum itself: if its name is `_0`.
  func caseLevelOfChild(in parent: Int) -> Int? {
    let node = nodes[parent]
    guard node.contentLevel >= 0, node.count == 1, node.contentLevel + 1 == caseKeys.count else { return nil }
    let member = members[node.firstMember]
    guard member.nameLength == 4, output[member.start + 1] == UInt8(ascii: "_") else { return nil }
    return output[member.start + 2] == UInt8(ascii: "0") ? node.contentLevel + 1 : nil
  }

  func mark(_ container: EncodingHandle) -> EncodingMark {
    EncodingMark(
      output: output.count, nodes: nodes.count, members: members.count, depth: depth, frames: frames,
      container: container, caseKeys: caseKeys)
  }

  /// Takes back the member that was begun after a mark, so that a type may catch the error and go on.
  mutating func rollBack(to mark: EncodingMark, because error: any Error) {
    var open = current
    while open > mark.container.index { open = nodes[open].parent }
    guard open == mark.container.index, nodes[open].end < 0, output.count >= mark.output else {
      // The type has left the container in the meantime; nothing can be taken out of the middle.
      return fail(error)
    }
    output.removeSubrange(mark.output...)
    nodes.removeSubrange(mark.nodes...)
    members.removeSubrange(mark.members...)
    current = open
    nodes[open].count -= 1
    depth = mark.depth
    frames = mark.frames
    caseKeys = mark.caseKeys
  }
}
