import ActionLog
import TimeTravel

extension Command {
  static let blame = Command(
    "blame",
    group: .question,
    summary: "find the action that last changed a value",
    details: """
      The search goes backward from the point, so it also finds a change that was later undone. For a large dictionary, the changes
      inside are printed. The status is 1 if no action changed the value.
      """,
    examples: [
      .init("blame my-log /animals/data/Dog/diet", "what last changed the dog's diet"),
      .init("blame my-log /animals/data/Dog --at 11", "the same, as of revision 11"),
    ],
    arguments: [.readLog, .pointer],
    options: [Blame.at, .model, .projection],
    tool: ToolDeclaration(
      title: "Who changed a value",
      help: "Finds the action that last changed a value of the state, with its old and new value.", inputs: [Blame.at]),
    shape: Blame.shape,
    ask: Blame.ask,
    print: { blame, context in try blame.print(context) }
  )
}

extension CommandArgument {
  static let pointer = CommandArgument(
    "POINTER", input: "path", kind: .text, "a JSON Pointer into the state, for instance /animals/data/Dog")
  static let pointers = CommandArgument(
    "POINTER", arity: .several, input: "paths", kind: .text,
    "JSON Pointers into the state, for instance /animals/data/Dog")
  static let condition = CommandArgument("CONDITION", "for instance '/counter/value > 10'")
}

/// The answer of `blame`: the last change of a value.
private struct Blame {
  static let at = CommandOption.value(
    "at", letter: "a", "POINT", kind: .point, "the point to search from (default: the end)")

  let answer: BlameAnswer
  /// The revision that a pruned log begins with.
  let beginning: Int?

  static let shape = AnswerShape<Blame>.object(
    "One object: the value, and the action that last changed it; change is null if no action did. begins is the first revision of a "
      + "pruned log, if the change may be before it.", isBounded: true,
    [
      .member("pointer", .pointer, \.answer.pointer), .member("revision", .revision, \.answer.revision),
      .optional("value", .value, \.answer.value), .nullable("change", .change, \.answer.change),
      .optional("begins", .revision) { blame in blame.answer.change == nil ? blame.beginning : nil },
      .member("work", .work, \.answer.work),
    ])

  static func ask(_ context: CommandContext) throws -> (Blame?, status: () throws -> ExitStatus) {
    let pointer = try context.pointerArgument(1)
    let history = try context.openHistory()
    let revision = try context.revision(of: at, in: history.reader)
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
    return (
      Blame(answer: answer, beginning: history.reader.base?.revision),
      status: { try context.status(answer.change == nil ? .negative : .success, of: history.reader, upTo: revision) }
    )
  }

  func print(_ context: CommandContext) throws {
    if let change = answer.change {
      try context.output.line(context.text(change))
      try context.printRecord(change.record)
    } else if let beginning {
      try context.output.line("\(context.text(answer.value)): \(CommandContext.value(atBeginning: beginning))")
    } else {
      try context.output.line(
        "\(context.text(answer.value)), unchanged from the beginning to revision \(answer.revision)")
    }
    try context.note(on: answer.work)
  }
}
