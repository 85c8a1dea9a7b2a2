import ActionLog
package import EventSourcing
import JSONCoding
import TerminalUI
package import TimeTravel

extension Command {
  static let test = Command(
    "test",
    group: .question,
    effect: .reads,
    summary: "write a Swift test that folds a range again",
    details: """
      The test uses Swift Testing and does not need the log: it has the state before A, the actions A to B, and the expected
      result. A new test passes; with --expect it fails until the condition holds. It imports the model's module: add it to a
      test target that depends on that module, ActionLog, EventSourcing, JSONCoding and TimeTravel.
      \(PointRange.forms)
      """,
    examples: [
      .init("test my-log 9 12", "print a test of the actions 9 to 12"),
      .init("test my-log start 12 --minimize '/value < 0' --output BelowZero.swift", "only of the actions that matter"),
      .init(
        "test my-log start 12 --minimize '/value < 0' --expect '/value >= 0'",
        "a test that fails until the bug is fixed"),
    ],
    arguments: [
      .readLog,
      CommandArgument(
        "A", arity: .optional, input: "from", kind: .point, defaultWord: "start",
        "the first action (default: the start)"),
      CommandArgument("B", arity: .optional, input: "to", kind: .point, "the last action (default: the end)"),
    ],
    options: [
      .newFile, TestCommand.minimize, TestCommand.expect, TestCommand.testable, .model,
    ],
    answer: .object,
    tool: TestCommand.declaration,
    schema: TestCommand.shape.schema,
    blocking: { context in try TestCommand(context: context).run() }
  )
}

private struct TestCommand {
  static let declaration = ToolDeclaration(
    title: "Write a test",
    help:
      "Writes a Swift test that folds a range of the log again, as source in the answer. With minimize, only the actions that suffice "
      + "for that condition, which keeps the source short; with expect, the test fails until that condition holds.",
    inputs: [minimize, expect],
    hint: { answer in
      guard answer["source"] != nil else {
        return
          "source is left out: it has the state at from and every action of the range, more than maxBytes. Give minimize, which "
          + "keeps only the actions that suffice; leave out from, because the first state is the smallest; or give a larger maxBytes."
      }
      guard case .string(let suite)? = answer["suite"], case .array(let imports)? = answer["imports"] else {
        return nil
      }
      let modules = imports.compactMap { name in if case .string(let name) = name { name } else { nil } }
      return "Save source as \(suite).swift in a test target that depends on "
        + modules.filter { name in name != "Testing" }.joined(separator: ", ")
        + ", and run 'swift test --filter \(suite)'."
    })

  static let minimize = CommandOption.value(
    "minimize", "CONDITION", "only the actions that suffice to make this hold; it must hold at B")
  static let expect = CommandOption.value(
    "expect", "CONDITION", "expect this condition at the end, not the recorded state")
  static let testable = CommandOption.flag("testable", "import the model's module with @testable")

  static let shape = AnswerShape<(test: ReplayTest, output: String?)>.object(
    "One object: the source of the test, or with --output the path of its file. holdsAlready is there with --expect, isMinimal with --minimize. imports are the modules that the target of the test depends on.",
    isBounded: true,
    [
      .member("actions", .count, \.test.actionCount), .member("of", .count, \.test.originalCount),
      .optional("isMinimal", .flag, \.test.isMinimal), .optional("path", .file, \.output),
      .optional("holdsAlready", .flag, \.test.holdsAlready), .optional("suite", .text, \.test.suite),
      .optional("imports", .texts, \.test.modules),
      .optional("source", .text) { answer in answer.output == nil ? answer.test.source : nil },
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let minimized = try context.arguments.value(of: Self.minimize).map(Condition.init(parsing:))
    let expected = try context.arguments.value(of: Self.expect).map(Condition.init(parsing:))
    let history = try context.openHistory()
    let actions = try PointRange(context, reader: history.reader, fromArgument: 1)
    let range = try actions.states(upTo: history.reader.extent())
    // Before the search, which takes time, to find out whether the file can be created.
    let test = try NewFile.make(context.arguments.value(of: .newFile), for: context) { file in
      let test = try context.ask { options in
        try history.replayTest(
          of: range, minimizedFor: minimized,
          expecting: expected,
          isTestable: context.arguments.has(Self.testable), options: options)
      }
      try file?.append(Array(test.source.utf8))
      return test
    }
    try printSummary(test)
    return try context.status(
      .success, of: history.reader, upTo: actions.last == .max ? nil : range.upperBound)
  }

  private func printSummary(_ test: ReplayTest) throws {
    let output = context.arguments.value(of: .newFile)
    try context.answer((test, output), Self.shape) {
      if let output {
        try context.output.line(
          "\(TerminalText.escaping(output)): \(test.actionCount) of \(HumanText.count(test.originalCount, "action"))")
      } else {
        try context.output.text(test.source)
      }
    }
    if test.isMinimal == false { try context.warn("the search reached its limit: fewer actions may suffice") }
    try noteExpectation(test)
  }

  private func noteExpectation(_ test: ReplayTest) throws {
    guard let holdsAlready = test.holdsAlready else { return }
    guard !holdsAlready else {
      return try context.hint("the expected condition already holds: the test passes now")
    }
    try context.note("the expected condition does not hold yet: the test fails until it does")
    try context.printHints(test.hints)
  }
}

/// A test that folds actions of a history, as a file of Swift Testing.
///
/// The file does not need the log: it contains a state, the actions, and the expected result, as JSON.
package struct ReplayTest: Sendable {
  package let source: String
  /// The name of the suite, best also that of the file.
  package let suite: String
  /// The modules that it imports, which its target depends on.
  package let modules: [String]
  package let actionCount: Int
  package let originalCount: Int
  /// Whether no action can be removed; `nil` if that was not tried.
  package let isMinimal: Bool?
  /// Whether the expected condition already holds, so that the test passes; `nil` without a condition.
  package let holdsAlready: Bool?
  package let hints: [QuestionHint]
}

extension History {
  /// Writes a test that folds a range of the history.
  ///
  /// - Parameter expected: The condition at the end, so that the test fails while the bug exists; `nil` for the state that the model
  ///   folds: the test passes as it is written.
  package func replayTest(
    of range: ClosedRange<Int>, minimizedFor minimized: Condition? = nil,
    expecting expected: Condition? = nil, isTestable: Bool = false, options: ReplayOptions = ReplayOptions()
  ) throws -> ReplayTest {
    try M.requireOwnState(for: "a test", path: path)
    try check(range)
    guard range.count > 1 else {
      throw TimeTravelError(.unanswerable, "a test needs actions, and there are none between the two points")
    }
    try expected?.requireState()
    let start = try state(at: range.lowerBound, options: options)
    let few = try minimized.map { condition in
      try minimize(condition, after: range.lowerBound, at: range.upperBound, options: options)
    }
    let actions = try few?.actions ?? self.actions(in: range.lowerBound + 1...range.upperBound)
    var end = start
    for recorded in actions {
      for action in recorded.actions { try decoder.fold(action, into: &end, at: RecordSite(recorded.record)) }
    }
    let source = ReplayTestSource<M>(
      range: range, start: start, actions: actions, end: end, expected: expected, minimized: minimized,
      log: reader.header.log, isTestable: isTestable)
    let outcome = try expected?.evaluated(in: end)
    return ReplayTest(
      source: try source.text(), suite: try source.suite(), modules: try source.modules(), actionCount: actions.count,
      originalCount: range.count - 1, isMinimal: few?.isMinimal,
      holdsAlready: outcome?.holds, hints: outcome?.hints ?? [])
  }
}
