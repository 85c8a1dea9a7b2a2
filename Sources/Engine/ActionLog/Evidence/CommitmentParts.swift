package import JSONCoding
package import Platform

/// The commitment to the content of a line in parts: the hashes of what was removed, and the salts of what was kept.
///
/// Together the parts are everything, in the order of the line, and none contains another one.
package struct CommitmentParts: Equatable, Sendable {
  package struct Gone: Equatable, Sendable {
    /// The location in the record, which begins with `/data` or `/meta`.
    package var pointer: JSONPointer
    package var commitment: SHA256Digest
  }

  /// A kept part: a value that contains nothing removed, though the value around it does.
  package struct Open: Equatable, Sendable {
    /// The location in the record, which begins with `/data` or `/meta`.
    package var pointer: JSONPointer
    package var salt: LineSalt
  }

  package var gone: [Gone] = []
  package var open: [Open] = []
}

extension Commitment {
  /// The secret of a line: the salt of a salted line, or the parts of a redacted one.
  package enum Source: Equatable, Sendable {
    case salt(LineSalt)
    case parts(CommitmentParts)
  }

  /// Returns the commitment to the content of a line that is known in parts.
  package mutating func commitment(
    data: [UInt8], meta: [UInt8]?, parts: CommitmentParts
  ) throws(Fault) -> SHA256Digest {
    var walk = PartWalk(source: parts, hidden: [], replaces: false)
    let digest = try walk.run(data: data, meta: meta, salt: nil)
    guard walk.isComplete else { throw .partsDoNotFit }
    return digest
  }

  /// Splits the content of a line into what is removed and what is kept.
  ///
  /// - Parameter hidden: The locations of the values to remove; none within another one.
  /// - Returns: The commitment to the content, and the parts.
  package mutating func split(
    data: [UInt8], meta: [UInt8]?, source: Source, hidden: [JSONPointer]
  ) throws(Fault) -> (commitment: SHA256Digest, parts: CommitmentParts) {
    var walk: PartWalk
    var salt: LineSalt?
    switch source {
    case .salt(let line):
      walk = PartWalk(source: CommitmentParts(), hidden: hidden, replaces: true)
      salt = line
    case .parts(let parts):
      walk = PartWalk(source: parts, hidden: hidden, replaces: true)
    }
    defer { lookupCount += walk.lookupCount }
    let digest = try walk.run(data: data, meta: meta, salt: salt)
    if let missing = walk.firstMissing { throw .noValue(pointer: missing.description) }
    guard walk.isComplete else { throw .partsDoNotFit }
    return (digest, walk.result)
  }
}

/// A pass over the content of a line in its order, which takes the parts from the front of their lists.
private struct PartWalk {
  let source: CommitmentParts
  let hidden: [JSONPointer]
  /// Whether kept parts are divided where something in them is hidden. Otherwise the parts are only checked.
  let replaces: Bool

  private(set) var result = CommitmentParts()
  private var goneCount = 0
  private var openCount = 0
  private var found: Set<JSONPointer> = []
  private let tree: PointerTree
  private(set) var lookupCount = 0
  private var hash = Commitment()
  private var path: [String] = []

  init(source: CommitmentParts, hidden: [JSONPointer], replaces: Bool) {
    self.source = source
    self.hidden = hidden
    tree = PointerTree(hidden)
    self.replaces = replaces
  }

  var isComplete: Bool { goneCount == source.gone.count && openCount == source.open.count }

  var firstMissing: JSONPointer? { hidden.first { pointer in !found.contains(pointer) } }

  mutating func run(data: [UInt8], meta: [UInt8]?, salt: LineSalt?) throws(Commitment.Fault) -> SHA256Digest {
    let first = try root("data", data, salt?.derived(0)).digest
    guard let meta else { return Commitment.commitment(data: first, meta: nil) }
    return Commitment.commitment(data: first, meta: try root("meta", meta, salt?.derived(1)).digest)
  }

  private mutating func root(
    _ name: String, _ bytes: [UInt8], _ salt: LineSalt?
  ) throws(Commitment.Fault) -> Outcome {
    let node: JSONTape.Node
    do throws(JSONError) {
      node = try JSONTape(parsing: bytes, maximumDepth: LogFormat.depthLimit - 1).root
    } catch {
      throw .notCompact
    }
    // Checks that there is no white space, also in removed parts.
    let anySalt = LineSalt(repeatElement(0, count: LineSalt.byteCount))
    guard let anySalt, try kept(Array(bytes), anySalt).end == bytes.count else { throw .notCompact }
    path = [name]
    return try value(node, salt, child(of: PointerTree.root, name))
  }

  private typealias Outcome = (digest: SHA256Digest, isKept: Bool)

  /// Returns the commitment to a value, and whether all of it was kept.
  ///
  /// - Parameters:
  ///   - salt: The salt of the value; `nil` if it is not known.
  ///   - target: Its node in the tree of the locations to hide; `nil` if nothing in it is to be hidden.
  private mutating func value(
    _ node: JSONTape.Node, _ salt: LineSalt?, _ target: Int?
  ) throws(Commitment.Fault) -> Outcome {
    let pointer = JSONPointer(path)
    let isHidden = target.map(tree.isLocation) ?? false
    if isHidden { found.insert(pointer) }
    if goneCount < source.gone.count, source.gone[goneCount].pointer == pointer {
      let part = source.gone[goneCount]
      goneCount += 1
      result.gone.append(part)
      return (part.commitment, false)
    }
    var salt = salt
    if openCount < source.open.count, source.open[openCount].pointer == pointer {
      // Within a part there is no other one.
      guard salt == nil else { throw .partsDoNotFit }
      salt = source.open[openCount].salt
      openCount += 1
    }
    guard let salt else {
      guard isHidden else { return try container(node, nil, target) }
      // Its parts give its commitment, which replaces them.
      let (goneBefore, openBefore) = (result.gone.count, result.open.count)
      let digest = try container(node, nil, target).digest
      result.gone.removeSubrange(goneBefore...)
      result.open.removeSubrange(openBefore...)
      result.gone.append(CommitmentParts.Gone(pointer: pointer, commitment: digest))
      return (digest, false)
    }
    if isHidden {
      let digest = try kept(Array(node.bytes), salt).digest
      result.gone.append(CommitmentParts.Gone(pointer: pointer, commitment: digest))
      return (digest, false)
    }
    if let target, tree.hasLocations(within: target) { return try container(node, salt, target) }
    result.open.append(CommitmentParts.Open(pointer: pointer, salt: salt))
    return (try kept(Array(node.bytes), salt).digest, true)
  }

  /// Returns the node of a member or an element in the tree of the locations to hide.
  private mutating func child(of target: Int?, _ token: String) -> Int? {
    guard let target else { return nil }
    lookupCount += 1
    return tree.child(of: target, token)
  }

  /// Returns the commitment to an object or array by those of its members.
  private mutating func container(
    _ node: JSONTape.Node, _ salt: LineSalt?, _ target: Int?
  ) throws(Commitment.Fault) -> Outcome {
    var hash: SHA256
    var isKept = true
    var index = 0
    switch node.kind {
    case .object:
      hash = Commitment.hash(ofObject: true)
      for (name, value) in node.members {
        guard let text = name.string() else { throw .notCompact }
        path.append(text)
        let outcome = try self.value(value, salt?.derived(index), child(of: target, text))
        path.removeLast()
        name.bytes.dropFirst().dropLast().withUnsafeBytes { name in Commitment.add(name: name, to: &hash) }
        hash.update(outcome.digest)
        isKept = isKept && outcome.isKept
        index += 1
      }
    case .array:
      hash = Commitment.hash(ofObject: false)
      for value in node.elements {
        path.append(String(index))
        let outcome = try self.value(value, salt?.derived(index), child(of: target, path[path.count - 1]))
        path.removeLast()
        hash.update(outcome.digest)
        isKept = isKept && outcome.isKept
        index += 1
      }
    default:
      throw refusal(target)
    }
    guard index > 0 else { throw refusal(target) }
    // If all of it had been kept, the part would be the container. A writer that divides a part reports what is missing
    // in it at the end.
    if isKept, !replaces { throw .partsDoNotFit }
    return (hash.digest(), isKept)
  }

  /// The fault of a value that cannot be divided: nothing is known of it, or something in it should be hidden.
  private func refusal(_ target: Int?) -> Commitment.Fault {
    guard let missing = target.flatMap(tree.first(within:)) else { return .partsDoNotFit }
    return .noValue(pointer: hidden[missing].description)
  }

  private mutating func kept(_ bytes: [UInt8], _ salt: LineSalt) throws(Commitment.Fault) -> (
    digest: SHA256Digest, end: Int
  ) {
    try bytes.withUnsafeBufferPointer { (bytes) throws(Commitment.Fault) in
      try hash.value(in: UnsafeRawBufferPointer(bytes), from: 0, salt: salt)
    }
  }
}
