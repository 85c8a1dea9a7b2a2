/// A checked text that is being decoded, shared by the decoder, its containers and whatever a type keeps of them.
///
/// Values are known by the index of their token. Where a value stands is found from the root when it is asked for: it is asked
/// for in errors only.
final class DecodingDocument {
  let tape: JSONTape
  let root: Int
  let userInfo: [CodingUserInfoKey: Any]
  var shapes = DecodingShapes()

  /// Stands for a value that is absent and reads as `null`.
  static let absent = -1

  /// For each depth, the object that was last looked into and the member to look at next.
  ///
  /// Types ask for members in the order in which they are written, so that the next one is nearly always the right one, and a
  /// dictionary of *n* members takes O(*n*).
  private let hints: UnsafeMutableBufferPointer<(object: Int, member: Int)>

  init(_ node: JSONTape.Node, depth: Int, userInfo: [CodingUserInfoKey: Any]) {
    tape = node.tape
    root = node.index
    self.userInfo = userInfo
    hints = .allocate(capacity: min(max(depth, 0), JSONTape.depthLimit) + 1)
    hints.initialize(repeating: (-1, -1))
  }

  deinit {
    hints.deallocate()
  }

  /// The token of a value that is there.
  @inline(__always)
  func token(_ index: Int) -> JSONToken { tape.tokens[index] }

  func kind(_ index: Int) -> JSONToken.Kind {
    index == DecodingDocument.absent ? .null : token(index).kind
  }

  /// The index of the token after a value.
  @inline(__always)
  func next(after index: Int) -> Int {
    let token = token(index)
    return token.isContainer ? token.value : index + 1
  }

  /// Finds the value of a member.
  ///
  /// - Complexity: O(1) if members are asked for in their order, else O(members).
  func member(_ name: String, of object: Int, depth: Int) -> Int? {
    var name = name
    return name.withUTF8 { name in
      let (first, end) = (object + 2, next(after: object))
      var start = first
      if depth < hints.count, hints[depth].object == object { start = hints[depth].member }
      return search(name, start, end, object, depth) ?? search(name, first, start, object, depth)
    }
  }

  private func search(
    _ name: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int, _ object: Int, _ depth: Int
  ) -> Int? {
    tape.withBase { base in
      var index = start
      while index < end {
        let after = next(after: index + 1)
        if JSONStrings.equals(token(index), base, name) {
          if depth < hints.count { hints[depth] = (object, after) }
          return index + 1
        }
        index = after
      }
      return nil
    }
  }

  /// The names of an object, in the order of the text.
  func names(of object: Int) -> [String] {
    var names: [String] = []
    names.reserveCapacity(token(object + 1).value)
    var index = object + 2
    let end = next(after: object)
    while index < end {
      names.append(string(index))
      index = next(after: index + 1)
    }
    return names
  }

  func string(_ index: Int) -> String {
    let token = token(index)
    return tape.withBase { JSONStrings.string(token, $0) }
  }

  func decimal<Result>(_ index: Int, _ body: (JSONDecimal) -> Result) -> Result {
    let token = token(index)
    return tape.withBase { base in
      body(JSONDecimal(UnsafeBufferPointer(start: base + token.start, count: token.value)))
    }
  }

  /// Where a value stands.
  ///
  /// - Complexity: O(tokens before it).
  func codingPath(_ target: Int) -> [JSONCodingKey] {
    var keys: [JSONCodingKey] = []
    var index = root
    while index < target, token(index).isContainer {
      let isObject = token(index).kind == .object
      var child = index + (isObject ? 3 : 2)
      var position = 0
      while next(after: child) <= target {
        child = next(after: child) + (isObject ? 1 : 0)
        position += 1
      }
      keys.append(isObject ? JSONCodingKey(name: string(child - 1)) : JSONCodingKey(index: position))
      index = child
    }
    return keys
  }
}
