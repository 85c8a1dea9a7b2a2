import ActionLog
import EventSourcing
import Interchange
import JSONCoding

/// What Redux DevTools are to show besides the actions.
struct StatesToExport {
  /// Where the cursor stands; `nil` is the end.
  var cursor: Int?
  /// The history that gives the states; `nil` for an export without them.
  var history: (any HistoryHandle)?

  init(_ context: CommandContext, _ reader: LogReader, _ range: PointRange) throws {
    if let text = context.arguments.value(of: ExportCommand.cursor) {
      let cursor = try PointResolver(context, reader: reader).revision(text)
      guard cursor <= range.last else {
        throw ToolFailure.usage("--cursor (revision \(cursor)) lies behind --to (revision \(range.last))")
      }
      self.cursor = cursor
    }
    guard !context.arguments.has(ExportCommand.noStates) else { return }
    do {
      history = try context.openHistory()
    } catch let failure as ToolFailure where failure.code == "unknownModel" {
      var failure = failure
      failure.advice = (failure.advice ?? "") + " Without states: --format redux-devtools --no-states."
      throw failure
    }
  }
}

extension ExportCommand {
  /// The revisions that were exported, and the state that the log says it begins with.
  private struct Exported {
    var first: Int?
    var last = 0
    var base: [UInt8]?

    mutating func note(_ record: LogRecord) throws(JSONError) {
      if record.type == "@base" {
        base = try JSONTape(parsing: record.dataBytes).root["state"].map { node in Array(node.bytes) }
      }
      guard !record.isControl else { return }
      first = first ?? record.seq
      last = record.seq
    }
  }

  /// Writes a lifted state within an HTML page.
  func writePage(
    _ reader: LogReader, _ states: StatesToExport?, of selection: ActionSelection, to target: ExportTarget
  ) throws -> ActionSelection.Outcome {
    let page = DevToolsPage(reader.header)
    var bytes: [UInt8] = []
    page.begin(into: &bytes)
    try target.write(&bytes)
    let outcome = try writeForDevTools(reader, states, of: selection, to: target) { json in
      var escaped: [UInt8] = []
      page.append(json, into: &escaped)
      return escaped
    }
    page.end(into: &bytes)
    try target.write(&bytes)
    return outcome
  }

  /// Writes a lifted state.
  ///
  /// - Parameter change: What becomes of its bytes.
  func writeForDevTools(
    _ reader: LogReader, _ states: StatesToExport?, of selection: ActionSelection, to target: ExportTarget,
    _ change: @escaping ([UInt8]) -> [UInt8]
  ) throws -> ActionSelection.Outcome {
    var export = ReduxDevToolsExport(reader.header)
    var exported = Exported()
    var bytes: [UInt8] = []
    func write(_ record: LogRecord? = nil) throws {
      var changed = change(bytes)
      try target.write(&changed, for: record)
      bytes.removeAll(keepingCapacity: true)
    }
    export.begin(into: &bytes)
    let outcome = try selection.forEach("exporting") { record in
      try exported.note(record)
      try export.append(record, into: &bytes)
      try write(record)
      return true
    }
    if let damage = outcome.damage { throw damage }
    export.endActions(cursor: states?.cursor, into: &bytes)
    try write()
    // The states begin with the one before the first action, also where there is none to be shown.
    let first =
      try exported.first.map { seq in seq - 1 } ?? min(max(selection.range.first - 1, 0), reader.extent().lastSeq)
    try writeStates(&export, exported, from: first, states?.history, to: target, change)
    return outcome
  }

  private func writeStates(
    _ export: inout ReduxDevToolsExport, _ exported: Exported, from first: Int, _ history: (any HistoryHandle)?,
    to target: ExportTarget, _ change: @escaping ([UInt8]) -> [UInt8]
  ) throws {
    var bytes: [UInt8] = []
    if let history {
      var states = export
      try history.states(in: first...max(first, exported.last), options: ReplayOptions()) { state in
        try states.append(state: state, into: &bytes)
        var changed = change(bytes)
        try target.write(&changed)
        bytes.removeAll(keepingCapacity: true)
      }
      export = states
    } else if let base = exported.base {
      try export.append(base: base, into: &bytes)
    }
    export.end(into: &bytes)
    var changed = change(bytes)
    try target.write(&changed)
  }
}
