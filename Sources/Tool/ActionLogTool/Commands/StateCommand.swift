import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let state = stateCommand(isOutlined: false)

  /// The command `state` whose answer in JSON outlines a value that exceeds `--max-bytes`, instead of truncating it.
  static let outlinedState = stateCommand(isOutlined: true)

  private static func stateCommand(isOutlined: Bool) -> Command {
    Command(
      "state",
      group: .travel,
      summary: "print the state, or one value of it, at a point",
      details: """
        \(PointResolver.forms)
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
      schema: nil,
      blocking: { context in try StateCommand(context: context, isOutlined: isOutlined).run() }
    )
  }
}

/// `state`: replays the log and prints the state or a value.
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
    variant: { .outlinedState },
    ownMembers: [
      "kind": ["type": "string"], "count": ["type": "integer"], "bytes": ["type": "integer"],
      "members": ["type": "array", "items": ["$ref": "#/$defs/outlined"]],
    ], defaultBytes: 8 << 10)

  let context: CommandContext
  let isOutlined: Bool

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
      try context.output.json(json(rebuilt, value: value, pointer: pointer))
    } else if context.arguments.has(Self.raw), case .string(let text) = value {
      try context.output.line(context.output.isTerminal ? TerminalText.escaping(text) : text)
    } else {
      try context.output.text(StateTree(value).rendered(style: context.output.style.tree))
    }
    try context.noteReplay(rebuilt, of: history)
    return try context.status(.success, of: history.reader, upTo: revision)
  }

  private func json(_ rebuilt: RebuiltState, value: JSONValue, pointer: JSONPointer?) throws -> JSONValue {
    var object: JSONObject = ["revision": .integer(rebuilt.revision)]
    object["pointer"] = pointer.map { pointer in .string(pointer.description) }
    if isOutlined, let bounds = context.output.boundedAnswer,
      let outline = ValueOutline(of: value, at: pointer ?? .root, bytes: bounds.maximumBytes, bounds.size)
    {
      for (name, member) in outline.json { object[name] = member }
    } else {
      object[pointer == nil ? "state" : "value"] = value
    }
    object["projection"] = context.arguments.value(of: .projection).map(JSONValue.string)
    object["sha256"] = .string(try rebuilt.digest.hexadecimal)
    object["actionsFolded"] = .integer(rebuilt.report.actionsFolded)
    object["fromSnapshot"] = rebuilt.report.snapshotsLoaded > 0 ? .integer(rebuilt.report.startRevision) : .null
    return .object(object)
  }
}

/// The members of a large value, and of the containers in it, level by level.
struct ValueOutline {
  /// The room in an answer for everything but the value or the members.
  private static let envelopeBytes = 512
  /// A larger scalar is only measured.
  private static let scalarBytes = 80

  let json: JSONObject

  /// Outlines a container that does not fit; `nil` for any other value.
  ///
  /// The first level is complete. A further level is added if all of it fits.
  ///
  /// - Complexity: O(size of the value) for each level.
  init?(of value: JSONValue, at pointer: JSONPointer, bytes: Int, _ size: AnswerSize) {
    let room = bytes - (size == .json ? Self.envelopeBytes : 2 * Self.envelopeBytes)
    var level = Self.members(of: value, at: pointer)
    guard size.bytes(of: value) > room, !level.isEmpty else { return nil }
    var rows = level.map { member in Self.row(member.value, at: member.pointer) }
    var used = rows.reduce(0) { used, row in used + size.bytes(of: row) + size.bytesOfSeparator }
    while used <= room {
      var next: [(pointer: JSONPointer, value: JSONValue)] = []
      var nextRows: [JSONValue] = []
      for member in level.flatMap({ member in Self.members(of: member.value, at: member.pointer) }) {
        let row = Self.row(member.value, at: member.pointer)
        used += size.bytes(of: row) + size.bytesOfSeparator
        guard used <= room else { break }
        next.append(member)
        nextRows.append(row)
      }
      guard used <= room, !next.isEmpty else { break }
      rows += nextRows
      level = next
    }
    json = [
      "kind": .string(MemberPage.Kind(value).rawValue), "count": .integer(Self.members(of: value, at: pointer).count),
      "bytes": .integer(value.bytes().count), "members": .array(rows),
    ]
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

  /// A value in short: a small scalar itself, and the size of anything else.
  static func row(_ value: JSONValue, at pointer: JSONPointer) -> JSONValue {
    let summary = MemberPage.Member("", value)
    let size = value.bytes().count
    var row: JSONObject = ["pointer": .string(pointer.description), "kind": .string(summary.kind.rawValue)]
    row["count"] = summary.count.map(JSONValue.integer)
    if let scalar = summary.scalar, size <= scalarBytes { row["value"] = scalar } else { row["bytes"] = .integer(size) }
    return .object(row)
  }
}

extension Command {
  static let snapshot = Command(
    "snapshot",
    group: .care,
    summary: "store the state at a point, so that later replays start there",
    details: """
      \(PointResolver.forms)
      The snapshot is written into the log's directory, next to the records. While the reducer is unchanged, deleting it costs
      only time. After a change of the reducer, snapshots of the older code hold the states that users saw, and 'freeze' needs
      them: a snapshot that matches a digest in the log is not replaced by another state.
      """,
    examples: [
      .init("snapshot my-log", "of the last state"),
      .init("snapshot my-log --at 10000", "of an earlier point that is read often"),
    ],
    arguments: [.wholeLog],
    options: [SnapshotCommand.at, .model, .projection],
    blocking: { context in try SnapshotCommand(context: context).run() }
  )
}

/// `snapshot`: replays the log and writes the state.
private struct SnapshotCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the point (default: the end)")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let history = try context.openHistory()
    let revision = try context.revision(of: Self.at, in: history.reader)
    let progress = context.progress("replaying", unit: .actions)
    let taken = try history.writeSnapshot(
      at: revision, time: context.environment.logEnvironment.now(), options: context.replayOptions(progress))
    try progress.finish()
    if context.isJSON {
      try context.output.json([
        "revision": .integer(taken.revision), "path": .string(taken.path), "bytes": .integer(taken.sizeBytes),
      ])
    } else {
      try context.output.line(
        "revision \(taken.revision): \(TerminalText.escaping(taken.path)), "
          + HumanText.bytes(taken.sizeBytes))
    }
    return try context.status(.success, of: history.reader, upTo: revision)
  }
}
