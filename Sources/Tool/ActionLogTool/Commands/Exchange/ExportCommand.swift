import ActionLog
import Interchange
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let export = Command(
    "export",
    group: .exchange,
    summary: "a log in a format of other programs",
    details: """
      cloudevents: CloudEvents 1.0, a JSON object a line. trace: a trace for Perfetto. csv: a table. redux-devtools: the
      file that Redux DevTools import, with every state, the times, skipped actions and the cursor. devtools-page: an HTML
      page that fills the Redux DevTools of the browser that opens it. A log itself is JSON Lines: see 'cat' for what reads
      those.
      Actions can be picked as 'list' picks them, but for Redux DevTools, which show of each action what it made of the state that
      the one before it left: of those a stretch is taken as a whole.
      \(PointResolver.forms)
      \(PointRange.forms)
      \(CommandContext.conditionForms)
      """,
    examples: [
      .init("export my-log --format cloudevents", "for a broker or an event store"),
      .init("export my-log --format trace > trace.json", "open it in ui.perfetto.dev"),
      .init("export my-log --format csv --actor ann --output ann.csv", "what somebody did, for a spreadsheet"),
      .init("export my-log --format redux-devtools --output state.json", "for the Import button"),
      .init("export my-log --format devtools-page > page.html", "open it in a browser with the extension"),
    ],
    arguments: [.readLog],
    options: [ExportCommand.format, ExportCommand.output] + ActionSelection.filters + [
      .from, .to, ExportCommand.cursor, ExportCommand.noStates, .model,
    ],
    blocking: { context in try ExportCommand(context: context).run() }
  )
}

/// `export`: one pass over the records, and for Redux DevTools one over the states.
struct ExportCommand {
  enum Format: String, CaseIterable {
    case cloudEvents = "cloudevents"
    case trace
    case csv
    case reduxDevTools = "redux-devtools"
    case devToolsPage = "devtools-page"

    /// Whether it shows of each action what it made of the state.
    var isForDevTools: Bool { self == .reduxDevTools || self == .devToolsPage }
  }

  static let format = CommandOption.choice(
    "format", letter: "f", of: Format.allCases.map(\.rawValue), "the format to write")
  static let output = CommandOption.value(
    "output", letter: "o", "FILE", "the file to make; nothing may lie there (default: standard output)")
  static let cursor = CommandOption.value(
    "cursor", "POINT", "where the cursor of Redux DevTools stands (default: the end)")
  static let noStates = CommandOption.flag(
    "no-states", "leave the states out of redux-devtools; an application's own reducer makes them again")

  let context: CommandContext

  func run() throws -> ExitStatus {
    guard let format = context.arguments.value(of: Self.format).flatMap(Format.init(rawValue:)) else {
      let names = Format.allCases.map(\.rawValue).joined(separator: ", ")
      throw ToolFailure.usage("'export' needs --format", advice: "It is one of \(names).")
    }
    try check(format)
    let reader = try context.openReader()
    let selection = try ActionSelection(
      context, path: reader.path, reader: reader, control: .ofWholeLog, usesModel: format.isForDevTools)
    // Whatever is wrong with the call is told before anything is written.
    let states = format.isForDevTools ? try StatesToExport(context, reader, selection.range) : nil
    let (target, outcome) = try NewFile.make(context.arguments.value(of: Self.output), for: context) { file in
      let target = ExportTarget(context, file: file)
      let outcome =
        switch format {
        case .cloudEvents: try write(CloudEventsExport(reader.header), of: selection, to: target)
        case .trace: try write(TraceExport(reader.header), of: selection, to: target)
        case .csv: try write(CSVExport(), of: selection, to: target)
        case .reduxDevTools: try writeForDevTools(reader, states, of: selection, to: target) { bytes in bytes }
        case .devToolsPage: try writePage(reader, states, of: selection, to: target)
        }
      return (target, outcome)
    }
    try target.tell()
    if format == .reduxDevTools, target.sizeBytes > ReduxDevToolsImport.sizeLimitBytes {
      let limit = HumanText.bytes(ReduxDevToolsImport.sizeLimitBytes)
      try context.warn(
        "this was \(HumanText.bytes(target.sizeBytes)), and 'import' reads no more than \(limit) of redux-devtools: "
          + "--no-states leaves the states out, --from and --to take a stretch, and cloudevents have no such limit")
    }
    return try selection.conclude(outcome, count: target.actionCount)
  }

  /// Refuses what would have to be passed over.
  private func check(_ format: Format) throws(ToolFailure) {
    let arguments = context.arguments
    if format.isForDevTools {
      for option in ActionSelection.filters where arguments.has(option) {
        throw .usage(
          "--\(option.name) leaves actions out, and \(format.rawValue) shows of each action what it made of the state that the "
            + "one before it left",
          advice: "Take a stretch as a whole, with --from and --to, or another format.")
      }
    } else if arguments.has(Self.cursor) {
      throw .usage("--cursor belongs to --format redux-devtools and devtools-page")
    }
    guard format == .reduxDevTools || !arguments.has(Self.noStates) else {
      throw .usage("--no-states belongs to --format redux-devtools")
    }
    // With a file, what is printed is not the export.
    guard !context.isJSON || arguments.has(Self.output) || (format != .csv && format != .devToolsPage) else {
      throw .usage(
        "--format \(format.rawValue) is not JSON: leave --json out, take another format, or name a file with --output")
    }
  }

  private func write(
    _ export: some RecordExport, of selection: ActionSelection, to target: ExportTarget
  ) throws -> ActionSelection.Outcome {
    var export = export
    var bytes: [UInt8] = []
    export.begin(into: &bytes)
    try target.write(&bytes)
    let outcome = try selection.forEach("exporting") { record in
      try export.append(record, into: &bytes)
      try target.write(&bytes, for: record)
      return true
    }
    if let damage = outcome.damage { throw damage }
    export.end(into: &bytes)
    try target.write(&bytes)
    return outcome
  }
}
