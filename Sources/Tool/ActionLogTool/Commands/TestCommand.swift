import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let test = Command(
    "test",
    group: .question,
    summary: "write a Swift test that folds a range again",
    details: """
      The test uses Swift Testing and does not need the log: it has the state before A, the actions A to B, and the expected
      result. A new test passes; with --expect it fails until the condition holds. It imports the model's module: add it to a
      test target that depends on that module, ActionLog, EventSourcing, JSONCoding and TimeTravel.
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      """,
    examples: [
      .init("test my-log 9 12", "print a test of the actions 9 to 12"),
      .init("test my-log start 12 --minimise '/value < 0' --output BelowZero.swift", "only of the actions that matter"),
      .init(
        "test my-log start 12 --minimise '/value < 0' --expect '/value >= 0'",
        "a test that fails until the bug is fixed"),
    ],
    arguments: [
      .readLog, CommandArgument("A", "the first action"), CommandArgument("B", "the last action"),
    ],
    options: [
      TestCommand.output, TestCommand.minimise, TestCommand.expect, TestCommand.testable, .model,
    ],
    answer: .object,
    blocking: { context in try TestCommand(context: context).run() }
  )
}

/// `test`: writes a test.
private struct TestCommand {
  static let output = CommandOption.value("output", letter: "o", "FILE", "the new file (default: standard output)")
  static let minimise = CommandOption.value(
    "minimise", "CONDITION", "only the actions that suffice to make this hold; it must hold at B")
  static let expect = CommandOption.value(
    "expect", "CONDITION", "expect this condition at the end, not the recorded state")
  static let testable = CommandOption.flag("testable", "import the model's module with @testable")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let minimized = try condition(Self.minimise)
    let expected = try condition(Self.expect)
    let history = try context.openHistory()
    let actions = try PointRange(context, reader: history.reader, fromArgument: 1)
    let range = try actions.states(upTo: history.reader.extent())
    // Before the search, which takes time, to find out whether the file can be created.
    let test = try NewFile.make(context.arguments.value(of: Self.output), for: context) { file in
      let test = try context.ask { options in
        try history.replayTest(
          of: range, minimizedFor: minimized,
          expecting: expected.map(ReplayTest.Expectation.condition) ?? .recordedState,
          isTestable: context.arguments.has(Self.testable), options: options)
      }
      try file?.append(Array(test.source.utf8))
      return test
    }
    try printSummary(test)
    return try context.status(
      .success, of: history.reader, upTo: actions.last == .max ? nil : range.upperBound)
  }

  private func condition(_ option: CommandOption) throws(TimeTravelError) -> Condition? {
    guard let text = context.arguments.value(of: option) else { return nil }
    return try Condition(parsing: text)
  }

  private func printSummary(_ test: ReplayTest) throws {
    let output = context.arguments.value(of: Self.output)
    if context.isJSON {
      var object: JSONObject = [
        "actions": .integer(test.actionCount), "of": .integer(test.originalCount),
      ]
      object["isMinimal"] = test.isMinimal.map(JSONValue.bool)
      object["path"] = output.map(JSONValue.string)
      object["holdsAlready"] = test.holdsAlready.map(JSONValue.bool)
      if output == nil { object["source"] = .string(test.source) }
      try context.output.json(.object(object))
    } else if let output {
      try context.output.line(
        "\(TerminalText.escaping(output)): \(test.actionCount) of \(HumanText.count(test.originalCount, "action"))")
    } else {
      try context.output.text(test.source)
    }
    if test.isMinimal == false { try context.warn("the search reached its limit: fewer actions may suffice") }
    try noteExpectation(test)
  }

  /// Notes whether the test passes now, and hints on its condition.
  private func noteExpectation(_ test: ReplayTest) throws {
    guard let holdsAlready = test.holdsAlready else { return }
    guard !holdsAlready else {
      return try context.hint("the expected condition already holds: the test passes now")
    }
    try context.note("the expected condition does not hold yet: the test fails until it does")
    try context.printHints(test.hints)
  }
}
