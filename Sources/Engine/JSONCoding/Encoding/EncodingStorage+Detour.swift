/// The output removed by a detour to a closed node.
struct EncodingDetour {
  let index: Int
  let oldEnd: Int
  let tail: [UInt8]
  let nodes: Int
  let members: Int
  let current: Int
  let depth: Int
  let detourFloor: Int
  let detourRoot: Int
}

extension EncodingStorage {
  /// Makes a node the innermost open one: closes the nodes in it, or makes a detour if it is closed.
  ///
  /// - Returns: The detour to end with ``leave(_:)``; `nil` if there is none.
  mutating func enter(_ handle: EncodingHandle, as kind: EncodingNode.Kind) throws -> EncodingDetour? {
    if let failure { throw failure }
    let index = handle.index
    guard index < nodes.count, nodes[index].serial == handle.serial else {
      throw JSONError(.invalidEncoding, "a container is used after the value that opened it was encoded")
    }
    guard nodes[index].kind == kind else {
      throw JSONError(.invalidEncoding, "a value encodes itself in two ways at once", path: path(of: index))
    }
    if current == index { return nil }
    guard index >= detourFloor || index == detourRoot else {
      throw JSONError(
        .invalidEncoding, "a container is used while a value in another one is encoded", path: path(of: index))
    }
    var ancestor = current
    while ancestor > index { ancestor = nodes[ancestor].parent }
    guard ancestor == index else { return reopen(index) }
    while current > index { closeCurrent(isFinal: false) }
    return nil
  }

  /// Opens a closed node again. The time is proportional to the output after it.
  private mutating func reopen(_ index: Int) -> EncodingDetour {
    let node = nodes[index]
    let detour = EncodingDetour(
      index: index, oldEnd: node.end, tail: Array(output.text(from: node.end)), nodes: nodes.count,
      members: members.count,
      current: current, depth: depth, detourFloor: detourFloor, detourRoot: detourRoot)
    nodes[index].firstMember = members.count
    if node.isContainer { restoreMembers(of: node) }
    // An empty slot was written as `{}` and is written again; a container loses its bracket.
    output.cut(to: node.isContainer ? node.end - 1 : node.start)
    nodes[index].end = -1
    current = index
    depth = (node.isContainer ? 1 : 0) + containers(around: index)
    detourFloor = nodes.count
    detourRoot = index
    return detour
  }

  /// Closes the node of a detour, restores the output after it, and returns to the start of the detour.
  mutating func leave(_ detour: EncodingDetour) {
    while current >= detour.index { closeCurrent(isFinal: false) }
    let shift = output.count - detour.oldEnd
    output.append(detour.tail)
    for index in 0..<min(detour.nodes, nodes.count) where index != detour.index {
      if nodes[index].start >= detour.oldEnd { nodes[index].start += shift }
      if nodes[index].end >= detour.oldEnd { nodes[index].end += shift }
      let parent = nodes[index].parent
      if parent >= 0, nodes[parent].kind == .object, nodes[index].key >= detour.oldEnd { nodes[index].key += shift }
    }
    for index in 0..<min(detour.members, members.count) where members[index].start >= detour.oldEnd {
      members[index].start += shift
    }
    current = detour.current
    depth = detour.depth
    detourFloor = detour.detourFloor
    detourRoot = detour.detourRoot
  }

  private func containers(around index: Int) -> Int {
    var count = 0
    var parent = nodes[index].parent
    while parent >= 0 {
      count += 1
      parent = nodes[parent].parent
    }
    return count
  }

  /// Reconstructs the members that were dropped when the node was closed.
  private mutating func restoreMembers(of node: EncodingNode) {
    guard node.kind == .object || node.unit > 0 else { return }
    do {
      let text = Array(output.text(from: node.start).prefix(node.end - node.start))
      let root = try JSONTape(parsing: text, maximumDepth: .max).root
      for member in root.members { members.append(EncodingMember(member.name, at: node.start)) }
      for element in root.elements {
        let start = node.start + element.byteRange.lowerBound
        members.append(EncodingMember(start: start, nameLength: 0, nameIsEscaped: false))
      }
    } catch {
      // This encoder wrote these bytes. Only a duplicate name can be invalid, and it was found before.
      fail(error)
    }
  }
}

extension EncodingMember {
  /// Creates a member from earlier output.
  fileprivate init(_ name: JSONTape.Node, at offset: Int) {
    let range = name.byteRange
    self.init(
      start: offset + range.lowerBound, nameLength: range.count, nameIsEscaped: name.token.kind == .escapedString)
    let bytes = name.stringBytes() ?? []
    bytes.withUnsafeBufferPointer { bytes in
      prefix = bytes.baseAddress.map { ByteWord.prefix($0, count: bytes.count, limit: bytes.count) } ?? 0
    }
  }
}
