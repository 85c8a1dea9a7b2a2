import ActionLog
import JSONCoding
import TimeTravel

// The values that several answers have.

extension AnswerShape<Int> {
  /// The number of actions up to a state.
  static let revision = AnswerShape(AnswerSchema(named: "revision", isFixed: true), JSONValue.integer)
  /// A number of things, or of bytes.
  static let count = AnswerShape(AnswerSchema(named: "count", isFixed: true), JSONValue.integer)
  /// A whole number of any sign, such as a schema.
  static let integer = AnswerShape(AnswerSchema(["type": "integer"], isFixed: true), JSONValue.integer)
}

extension AnswerShape<String> {
  static let text = AnswerShape(AnswerSchema(["type": "string"], isFixed: true), JSONValue.string)
  /// One of a few words.
  static func word(_ words: String...) -> AnswerShape {
    AnswerShape(AnswerSchema(["enum": .array(words.map(JSONValue.string))], isFixed: true), JSONValue.string)
  }
  static let sha256 = AnswerShape(AnswerSchema(named: "sha256", isFixed: true), JSONValue.string)
  /// A checksum in hexadecimal.
  static let crc = AnswerShape(AnswerSchema(named: "crc", isFixed: true), JSONValue.string)
  /// The root of a Merkle tree in base64.
  static let root = AnswerShape(AnswerSchema(named: "root", isFixed: true), JSONValue.string)
  /// The path of a log or of a file, as it was given.
  static let file = AnswerShape(AnswerSchema(named: "file", isFixed: true), JSONValue.string)
}

extension AnswerShape<Bool> {
  static let flag = AnswerShape(AnswerSchema(["type": "boolean"], isFixed: true), JSONValue.bool)
  /// A member that says what an answer is.
  static let always = AnswerShape(AnswerSchema(["const": true], isFixed: true), JSONValue.bool)
}

extension AnswerShape<JSONPointer> {
  static let pointer = AnswerShape(AnswerSchema(named: "pointer", isFixed: true)) { pointer in
    .string(pointer.description)
  }
}

extension AnswerShape<JSONValue> {
  /// An object of any members.
  static let container = AnswerShape(AnswerSchema(["type": "object"])) { value in value }
  /// The metadata of an action.
  static let meta = AnswerShape(AnswerSchema(named: "meta")) { value in value }
  /// A JSON Patch (RFC 6902).
  static let patch = AnswerShape(AnswerSchema(named: "patch")) { value in value }
  /// Any value of a state.
  static let value = AnswerShape(AnswerSchema([:])) { value in value }
  /// The values that a condition reads, see ``CommandContext/endValues(of:from:)``.
  static let conditionValues = AnswerShape(AnswerSchema(named: "values")) { values in values }
}

extension AnswerShape<LogTime> {
  static let time = AnswerShape(AnswerSchema(named: "time", isFixed: true)) { time in .string(time.description) }
}

extension AnswerShape<LogRecord> {
  /// An action with its data and metadata.
  static let action = AnswerShape(AnswerSchema(named: "action")) { record in .object(try RecordText.json(record)) }
}

extension AnswerShape<QuestionWork> {
  static let work = object(
    "The work of a query.", name: "work",
    [
      .member("actionsFolded", .count, \.actionsFolded), .member("statesVisited", .count, \.statesVisited),
      .member("snapshotsLoaded", .count, \.snapshotsLoaded), .member("bytesRead", .count, \.bytesRead),
      .member("bytesEncoded", .count, \.bytesEncoded),
      .optional(
        "actionsIndexed", .count, { work in work.actionsIndexed > 0 ? work.actionsIndexed : nil },
        "Actions that were added to the index of changes; absent for none"),
    ])
}

extension AnswerShape<ValueChange> {
  /// A change with its values.
  static let change = AnswerShape(AnswerSchema(named: "change")) { change in .object(try change.json()) }
  /// A change with a JSON Patch in place of the values of a large dictionary, which a list of many changes would repeat.
  static let briefChange = AnswerShape(AnswerSchema(named: "change")) { change in
    .object(try change.json(isBrief: true))
  }
}
