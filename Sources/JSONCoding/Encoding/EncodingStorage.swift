/// The output of one encoding, and the values that are open in it.
///
/// Bytes are appended as values are encoded; a container is closed when one around it is used again. `Codable` also lets a
/// type come back to a container that was closed, or fill one before its elder sibling: such detours (see
/// `EncodingStorage+Detour.swift`) take the bytes behind the container away, go on, and put them back.
///
/// Nodes form a stack. Those that a value made are dropped when its `encode(to:)` has returned; a container that was smuggled
/// out of there throws when it is used.
struct EncodingStorage {
  var output: [UInt8] = []
  var nodes: [EncodingNode] = []
  var members: [EncodingMember] = []
  /// The innermost open node, or −1.
  var current = -1
  var depth = 0
  /// How many calls of `encode(to:)` are within each other.
  var frames = 0
  /// The first error that could not be thrown where it happened; it fails the whole encoding.
  var failure: (any Error)?
  /// The keys of the case steps found so far.
  var caseKeys: [String] = []
  /// Nodes below this index and other than `detourRoot` are not to be touched: a detour has taken their bytes away.
  var detourFloor = 0
  var detourRoot = -1
  /// Whether an object was closed too early to be sorted.
  var needsCanonicalPass = false
  var shapes = EncodingShapes()
  /// Room to put members into order, kept between containers.
  var scratch: [UInt8] = []

  let form: JSONForm
  let maximumDepth: Int

  private var serial = 0

  /// Calls of `encode(to:)` that open no container (an optional in an optional …) take stack too. Enums take one call for
  /// every two levels, so this is far beyond what the greatest depth of containers can ask for.
  private static let frameLimit = 1024

  init(form: JSONForm, maximumDepth: Int) {
    self.form = form
    self.maximumDepth = min(maximumDepth, JSONTape.depthLimit)
    output.reserveCapacity(256)
    nodes.reserveCapacity(16)
    members.reserveCapacity(16)
  }

  /// Begins a value that is about to encode itself.
  mutating func openSlot(_ key: Int, unit: Int) throws -> EncodingHandle {
    if let failure { throw failure }
    try checkFrames()
    frames += 1
    let handle = push(.slot, key: key)
    nodes[handle.index].unit = unit
    guard handle.index > 0 else {
      nodes[0].caseLevel = 0
      return handle
    }
    if let level = caseLevelOfChild(in: nodes[handle.index].parent) { nodes[handle.index].caseLevel = level }
    return handle
  }

  /// Ends a value that has encoded itself, and forgets what it opened.
  mutating func closeSlot(_ handle: EncodingHandle) throws {
    frames -= 1
    if nodes[handle.index].end < 0 {
      while current > handle.index { closeCurrent(isFinal: true) }
      closeCurrent(isFinal: true)
    }
    if current < handle.index { nodes.removeSubrange(handle.index...) }
    if let failure { throw failure }
  }

  func checkFrames() throws {
    if frames >= EncodingStorage.frameLimit {
      throw JSONError(
        .tooDeep, "a value is encoded within itself more than \(EncodingStorage.frameLimit) times", path: path)
    }
  }

  mutating func push(_ kind: EncodingNode.Kind, key: Int) -> EncodingHandle {
    serial += 1
    let handle = EncodingHandle(index: nodes.count, serial: serial)
    nodes.append(EncodingNode(serial: serial, parent: current, key: key, kind: kind, start: output.count))
    current = handle.index
    return handle
  }

  /// Turns the current node, a slot, into a container.
  mutating func openContainer(_ kind: EncodingNode.Kind, isDictionary: Bool) {
    depth += 1
    if depth > maximumDepth {
      fail(JSONError(.tooDeep, "the nesting is deeper than \(maximumDepth)", path: path))
    }
    nodes[current].kind = kind
    nodes[current].firstMember = members.count
    if isDictionary { nodes[current].unit = max(1, nodes[current].unit) }
    output.append(kind == .object ? UInt8(ascii: "{") : UInt8(ascii: "["))
  }

  /// Ends the current node and makes the one around it current.
  ///
  /// - Parameter isFinal: Whether nothing can come back to what lies in the node, so that its bytes may be moved.
  mutating func closeCurrent(isFinal: Bool) {
    let index = current
    switch nodes[index].kind {
    case .slot: output.append(contentsOf: "{}".utf8)
    case .scalar: break
    case .object:
      finishMembers(of: nodes[index], isFinal: isFinal)
      output.append(UInt8(ascii: "}"))
    case .array:
      if nodes[index].unit > 0 { sortElements(of: nodes[index]) }
      output.append(UInt8(ascii: "]"))
    }
    if nodes[index].isContainer {
      depth -= 1
      members.removeSubrange(nodes[index].firstMember...)
    }
    nodes[index].end = output.count
    current = nodes[index].parent
  }

  /// Whether a node is still there and of a kind.
  func isNode(_ handle: EncodingHandle, _ kind: EncodingNode.Kind) -> Bool {
    guard handle.index < nodes.count, nodes[handle.index].serial == handle.serial else { return false }
    return nodes[handle.index].kind == kind
  }

  /// Keeps the first error, for places that cannot throw.
  mutating func fail(_ error: any Error) {
    if failure == nil { failure = error }
  }

  /// Where the current node stands.
  var path: JSONPointer { path(of: current) }

  func path(of index: Int) -> JSONPointer {
    JSONPointer(codingPath(of: index).map(\.stringValue))
  }

  func codingPath(of index: Int) -> [JSONCodingKey] {
    var keys: [JSONCodingKey] = []
    var index = index
    while index > 0, index < nodes.count {
      let node = nodes[index]
      if nodes[node.parent].kind == .array {
        keys.append(JSONCodingKey(index: node.key))
      } else {
        keys.append(JSONCodingKey(name: name(at: node.key)))
      }
      index = node.parent
    }
    return keys.reversed()
  }

  private func name(at start: Int) -> String {
    guard start < output.count else { return "" }
    return output.withUnsafeBufferPointer { bytes in
      let scanner = JSONScanner(UnsafeBufferPointer(rebasing: bytes[start...]), maximumDepth: 0)
      do {
        return JSONStrings.string(try scanner.scanString(0), scanner.base)
      } catch {
        return ""
      }
    }
  }
}
