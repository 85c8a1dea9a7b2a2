import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let state = Command(
    "state",
    group: .travel,
    effect: .readsLog,
    summary: "print the state, or one value of it, at a point",
    details: """
      The state is printed as JSON with sorted members. A path is a JSON Pointer (RFC 6901) into it. Sets, and dictionaries whose
      keys are not strings, are arrays in the printed order. A value in such a dictionary also has a path by its key, if the key is
      printed as a string: /orders/4C1D4A3E-….
      """,
    examples: [
      .init("state my-log", "the state at the end"),
      .init("state my-log --at 42", "after the first 42 actions"),
      .init("state my-log --at '5m ago' --path /animals/data/Dog", "one value of it, five minutes ago"),
    ],
    arguments: [.readLog],
    options: [StateCommand.at, StateCommand.pointer, StateCommand.raw, .model, .projection],
    answer: .object,
    tool: StateCommand.declaration,
    schema: StateCommand.shape().schema,
    blocking: { context in try StateCommand(context: context).run() }
  )
}

private struct StateCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", kind: .point, "the point (default: the end)")
  static let pointer = CommandOption.value("path", letter: "p", "POINTER", "print only the value at this path")
  static let raw = CommandOption.flag("raw", letter: "r", "print a string without its quotes")

  static let declaration = ToolDeclaration(
    title: "State at a point",
    help:
      "Prints the state, or one value of it, at any point of the history. Finds paths: of a value that exceeds maxBytes, members "
      + "has the pointers, kinds and sizes of what is inside; each pointer is a path for the next call.",
    inputs: [at, pointer],
    hint: { answer in
      guard case .array(let members)? = answer["members"], case .number(let bytes)? = answer["bytes"] else {
        return nil
      }
      let example =
        members.lazy.compactMap { member -> String? in
          guard case .object(let object) = member, object["count"] != nil,
            case .string(let pointer)? = object["pointer"]
          else { return nil }
          return pointer
        }.first.map { pointer in ", such as \(pointer)," } ?? ""
      return "The value has \(bytes) bytes. state with one of these pointers as path\(example) has that part."
    },
    defaultBytes: 8 << 10)

  typealias Answer = (
    rebuilt: RebuiltState, pointer: JSONPointer?, value: JSONValue?, outline: ValueOutline?, projection: String?
  )

  static func shape(isOutlined: Bool = false) -> AnswerShape<Answer> {
    .object(
      "One object: the state, or with --path the value at pointer. fromSnapshot is the revision of the snapshot that the replay began with.",
      isBounded: true,
      [
        .member("revision", .revision, \.rebuilt.revision), .optional("pointer", .pointer, \.pointer),
        .optional("state", .value) { answer in answer.pointer == nil ? answer.value : .none },
        .optional("value", .value) { answer in answer.pointer == nil ? .none : answer.value },
      ] + (isOutlined ? ValueOutline.members(\.outline) : []) + [
        .optional("projection", .text, \.projection),
        .member("sha256", .sha256) { answer in try answer.rebuilt.digest.hexadecimal },
        .member("actionsFolded", .count, \.rebuilt.report.actionsFolded),
        .nullable("fromSnapshot", .revision) { answer in
          answer.rebuilt.report.snapshotsLoaded > 0 ? answer.rebuilt.report.startRevision : nil
        },
      ])
  }

  let context: CommandContext

  func run() throws -> ExitStatus {
    let pointer = try context.pointer(of: Self.pointer)
    let history = try context.openHistory()
    let revision = try context.revision(of: Self.at, in: history.reader)
    let rebuilt = try context.replay(history, to: revision)
    context.begin("printing")
    let value =
      try pointer.map { pointer in
        try context.value(at: pointer, of: rebuilt, in: history.reader, upTo: revision)
      } ?? rebuilt.tree.root
    if context.isJSON {
      let outline = try context.output.boundedAnswer.flatMap { bounds in
        // On the command line, a truncated answer has a part of the value itself.
        bounds.size == .json
          ? nil : try ValueOutline(of: value, at: pointer ?? .root, bytes: bounds.maximumBytes, bounds.size)
      }
      let projection = context.arguments.value(of: .projection)
      try context.output.json(
        Self.shape(isOutlined: outline != nil).json(
          (rebuilt, pointer, outline == nil ? value : .none, outline, projection))
      )
    } else if context.arguments.has(Self.raw), case .string(let text) = value {
      try context.output.line(context.output.isTerminal ? TerminalText.escaping(text) : text)
    } else {
      try context.output.text(StateTree(value).rendered(style: context.output.style))
    }
    try context.noteReplay(rebuilt, of: history)
    return try context.status(.success, of: history.reader, upTo: revision)
  }
}

/// The members of a large value, and of the containers in it, level by level.
struct ValueOutline {
  /// The room in an answer for everything but the value or the members.
  private static let envelopeBytes = 1_024
  /// A larger scalar is only measured.
  private static let scalarBytes = 80

  private let kind: String
  private let count: Int
  private let sizeBytes: Int
  private let rows: [JSONValue]

  static func members<Answer>(
    _ outline: @escaping @Sendable (Answer) -> ValueOutline?
  ) -> [AnswerMember<Answer>] {
    [
      .optional("kind", .text, { answer in outline(answer)?.kind }),
      .optional("count", .integer, { answer in outline(answer)?.count }),
      .optional("bytes", .integer, { answer in outline(answer)?.sizeBytes }),
      .optional("members", .array(of: AnswerShape(row.schema, { row in row })), { answer in outline(answer)?.rows }),
    ]
  }

  static let row = AnswerShape<(pointer: JSONPointer, value: JSONValue)>.object(
    "A value in short: a small string or number itself, otherwise its size.", name: "outlined",
    [
      .member("pointer", .pointer, \.pointer), .member("kind", .text, \.value.kindName),
      .optional("count", .count, \.value.size),
      .optional("value", .value) { row in isSmall(row.value) ? row.value : .none },
      .optional("bytes", .count) { row in isSmall(row.value) ? nil : row.value.bytes().count },
    ])

  /// The values that a condition reads, see ``CommandContext/endValues(of:from:)``.
  static let endValues = AnswerShape<[(pointer: JSONPointer, value: JSONValue)]>(
    .defined(
      "values",
      "If the condition holds nowhere: the values that it reads, at the end of the range. A missing value is left out.",
      ["type": "array", "items": row.schema.reference], isFixed: false, parts: [row.schema])
  ) { values in .array(try values.map(row.json)) }

  private static func isSmall(_ value: JSONValue) -> Bool {
    value.size == nil && value.bytes().count <= scalarBytes
  }

  /// Outlines a container that does not fit; `nil` for any other value.
  ///
  /// The first level is complete. A further level is added if all of it fits.
  init?(of value: JSONValue, at pointer: JSONPointer, bytes: Int, _ size: AnswerSize) throws {
    let room = bytes - Self.envelopeBytes
    var level = Self.members(of: value, at: pointer)
    guard size.bytes(of: value) > room, !level.isEmpty else { return nil }
    var rows = try level.map(Self.row.json)
    var used = rows.reduce(0) { used, row in used + size.bytes(of: row) + size.bytesOfSeparator }
    while used <= room {
      var next: [(pointer: JSONPointer, value: JSONValue)] = []
      var nextRows: [JSONValue] = []
      for member in level.flatMap({ member in Self.members(of: member.value, at: member.pointer) }) {
        let row = try Self.row.json(member)
        used += size.bytes(of: row) + size.bytesOfSeparator
        guard used <= room else { break }
        next.append(member)
        nextRows.append(row)
      }
      guard used <= room, !next.isEmpty else { break }
      rows += nextRows
      level = next
    }
    (kind, count) = (value.kindName, Self.members(of: value, at: pointer).count)
    (sizeBytes, self.rows) = (value.bytes().count, rows)
  }

  private static func members(
    of value: JSONValue, at pointer: JSONPointer
  ) -> [(pointer: JSONPointer, value: JSONValue)] {
    switch value {
    case .object(let object): object.map { member in (pointer.appending(member.name), member.value) }
    case .array(let elements): elements.enumerated().map { index, element in (pointer.appending(index), element) }
    case .null, .bool, .number, .string: []
    }
  }
}

extension Command {
  static let snapshot = Command(
    "snapshot",
    group: .care,
    summary: "store the state at a point, so that later replays start there",
    details: """
      The snapshot is written into the log's directory, next to the records. While the reducer is unchanged, deleting it costs
      only time. After a change of the reducer, snapshots of the older code hold the states that users saw, and 'branch' needs
      them: a snapshot that matches a digest in the log is not replaced by another state.
      """,
    examples: [
      .init("snapshot my-log", "of the last state"),
      .init("snapshot my-log --at 10000", "of an earlier point that is read often"),
    ],
    arguments: [.wholeLog],
    options: [StateCommand.at, .model, .projection],
    schema: AnswerShape<TakenSnapshot>.snapshot.schema,
    blocking: takeSnapshot
  )
}

extension Command {
  @Sendable private static func takeSnapshot(_ context: CommandContext) throws -> ExitStatus {
    let history = try context.openHistory()
    let revision = try context.revision(of: StateCommand.at, in: history.reader)
    let taken = try context.ask { options in
      try history.writeSnapshot(
        at: revision, time: context.environment.logEnvironment.now(), options: options)
    }
    try context.answer(taken, .snapshot) {
      try context.output.line(
        "revision \(taken.revision): \(TerminalText.escaping(taken.path)), \(HumanText.bytes(taken.sizeBytes))")
    }
    return try context.status(.success, of: history.reader, upTo: revision)
  }
}

extension AnswerShape<TakenSnapshot> {
  fileprivate static let snapshot = object(
    "One object: the snapshot.",
    [.member("revision", .revision, \.revision), .member("path", .file, \.path), .member("bytes", .count, \.sizeBytes)])
}
