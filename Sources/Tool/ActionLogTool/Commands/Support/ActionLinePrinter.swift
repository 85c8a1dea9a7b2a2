import ActionLog
import Interchange
import JSONCoding

/// A form of an action that is one line, so that actions can be handed on as they come.
enum ActionLineFormat: String, CaseIterable, Sendable {
  /// CloudEvents 1.0, a JSON object a line.
  case cloudEvents = "cloudevents"
  /// Comma-separated values, with a line of names first.
  case csv
  /// The log's own lines.
  case lines
}

/// Prints actions in a form of one line each.
struct ActionLinePrinter {
  private let context: CommandContext
  /// `nil` for the lines as they are.
  private var export: (any RecordExport)?

  init(_ format: ActionLineFormat, _ header: LogHeader, _ context: CommandContext) {
    self.context = context
    export =
      switch format {
      case .cloudEvents: CloudEventsExport(header)
      case .csv: CSVExport()
      case .lines: nil
      }
  }

  /// Prints what stands before any action: a table that is empty has its names.
  mutating func begin() throws(ToolStreamError) {
    var bytes: [UInt8] = []
    export?.begin(into: &bytes)
    if !bytes.isEmpty { try context.printExported(bytes) }
  }

  mutating func print(_ record: LogRecord) throws {
    guard export != nil else { return try context.output.jsonLine(record.rawLine) }
    var bytes: [UInt8] = []
    try export?.append(record, into: &bytes)
    try context.printExported(bytes)
  }
}
