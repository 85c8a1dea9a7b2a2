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
    var line = CSVLine()
    line.append(cell)
    output += line.text.utf8
    output.append(UInt8(ascii: ","))
  }

  /// Writes a line.
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    var actor = ""
    if case .string(let name)? = try record.metaObject()?["actor"] { actor = name }
    var line = CSVLine()
    line.append(record.revision)
    line.append(record.time.description)
    line.append(record.type)
    line.append(actor)
    line.append(String(decoding: record.dataBytes, as: UTF8.self))
    line.append(record.meta.map { meta in String(decoding: meta, as: UTF8.self) } ?? "")
    output += line.text.utf8
    output.append(UInt8(ascii: "\n"))
  }
}

/// A line of comma-separated values. Spreadsheets interpret a cell that begins with `=`, `+`, `-` or `@` as a formula, so an apostrophe
/// is prepended to such texts.
struct CSVLine {
  private(set) var text = ""
  private var isEmpty = true

  mutating func append(_ number: Int) { add(String(number)) }

  /// Adds a text, quoted if necessary.
  mutating func append(_ cell: String) {
    let guarded = cell.unicodeScalars.first.map(Self.isFormula) == true ? "'" + cell : cell
    guard guarded.unicodeScalars.contains(where: Self.needsQuotes) else { return add(guarded) }
    add("\"" + guarded.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\"")
  }

  private mutating func add(_ cell: String) {
    if !isEmpty { text += "," }
    text += cell
    isEmpty = false
  }

  /// Whether a text that begins with this scalar can be a formula. Some programs skip a tab or carriage return before it.
  private static func isFormula(_ scalar: Unicode.Scalar) -> Bool { "=+-@\t\r".unicodeScalars.contains(scalar) }

  private static func needsQuotes(_ scalar: Unicode.Scalar) -> Bool { ",\"\r\n".unicodeScalars.contains(scalar) }
}
