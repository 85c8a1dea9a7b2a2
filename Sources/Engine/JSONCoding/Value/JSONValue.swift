/// A JSON value.
///
/// Strings are compared by bytes, numbers by text, and objects independently of the order of their members.
public enum JSONValue: Sendable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A number, with its exact text.
  case number(JSONNumber)
  /// A string.
  case string(String)
  /// An array.
  case array([JSONValue])
  /// An object.
  case object(JSONObject)
}

extension JSONValue: Hashable {
  /// Whether two values are equal, as described for the type.
  public static func == (left: JSONValue, right: JSONValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    default: false
    }
  }

  /// Hashes the value consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .bool(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .string(let value): ExactName(value).hash(into: &hasher)
    case .array(let value): hasher.combine(value)
    case .object(let value): hasher.combine(value)
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates `null`.
  public init(nilLiteral: ()) { self = .null }

  /// Creates a Boolean.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates a number.
  public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }

  /// Creates a string.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates an array.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

  /// Creates an object. A later member replaces the value of an earlier one with the same name.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements.map { (name: $0, value: $1) }))
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as JSON text, members in order.
  public var description: String { String(decoding: bytes(), as: UTF8.self) }
}

extension JSONValue {
  /// Parses a value.
  ///
  /// - Parameters:
  ///   - bytes: The text, at most 1 GiB.
  ///   - maximumDepth: The maximum nesting depth of objects and arrays; at most ``JSONTape/depthLimit``.
  /// - Throws: ``JSONError`` with the offset of the first invalid byte.
  public init(
    parsing bytes: some Collection<UInt8>, maximumDepth: Int = JSONTape.defaultMaximumDepth
  ) throws(JSONError) {
    let slice = (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]
    let tape = try JSONTape(parsing: slice, maximumDepth: maximumDepth)
    self.init(tape.root)
  }

  /// Creates a value from a node of a tape.
  public init(_ node: JSONTape.Node) {
    self = node.tape.withText { JSONValue($0, node.index) }
  }

  init(_ text: TokenText, _ index: Int) {
    switch text[index].kind {
    case .null, .span: self = .null
    case .true: self = .bool(true)
    case .false: self = .bool(false)
    case .integer, .decimal:
      self = .number(JSONNumber(checked: String(decoding: text.bytes(index), as: UTF8.self)))
    case .string, .escapedString: self = .string(text.string(index))
    case .array: self = .array(JSONValue.elements(text, index))
    case .object: self = .object(JSONObject(unique: JSONValue.members(text, index)))
    }
  }

  private static func elements(_ text: TokenText, _ array: Int) -> [JSONValue] {
    var elements: [JSONValue] = []
    elements.reserveCapacity(text[array + 1].value)
    var index = array + 2
    while index < text.next(after: array) {
      elements.append(JSONValue(text, index))
      index = text.next(after: index)
    }
    return elements
  }

  private static func members(_ text: TokenText, _ object: Int) -> [JSONObject.Element] {
    var members: [JSONObject.Element] = []
    members.reserveCapacity(text[object + 1].value)
    var index = object + 2
    while index < text.next(after: object) {
      members.append((name: text.string(index), value: JSONValue(text, index + 1)))
      index = text.next(after: index + 1)
    }
    return members
  }

  /// Returns the value as JSON text without white space.
  ///
  /// - Complexity: O(size), canonical O(size log members).
  public func bytes(_ form: JSONForm = .declared) -> [UInt8] {
    var output: [UInt8] = []
    append(to: &output, form)
    return output
  }

  /// Whether the nesting depth exceeds a limit.
  func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .array(let elements): limit < 1 || elements.contains { element in element.isDeeper(than: limit - 1) }
    case .object(let object): limit < 1 || object.contains { member in member.value.isDeeper(than: limit - 1) }
    case .null, .bool, .number, .string: false
    }
  }

  /// Appends the value as JSON text without white space.
  ///
  /// - Complexity: O(size), canonical O(size log members).
  public func append(to output: inout [UInt8], _ form: JSONForm = .declared) {
    switch self {
    case .null: output.append(contentsOf: "null".utf8)
    case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
    case .number(let number): output.append(contentsOf: number.text.utf8)
    case .string(let string): JSONText.appendString(string, to: &output)
    case .array(let elements):
      output.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { output.append(UInt8(ascii: ",")) }
        element.append(to: &output, form)
      }
      output.append(UInt8(ascii: "]"))
    case .object(let object): object.append(to: &output, form)
    }
  }
}

extension JSONObject {
  func append(to output: inout [UInt8], _ form: JSONForm) {
    var members = Array(self)
    if form == .canonical {
      members.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }
    output.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      JSONText.appendString(member.name, to: &output)
      output.append(UInt8(ascii: ":"))
      member.value.append(to: &output, form)
    }
    output.append(UInt8(ascii: "}"))
  }
}

extension JSONValue: Codable {
  /// Encodes the value. ``StrictJSONEncoder`` keeps the texts of numbers; other encoders receive an integer or a double.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    case .object(let object):
      var container = encoder.container(keyedBy: JSONCodingKey.self)
      for member in object { try container.encode(member.value, forKey: JSONCodingKey(name: member.name)) }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      case .number(let number):
        if number.isInteger, let value = number.int {
          try container.encode(value)
        } else {
          try container.encode(number.double)
        }
      default: try container.encodeNil()
      }
    }
  }

  /// Decodes any value. ``StrictJSONDecoder`` keeps the texts of numbers; other decoders provide an integer or a double.
  public init(from decoder: any Decoder) throws {
    // A decoder does not report the kind of its value. Trying each kind is the only way, so errors here are expected.
    if let container = try? decoder.container(keyedBy: JSONCodingKey.self) {
      var object = JSONObject()
      for key in container.allKeys {
        object[key.stringValue] = try container.decode(JSONValue.self, forKey: key)
      }
      self = .object(object)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [JSONValue] = []
      while !container.isAtEnd { elements.append(try container.decode(JSONValue.self)) }
      self = .array(elements)
    } else {
      self = try JSONValue(scalarFrom: decoder.singleValueContainer())
    }
  }

  private init(scalarFrom container: any SingleValueDecodingContainer) throws {
    // As above. The last attempt throws if the value is of no known kind.
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .number(JSONNumber(value))
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let number = JSONNumber(try container.decode(Double.self)) {
      self = .number(number)
    } else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number is not finite")
    }
  }
}

extension JSONValue {
  /// The value at a pointer, or `nil` if there is none.
  public subscript(pointer: JSONPointer) -> JSONValue? {
    var value = self
    for token in pointer.tokens {
      switch value {
      case .object(let object):
        guard let member = object[token] else { return nil }
        value = member
      case .array(let elements):
        guard let index = JSONPointer.index(of: token), index < elements.count else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }

  /// Changes, adds or removes the value at a place.
  ///
  /// - Parameters:
  ///   - pointer: The place. The root can be changed, and not removed.
  ///   - change: Receives the value, or `nil` if there is none. If it leaves `nil`, the member or element is removed. A value that it
  ///     adds becomes the last member of its object.
  /// - Throws: ``JSONError/Code/missingMember`` if a value is added where no object holds the place, or the root is removed; the
  ///   error of `change`.
  /// - Complexity: O(members and elements of the values on the way).
  public mutating func update(at pointer: JSONPointer, _ change: (inout JSONValue?) throws -> Void) throws {
    var value: JSONValue? = self
    guard try JSONValue.edit(&value, at: pointer.tokens[...], change) else {
      throw JSONError(.missingMember, "no object holds the place to add a value at", path: pointer)
    }
    guard let value else { throw JSONError(.missingMember, "the whole value cannot be removed", path: .root) }
    self = value
  }

  /// Changes, adds or removes a value in place.
  ///
  /// - Returns: `false` if a value was added where no object holds the place.
  package static func edit(
    _ value: inout JSONValue?, at tokens: ArraySlice<String>, _ change: (inout JSONValue?) throws -> Void
  ) rethrows -> Bool {
    guard let token = tokens.first else {
      try change(&value)
      return true
    }
    // No second reference to a container remains while it is changed.
    if case .object(var object) = value {
      value = .null
      defer { value = .object(object) }
      var member = object[token]
      if member != nil { object[token] = .null }
      defer { object[token] = member }
      return try edit(&member, at: tokens.dropFirst(), change)
    }
    if case .array(var elements) = value, let index = JSONPointer.index(of: token), index < elements.count {
      value = .null
      defer { value = .array(elements) }
      var element: JSONValue? = elements[index]
      elements[index] = .null
      defer { if let element { elements[index] = element } else { elements.remove(at: index) } }
      return try edit(&element, at: tokens.dropFirst(), change)
    }
    var added: JSONValue?
    try change(&added)
    return added == nil
  }
}
