import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let history = Command(
    "history",
    group: .question,
    summary: "list every action that changed one of some values",
    details: """
      \(PointResolver.forms)
      \(PointRange.forms)
      Of one value, each change is printed. Several values are printed side by side, at each action that changed one; the first row has
      the values before the range. With --json, each line is a change of one value.
      A change that a later action undoes is listed, too. For a large dictionary, the changes inside are printed: with --json as
      "changes", a JSON Patch of the value. The status is 1 if no action changed a value.
      """,
    examples: [
      .init("history my-log /animals/data/Dog/diet", "what the dog ate, and when that changed"),
      .init("history my-log /status /animals/data/Dog", "two values over time"),
      .init("history my-log /value --from -100 --json", "from a hundred actions before the end on, for a program"),
    ],
    arguments: [.readLog, .pointers],
    options: [.from, .to, .model, .projection],
    tool: ToolDeclaration(
      title: "History of values",
      help: "Lists every action that changed one of some values of the state, with the old and new values.",
      inputs: [.from, .to]),
    row: ValueHistory.row,
    ask: { context, rows in try ValueHistory(context: context).run(&rows) }
  )
}

/// `history`: visits the changes of values.
private struct ValueHistory {
  let context: CommandContext

  static let row = AnswerRow(
    help: "A line for each action that changed a value.",
    shape: AnswerShape<ValueChange>.briefChange, columns: [.right, .left, .left, .left]
  ) { change, table, context in
    try table.append(
      RecordText.heading(change.record, style: context.output.style, columns: context.outputColumns)
        + [.init(context.text(change))])
  }

  func run(_ rows: inout AnswerRows<ValueChange>) throws -> ExitStatus {
    let pointers = try (1..<context.arguments.positionals.count).map { index in try context.pointerArgument(index) }
    let history = try context.openHistory()
    let pointRange = try PointRange(context, reader: history.reader)
    guard let range = try pointRange.revisions(in: history.reader) else { return try context.emptyRangeAnswer() }
    try context.warnOfBeginning(of: history.reader, pointRange)
    let work: QuestionWork
    var isChanged = false
    var table = pointers.count > 1 && !context.isJSON ? try ValueTable(context, pointers, history, before: range) : nil
    work = try context.ask { options in
      try history.changes(of: pointers, in: range, options: options) { change in
        isChanged = true
        guard table == nil else {
          try table?.add(change)
          return true
        }
        return try rows.add(change)
      }
    }
    if rows.isFull { return .success }
    // Paths without any value are probably a mistake.
    if !isChanged {
      let state = try context.replay(history, to: range.upperBound)
      let found = pointers.map { pointer in Result { try state.value(at: pointer) } }
      if case .failure(let failure)? = found.first, found.allSatisfy({ value in (try? value.get()) == nil }) {
        throw failure
      }
    }
    try rows.finish()
    try table?.finish()
    if !isChanged {
      if let first = pointRange.prunedBeginning, !context.isJSON {
        try context.output.line(CommandContext.value(atBeginning: first))
      }
      try context.note("no action from \(max(1, range.lowerBound)) to \(range.upperBound) changed it")
    }
    try context.note(on: work)
    try context.printHints(of: work)
    return try context.status(
      isChanged ? .success : .negative, of: history.reader, upTo: pointRange.end(of: range))
  }
}

/// A row with all values for each action that changed one.
private struct ValueTable {
  /// The columns for the revision and the time, with their gaps.
  private static let headingColumns = 32
  /// The minimum width of a value, however many share a line.
  private static let leastValueColumns = 8

  private let context: CommandContext
  private let pointers: [JSONPointer]
  private var table: PagedTable
  private var values: [JSONPointer: JSONValue?]
  private var revision: Int
  private var record: LogRecord?

  /// - Parameter range: The first row has the values before it.
  init(
    _ context: CommandContext, _ pointers: [JSONPointer], _ history: any HistoryHandle, before range: ClosedRange<Int>
  ) throws {
    self.context = context
    self.pointers = pointers
    revision = max(history.reader.firstRevision, range.lowerBound - 1)
    let start = try context.replay(history, to: revision)
    values = Dictionary(
      try pointers.map { pointer in (pointer, try start.valueIfAny(at: pointer)) },
      uniquingKeysWith: { first, _ in first })
    table = PagedTable(
      [.right, .left] + pointers.map { _ in .left } + [.left], printer: context.output, columns: context.outputColumns)
    let style = context.output.style
    try table.append(
      [.init("", paint: nil), .init("", paint: nil)]
        + pointers.map { pointer in .init(TerminalText.escaping(pointer.description), paint: style.bold) }
        + [.init("", paint: nil)])
    try appendRow()
  }

  mutating func add(_ change: ValueChange) throws {
    if let record, record.revision != change.record.revision { try appendRow() }
    record = change.record
    revision = change.record.revision
    values[change.pointer] = .some(change.new)
  }

  mutating func finish() throws {
    if record != nil { try appendRow() }
    try table.flush()
  }

  private mutating func appendRow() throws {
    let style = context.output.style
    let limit = valueLimit
    try table.append(
      [
        .init(String(revision), paint: style.cyan),
        .init(record.map { record in RecordText.time(record.time) } ?? "", paint: style.dim),
      ]
        + pointers.map { pointer in
          let value: JSONValue? = values[pointer] ?? nil
          return .init(value.map { value in context.text(value, limit: limit) } ?? "—")
        } + [.init(record.map { record in TerminalText.escaping(record.type) } ?? "", paint: style.dim)])
  }

  /// The width at which values are truncated so that all of them fit on a line; no limit for a pipe.
  private var valueLimit: Int {
    guard let columns = context.outputColumns else { return .max }
    return max(Self.leastValueColumns, (columns - Self.headingColumns) / max(1, pointers.count) - 2)
  }
}
