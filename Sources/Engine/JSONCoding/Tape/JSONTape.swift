/// A validated JSON text with random access to its values.
///
/// The validation is strict: RFC 8259, plus unique names, no lone surrogates, no byte order mark, valid UTF-8, and a bounded depth. A
/// tape stores the text, eight bytes for each scalar or name, and sixteen bytes for each object or array.
public struct JSONTape: Sendable {
  /// The text.
  public let bytes: ArraySlice<UInt8>
  let tokens: [JSONToken]
  /// The maximum nesting depth of objects and arrays.
  public let depth: Int

  /// The default nesting limit, which is also the limit of the log format.
  public static let defaultMaximumDepth = 128

  /// The highest nesting limit. Values are read recursively, and a thread's stack may be as small as 512 KiB.
  public static let depthLimit = 512

  /// Validates a text.
  ///
  /// - Parameters:
  ///   - bytes: The text, at most 1 GiB. It is not copied.
  ///   - maximumDepth: The maximum nesting depth of objects and arrays; at most ``depthLimit``.
  /// - Throws: ``JSONError`` with the offset of the first invalid byte and the path of the enclosing member or element.
  /// - Complexity: O(*n*), plus O(*m* log *m*) for each object of *m* members whose names are not in ascending order.
  public init(parsing bytes: ArraySlice<UInt8>, maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    self.bytes = bytes
    (tokens, depth) = try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
      try ScannerScratch.withScanner(buffer, maximumDepth: maximumDepth) { (scanner) throws(JSONError) in
        do throws(JSONError) { try scanner.scan() } catch { throw scanner.placed(error) }
        return (Array(scanner.memory.tokens.elements), scanner.deepest)
      }
    }
  }

  /// Validates a text.
  public init(parsing bytes: [UInt8], maximumDepth: Int = defaultMaximumDepth) throws(JSONError) {
    try self.init(parsing: bytes[...], maximumDepth: maximumDepth)
  }

  /// The value of the whole text.
  public var root: Node { Node(tape: self, index: 0) }

  @inline(__always)
  func withBase<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
    // A validated text is not empty, so it has an address.
    bytes.withUnsafeBufferPointer { body($0.baseAddress.unsafelyUnwrapped) }
  }
}

extension JSONTape {
  /// The kind of a value.
  public enum Kind: Sendable, Hashable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool
    /// A number.
    case number
    /// A string.
    case string
    /// An array.
    case array
    /// An object.
    case object
  }

  /// A value on a tape.
  public struct Node: Sendable {
    let tape: JSONTape
    let index: Int

    var token: JSONToken { tape.tokens[index] }

    /// The kind of the value.
    public var kind: Kind { token.valueKind }

    /// The range of the value in the text, including quotes or brackets. The first byte of the text has offset 0.
    public var byteRange: Range<Int> {
      let token = token
      let end = token.isContainer ? tape.tokens[index + 1].start : token.start + token.value
      return token.start..<end
    }

    /// The bytes of the value, including quotes or brackets.
    public var bytes: ArraySlice<UInt8> {
      let range = byteRange
      let start = tape.bytes.startIndex
      return tape.bytes[start + range.lowerBound..<start + range.upperBound]
    }

    /// Whether the value is `null`.
    public var isNull: Bool { token.kind == .null }

    /// Whether the value is a number without fraction and exponent.
    public var isInteger: Bool { token.kind == .integer }

    /// The value as a Boolean, or `nil` if it is of another kind.
    public func bool() -> Bool? {
      switch token.kind {
      case .true: true
      case .false: false
      default: nil
      }
    }

    /// The value as an unescaped string, or `nil` if it is of another kind.
    public func string() -> String? {
      let token = token
      guard token.isString else { return nil }
      return tape.withBase { JSONStrings.string(token, $0) }
    }

    /// The UTF-8 bytes of the unescaped string, or `nil` if the value is of another kind.
    public func stringBytes() -> [UInt8]? {
      let token = token
      guard token.isString else { return nil }
      return tape.withBase { JSONStrings.bytes(token, $0) }
    }

    /// The value as an `Int`, including `1.0` and `1e2`, or `nil` if it is not exactly an `Int`.
    public func int() -> Int? { integer(Int.self) }

    /// The value as an integer of a type, or `nil` if it is not exactly representable, or in more than 64 bits only.
    public func integer<Integer: FixedWidthInteger>(_ type: Integer.Type) -> Integer? {
      let token = token
      guard token.kind == .integer || token.kind == .decimal else { return nil }
      return tape.withBase { base in
        JSONDecimal(UnsafeBufferPointer(start: base + token.start, count: token.value)).integer(type)
      }
    }

    /// The value as a number with its exact text, or `nil` if it is of another kind.
    public func number() -> JSONNumber? {
      guard kind == .number else { return nil }
      return JSONNumber(checked: String(decoding: bytes, as: UTF8.self))
    }

    /// The number of members of an object or elements of an array; 0 for any other value.
    public var count: Int { token.isContainer ? tape.tokens[index + 1].value : 0 }

    /// Whether the value is a string with exactly these bytes.
    ///
    /// - Complexity: O(*n*) in the length, without allocation unless the string contains escapes.
    public func equals(_ text: StaticString) -> Bool {
      let expected = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      return equals(expected)
    }

    func equals(_ expected: UnsafeBufferPointer<UInt8>) -> Bool {
      let token = token
      guard token.isString else { return false }
      return tape.withBase { JSONStrings.equals(token, $0, expected) }
    }

    var next: Int {
      let token = token
      return token.isContainer ? token.value : index + 1
    }
  }
}

extension JSONTape {
  /// The members of an object, in source order.
  public struct Members: Sequence, IteratorProtocol, Sendable {
    let tape: JSONTape
    var index: Int
    let end: Int

    /// Returns the next member.
    public mutating func next() -> (name: Node, value: Node)? {
      guard index < end else { return nil }
      let value = Node(tape: tape, index: index + 1)
      defer { index = value.next }
      return (Node(tape: tape, index: index), value)
    }
  }

  /// The elements of an array, in source order.
  public struct Elements: Sequence, IteratorProtocol, Sendable {
    let tape: JSONTape
    var index: Int
    let end: Int

    /// Returns the next element.
    public mutating func next() -> Node? {
      guard index < end else { return nil }
      let element = Node(tape: tape, index: index)
      index = element.next
      return element
    }
  }
}

extension JSONTape.Node {
  /// The members of an object, in source order. Empty for any other value.
  public var members: JSONTape.Members {
    let end = token.kind == .object ? next : 0
    return JSONTape.Members(tape: tape, index: index + 2, end: end)
  }

  /// The elements of an array, in source order. Empty for any other value.
  public var elements: JSONTape.Elements {
    let end = token.kind == .array ? next : 0
    return JSONTape.Elements(tape: tape, index: index + 2, end: end)
  }

  /// The value of a member, or `nil` if this is not an object or has no such member.
  public subscript(name: String) -> JSONTape.Node? {
    var name = name
    return name.withUTF8 { expected in
      for member in members where member.name.equals(expected) { return member.value }
      return nil
    }
  }
}
