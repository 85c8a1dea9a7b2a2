import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let test = Command(
    "test",
    group: .question,
    summary: "a test in Swift that folds a range again",
    details: """
      The file is one of Swift Testing and needs nothing of the log: it has the state before A, the actions A to B, and what
      is expected of the state that they lead to. As it is written it passes; with --expect it fails for as long as the condition
      does not hold. It imports the model's module; put it into a test target that has it, with ActionLog, EventSourcing,
      JSONCoding and TimeTravel.
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      """,
    examples: [
      .init("test my-log 9 12", "print a test of the actions 9 to 12"),
      .init("test my-log start 12 --minimise '/value < 0' --output BelowZero.swift", "of those that are needed for it"),
      .init(
        "test my-log start 12 --minimise '/value < 0' --expect '/value >= 0'", "a test that fails until it is mended"),
    ],
    arguments: [
      .readLog, CommandArgument("A", "the first action"), CommandArgument("B", "the last action"),
    ],
    options: [
      TestCommand.output, TestCommand.minimise, TestCommand.expect, TestCommand.testable, .model,
    ],
    blocking: { context in try TestCommand(context: context).run() }
  )
}

/// `test`: one file.
private struct TestCommand {
  static let output = CommandOption.value("output", letter: "o", "FILE", "the file to make; nothing may lie there")
  static let minimise = CommandOption.value(
    "minimise", "CONDITION", "only the actions that are enough to make this hold, which holds at B")
  static let expect = CommandOption.value(
    "expect", "CONDITION", "expect this of the end, and not the state that was recorded")
  static let testable = CommandOption.flag("testable", "import the model's module with @testable")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let minimised = try condition(Self.minimise)
    let expected = try condition(Self.expect)
    let history = try context.openHistory()
    let actions = try PointRange(context, reader: history.reader, fromArgument: 1)
    let range = try actions.states(upTo: history.reader.extent())
    // Searching takes its time, and is for nothing where the file cannot be made.
    let test = try NewFile.make(context.arguments.value(of: Self.output), for: context) { file in
      let test = try context.ask { options in
        try history.replayTest(
          of: range, minimisedFor: minimised,
          expecting: expected.map(ReplayTest.Expectation.condition) ?? .recordedState,
          isTestable: context.arguments.has(Self.testable), options: options)
      }
      try file?.append(Array(test.source.utf8))
      return test
    }
    try tell(test)
    return try context.status(
      .success, of: history.reader, upTo: actions.last == .max ? nil : range.upperBound)
  }

  private func condition(_ option: CommandOption) throws(TimeTravelError) -> Condition? {
    guard let text = context.arguments.value(of: option) else { return nil }
    return try Condition(parsing: text)
  }

  private func tell(_ test: ReplayTest) throws {
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
    if test.isMinimal == false { try context.warn("the search was ended by its limit: there may be fewer") }
    try noteExpectation(test)
  }

  /// Says whether the test passes as it is written, and what it looks for in vain.
  private func noteExpectation(_ test: ReplayTest) throws {
    guard let holdsAlready = test.holdsAlready else { return }
    guard !holdsAlready else {
      return try context.hint("what is expected holds already: the test passes as it is written")
    }
    try context.note("what is expected does not hold yet: the test fails until it does")
    try context.printHints(test.hints)
  }
}
