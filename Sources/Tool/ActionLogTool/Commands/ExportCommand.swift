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
  private func write(
    _ reader: LogReader, _ history: (any HistoryHandle)?, of selection: ActionSelection, to target: ExportTarget
  ) throws -> ActionSelection.Outcome {
    var export = ReduxDevToolsExport(reader.header)
    var bytes: [UInt8] = []
    export.begin(into: &bytes)
    let outcome = try selection.forEach("exporting") { record in
      try target.note(record)
      try export.append(record, into: &bytes)
      try target.write(&bytes)
      return true
    }
    if let damage = outcome.damage { throw damage }
    export.endActions(into: &bytes)
    try target.write(&bytes)
    // The states begin with the one before the first action, even without any action.
    let first =
      try target.first.map { revision in revision - 1 }
      ?? min(max(selection.range.first - 1, reader.firstRevision), reader.extent().lastRevision)
    try writeStates(&export, from: first, history, to: target)
    return outcome
  }

  private func writeStates(
    _ export: inout ReduxDevToolsExport, from first: Int, _ history: (any HistoryHandle)?, to target: ExportTarget
  ) throws {
    var bytes: [UInt8] = []
    if let history {
      var states = export
      context.begin("writing the states")
      try history.states(in: first...max(first, target.last), options: ReplayOptions()) { state in
        try states.append(state: state, into: &bytes)
        try target.write(&bytes)
        guard target.sizeBytes <= Self.limitBytes else {
          throw ToolFailure(
            "beyondLimit", .limit,
            "the file would be larger than \(HumanText.bytes(Self.limitBytes)), and Chrome could not import it: it has a "
              + "state for each of \(HumanText.count(target.last - first, "action"))",
            intact: "The log is not affected.",
            advice: "Name a range with --from and --to, or omit the states with --no-states.")
        }
      }
      export = states
    } else if let base = target.base {
      try export.append(base: base, into: &bytes)
    }
    export.end(into: &bytes)
    try target.write(&bytes)
  }
}

/// The destination of an export, standard output or a new file, and what was written to it.
private final class ExportTarget {
  private let context: CommandContext
  let file: NewFile?
  private(set) var actionCount = 0
  private(set) var sizeBytes = 0
  /// The revisions of the first and the last action.
  private(set) var first: Int?
  private(set) var last = 0
  private(set) var base: [UInt8]?

  init(_ context: CommandContext, file: NewFile?) {
    self.context = context
    self.file = file
  }

  func note(_ record: LogRecord) throws(JSONError) {
    if record.controlType == .base { base = try BaseRecord(record).json() }
    guard !record.isControl else { return }
    actionCount += 1
    (first, last) = (first ?? record.revision, record.revision)
  }

  /// Writes and empties a buffer.
  func write(_ bytes: inout [UInt8]) throws {
    sizeBytes += bytes.count
    if let file { try file.append(bytes) } else { try context.printExported(bytes) }
    bytes.removeAll(keepingCapacity: true)
  }
}
