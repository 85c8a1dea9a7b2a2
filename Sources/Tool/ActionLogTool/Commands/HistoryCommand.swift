import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let history = Command(
    "history",
    group: .question,
    summary: "list every action that changed a value, with the values",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      A change that a later action undoes is listed, too. For a large dictionary, the changes inside are printed: with --json as
      "changes", a JSON Patch of the value. The status is 1 if no action changed the value.
      """,
    examples: [
      .init("history my-log /animals/data/Dog/diet", "what the dog ate, and when that changed"),
      .init("history my-log /value --from -100 --json", "from a hundred actions before the end on, for a program"),
    ],
    arguments: [.readLog, .pointer],
    options: [.from, .to, .model, .projection],
    answer: .lines,
    blocking: { context in try HistoryCommand(context: context).run() }
  )

  static let watch = Command(
    "watch",
    group: .question,
    summary: "list several values side by side, at each action that changed one",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      The first row has the values before the range. The status is 1 if no action of the range changed one.
      """,
    examples: [
      .init("watch my-log /status /animals/data/Dog", "two values over time")
    ],
    arguments: [.readLog, .pointers],
    options: [.from, .to, .model, .projection],
    answer: .lines,
    blocking: { context in try WatchCommand(context: context).run() }
  )
}

/// `history`: prints a line for each change.
private struct HistoryCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let pointer = try context.pointerArgument(1)
    let history = try context.openHistory()
    let pointRange = try PointRange(context, reader: history.reader)
    guard let range = try pointRange.revisions(in: history.reader) else { return try context.emptyRangeAnswer() }
    var table = PagedTable(
      [.right, .left, .left, .left], printer: context.output, columns: context.outputColumns)
    var count = 0
    try context.warnOfBeginning(of: history.reader, pointRange)
    let work = try context.ask { options in
      try history.changes(of: [pointer], in: range, options: options) { change in
        count += 1
        if context.isJSON {
          try context.output.json(.object(try change.json(isBrief: true)))
        } else {
          let heading = RecordText.heading(change.record, style: context.output.style, columns: context.outputColumns)
          try table.append(heading + [.init(context.text(change))])
        }
        return context.output.boundedAnswer?.isFull != true
      }
    }
    try table.flush()
    if context.output.boundedAnswer?.isFull == true { return .success }
    if count == 0 {
      _ = try context.replay(history, to: range.upperBound).value(at: pointer)
      if let first = pointRange.prunedBeginning, !context.isJSON {
        try context.output.line(CommandContext.value(atBeginning: first))
      }
      try context.note("no action from \(max(1, range.lowerBound)) to \(range.upperBound) changed it")
    }
    try context.note(on: work)
    return try context.status(
      count == 0 ? .negative : .success, of: history.reader, upTo: pointRange.end(of: range))
  }
}

/// `watch`: prints a row with all values for each action that changed one.
private struct WatchCommand {
  /// The columns for the revision and the time, with their gaps.
  private static let headingColumns = 32
  /// The minimum width of a value, however many share a line.
  private static let leastValueColumns = 8

  let context: CommandContext

  func run() throws -> ExitStatus {
    let pointers = try (1..<context.arguments.positionals.count).map { index in try context.pointerArgument(index) }
    let history = try context.openHistory()
    let pointRange = try PointRange(context, reader: history.reader)
    guard let range = try pointRange.revisions(in: history.reader) else { return try context.emptyRangeAnswer() }
    try context.warnOfBeginning(of: history.reader, pointRange)
    let before = max(history.reader.firstRevision, range.lowerBound - 1)
    let start = try context.replay(history, to: before)
    var row = WatchRow(
      values: Dictionary(try pointers.map { pointer in (pointer, try start.valueIfAny(at: pointer)) }) { first, _ in
        first
      })
    var table = PagedTable(
      [.right, .left] + pointers.map { _ in .left } + [.left], printer: context.output, columns: context.outputColumns)
    func print(_ row: WatchRow) throws {
      if context.isJSON {
        try context.output.json(.object(try json(row, pointers)))
      } else {
        try table.append(cells(row, pointers))
      }
    }
    if !context.isJSON { try table.append(headings(pointers)) }
    row.revision = before
    try print(row)
    row.record = nil
    let work = try context.ask { options in
      try history.changes(of: pointers, in: range, options: options) { change in
        if let record = row.record, record.revision != change.record.revision { try print(row) }
        row.record = change.record
        row.revision = change.record.revision
        row.values[change.pointer] = .some(change.new)
        return context.output.boundedAnswer?.isFull != true
      }
    }
    if context.output.boundedAnswer?.isFull == true { return .success }
    let isChanged = row.record != nil
    if isChanged { try print(row) }
    try table.flush()
    try context.note(on: work)
    try context.printHints(of: work)
    return try context.status(
      isChanged ? .success : .negative, of: history.reader, upTo: pointRange.end(of: range))
  }

  private func headings(_ pointers: [JSONPointer]) -> [TextTable.Cell] {
    let style = context.output.style
    return [.init("", paint: nil), .init("", paint: nil)]
      + pointers.map { pointer in .init(TerminalText.escaping(pointer.description), paint: style.bold) }
      + [.init("", paint: nil)]
  }

  private func cells(_ row: WatchRow, _ pointers: [JSONPointer]) -> [TextTable.Cell] {
    let style = context.output.style
    let limit = valueLimit(pointers.count)
    return [
      .init(String(row.revision), paint: style.cyan),
      .init(row.record.map { record in RecordText.time(record.time) } ?? "", paint: style.dim),
    ] + pointers.map { pointer in .init(value(row.values[pointer] ?? nil, limit)) }
      + [.init(row.record.map { record in TerminalText.escaping(record.type) } ?? "", paint: style.dim)]
  }

  /// The width at which values are truncated so that all of them fit on a line; no limit for a pipe.
  private func valueLimit(_ count: Int) -> Int {
    guard let columns = context.outputColumns else { return .max }
    return max(Self.leastValueColumns, (columns - Self.headingColumns) / max(1, count) - 2)
  }

  private func value(_ value: JSONValue?, _ limit: Int) -> String {
    value.map { value in context.text(value, limit: limit) } ?? "—"
  }

  private func json(_ row: WatchRow, _ pointers: [JSONPointer]) throws(JSONError) -> JSONObject {
    var object = try row.record.map { record throws(JSONError) in try RecordText.json(record) } ?? JSONObject()
    object["seq"] = .integer(row.revision)
    object["values"] = .object(
      JSONObject(pointers.compactMap { pointer in (row.values[pointer] ?? nil).map { (pointer.description, $0) } }))
    return object
  }
}

/// The watched values at a revision.
private struct WatchRow {
  var values: [JSONPointer: JSONValue?]
  var revision = 0
  var record: LogRecord?
}
