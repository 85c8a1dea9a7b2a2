internal import JSONCoding

extension LogHeader: ControlRecord {
  package static var controlType: ControlType { .segment }

  package func data() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(contentsOf: #"{"format":"#.utf8)
    JSONText.appendString(format, to: &bytes)
    bytes.append(contentsOf: #","log":"#.utf8)
    JSONText.appendString(log, to: &bytes)
    bytes.append(contentsOf: #","model":"#.utf8)
    JSONText.appendString(model, to: &bytes)
    bytes.append(contentsOf: #","schema":"#.utf8)
    JSONText.appendInt(schema, to: &bytes)
    bytes.append(contentsOf: #","first":"#.utf8)
    JSONText.appendInt(first, to: &bytes)
    bytes.append(contentsOf: #","epoch":"#.utf8)
    JSONText.appendInt(epoch, to: &bytes)
    bytes.append(contentsOf: #","created":""#.utf8)
    created.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    if let parent {
      bytes.append(contentsOf: #","parent":{"log":"#.utf8)
      JSONText.appendString(parent.log, to: &bytes)
      bytes.append(contentsOf: #","seq":"#.utf8)
      JSONText.appendInt(parent.seq, to: &bytes)
      bytes.append(contentsOf: #","crc":""#.utf8)
      ChecksumDigits.append(parent.crc, to: &bytes)
      bytes.append(contentsOf: #""}"#.utf8)
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// The members of the `data` of a `@segment` record that readers look at.
  static let names: [StaticString] = ["format", "log", "model", "schema", "first", "epoch", "created", "parent"]
  private static let parentNames: [StaticString] = ["log", "seq", "crc"]

  /// Reads the `data` of a `@segment` record.
  ///
  /// - Parameter data: The object, with the members of ``names``.
  /// - Throws: A message that says which member is wrong. The format's name is not judged here.
  init(data: JSONTape.Node) throws(RecordMemberError) {
    format = try data.text("format")
    log = try data.text("log")
    guard LogHeader.isLogID(log) else { throw RecordMemberError("log") }
    model = try data.text("model")
    guard (1...LogFormat.modelLimitBytes).contains(model.utf8.count) else { throw RecordMemberError("model") }
    schema = try data.number("schema", from: 1)
    first = try data.number("first", from: 1)
    epoch = try data.number("epoch", from: 1)
    created = try data.time("created")
    parent = nil
    if let bytes = data["parent"]?.bytes {
      let member: JSONTape.Node
      // The parser has read it before, so that it cannot fail here.
      do throws(JSONError) { member = try JSONTape(parsing: bytes, keeping: LogHeader.parentNames).root } catch {
        throw RecordMemberError("parent")
      }
      parent = Parent(
        log: try member.text("log"),
        seq: try member.number("seq", from: 0),
        crc: try member.checksum("crc")
      )
    }
  }

  /// Whether a text is a UUID in lower case.
  static func isLogID(_ text: String) -> Bool {
    guard text.utf8.count == 36 else { return false }
    for (index, byte) in text.utf8.enumerated() {
      switch byte {
      case UInt8(ascii: "-"): guard [8, 13, 18, 23].contains(index) else { return false }
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"):
        guard ![8, 13, 18, 23].contains(index) else { return false }
      default: return false
      }
    }
    return true
  }
}
