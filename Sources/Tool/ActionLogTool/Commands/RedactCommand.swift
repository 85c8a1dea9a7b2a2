import ActionLog
import ActionLogMaintenance
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let redact = Command(
    "redact",
    group: .care,
    summary: "erase values of a log that was made with 'record --redactable'",
    details: """
      A target is a point and the location of a value in its record: 12:/data/name, or '12:/data/name="gone"' with the value to put in
      its place, in JSON and quoted for the shell. By default a value is replaced by one of its type: "[redacted]", 0, false, null, [] or {}. --line names any line by
      its index, as --find prints it, and base:/state/name a value in the state that a pruned log begins with. The rest of each line stays proved: checksums, 'prev' and checkpoints hold.
      The log is replayed as it will be before anything is written. If an action does not decode with its replacement, or the reducer
      refuses it, nothing is changed: choose another value, or --skip the action, which then has its revision and changes nothing.
      A @redact record states what was replaced, why and by whom. Then the segments are rewritten and the snapshots that may hold the
      values removed. If that is interrupted, the next writer completes it, and so does --finish.
      Copies are out of reach: backups, exports, proofs given out. Shipped segments are replaced by the next 'ship'. On a terminal the
      command asks before it changes anything; elsewhere it needs --yes.
      """,
    examples: [
      .init("redact my-log --find 'Ann Smith'", "list every place of a text"),
      .init("redact my-log 12:/data/name --reason 'request 118' --dry-run", "check a redaction"),
      .init("redact my-log '12:/data/name=\"gone\"' --reason 'request 118' --yes", "put another value in its place"),
      .init("redact my-log 12:/data/name --line 3:/data/message --reason 'request 118' --yes", "redact two values"),
    ],
    arguments: [
      .wholeLog,
      CommandArgument(
        "TARGET", arity: .any,
        "a point and a location: POINT:/POINTER or POINT:/POINTER=JSON; base:/POINTER of a pruned log"),
    ],
    options: RedactCommand.options,
    rules: [
      .oneOf([RedactCommand.find, RedactCommand.finish]),
      .excludes(RedactCommand.find, RedactCommand.edits), .excludes(RedactCommand.finish, RedactCommand.edits),
    ],
    schema: .anyOf(
      "A line for each place that --find found; one object for a redaction, or for --finish.",
      [
        AnswerShape<FoundText>.foundText.schema, RedactCommand.file.schema, RedactCommand.shape.schema,
        RedactCommand.finished.schema,
      ]),
    blocking: { context in try RedactCommand(context: context).run() }
  )
}

struct RedactCommand {
  static let reason = CommandOption.value(
    "reason", "TEXT", "why the values are erased; the log states it")
  static let actor = CommandOption.value("actor", "NAME", "who erases them; the log states it")
  static let line = CommandOption.value(
    "line", "INDEX:/POINTER", isRepeatable: true,
    "a value of a line by its index, which counts the lines of the log from 0; also with =JSON")
  static let skip = CommandOption.value("skip", "POINT", isRepeatable: true, "replay skips this action from now on")
  static let withoutModel = CommandOption.flag(
    "without-model", "replay nothing; later digests of states are removed")
  static let recordErased = CommandOption.flag(
    "record-erased", "state the reason, actor, locations and replacements although they contain an erased text")
  static let find = CommandOption.value(
    "find", "TEXT", "list the values that contain a text, and change nothing")
  static let finish = CommandOption.flag("finish", "complete an interrupted redaction")
  static let edits = [line, skip, reason, actor]
  static let options = [
    reason, actor, line, skip, withoutModel, recordErased, find, finish, .dryRun, .yes, .model,
  ]

  struct Answer {
    let path: String
    let outcome: LogRedaction.Outcome
    /// Files next to the segments that contain an erased text.
    var sideFiles: [String] = []
    var places = ErasedTexts.Places()

    var isDryRun: Bool { outcome.index == nil }
  }

  static let shape = AnswerShape<Answer>.object([
    .member("path", .file, \.path), .member("isDryRun", .flag, \.isDryRun),
    .nullable("index", .count, \.outcome.index), .member("indices", .array(of: .count), \.outcome.indices),
    .member("lines", .array(of: redacted)) { answer in
      try (answer.outcome.record.base.map { base in [try redactedBase.json(base)] } ?? [])
        + answer.outcome.record.lines.map(redactedLine.json)
    },
    .member("otherPlaces", .array(of: .foundText), \.places.found),
    .member("morePlaces", .count, \.places.hiddenCount), .member("unsearchedTexts", .count, \.places.skippedCount),
    .member("otherFiles", .files, \.sideFiles),
  ])

  private static let redacted = AnswerShape<JSONValue>(
    .anyOf("A redacted line, or the base of a pruned log.", [redactedLine.schema, redactedBase.schema])
  ) { value in value }

  private static let redactedLine = AnswerShape<RedactRecord.Line>.object([
    .member("index", .count, \.index), .member("segment", .count, \.segment), .member("seq", .revision, \.revision),
    .member("with", .replacements, \.replacements), .optional("skip", .always, { line in line.skips ? true : nil }),
  ])

  private static let redactedBase = AnswerShape<RedactRecord.Base>.object([
    .member("base", .always, { _ in true }), .member("with", .replacements, \.replacements),
  ])

  static let file = AnswerShape<String>.object([.member("file", .file, { file in file })])

  static let finished = AnswerShape<(path: String, index: Int?)>.object([
    .member("path", .file, \.path), .nullable("index", .count, \.index),
  ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let path = try context.logPath()
    let targets = Array(context.arguments.positionals.dropFirst())
    let text = context.arguments.value(of: Self.find)
    guard text != nil || context.arguments.has(Self.finish) else { return try redact(path, targets) }
    guard targets.isEmpty else { throw ToolFailure.usage("--find and --finish take no TARGET") }
    return try text.map { text in try find(text, path) } ?? finish(path)
  }

  // MARK: Finding

  private func find(_ text: String, _ path: String) throws -> ExitStatus {
    guard !text.isEmpty else { throw ToolFailure.usage("--find needs a text") }
    context.begin("searching")
    let reader = try context.openReader(path)
    var count = 0
    try reader.find(anyOf: [text]) { found in
      count += 1
      try context.answer(found, .foundText) { try context.output.line(Self.text(found)) }
    }
    for file in try reader.isSingleSegment ? [] : reader.sideFiles(containing: [text]) {
      count += 1
      try context.answer(file, Self.file) { try context.output.line("file \(TerminalText.escaping(file))") }
    }
    return count > 0 ? .success : .negative
  }

  private static func text(_ found: FoundText) -> String {
    let place = found.index.map { index in "index \(index), seq \(found.revision), " } ?? ""
    let kind = found.isName ? " (the name of a member)" : ""
    let line = found.line.map { line in " in \(TerminalText.escaping(line))" } ?? ""
    return "\(place)\(TerminalText.escaping(found.type))\(line): " + TerminalText.escaping(found.pointer.description)
      + kind
  }

  // MARK: Finishing

  private func finish(_ path: String) throws -> ExitStatus {
    context.onInterruption("Every record can be read. The same command completes the redaction.")
    context.begin("redacting")
    let finished = try LogRedaction.finish(
      at: path, fileSystem: context.files, environment: context.environment.logEnvironment)
    // Also if none was interrupted: a consumer may have held its parked actions.
    let parked = try LogRedaction.redactParked(at: path, erasing: [], fileSystem: context.files)
    try reportParked(parked.count, parked.failure)
    try context.answer((path, finished), Self.finished) {
      let text = finished.map { index in "the redaction at index \(index) is complete" }
      try context.output.line(of: path, text ?? "no redaction was interrupted")
    }
    return .success
  }

  // MARK: Redacting

  private func redact(_ path: String, _ texts: [String]) throws -> ExitStatus {
    guard let reason = context.arguments.value(of: Self.reason), !reason.isEmpty else {
      throw ToolFailure.usage("a redaction needs --reason", advice: "Or give --find TEXT to list values, or --finish.")
    }
    let reader = try context.openReader(path)
    guard !reader.isSingleSegment else {
      throw LogError(.notALog, "a log can only be redacted as a directory", path: path)
    }
    let targets = try RedactionArguments(context: context).targets(texts, reader)
    guard !targets.isEmpty else { throw ToolFailure.usage("name a value to redact, for instance 12:/data/name") }
    context.onInterruption("Nothing was changed.")
    context.begin("checking")
    let check = try perform(targets, reason, reader, isDryRun: true)
    try checkRecord(of: check, targets, reason)
    if context.isDryRun {
      let files = try reader.sideFiles(containing: check.removedTexts.map(\.text))
      let places = try ErasedTexts(check).places(in: reader)
      try print(Answer(path: path, outcome: check, sideFiles: files, places: places))
      return .success
    }
    let question = "Redact these values? They cannot be restored."
    guard try context.confirm(question, after: { try print(Answer(path: path, outcome: check)) }) else {
      return .negative
    }
    context.onInterruption(
      "Every record can be read. If the redaction was recorded, some values can still be there: '\(context.tool.name) redact LOG "
        + "--finish' completes it. Otherwise nothing was changed; '--finish' says which.")
    context.begin("redacting")
    var answer = Answer(path: path, outcome: try perform(targets, reason, reader, isDryRun: false))
    var failure: (any Error)?
    do {
      let (parked, files, places) = try answer.outcome.clean(at: path, fileSystem: context.files)
      try reportParked(parked.count, parked.failure)
      (answer.sideFiles, answer.places) = (files, places)
    } catch {
      failure = error
    }
    // The redaction is made, whatever failed after it.
    try print(answer)
    if let failure { throw LogRedaction.made(failure) }
    return .success
  }

  /// Removes erased texts from the files next to the segments, and finds where they are left.
  private func checkRecord(of check: LogRedaction.Outcome, _ targets: [RedactionTarget], _ reason: String) throws {
    let repetition = ErasedTexts(check).repetition(
      reason: reason, actor: context.arguments.value(of: Self.actor), targets: targets)
    if let repetition, !context.arguments.has(Self.recordErased) {
      throw ToolFailure.usage(
        "\(repetition) contains a text that is erased, and the log would state it again",
        intact: "Nothing was changed.",
        advice:
          "Use another wording, or redact an object around the location. --\(Self.recordErased.name) records it as it is."
      )
    }
    let names = ErasedTexts.keptNames(in: targets)
    for kept in names.prefix(Self.nameLimit) {
      try context.warn(
        "the name '\(kept.name)' stays in its line, and the log states the location \(kept.pointer.excerpt). To erase the name, "
          + "redact \(kept.object.excerpt)")
    }
    if names.count > Self.nameLimit {
      try context.warn("\(HumanText.count(names.count - Self.nameLimit, "more name")) in locations stay, too")
    }
  }

  private static let nameLimit = 5

  private func reportParked(_ count: Int, _ failure: LogError?) throws {
    if count > 0 { try context.note("\(HumanText.count(count, "parked action")) redacted, too") }
    if let failure { try context.warn("parked actions of subscriptions are not redacted: \(failure)") }
  }

  private func perform(
    _ targets: [RedactionTarget], _ reason: String, _ reader: LogReader, isDryRun: Bool
  ) throws -> LogRedaction.Outcome {
    let environment = context.environment.logEnvironment
    let meta = context.arguments.value(of: Self.actor).map(LogRedaction.meta(actor:))
    guard context.arguments.has(Self.withoutModel) else {
      return try context.history(of: reader).redact(
        targets, reason: reason, meta: meta, isDryRun: isDryRun, environment: environment, options: ReplayOptions())
    }
    return try LogRedaction.redact(
      at: reader.path, reason: reason, meta: meta, isDryRun: isDryRun, fileSystem: context.files,
      environment: environment
    ) { reader in
      let prepared = try PreparedRedaction(of: reader, targets)
      guard let first = prepared.firstChangedRevision else { return targets }
      let named = Set(targets.map(\.index))
      return try targets
        + reader.digestTargets(from: first) { _, _ in Array("null".utf8) }
        .filter { target in !named.contains(target.index) }
    }
  }

  // MARK: Printing

  private func print(_ answer: Answer) throws {
    try context.answer(answer, Self.shape) { try printText(answer) }
  }

  private func printText(_ answer: Answer) throws {
    let (outcome, places) = (answer.outcome, answer.places)
    let would = answer.isDryRun ? "would be" : "was"
    try print(outcome.record.base?.replacements ?? [], in: LogFormat.baseName, would)
    for line in outcome.record.lines {
      let name = "index \(line.index), seq \(line.revision)"
      try print(line.replacements, in: name, would)
      if line.skips { try context.output.line("\(name): the action \(would) skipped") }
    }
    for place in places.found { try context.warn("\(Self.text(place)) contains an erased text and was not changed") }
    if places.hiddenCount > 0 {
      try context.warn(
        "\(HumanText.count(places.hiddenCount, "more place")) contain an erased text and were not changed; --find TEXT lists all"
      )
    }
    if places.skippedCount > 0 {
      try context.warn(
        "\(HumanText.count(places.skippedCount, "erased text")) were not searched for in the rest of the log; --find TEXT does it"
      )
    }
    for file in answer.sideFiles { try context.warn("\(file) contains an erased text and was not changed") }
    guard !answer.isDryRun else { return }
    let indices = outcome.indices.map(String.init).joined(separator: ", ")
    try context.note(
      "redacted, as the log states at index \(indices); copies of the log elsewhere are not changed")
  }

  private func print(_ replacements: [ValueReplacement], in name: String, _ would: String) throws {
    for replacement in replacements {
      let value = String(decoding: replacement.json ?? [], as: UTF8.self)
      try context.output.line(
        "\(name): \(TerminalText.escaping(replacement.pointer.description)) \(would) replaced by "
          + TerminalText.escaping(JSONPointer.excerpt(of: value)))
    }
  }
}

extension AnswerShape<FoundText> {
  fileprivate static let foundText = object([
    .nullable("index", .count, \.index), .member("seq", .revision, \.revision), .member("type", .text, \.type),
    .member("pointer", .pointer, \.pointer), .member("isName", .flag, \.isName),
  ])
}

extension AnswerShape<[ValueReplacement]> {
  fileprivate static let replacements = AnswerShape<JSONValue>.container.described("The new values by pointer.")
    .of { (replacements: [ValueReplacement]) in
      .object(
        JSONObject(
          try replacements.map { replacement in
            (
              replacement.pointer.description,
              try JSONValue(parsing: replacement.json ?? Array("null".utf8))
            )
          }))
    }
}
