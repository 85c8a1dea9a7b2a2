package import ActionLog
package import JSONCoding
import TimeTravel

// The values that several answers have.

extension AnswerSchema {
  /// A definition of its own, which answers refer to.
  static func defined(
    _ name: String, _ description: String?, _ json: JSONObject, isFixed: Bool = true, parts: [AnswerSchema] = []
  ) -> AnswerSchema {
    var schema = JSONObject()
    schema["description"] = description.map(JSONValue.string)
    for (name, value) in json { schema[name] = value }
    return AnswerSchema(schema, name: name, isFixed: isFixed, parts: parts)
  }

  fileprivate static let truncated = defined(
    "truncated", "The answer met --limit or --max-bytes. The member is absent from a complete answer.", ["const": true])
  fileprivate static let next = defined(
    "next", "The value of --cursor with which the same command line continues.", ["type": "string", "minLength": 1])

  static let bounds: [AnswerSchema] = [
    truncated, next,
    defined(
      "omitted", "Values that alone exceed --max-bytes, with their locations in this answer.",
      ["type": "array", "items": omitted.reference], parts: [omitted]),
    defined(
      "cursor", "The value of --cursor: the answer lacks what is before it.", ["type": "string", "minLength": 1]),
  ]

  private static let omitted = AnswerShape<(pointer: JSONPointer, bytes: Int)>.object([
    .member("pointer", .pointer, \.pointer), .member("bytes", .count, \.bytes),
  ]).schema

  /// The last line of a truncated answer of lines.
  static let end = defined(
    "end", "The last line of a truncated answer.",
    [
      "type": "object", "required": ["truncated", "next"],
      "properties": ["truncated": truncated.reference, "next": next.reference],
    ], parts: [truncated, next])
}

extension AnswerShape<Int> {
  /// The number of actions up to a state.
  package static let revision = AnswerShape(
    .defined(
      "revision",
      "A revision: the number of actions up to a state. The member is called seq where it names an action or a record, and revision where it names a state.",
      ["type": "integer", "minimum": 0]), JSONValue.integer)
  package static let count = AnswerShape(
    .defined("count", "A number of things, or of bytes.", ["type": "integer", "minimum": 0]), JSONValue.integer)
  /// A whole number of any sign, such as a schema.
  static let integer = AnswerShape(AnswerSchema(["type": "integer"], isFixed: true), JSONValue.integer)
}

extension AnswerShape<Duration> {
  static let microseconds = AnswerShape(AnswerShape<Int>.count.schema) { duration in
    let (seconds, attoseconds) = duration.components
    return .integer(Int(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
  }
}

extension AnswerShape<Int32> {
  static let status = AnswerShape(
    .defined(
      "status", "The exit status of the verb for one log; 128 plus the number of a signal, 124 after a timeout.",
      ["type": "integer", "minimum": 0, "maximum": 255])
  ) { status in .integer(Int(status)) }
}

extension AnswerShape<Double> {
  /// A number with at most six decimals, like the times of a log.
  static let decimal = AnswerShape(AnswerSchema(["type": "number"], isFixed: true)) { value in
    .number(JSONNumber((value * 1e6).rounded() / 1e6) ?? JSONNumber(Int(value)))
  }
}

extension AnswerShape<String> {
  package static let text = AnswerShape(AnswerSchema(["type": "string"], isFixed: true), JSONValue.string)
  package static let file = AnswerShape(
    .defined(
      "file",
      "The path of a log or of a file, as it was given. In a patch, and only there, path is a JSON Pointer, as RFC 6902 has it.",
      ["type": "string", "minLength": 1]), JSONValue.string)
  static let sha256 = AnswerShape(
    .defined("sha256", "A SHA-256 in hexadecimal.", ["type": "string", "pattern": "^[0-9a-f]{64}$"]), JSONValue.string)
  static let crc = AnswerShape(
    .defined("crc", "A checksum in hexadecimal.", ["type": "string", "pattern": "^[0-9a-f]{8}$"]), JSONValue.string)
  static let root = AnswerShape(
    .defined(
      "root", "The root of a Merkle tree in base64.", ["type": "string", "pattern": "^[A-Za-z0-9+/]{43}=$"]),
    JSONValue.string)

  static func word(_ words: String...) -> AnswerShape {
    AnswerShape(AnswerSchema(["enum": .array(words.map(JSONValue.string))], isFixed: true), JSONValue.string)
  }
}

extension AnswerShape<[String]> {
  static let texts = array(of: .text)
  static let files = array(of: .file)
}

extension AnswerShape<Bool> {
  package static let flag = AnswerShape(AnswerSchema(["type": "boolean"], isFixed: true), JSONValue.bool)
  /// A member that says what an answer is.
  static let always = AnswerShape(AnswerSchema(["const": true], isFixed: true), JSONValue.bool)
}

extension AnswerShape<JSONPointer> {
  package static let pointer = AnswerShape(
    .defined(
      "pointer", "A JSON Pointer (RFC 6901): empty, or it begins with /.", ["type": "string", "pattern": "^(/|$)"])
  ) { pointer in .string(pointer.description) }
}

extension AnswerShape<LogTime> {
  package static let time = AnswerShape(
    .defined(
      "time", "A time in UTC, to the microsecond.",
      ["type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$"])
  ) { time in .string(time.description) }
}

extension AnswerShape<JSONValue> {
  /// An object of any members.
  static let container = AnswerShape(AnswerSchema(["type": "object"])) { value in value }
  /// A value that was encoded in another process.
  static func encoded<Other>(_ shape: AnswerShape<Other>) -> AnswerShape {
    AnswerShape(shape.schema) { value in value }
  }
  package static let value = AnswerShape(AnswerSchema([:])) { value in value }
  static let id = AnswerShape(
    .defined("id", "The id of a line of standard input: text or a number.", ["type": ["string", "number"]])
  ) { value in value }
  static let meta = AnswerShape(
    .defined(
      "meta", "The metadata of an action: actor, cause, correlation, session, app, command and any other member.",
      ["type": "object"], isFixed: false)
  ) { value in value }
  static let patch = AnswerShape(
    .defined(
      "patch", "A JSON Patch (RFC 6902). Its path is a JSON Pointer into the state.",
      ["type": "array", "items": operation.reference], isFixed: false, parts: [operation])
  ) { value in value }

  private static let operation = AnswerSchema.defined(
    "operation", nil,
    [
      "type": "object", "required": ["op", "path"],
      "properties": [
        "op": ["enum": ["add", "remove", "replace", "move", "copy", "test"]], "path": pointer, "from": pointer,
        "value": [:],
        "old": [
          "description":
            "In show, diff and what-if: the value that is replaced or removed, if it has at most 1024 bytes."
        ],
      ],
    ], isFixed: false, parts: [AnswerShape<JSONPointer>.pointer.schema])
  private static var pointer: JSONValue { AnswerShape<JSONPointer>.pointer.schema.reference }
}

extension AnswerShape<LogRecord> {
  package static let action = object(
    "An action, or with --all a control record, whose type begins with @.", name: "action", isBounded: true,
    actionMembers { record in record })
}

extension AnswerShape {
  static func actionMembers(_ record: @escaping @Sendable (Value) -> LogRecord) -> [AnswerMember<Value>] {
    [
      .member("seq", .revision, { value in record(value).revision }),
      .member("time", .time, { value in record(value).time }),
      .member("type", .text, { value in record(value).type }),
      .member("data", .container, { value in try JSONValue(parsing: record(value).dataBytes) }),
      .optional("meta", .meta, { value in try record(value).meta.map { meta in try JSONValue(parsing: meta) } }),
    ]
  }
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
  static let change = change(isBrief: false)
  /// A change with a JSON Patch in place of the values of a large dictionary, which a list of many changes would repeat.
  static let briefChange = change(isBrief: true)

  private static func change(isBrief: Bool) -> AnswerShape {
    @Sendable func isPatch(_ change: ValueChange) -> Bool { isBrief && change.difference != nil }
    return object(
      "An action that changed a value. Without old the value was added, without new it was removed; changes replaces both for a large dictionary.",
      name: "change", isBounded: true,
      actionMembers(\.record) + [
        .member("pointer", .pointer, \.pointer),
        .member("change", .word("added", "removed", "changed"), \.kind.rawValue),
        .optional("changes", .patch) { change in isPatch(change) ? change.difference?.jsonPatch().document : .none },
        .optional("old", .value) { change in isPatch(change) ? .none : change.old },
        .optional("new", .value) { change in isPatch(change) ? .none : change.new },
      ])
  }
}

extension AnswerShape<Mark> {
  static let mark = object("A mark.", name: "mark-of-log", members { mark in mark })
}

extension AnswerShape {
  static func members(_ mark: @escaping @Sendable (Value) -> Mark) -> [AnswerMember<Value>] {
    [
      .member("name", .text, { value in mark(value).name }),
      .member("seq", .revision, { value in mark(value).revision }),
      .member("time", .time, { value in mark(value).time }),
      .optional("remark", .text, { value in mark(value).remark }),
    ]
  }
}

// Failures and the lines on standard error are encoded where nothing else can fail, so their schemas are apart from that.
extension AnswerShape<FailureReport> {
  static let error = AnswerShape(
    AnswerShape<ToolFailure>.object(
      "An error: its stable code, its message, its location, and advice.", name: "error",
      [
        .member("code", .text, \.codeName), .member("message", .text) { _ in "" }, .optional("path", .file, \.path),
        .optional("line", .count, \.line), .optional("byteOffset", .count, \.byteOffset),
        .optional("seq", .revision, \.revision), .optional("advice", .text) { _ in nil },
      ]
    ).schema, \.json)
}

extension AnswerShape<(subject: RowSubject, failure: FailureReport)> {
  static let failure = object(
    "A line of a verb of many logs: the error of one.", name: "failure",
    RowSubject.members(isAnswer: false, \.subject) + [.member("error", .error, \.failure)])
}

extension AnswerSchema {
  private static let warning = AnswerShape<String>.object("A warning or a hint.", [.member("warning", .text, \.self)])
    .schema

  private static let progress = AnswerShape<(job: String, unit: String, done: Int, total: Int?)>.object(
    "Progress of a long command, every five seconds.",
    [
      .member(
        "progress",
        .object([
          .member("job", .text, \.job), .member("unit", .word("bytes", "actions", "logs"), \.unit),
          .member("done", .count, \.done), .optional("total", .count, \.total),
        ]), { progress in progress })
    ]
  ).schema

  static let message = anyOf(
    "A line on standard error: an error, a warning or hint, or progress.",
    [
      AnswerShape<(failure: FailureReport, status: Int)>.object(
        "The error that ended the command.",
        [
          .member("error", .error, \.failure),
          .member("status", AnswerShape(AnswerSchema(["enum": [1, 2, 3, 4, 5]]), JSONValue.integer), \.status),
        ]
      ).schema,
      warning, AnswerShape.failure.schema, progress,
    ])
}
