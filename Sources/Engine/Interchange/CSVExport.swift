public import ActionLog
public import JSONCoding

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

  mutating func member(_ name: String, json bytes: some Sequence<UInt8>, into output: inout [UInt8]) {
    self.name(name, into: &output)
    output += bytes
  }

  consuming func end(_ output: inout [UInt8]) {
    output.append(UInt8(ascii: "}"))
  }
}

/// An export of records as comma-separated values (RFC 4180): seq, time, type, actor, data, meta, with a header line.
public struct CSVExport {
  /// Creates an export.
  public init() {}

  /// Writes the header line.
  public mutating func begin(into output: inout [UInt8]) {
    output += "seq,time,type,actor,data,meta\n".utf8
  }

  /// Writes a cell and the comma after it, for a column before those of the export.
  package static func append(cell: String, into output: inout [UInt8]) {
    append(cell.utf8, into: &output)
    output.append(UInt8(ascii: ","))
  }

  /// Writes a line.
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    let meta = record.meta
    let actor = try meta.flatMap { (meta) throws(JSONError) in try JSONTape(parsing: meta).root["actor"]?.string() }
    output += String(record.revision).utf8
    for cell in [record.time.description, record.type, actor ?? ""] {
      output.append(UInt8(ascii: ","))
      Self.append(cell.utf8, into: &output)
    }
    for cell in [record.dataBytes, meta?[...] ?? []] {
      output.append(UInt8(ascii: ","))
      Self.append(cell, into: &output)
    }
    output.append(UInt8(ascii: "\n"))
  }

  /// Writes a cell, quoted if necessary. Spreadsheets interpret a cell that begins with `=`, `+`, `-` or `@` as a formula, so an
  /// apostrophe is prepended to such texts. Some programs skip a tab or carriage return before the sign.
  private static func append(_ cell: some Collection<UInt8>, into output: inout [UInt8]) {
    let quote = UInt8(ascii: "\"")
    let isFormula = cell.first.map("=+-@\t\r".utf8.contains) ?? false
    let needsQuotes = cell.contains { byte in
      byte == UInt8(ascii: ",") || byte == quote || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
    }
    if needsQuotes { output.append(quote) }
    if isFormula { output.append(UInt8(ascii: "'")) }
    for byte in cell {
      if byte == quote { output.append(quote) }
      output.append(byte)
    }
    if needsQuotes { output.append(quote) }
  }
}
