extension JSONValue {
  /// Reads a value.
  ///
  /// - Parameters:
  ///   - bytes: The text, at most 1 GiB.
  ///   - maximumDepth: How many objects and arrays may lie within each other; at most ``JSONTape/depthLimit``.
  /// - Throws: ``JSONError`` with the offset of the first byte that is wrong.
  /// - Complexity: O(*n*).
  public init(
    parsing bytes: some Collection<UInt8>, maximumDepth: Int = JSONTape.defaultMaximumDepth
  ) throws(JSONError) {
    let slice = (bytes as? ArraySlice<UInt8>) ?? Array(bytes)[...]
    let tape = try JSONTape(parsing: slice, maximumDepth: maximumDepth)
    self.init(tape.root)
  }

  /// Reads the value of a node.
  ///
  /// - Complexity: O(size).
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

  /// Writes the value without white space.
  ///
  /// - Complexity: O(size), canonical O(size log members).
  public func bytes(_ form: JSONForm = .declared) -> [UInt8] {
    var output: [UInt8] = []
    append(to: &output, form)
    return output
  }

  /// Whether more objects and arrays lie within each other than a limit says.
  ///
  /// - Complexity: O(elements and members); no deeper than the limit.
  func isDeeper(than limit: Int) -> Bool {
    switch self {
    case .array(let elements): limit < 1 || elements.contains { element in element.isDeeper(than: limit - 1) }
    case .object(let object): limit < 1 || object.contains { member in member.value.isDeeper(than: limit - 1) }
    case .null, .bool, .number, .string: false
    }
  }

  /// Writes the value without white space at the end of a buffer.
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
