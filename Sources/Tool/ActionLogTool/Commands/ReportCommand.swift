import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let report = Command(
    "report",
    group: .travel,
    summary: "write the history, or a range of it, as one HTML page",
    details: """
      The page opens in any browser without a network. It is the page of inspect with the answers in the file: the actions with a
      timeline and a filter, the state at each action, the changes, and the actions that changed a value, by mouse or keyboard (?
      shows the keys). FILE - is standard output. An existing file is replaced if it is an HTML page.
      \(PointRange.forms)
      The page does not evaluate conditions: 'list --where' and the page of inspect do.
      A range with more actions than --limit, or larger than 64 MiB, is cut to its newest part; page and command say so.
      The page has the complete state before its first action. A log with a state of more than 64 MiB has no page: inspect shows it.
      """,
    examples: [
      .init("report my-log --output my-log.html", "everything"),
      .init("report my-log --output evening.html 2026-11-21T18:00:00Z end", "a range"),
      .init("report my-log --output my-log.html --at 12", "the page shows revision 12 first"),
    ],
    arguments: [
      .readLog, CommandArgument("A", arity: .optional, "the first action (default: the start)"),
      CommandArgument("B", arity: .optional, "the last action (default: the end)"),
    ],
    options: [
      ReportCommand.output, ReportCommand.at, ReportCommand.limit, .model, .projection,
    ],
    rules: [.requires(ReportCommand.output)],
    schema: ReportCommand.shape.schema,
    blocking: { context in try ReportCommand(context: context).run() }
  )
}

private struct ReportCommand {
  static let output = CommandOption.value("output", letter: "o", "FILE", "the file of the page")
  static let at = CommandOption.value("at", letter: "a", "POINT", "the first point to show (default: the end)")
  static let limit = CommandOption.value(
    "limit", letter: "n", "COUNT", "include only the newest COUNT actions (default: 10000)")

  /// With more, a browser takes seconds to load the file, and the limit of bytes is reached anyway.
  private static let countLimit = 1_000_000

  static let shape = AnswerShape<(path: String, excerpt: HistoryExcerpt, sizeBytes: Int)>.object(
    "One object: the page that was written.",
    [
      .member("path", .file, \.path), .member("first", .revision, \.excerpt.first),
      .member("last", .revision, \.excerpt.last), .member("isCut", .flag, { answer in answer.excerpt.cut != nil }),
      .member("bytes", .count, \.sizeBytes),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    let target = context.arguments.value(of: Self.output) ?? ""
    guard target != "-" || !context.isJSON else {
      throw ToolFailure.usage("--json and a page on standard output cannot be combined")
    }
    let history = try context.openHistory()
    let extent = try history.reader.extent()
    let actions = try PointRange(context, reader: history.reader, fromArgument: 1)
    let range = try actions.states(upTo: extent)
    try context.warnOfBeginning(of: history.reader, actions)
    let shown = try context.revision(of: Self.at, in: history.reader)
    var limits = ExcerptLimits()
    limits.actions = try context.arguments.integer(of: Self.limit, in: 1...Self.countLimit) ?? limits.actions
    let path = target == "-" ? nil : target
    try warnOfCut(of: range, limits)
    let (excerpt, text) = try NewFile.make(path, replacingPage: true, for: context) { file in
      var comparing: ProgressLine?
      let excerpt = try context.ask { options in
        try history.excerpt(of: range, limits: limits, options: options) { done, total in
          let progress = comparing ?? context.progress("comparing", unit: .actions)
          comparing = progress
          try progress.update(done: done, total: total)
        }
      }
      context.begin("writing the page")
      let content = try page(of: excerpt, in: history.reader, extent, shown: shown)
      let text = try content.html(title: title(of: history.reader))
      try file?.append(Array(text.utf8))
      return (excerpt, text)
    }
    if let path {
      try printSummary(excerpt, path, sizeBytes: text.utf8.count)
    } else {
      try context.output.text(text)
    }
    if excerpt.cut?.reason == .size {
      try context.warn(
        "the page has only the newest \(HumanText.bytes(limits.bytes)); name a shorter range to see earlier actions")
    }
    return try context.status(.success, of: history.reader, upTo: actions.last == .max ? nil : range.upperBound)
  }

  private func page(
    of excerpt: HistoryExcerpt, in reader: LogReader, _ extent: LogExtent, shown: Int?
  ) throws -> HistoryPage {
    if let shown, !(excerpt.first...excerpt.last).contains(shown) {
      throw ToolFailure.usage(
        "--at (revision \(shown)) is not on the page, which has \(excerpt.first)…\(excerpt.last)",
        advice: "Name another range, or a higher --limit.")
    }
    var page = HistoryPage(
      description: try description(of: reader, extent), lastRevision: extent.lastRevision, excerpt: excerpt,
      shown: shown)
    let (marks, failure) = try context.readableMarks(of: reader)
    page.marks = marks.marks
    if let failure {
      try context.warn(failure.text)
      page.notices.append("This page has no marks: \(failure.description)")
    }
    try context.warnOfMarkFlaws(marks, of: reader)
    if let base = reader.base, excerpt.first == base.revision {
      page.notices.append(
        "The log begins at revision \(base.revision). Earlier revisions are gone, because it was pruned.")
    }
    if let cut = excerpt.cut {
      page.notices.append(
        "This page is cut: it begins at revision \(excerpt.first), not at \(cut.asked), because "
          + (cut.reason == .count
            ? "it is limited to the newest \(excerpt.steps.count) actions." : "more would be too large for a page."))
    }
    if let damage = extent.ending.damage {
      page.notices.append(
        "The log is damaged after revision \(extent.lastRevision), and later actions are not shown: \(damage.message)")
    }
    return page
  }

  private func description(of reader: LogReader, _ extent: LogExtent) throws -> JSONObject {
    var object: JSONObject = [
      "path": .string(try context.logPath()), "model": .string(reader.header.model),
      "log": .string(reader.header.log), "schema": .integer(extent.schema),
      "durable": .integer(try reader.durableRevision()),
      "tool": .string("made by \(context.tool.name) \(context.tool.version)"),
      "options": .array(context.modelOptions.map(JSONValue.string)), "models": [], "writes": [],
    ]
    object["projection"] = context.arguments.value(of: .projection).map(JSONValue.string)
    return object
  }

  private func title(of reader: LogReader) throws -> String {
    let projection = context.arguments.value(of: .projection).map { name in "\(name) of " } ?? ""
    return try "\(projection)\(reader.header.model): \(context.logPath())"
  }

  /// Warns before the fold that the page will not begin where requested.
  private func warnOfCut(of range: ClosedRange<Int>, _ limits: ExcerptLimits) throws {
    guard range.count - 1 > limits.actions else { return }
    try context.warn(
      "the page has only the newest \(HumanText.count(limits.actions, "action")), from revision "
        + "\(range.upperBound - limits.actions) on; --limit COUNT includes more")
    try context.flush()
  }

  private func printSummary(_ excerpt: HistoryExcerpt, _ path: String, sizeBytes: Int) throws {
    let omitted = excerpt.cut.map { cut in
      let last = excerpt.first - 1
      return cut.asked == last ? "; revision \(last) is left out" : "; revisions \(cut.asked)…\(last) are left out"
    }
    try context.answer((path, excerpt, sizeBytes), Self.shape) {
      try context.output.line(
        "\(TerminalText.escaping(path)): revisions \(excerpt.first)…\(excerpt.last), \(HumanText.bytes(sizeBytes))"
          + (omitted ?? ""))
    }
  }
}
