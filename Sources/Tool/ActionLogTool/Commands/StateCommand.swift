import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let state = Command(
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
    blocking: { context in try StateCommand(context: context).run() }
  )
}

/// `state`: replays the log and prints the state or a value.
private struct StateCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the point (default: the end)")
  static let pointer = CommandOption.value("path", letter: "p", "POINTER", "print only the value at this path")
  static let raw = CommandOption.flag("raw", letter: "r", "print a string without its quotes")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let pointer = try context.pointer(of: Self.pointer)
    let history = try context.openHistory()
    let revision = try context.revision(of: Self.at, in: history.reader)
    let rebuilt = try context.replay(history, to: revision)
    let value = try pointer.map { pointer in try rebuilt.tree.value(at: pointer) } ?? rebuilt.tree.root
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

  private func json(_ rebuilt: RebuiltState, value: JSONValue, pointer: JSONPointer?) -> JSONValue {
    var object: JSONObject = ["revision": .integer(rebuilt.revision)]
    if let pointer {
      object["pointer"] = .string(pointer.description)
      object["value"] = value
    } else {
      object["state"] = value
    }
    object["projection"] = context.arguments.value(of: .projection).map(JSONValue.string)
    object["sha256"] = .string(rebuilt.digest.hexadecimal)
    object["actionsFolded"] = .integer(rebuilt.report.actionsFolded)
    object["fromSnapshot"] = rebuilt.report.snapshotsLoaded > 0 ? .integer(rebuilt.report.startRevision) : .null
    return .object(object)
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
