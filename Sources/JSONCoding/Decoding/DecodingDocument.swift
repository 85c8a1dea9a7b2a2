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

  /// For each depth, the container that was last looked into and the value that was found there.
  ///
  /// Types ask for members in the order in which they are written, so that the next one is nearly always the right one, and a
  /// dictionary of *n* members takes O(*n*). And the place of a value in an error is found without counting. A container that is
  /// found at a depth lies on the tape, so that there is a visit for it.
  private let visits: UnsafeMutableBufferPointer<Visit>

  private struct Visit {
    var container = -1
    var value = -1
    var position = 0
  }

  init(_ node: JSONTape.Node, userInfo: [CodingUserInfoKey: Any]) {
    tape = node.tape
    root = node.index
    self.userInfo = userInfo
    visits = .allocate(capacity: node.tape.depth)
    visits.initialize(repeating: Visit())
  }

  deinit {
    visits.deallocate()
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
      if visits[depth].container == object { start = next(after: visits[depth].value) }
      guard let value = search(name, start, end) ?? search(name, first, start) else { return nil }
      visits[depth] = Visit(container: object, value: value)
      return value
    }
  }

  private func search(_ name: UnsafeBufferPointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
    tape.withBase { base in
      var index = start
      while index < end {
        if JSONStrings.equals(token(index), base, name) { return index + 1 }
        index = next(after: index + 1)
      }
      return nil
    }
  }

  /// Notes which element of an array is looked at.
  @inline(__always)
  func visit(_ value: Int, at position: Int, of array: Int, depth: Int) {
    visits[depth] = Visit(container: array, value: value, position: position)
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
  /// - Complexity: O(depth) for a value that was just asked for, else O(tokens before it).
  func codingPath(_ target: Int) -> [JSONCodingKey] {
    var keys: [JSONCodingKey] = []
    var index = root
    while index < target, token(index).isContainer, keys.count < visits.count {
      let visit = visit(of: index, to: target, depth: keys.count)
      let isObject = token(index).kind == .object
      index = visit.value
      keys.append(isObject ? JSONCodingKey(name: string(index - 1)) : JSONCodingKey(index: visit.position))
    }
    return keys
  }

  /// The value in a container that a value lies in.
  private func visit(of container: Int, to target: Int, depth: Int) -> Visit {
    let last = visits[depth]
    if last.container == container, last.value <= target, target < next(after: last.value) { return last }
    let step = token(container).kind == .object ? 1 : 0
    var visit = Visit(container: container, value: container + 2 + step)
    while next(after: visit.value) <= target {
      visit.value = next(after: visit.value) + step
      visit.position += 1
    }
    return visit
  }
}
