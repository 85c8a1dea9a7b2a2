public import ActionLog
public import JSONCoding

/// A streaming export of a log's records to another program's format.
///
/// An export keeps no records, so its memory does not grow with the log. Control records are skipped.
public protocol RecordExport {
  /// Writes the beginning of the document.
  mutating func begin(into output: inout [UInt8])

  /// Appends a record to a buffer.
  ///
  /// - Parameters:
  ///   - record: The next record of the log.
  ///   - output: The buffer to append to.
  /// - Throws: `JSONError` if the record is not valid JSON, which cannot happen for a record read from a log.
  /// - Complexity: O(*n*) in the length of the record.
  mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError)

  /// Writes the end of the document.
  mutating func end(into output: inout [UInt8])
}

extension RecordExport {
  /// Writes nothing.
  public mutating func begin(into output: inout [UInt8]) {}

  /// Writes nothing.
  public mutating func end(into output: inout [UInt8]) {}
}

extension LogRecord {
  /// The metadata as an object; `nil` if there is none.
  func metaObject() throws(JSONError) -> JSONObject? {
    guard let meta, case .object(let object) = try JSONValue(parsing: meta) else { return nil }
    return object
  }
}

/// A writer that appends the members of a JSON object to a buffer.
struct ObjectWriter: ~Copyable {
  private var isFirst = true

  /// Writes the opening brace.
  init(_ output: inout [UInt8]) {
    output.append(UInt8(ascii: "{"))
  }

  /// Writes a name. The caller must append exactly one value.
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

  /// Writes a member whose value is JSON text.
  mutating func member(_ name: String, json bytes: some Sequence<UInt8>, into output: inout [UInt8]) {
    self.name(name, into: &output)
    output += bytes
  }

  /// Writes the closing brace.
  consuming func end(_ output: inout [UInt8]) {
    output.append(UInt8(ascii: "}"))
  }
}
