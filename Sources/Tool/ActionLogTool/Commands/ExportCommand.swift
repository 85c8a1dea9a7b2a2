import ActionLog
import EventSourcing
import Interchange
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let export = Command(
    "export",
    group: .exchange,
    effect: .reads,
    summary: "export a log in a format of another program",
    details: """
      cloudevents: CloudEvents 1.0, a JSON object a line. csv: a table. redux-devtools: a file for
      Redux DevTools of at most 512 MiB, with every state, the times and skipped actions.
      A log itself is JSON Lines: see 'list --format lines'.
      Several logs, or a directory of logs, are merged by time, as cloudevents, whose source names the log, or as csv, with the path of
      the log in the first column. \(CommandContext.manyLogsForm)
      Actions are selected with the options of 'list', except for Redux DevTools: they show the change by each action, so they need
      a complete range.
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      """,
    examples: [
      .init("export my-log --format cloudevents", "for a broker or an event store"),
      .init("export my-log --format csv --actor ann --output ann.csv", "the actions of one actor, for a spreadsheet"),
      .init("export my-log --format redux-devtools --output state.json", "for the Import button"),
    ],
    arguments: [
      .mergedLogs
    ],
    options: [ExportCommand.format, ExportCommand.output] + ActionSelection.filters + [
      .from, .to, ExportCommand.noStates, .model,
    ],
    rules: [
      .requires(ExportCommand.format),
      .needsValue([ExportCommand.noStates], ExportCommand.format, ExportCommand.Format.reduxDevTools.rawValue),
    ],
    schema: .anyOf(
      "A line for each event of CloudEvents, or one object of the format; with --output one object.",
      [ExportTarget.shape.schema, AnswerSchema(["type": "object", "additionalProperties": true])]),
    blocking: { context in try ExportCommand(context: context).run() }
  )
}

struct ExportCommand {
  enum Format: String, CaseIterable {
    case cloudEvents = "cloudevents"
    case csv
    case reduxDevTools = "redux-devtools"
  }

  static let format = CommandOption.choice(
    "format", of: Format.allCases.map(\.rawValue), "the format to write")
  static let output = CommandOption.value(
    "output", letter: "o", "FILE", "the new file (default: standard output)")
  static let noStates = CommandOption.flag(
    "no-states", "omit the states from redux-devtools; the application's reducer recomputes them")

  /// The longest text that a browser based on V8 reads, such as Chrome: 2^29 − 24 characters, rounded up.
  static let devToolsLimitBytes = 512 << 20

  let context: CommandContext

  func run() throws -> ExitStatus {
    let format = context.arguments.value(of: Self.format).flatMap(Format.init(rawValue:)) ?? .cloudEvents
    try check(format)
    let logs = try context.namedLogs()
    let output = context.arguments.value(of: Self.output)
    if let lines = RecordFormat(rawValue: format.rawValue) {
      let (target, status) = try NewFile.make(output, for: context) { file in
        let target = ExportTarget(context, file: file)
        return (target, try ListCommand(context: context).print(logs, lines, to: target))
      }
      try target.printSummary()
      return status
    }
    guard let path = logs.only else {
      throw ToolFailure.usage(
        "--format \(format.rawValue) exports one log", advice: "cloudevents and csv can name the log of each action.")
    }
    let reader = try context.openReader(path)
    let selection = try ActionSelection(context, reader: reader, control: .ofWholeLog, usesModel: true)
    // Usage errors are reported before anything is written.
    let history = try devToolsHistory(of: reader)
    let (target, outcome) = try NewFile.make(output, for: context) { file in
      let target = ExportTarget(context, file: file)
      return (target, try writeForDevTools(reader, history, of: selection, to: target))
    }
    try target.printSummary()
    if target.sizeBytes > ReduxDevToolsImport.sizeLimitBytes {
      let limit = HumanText.bytes(ReduxDevToolsImport.sizeLimitBytes)
      try context.warn(
        "the file has \(HumanText.bytes(target.sizeBytes)), and 'import' reads at most \(limit) of redux-devtools: "
          + "use --no-states, a range with --from and --to, or cloudevents, which have no such limit")
    }
    return try selection.conclude(outcome, count: target.actionCount)
  }

  private func check(_ format: Format) throws(ToolFailure) {
    let arguments = context.arguments
    if format == .reduxDevTools {
      for option in ActionSelection.filters where arguments.has(option) {
        throw .usage(
          "--\(option.name) omits actions, and \(format.rawValue) shows the change by each action",
          advice: "Export a complete range, with --from and --to, or use another format.")
      }
    }
    // With a file, standard output is not the export.
    guard !context.isJSON || arguments.has(Self.output) || format != .csv else {
      throw .usage(
        "--format \(format.rawValue) is not JSON: omit --json, use another format, or name a file with --output")
    }
  }
}

extension ExportCommand {
  /// The history for the states; `nil` for an export without them.
  private func devToolsHistory(of reader: LogReader) throws -> (any HistoryHandle)? {
    guard !context.arguments.has(Self.noStates) else { return nil }
    do { return try context.history(of: reader) } catch let failure as ToolFailure
      where failure.code == "unknownModel"
    {
      var failure = failure
      failure.advice = (failure.advice ?? "") + " Without states: --format redux-devtools --no-states."
      throw failure
    }
  }
}

extension ExportCommand {
  private struct Exported {
    var first: Int?
    var last = 0
    var base: [UInt8]?

    mutating func note(_ record: LogRecord) throws(JSONError) {
      if record.controlType == .base { base = try BaseRecord(record).json() }
      guard !record.isControl else { return }
      first = first ?? record.revision
      last = record.revision
    }
  }

  private func writeForDevTools(
    _ reader: LogReader, _ history: (any HistoryHandle)?, of selection: ActionSelection, to target: ExportTarget
  ) throws -> ActionSelection.Outcome {
    var export = ReduxDevToolsExport(reader.header)
    var exported = Exported()
    var bytes: [UInt8] = []
    export.begin(into: &bytes)
    let outcome = try selection.forEach("exporting") { record in
      try exported.note(record)
      try export.append(record, into: &bytes)
      try target.write(&bytes, for: record)
      return true
    }
    if let damage = outcome.damage { throw damage }
    export.endActions(into: &bytes)
    try target.write(&bytes)
    // The states begin with the one before the first action, even without any action.
    let first =
      try exported.first.map { revision in revision - 1 }
      ?? min(max(selection.range.first - 1, reader.firstRevision), reader.extent().lastRevision)
    try writeStates(&export, exported, from: first, history, to: target)
    return outcome
  }

  private func writeStates(
    _ export: inout ReduxDevToolsExport, _ exported: Exported, from first: Int, _ history: (any HistoryHandle)?,
    to target: ExportTarget
  ) throws {
    var bytes: [UInt8] = []
    if let history {
      var states = export
      context.begin("writing the states")
      try history.states(in: first...max(first, exported.last), options: ReplayOptions()) { state in
        try states.append(state: state, into: &bytes)
        try target.write(&bytes)
        guard target.sizeBytes <= Self.devToolsLimitBytes else {
          throw ToolFailure(
            "beyondLimit", .limit,
            "the file would be larger than \(HumanText.bytes(Self.devToolsLimitBytes)), and Chrome could not import it: it has a "
              + "state for each of \(HumanText.count(exported.last - first, "action"))",
            intact: "The log is not affected.",
            advice: "Name a range with --from and --to, or omit the states with --no-states.")
        }
      }
      export = states
    } else if let base = exported.base {
      try export.append(base: base, into: &bytes)
    }
    export.end(into: &bytes)
    try target.write(&bytes)
  }
}

/// The destination of an export: standard output or a new file.
final class ExportTarget {
  private let context: CommandContext
  private let file: NewFile?
  private(set) var actionCount = 0
  private(set) var sizeBytes = 0

  init(_ context: CommandContext, file: NewFile?) {
    self.context = context
    self.file = file
  }

  /// Writes and empties a buffer.
  func write(_ bytes: inout [UInt8], for record: LogRecord? = nil) throws {
    if let record, !record.isControl { actionCount += 1 }
    sizeBytes += bytes.count
    if let file { try file.append(bytes) } else { try context.printExported(bytes) }
    bytes.removeAll(keepingCapacity: true)
  }

  func printSummary() throws {
    guard let file else { return }
    try context.answer((file, actionCount), Self.shape) {
      try context.output.line(
        of: file.path, "\(HumanText.count(actionCount, "action")), \(HumanText.bytes(file.sizeBytes))")
    }
  }

  static let shape = AnswerShape<(file: NewFile, actionCount: Int)>.object([
    .member("path", .file, \.file.path), .member("actions", .count, \.actionCount),
    .member("bytes", .count, \.file.sizeBytes),
  ])
}
