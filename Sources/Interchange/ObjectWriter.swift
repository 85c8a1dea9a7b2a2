import JSONCoding

/// Writes the members of one JSON object at the end of a buffer, in the order in which they come.
struct ObjectWriter: ~Copyable {
  private var isFirst = true

  /// Opens the object.
  init(_ output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
  }

  /// Writes a name, after which exactly one value must follow.
  mutating func name(_ name: String, into output: inout [UInt8]) {
    if !isFirst { output.append(UInt8(ascii: ",")) }
    isFirst = false
    JSONText.appendString(name, to: &output)
    output.append(UInt8(ascii: ":"))
  }

  mutating func member(_ name: String, _ value: JSONValue, into output: inout [UInt8]) {
    self.name(name, into: &output)
    value.append(to: &output)
  }

  mutating func member(_ name: String, _ text: String, into output: inout [UInt8]) {
    self.name(name, into: &output)
    JSONText.appendString(text, to: &output)
  }

  mutating func member(_ name: String, _ number: some FixedWidthInteger, into output: inout [UInt8]) {
    self.name(name, into: &output)
    output += String(number).utf8
  }

  /// Writes a value that is JSON already.
  mutating func member(_ name: String, json bytes: some Sequence<UInt8>, into output: inout [UInt8]) {
    self.name(name, into: &output)
    output += bytes
  }

  /// Closes the object.
  consuming func end(_ output: inout [UInt8]) {
    output.append(UInt8(ascii: "}"))
  }
}
