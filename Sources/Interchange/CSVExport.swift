public import ActionLog
public import JSONCoding

/// The actions as comma-separated values: seq, time, type, actor, data, meta, with a line of names first.
///
/// - SeeAlso: RFC 4180, with a line feed as the end of a line.
public struct CSVExport: RecordExport {
  private let includesControl: Bool

  /// Begins a table.
  ///
  /// - Parameter includesControl: Whether control records are written too.
  public init(includesControl: Bool = false) {
    self.includesControl = includesControl
  }

  /// Writes the names of the columns.
  public mutating func begin(into output: inout [UInt8]) {
    output += "seq,time,type,actor,data,meta\n".utf8
  }

  /// Writes a line.
  public mutating func append(_ record: LogRecord, into output: inout [UInt8]) throws(JSONError) {
    guard includesControl || !record.isControl else { return }
    var actor = ""
    if case .string(let name)? = try record.metaObject()?["actor"] { actor = name }
    var line = CSVLine()
    line.append(record.seq)
    line.append(record.time.description)
    line.append(record.type)
    line.append(actor)
    line.append(String(decoding: record.dataBytes, as: UTF8.self))
    line.append(record.meta.map { meta in String(decoding: meta, as: UTF8.self) } ?? "")
    output += line.text.utf8
    output.append(UInt8(ascii: "\n"))
  }
}
