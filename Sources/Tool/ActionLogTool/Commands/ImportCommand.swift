import ActionLog
import EventSourcing
import Interchange
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let importing = Command(
    "import",
    group: .exchange,
    summary: "create a log from actions in a format of another program",
    details: """
      cloudevents: CloudEvents 1.0, a JSON object a line. redux-devtools: a file that Redux DevTools or 'export' has written.
      Types, values, metadata and times are kept; other members go into "meta". An action that was skipped in DevTools becomes a
      @rejected record ('list --all' shows it), which is never folded. If the tool knows the model, the actions are folded before
      the log appears at its path, and an action that the model refuses ends the import.
      With the model 'patched' no model is needed: the effect of each action is the difference of the states that a lifted state has.
      Limits: an action, the longest line of a log; an event, \(HumanText.bytes(CloudEventsImport.lineLimitBytes)); a file for Redux DevTools, \
      \(HumanText.bytes(ReduxDevToolsImport.sizeLimitBytes)).
      """,
    examples: [
      .init("import events.ndjson my-log --format cloudevents", "events written by 'list --format cloudevents'"),
      .init("import state.json my-log --format redux-devtools --model counter", "a file from the Export button"),
      .init("import - my-log --format cloudevents --model orders", "from standard input, for a model of any name"),
      .init("import state.json my-log --format redux-devtools --model patched", "states of a store in any language"),
    ],
    arguments: [
      CommandArgument("FILE", "the file, or - for standard input"),
      CommandArgument("LOG", "the directory of the new log, which must not exist"),
    ],
    options: [ImportCommand.format, ImportCommand.model],
    rules: [.requires(ImportCommand.format)],
    schema: ImportCommand.shape.schema,
    blocking: { context in try ImportCommand(context: context).run() }
  )
}

/// `import`: writes actions into a new log, which appears at its path if all of them are valid.
private struct ImportCommand {
  static let format = CommandOption.choice(
    "format", of: ["cloudevents", "redux-devtools"], "the format of the file")
  static let model = CommandOption.value(
    "model", letter: "m", "MODEL", "the model of the actions (default: the one that the file names)")

  static let shape = AnswerShape<(path: String, target: ImportTarget)>.object(
    "One object: the new log, and what was not read.",
    [
      .member("path", .file, \.path), .member("model", .text, \.target.modelName),
      .member("actions", .count, \.target.log.actionCount), .member("skipped", .count, \.target.log.skippedCount),
      .member("missing", .count, \.target.log.missingCount),
      .member("folded", .flag) { answer in answer.target.model != nil },
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let path = context.arguments.positionals[0]
    do {
      if isCloudEvents { try importCloudEvents(path) } else { try importReduxDevTools(path) }
      return .success
    } catch let error as InterchangeError {
      var failure = error.failure
      failure.path = path
      failure.advice = failure.advice ?? adviceOnFormat
      throw failure
    }
  }

  private var isCloudEvents: Bool { context.arguments.value(of: Self.format) == "cloudevents" }

  private var adviceOnFormat: MessageText {
    let taken: MessageText =
      isCloudEvents
      ? "CloudEvents are a JSON object a line; for a file of Redux DevTools use --format redux-devtools."
      : "A file of Redux DevTools is one JSON document; for a JSON object a line use --format cloudevents."
    return .sentences("Nothing was imported.", taken)
  }

  private func importCloudEvents(_ path: String) throws {
    var source = CloudEventsImport()
    var reader = try context.lineReader(of: path, limitBytes: CloudEventsImport.lineLimitBytes)
    // The first event names the model.
    var target: ImportTarget?
    // No effect on a finished one.
    defer { target?.log.discard() }
    while let lines = try reader.next() {
      for line in lines {
        guard case .bytes(let bytes) = line else { throw source.refuseLongLine() }
        guard let action = try source.next(bytes) else { continue }
        if target == nil { target = try makeTarget(model: source.model, schema: action.schema) }
        try target?.log.append(action)
      }
    }
    guard !context.environment.stop.isRequested else { throw CancellationError() }
    try target?.finish(context) { log, revision in ImportTarget.Place(line: log.line(of: revision)) }
    guard let target else { throw InterchangeError(.wrongShape, "there is no event in the file") }
    try conclude(target)
  }

  private func importReduxDevTools(_ path: String) throws {
    let bytes = try context.contents(of: path, limitBytes: ReduxDevToolsImport.sizeLimitBytes)
    let source = try ReduxDevToolsImport(parsing: bytes)
    let isPatched = (context.arguments.value(of: Self.model) ?? source.origin?.model) == RegisteredModel.patched.name
    let initial = isPatched ? try source.state(after: 0) : nil
    var effects = try initial.map(PatchedModel.Differences.init)
    var target = try makeTarget(
      model: source.origin?.model, schema: source.origin?.schema, base: initial?.bytes(.canonical) ?? source.base)
    defer { target.log.discard() }
    if isPatched, effects == nil {
      try context.warn("the file has no computed states, so an action without a patch of its own changes nothing")
    }
    for index in 0..<source.count {
      var action = try source.action(at: index)
      if !action.isSkipped, let state = try source.state(after: index + 1) {
        try effects?.add(to: &action.data, leadingTo: state)
      }
      try target.log.append(action)
    }
    try target.finish(context) { _, revision in
      ImportTarget.Place(pointer: try source.pointer(ofRevision: revision))
    }
    try conclude(target)
  }

  /// - Parameter base: The initial state of the file; recorded only if it is not the model's own.
  private func makeTarget(model: String?, schema: Int?, base: [UInt8]? = nil) throws -> ImportTarget {
    guard let name = context.arguments.value(of: Self.model) ?? model else {
      throw ToolFailure.usage(
        "the file does not name the model of its actions", advice: "Name the model with --model.")
    }
    let known = context.tool.models.first { model in model.name == name }
    let log = try LogImport(
      to: try context.logPath(1), model: name, schema: schema ?? known?.schema ?? 1,
      base: base == (try known?.type.canonicalInitialState()) ? nil : base, fileSystem: context.files,
      environment: context.environment.logEnvironment)
    return ImportTarget(log: log, modelName: name, model: known)
  }

  private func conclude(_ target: ImportTarget) throws {
    let path = try context.logPath(1)
    let log = target.log
    if log.missingCount > 0 {
      try context.warn(
        "\(HumanText.count(log.missingCount, "revision")) of the original log are missing in the file; "
          + "the actions have new numbers, and meta.was has their old ones")
    }
    if target.model == nil {
      try context.note("the tool does not know the model '\(target.modelName)': the actions were not folded")
    }
    try context.answer((path, target), Self.shape) {
      var text = HumanText.count(log.actionCount, "action")
      if log.skippedCount > 0 { text += ", \(HumanText.count(log.skippedCount)) skipped" }
      try context.output.line(context.output.style.bold(TerminalText.escaping(path)) + ": " + text)
    }
  }
}

struct ImportTarget {
  var log: LogImport
  let modelName: String
  let model: RegisteredModel?

  struct Place {
    var line: Int?
    var pointer: JSONPointer?
  }

  /// Folds the actions, and finishes the log if the model accepts all of them.
  mutating func finish(_ context: CommandContext, place: (LogImport, Int) throws -> Place) throws {
    try log.flush()
    guard let model else { return try log.finish() }
    let digest: DigestRecord
    do {
      let history = try model.type.history(
        of: LogReader.open(at: log.unfinishedPath, fileSystem: context.files), fileSystem: context.files,
        unknownTypes: nil)
      digest = try context.ask(as: "folding") { options in try history.digestRecord(options: options) }
    } catch let error as EventSourcingError {
      // The error names the unfinished log, which is removed.
      var failure = error.failure
      let place = try error.revision.map { revision in try place(log, revision) } ?? Place()
      if let pointer = place.pointer { failure.message += " at \(pointer)" }
      (failure.path, failure.line, failure.revision) = (context.arguments.positionals[0], place.line, nil)
      let names = context.tool.models.map(\.name).joined(separator: ", ")
      failure.intact = "Nothing was imported."
      failure.advice =
        "If the actions are not of the model '\(modelName)', name theirs with --model: this tool knows "
        + "\(names), and does not fold actions of an unknown model."
      throw failure
    }
    try log.finish(digest)
  }
}

extension ReduxDevToolsImport {
  fileprivate func pointer(ofRevision revision: Int) throws -> JSONPointer? {
    var number = 0
    for index in 0..<count {
      let action = try action(at: index)
      if !action.isSkipped { number += 1 }
      if number == revision { return action.pointer }
    }
    return nil
  }
}
