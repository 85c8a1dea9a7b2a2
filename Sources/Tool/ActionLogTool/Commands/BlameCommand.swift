import ActionLog
import JSONCoding
import TimeTravel

extension Command {
  static let blame = Command(
    "blame",
    group: .question,
    summary: "find the action that last changed a value",
    details: """
      \(PointResolver.forms)
      The search goes backward from the point, so it also finds a change that was later undone. For a large dictionary, the changes
      inside are printed. The status is 1 if no action changed the value.
      """,
    examples: [
      .init("blame my-log /animals/data/Dog/diet", "what last changed the dog's diet"),
      .init("blame my-log /animals/data/Dog --at 11", "the same, as of revision 11"),
    ],
    arguments: [.readLog, .pointer],
    options: [BlameCommand.at, .model, .projection],
    answer: .object,
    blocking: { context in try BlameCommand(context: context).run() }
  )
}

extension CommandArgument {
  /// A path in the state.
  static let pointer = CommandArgument("POINTER", "a JSON Pointer into the state, for instance /animals/data/Dog")
  /// Paths in the state.
  static let pointers = CommandArgument(
    "POINTER", arity: .several, "JSON Pointers into the state, for instance /animals/data/Dog")
  /// A condition.
  static let condition = CommandArgument("CONDITION", "for instance '/counter/value > 10'")
}

/// `blame`: searches backward for a change.
private struct BlameCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the point to search from (default: the end)")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let pointer = try context.pointerArgument(1)
    let history = try context.openHistory()
    let revision = try context.revision(of: Self.at, in: history.reader)
    try context.requireReadable(revision, in: history.reader)
    let answer = try context.ask { options in try history.blame(pointer, at: revision, options: options) }
    if answer.change == nil, !answer.hasValue {
      // An earlier action may have removed it.
      try context.warnOfBeginning(of: history.reader)
      // A path that never had a value is probably a mistake: the error names the existing members.
      let rebuilt = try context.replay(history, to: answer.revision)
      context.begin("searching")
      _ = try context.value(at: pointer, of: rebuilt, in: history.reader, upTo: revision)
    }
    let first = history.reader.base?.revision
    if context.isJSON {
      try context.output.json(.object(try json(answer, from: first)))
    } else {
      try print(answer, from: first)
    }
    return try context.status(answer.change == nil ? .negative : .success, of: history.reader, upTo: revision)
  }

  /// - Parameter first: The revision that a pruned log begins with.
  private func print(_ answer: BlameAnswer, from first: Int?) throws {
    if let change = answer.change {
      try context.output.line(context.text(change))
      try context.printRecord(change.record)
    } else if let first {
      try context.output.line("\(context.text(answer.value)): \(CommandContext.value(atBeginning: first))")
    } else {
      try context.output.line(
        "\(context.text(answer.value)), unchanged from the beginning to revision \(answer.revision)")
    }
    try context.note(on: answer.work)
  }

  private func json(_ answer: BlameAnswer, from first: Int?) throws -> JSONObject {
    var object: JSONObject = [
      "pointer": .string(answer.pointer.description), "revision": .integer(answer.revision),
    ]
    object["value"] = answer.value
    object["change"] = try answer.change.map { change throws(JSONError) in .object(try change.json()) } ?? .null
    // The change may be before it.
    if answer.change == nil { object["begins"] = first.map(JSONValue.integer) }
    object["work"] = .object(answer.work.json)
    return object
  }
}
