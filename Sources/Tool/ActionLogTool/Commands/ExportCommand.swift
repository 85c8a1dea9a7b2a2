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
    summary: "export a log for Redux DevTools",
    details: """
      A file of at most 512 MiB for the Import button, with every state, the times and skipped actions. It shows the change by each
      action, so it has a complete range. CloudEvents, comma-separated values and the log's own lines: see 'list --format'.
      """,
    examples: [
      .init("export my-log --output state.json", "for the Import button"),
      .init("export my-log --no-states | gzip > state.json.gz", "without the states, for another program"),
    ],
    arguments: [.readLog],
    options: [.newFile, .from, .to, ExportCommand.noStates, .model],
    schema: .anyOf(
      "One object: the exported state of Redux DevTools; with --output the new file.",
      [ExportCommand.shape.schema, AnswerSchema(["type": "object", "additionalProperties": true])]),
    blocking: { context in try ExportCommand(context: context).run() }
  )
}

private struct ExportCommand {
  static let noStates = CommandOption.flag(
    "no-states", "omit the states; the application's reducer recomputes them")

  /// The longest text that a browser based on V8 reads, such as Chrome: 2^29 − 24 characters, rounded up.
  static let limitBytes = 512 << 20

  static let shape = AnswerShape<(file: NewFile, actionCount: Int)>.object([
    .member("path", .file, \.file.path), .member("actions", .count, \.actionCount),
    .member("bytes", .count, \.file.sizeBytes),
  ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let reader = try context.openReader()
    let selection = try ActionSelection(context, reader: reader, includesControl: true, usesModel: true)
    // Usage errors are reported before anything is written.
    let history = try history(of: reader)
    let (target, outcome) = try NewFile.make(context.arguments.value(of: .newFile), for: context) { file in
      let target = ExportTarget(context, file: file)
      return (target, try write(reader, history, of: selection, to: target))
    }
    if let file = target.file {
      try context.answer((file, target.actionCount), Self.shape) {
        try context.output.line(
          of: file.path, "\(HumanText.count(target.actionCount, "action")), \(HumanText.bytes(file.sizeBytes))")
      }
    }
    if target.sizeBytes > ReduxDevToolsImport.sizeLimitBytes {
      let limit = HumanText.bytes(ReduxDevToolsImport.sizeLimitBytes)
      try context.warn(
        "the file has \(HumanText.bytes(target.sizeBytes)), and 'import' reads at most \(limit): "
          + "use --no-states, a range with --from and --to, or 'list --format cloudevents', which has no such limit")
    }
    return try selection.conclude(outcome, count: target.actionCount)
  }

  /// The history for the states; `nil` for an export without them.
  private func history(of reader: LogReader) throws -> (any HistoryHandle)? {
    guard !context.arguments.has(Self.noStates) else { return nil }
    do { return try context.history(of: reader) } catch let failure as ToolFailure
      where failure.code == "unknownModel"
    {
      var failure = failure
      failure.advice = (failure.advice ?? "") + " Without states: --no-states."
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

  private func write(
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
        guard target.sizeBytes <= Self.limitBytes else {
          throw ToolFailure(
            "beyondLimit", .limit,
            "the file would be larger than \(HumanText.bytes(Self.limitBytes)), and Chrome could not import it: it has a "
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
private final class ExportTarget {
  private let context: CommandContext
  let file: NewFile?
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
}
