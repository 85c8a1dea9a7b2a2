internal import JSONCoding

/// The `@segment` record: the log's identity in the first line of a segment.
public struct LogHeader: Sendable, Equatable {
  /// The log from which this one was created, and the last common position.
  public struct Parent: Sendable, Equatable {
    /// The identifier of the other log.
    public var log: String
    /// The last revision that was copied.
    public var revision: Int
    /// The checksum of the other log's line at that revision, or of its first line if ``revision`` is 0.
    public var crc: UInt32
    /// The tree of the other log's first lines, of which the last action is that at ``revision``; `nil` if it is not known.
    package var tree: LineTree?

    /// Creates a parent.
    public init(log: String, revision: Int, crc: UInt32) { (self.log, self.revision, self.crc) = (log, revision, crc) }
  }

  /// The name of the format: ``LogFormat/name``.
  public var format: String
  /// The log's identifier: a UUID in lower case, the same in all segments.
  public var log: String
  /// The name of the model.
  public var model: String
  /// The version of the actions' structure, starting at 1.
  public var schema: Int
  /// The revision of the segment's first action.
  public var first: Int
  /// The number of writers the log has had, including the segment's own.
  public var epoch: Int
  /// The creation time of the segment.
  public var created: LogTime
  /// Whether the following lines of the segment have salts, so that their values can be redacted.
  public var isSalted: Bool
  /// The log from which this one was created.
  public var parent: Parent?
  /// The key of the log in a set of logs: 1 to ``LogFormat/keyLimitBytes`` bytes. `nil` for a log that is not in a set.
  public var key: String?

  package init(
    format: String = LogFormat.name,
    log: String,
    model: String,
    schema: Int,
    first: Int,
    epoch: Int,
    created: LogTime,
    isSalted: Bool = false,
    parent: Parent? = nil,
    key: String? = nil
  ) {
    self.format = format
    self.log = log
    self.model = model
    self.schema = schema
    self.first = first
    self.epoch = epoch
    self.created = created
    self.isSalted = isSalted
    self.parent = parent
    self.key = key
  }
}

extension LogHeader: ControlRecord {
  package static var controlType: ControlType { .segment }

  package func data() -> [UInt8] {
    var object: JSONObject = [
      "format": .string(format), "log": .string(log), "model": .string(model), "schema": .number(JSONNumber(schema)),
      "first": .number(JSONNumber(first)), "epoch": .number(JSONNumber(epoch)), "created": .string("\(created)"),
    ]
    if isSalted { object["salted"] = true }
    if let parent {
      var member: JSONObject = [
        "log": .string(parent.log), "seq": .number(JSONNumber(parent.revision)),
        "crc": .string(ChecksumDigits.text(parent.crc)),
      ]
      if let tree = parent.tree {
        member["lines"] = .number(JSONNumber(tree.lines))
        member["root"] = .string(Base64.text(tree.root))
      }
      object["parent"] = .object(member)
    }
    object["key"] = key.map(JSONValue.string)
    return JSONValue.object(object).bytes()
  }

  /// The members of `data` that a reader parses.
  static let names: [StaticString] = [
    "format", "log", "model", "schema", "first", "epoch", "created", "salted", "parent", "key",
  ]
  private static let parentNames: [StaticString] = ["log", "seq", "crc", "lines", "root"]

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
    isSalted = try data.flag("salted")
    key = data["key"] == nil ? nil : try data.text("key")
    guard key.map(LogFormat.isKey) ?? true else { throw RecordMemberError("key") }
    parent = nil
    if let bytes = data["parent"]?.bytes {
      let member: JSONTape.Node
      // The parser has checked the value, so this cannot fail.
      do throws(JSONError) { member = try JSONTape(parsing: bytes, keeping: LogHeader.parentNames).root } catch {
        throw RecordMemberError("parent")
      }
      parent = Parent(
        log: try member.text("log"),
        revision: try member.number("seq", from: 0),
        crc: try member.checksum("crc")
      )
      parent?.tree = try LineTree(member)
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
