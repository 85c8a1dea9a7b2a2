extension JSONTape {
  /// The members of an object, in the order of the text.
  public struct Members: Sequence, IteratorProtocol, Sendable {
    let tape: JSONTape
    var index: Int
    let end: Int

    /// The next member.
    public mutating func next() -> (name: Node, value: Node)? {
      guard index < end else { return nil }
      let value = Node(tape: tape, index: index + 1)
      defer { index = value.next }
      return (Node(tape: tape, index: index), value)
    }
  }

  /// The elements of an array, in the order of the text.
  public struct Elements: Sequence, IteratorProtocol, Sendable {
    let tape: JSONTape
    var index: Int
    let end: Int

    /// The next element.
    public mutating func next() -> Node? {
      guard index < end else { return nil }
      let element = Node(tape: tape, index: index)
      index = element.next
      return element
    }
  }
}

extension JSONTape.Node {
  /// The members of an object, in the order of the text; none for every other value.
  public var members: JSONTape.Members {
    let end = token.kind == .object ? next : 0
    return JSONTape.Members(tape: tape, index: index + 2, end: end)
  }

  /// The elements of an array, in the order of the text; none for every other value.
  public var elements: JSONTape.Elements {
    let end = token.kind == .array ? next : 0
    return JSONTape.Elements(tape: tape, index: index + 2, end: end)
  }

  /// The value of the member with a name, or `nil` if this is no object or has none.
  ///
  /// - Complexity: O(members).
  public subscript(name: String) -> JSONTape.Node? {
    var name = name
    return name.withUTF8 { expected in
      for member in members where member.name.equals(expected) { return member.value }
      return nil
    }
  }
}
