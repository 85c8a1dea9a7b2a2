internal import JSONCoding

/// The locations that a redaction names, as a tree of their tokens: a pass over a text visits each of its values once, whatever the
/// number of locations.
struct PointerTree {
  private struct Node {
    var children: [[UInt8]: Int] = [:]
    /// The number of the location that ends here.
    var location: Int?
  }

  /// The node of the location without tokens.
  static let root = 0

  private var nodes = [Node()]

  init() {}

  /// Creates a tree of locations, which have the numbers of their places in the list.
  init(_ pointers: [JSONPointer]) {
    for (number, pointer) in pointers.enumerated() { insert(pointer.tokens[...], number) }
  }

  /// Checks that no location is within another one, or the same.
  static func checkOverlaps(of pointers: [JSONPointer]) throws(RedactionFault) {
    var tree = PointerTree()
    for (number, pointer) in pointers.enumerated() {
      guard let other = tree.insert(pointer.tokens[...], number) else { continue }
      throw .overlap(pointers[other].excerpt, pointer.excerpt)
    }
  }

  /// Adds a location.
  ///
  /// - Returns: The number of a location that is within this one, or around it, or the same; nothing is added then.
  @discardableResult
  mutating func insert(_ tokens: ArraySlice<String>, _ number: Int) -> Int? {
    var node = Self.root
    for token in tokens {
      if let location = nodes[node].location { return location }
      let name = Array(token.utf8)
      if let child = nodes[node].children[name] {
        node = child
      } else {
        nodes.append(Node())
        nodes[node].children[name] = nodes.count - 1
        node = nodes.count - 1
      }
    }
    if let first = first(within: node) { return first }
    nodes[node].location = number
    return nil
  }

  /// Returns the node of a member or an element of the value of a node; `nil` if no location is there or within it.
  func child(of node: Int, _ token: String) -> Int? { nodes[node].children[Array(token.utf8)] }

  func isLocation(_ node: Int) -> Bool { nodes[node].location != nil }

  /// Whether a location is within the value of a node.
  func hasLocations(within node: Int) -> Bool { !nodes[node].children.isEmpty }

  /// Returns the lowest number of the locations at a node or within it.
  func first(within node: Int) -> Int? {
    var lowest: Int?
    var remaining = [node]
    while let node = remaining.popLast() {
      if let location = nodes[node].location { lowest = min(lowest ?? location, location) }
      remaining += nodes[node].children.values
    }
    return lowest
  }

  /// Returns the values at the locations, by their numbers. Locations without a value are missing.
  func values(in root: JSONTape.Node) -> [Int: JSONTape.Node] {
    var found: [Int: JSONTape.Node] = [:]
    var remaining = [(node: Self.root, value: root)]
    while let (node, value) = remaining.popLast() {
      if let location = nodes[node].location { found[location] = value }
      let children = nodes[node].children
      guard !children.isEmpty else { continue }
      var missing = children.count
      switch value.kind {
      case .object:
        for (name, member) in value.members {
          guard let text = name.string(), let child = children[Array(text.utf8)] else { continue }
          remaining.append((child, member))
          missing -= 1
          if missing == 0 { break }
        }
      case .array:
        for (index, element) in value.elements.enumerated() {
          guard let child = children[Array(String(index).utf8)] else { continue }
          remaining.append((child, element))
          missing -= 1
          if missing == 0 { break }
        }
      default: break
      }
    }
    return found
  }
}
