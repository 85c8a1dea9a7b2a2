import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

/// The output of the demo: numbered stops with a sentence each, and indented examples.
final class DemoPrinter: Sendable {
  static let indent = 3
  /// The width at which long lines are truncated.
  static let columns = 100

  private let context: CommandContext
  private let stopCount = Locked(0)

  init(context: CommandContext) {
    self.context = context
  }

  private var style: Style { context.output.style }
  private static var margin: String { String(repeating: " ", count: indent) }

  func opening(model: String, count: Int) async throws {
    try await print([
      style.bold("An app's whole past: record it, rebuild it, walk through it."),
      "The app is the sample '\(model)'; the session has \(HumanText.count(count, "action")).",
    ])
  }

  /// Prints the heading of a stop.
  func stop(_ title: String, _ sentence: String) async throws {
    let number = stopCount.withLock { count in
      count += 1
      return count
    }
    try await print(["", style.bold("\(number)  \(title)"), Self.margin + sentence])
  }

  /// Prints a sentence about the previous example.
  func say(_ sentence: String) async throws {
    try await print([Self.margin + sentence])
  }

  func ending(path: String?, turningPoint: Int) async throws {
    let log = path ?? "my-log"
    let tool = context.tool.name
    var lines = ["", style.bold("Now you")]
    if path == nil { lines.append(Self.margin + "\(tool) demo --keep my-log    keeps the log. Then:") }
    lines += [
      "\(tool) list \(log)", "\(tool) state \(log) --at \(turningPoint)", "\(tool) diff \(log) start end",
      "\(tool) step \(log)", "\(tool) help",
    ].map { line in Self.margin + TerminalText.escaping(line) }
    try await print(lines)
  }

  func digests(_ rows: [(String, String)]) async throws {
    var table = TextTable([.left, .left])
    for (name, digest) in rows { table.append([.init(name), .init(digest, paint: style.green)]) }
    try await print(table.lines(indent: Self.indent))
  }

  private func print(_ lines: [String]) async throws {
    try await BlockingWork.run { try self.show(lines) }
  }
}

// MARK: - Blocking functions, called off the cooperative pool

extension DemoPrinter {
  /// Prints lines of the tour. With `--json` and `--quiet`, only the result is printed.
  private func show(_ lines: [String]) throws(ToolStreamError) {
    guard !context.isJSON, !context.isQuiet else { return }
    try context.output.lines(lines)
  }

  func sentence(_ text: String) throws(ToolStreamError) {
    try show(["", Self.margin + text])
  }

  func files(_ files: [(path: String, remark: String)], below directory: String) throws {
    var table = TextTable([.left, .left])
    for file in files {
      table.append([
        .init(TerminalText.escaping(String(file.path.dropFirst(directory.count + 1)))),
        .init(file.remark, paint: style.dim),
      ])
    }
    try show(table.lines(indent: Self.indent, columns: Self.columns))
  }

  /// Prints a record as it is stored in the file.
  func example(_ record: LogRecord) throws {
    let line = TerminalText.escaping(String(decoding: record.rawLine, as: UTF8.self))
    try sentence("One line, as it stands in the file:")
    var rest = Substring(line)
    while !rest.isEmpty {
      let part = rest.prefix(Self.columns - Self.indent)
      try show([Self.margin + style.dim(String(part))])
      rest = rest.dropFirst(part.count)
    }
  }

  /// Prints the types and times of actions.
  func actions(_ records: [LogRecord]) throws(ToolStreamError) {
    var table = TextTable([.right, .left, .left])
    for record in records {
      table.append(RecordText.heading(record, style: style))
    }
    try show(table.lines(indent: Self.indent))
  }

  /// Prints the type, the time and the actor of a record.
  func facts(of record: LogRecord) throws {
    var table = TextTable([.left, .left])
    table.append([.init("what"), .init(TerminalText.escaping(record.type), paint: style.bold)])
    table.append(["when", RecordText.time(record.time)])
    if let actor = try RecordMeta(of: record).actor { table.append(["who", TerminalText.escaping(actor)]) }
    table.append(["changed", ""])
    try show(table.lines(indent: Self.indent))
  }

  /// Prints an action and its changes.
  func change(_ difference: StateDiff, by record: LogRecord) throws {
    try actions([record])
    try changes(difference)
  }

  func changes(_ difference: StateDiff) throws(ToolStreamError) {
    try indented(difference.isEmpty ? "nothing" : difference.rendered(style: style.tree), by: Self.indent + 4)
  }

  /// Prints a patch, one operation a line.
  func patch(_ patch: JSONPatch) throws(ToolStreamError) {
    guard case .array(let operations) = patch.document else { return }
    for (index, operation) in operations.enumerated() {
      let opening = index == 0 ? "[" : " "
      let ending = index == operations.count - 1 ? "]" : ","
      try show([Self.margin + opening + TerminalText.escaping("\(operation)") + ending])
    }
  }

  private func indented(_ text: String, by count: Int) throws(ToolStreamError) {
    let margin = String(repeating: " ", count: count)
    try show(text.split(separator: "\n").map { line in margin + line })
  }
}
