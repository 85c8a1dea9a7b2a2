internal import JSONCoding

/// The `data` of an `@open` record: who took the log, and what was cut off before.
struct OpenRecord: Equatable {
  /// Bytes that recovery cut off, and the file in the quarantine that keeps them.
  struct Recovered: Equatable {
    var bytes: Int
    var file: String
  }

  var epoch: Int
  var schema: Int
  var program: String
  var processID: Int
  var host: String
  var recovered: Recovered?

  /// The JSON object, its members in the order of the format's table.
  func data() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(contentsOf: #"{"epoch":"#.utf8)
    JSONText.appendInt(epoch, to: &bytes)
    bytes.append(contentsOf: #","schema":"#.utf8)
    JSONText.appendInt(schema, to: &bytes)
    bytes.append(contentsOf: #","program":"#.utf8)
    JSONText.appendString(program, to: &bytes)
    bytes.append(contentsOf: #","pid":"#.utf8)
    JSONText.appendInt(processID, to: &bytes)
    bytes.append(contentsOf: #","host":"#.utf8)
    JSONText.appendString(host, to: &bytes)
    if let recovered {
      bytes.append(contentsOf: #","recovered":{"bytes":"#.utf8)
      JSONText.appendInt(recovered.bytes, to: &bytes)
      bytes.append(contentsOf: #","file":"#.utf8)
      JSONText.appendString(recovered.file, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }

  /// The members that a reader needs.
  static let neededNames: [StaticString] = ["epoch", "schema"]

  /// What a reader needs of the `data` of an `@open` record: the writer's number and the schema of what follows.
  static func epochAndSchema(of data: JSONTape.Node) throws(RecordMemberError) -> (epoch: Int, schema: Int) {
    (try data.number("epoch", from: 1), try data.number("schema", from: 1))
  }
}
