package import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI

/// The error of a command, ready to print.
package struct ToolFailure: DescribedError, Sendable {
  /// A stable name for programs: the code of the error that ended the command, or one of the tool.
  package struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
    package let rawValue: String

    package init(rawValue: String) {
      self.rawValue = rawValue
    }

    package init(stringLiteral value: String) {
      rawValue = value
    }
  }

  package var code: Code
  package var status: ExitStatus
  /// The failure: lower case, without the location. References are to options and commands.
  package var content: MessageText
  package var path: String?
  package var line: Int?
  package var byteOffset: Int?
  package var revision: Int?
  /// Whether the command line lacks a log.
  var lacksLog = false
  /// A shorter message for a narrow space; `nil` if it cannot be shortened.
  var essence: String?
  /// The input, and below it a marker under the error.
  var excerpt: [String] = []
  package var intact: String?
  package var advice: MessageText?

  package init(
    _ code: Code, _ status: ExitStatus, _ text: MessageText, path: String? = nil, intact: String? = nil,
    advice: MessageText? = nil
  ) {
    self.code = code
    self.status = status
    content = text.changingText { text in JSONPointer.excerpt(of: text, limitBytes: Self.messageLimitBytes) }
    self.path = path.map { path in JSONPointer.excerpt(of: path, limitBytes: Self.pathLimitBytes) }
    self.intact = intact
    self.advice = advice?.changingText { text in JSONPointer.excerpt(of: text, limitBytes: Self.pathLimitBytes) }
  }

  /// Whatever a message quotes, it fits on a screen.
  fileprivate static let messageLimitBytes = 1_024
  /// A longer path does not exist on Linux.
  private static let pathLimitBytes = 4_096

  package init(
    _ error: some DescribedError, _ status: ExitStatus, message: MessageText? = nil, advice: MessageText? = nil
  ) {
    let location = error.location
    let pointer = location.pointer.map { pointer in " at \(pointer.excerpt)" } ?? ""
    self.init(
      Code(rawValue: error.codeName), status,
      message ?? "\(error.message)\(pointer)\(error.cause.map { cause in ": \(cause)" } ?? "")",
      path: location.path, intact: error.intact, advice: advice ?? error.advice)
    line = location.line
    byteOffset = location.byteOffset
    revision = location.revision
  }

  package init(any error: any Error) {
    switch error {
    case let failure as ToolFailure: self = failure
    case let error as any ReportedError: self = error.failure
    case let error as any DescribedError: self.init(error, .environment)
    default: self.init("other", .environment, "\(error)")
    }
  }

  package var message: String {
    get { content.description }
    set { content = MessageText(newValue) }
  }

  package var location: ErrorLocation {
    ErrorLocation(path: path, line: line, revision: revision, byteOffset: byteOffset)
  }

  static func missing(_ argument: CommandArgument, for command: String) -> ToolFailure {
    var failure = usage("'\(command)' needs \(argument.name): \(argument.help)")
    failure.lacksLog = argument.name == CommandArgument.wholeLog.name
    return failure
  }

  package static func usage(_ text: MessageText, intact: String? = nil, advice: MessageText? = nil) -> ToolFailure {
    ToolFailure("usage", .usage, text, intact: intact, advice: advice)
  }
}

extension ToolFailure {
  /// Returns the failure with advice that names the logs nearby, if the path is one level too high. Blocks.
  func namingLogs(_ places: LogLocator, for command: Command?) -> ToolFailure {
    var copy = self
    if lacksLog, let logs = places.advice(on: ".", as: "This folder") {
      copy.advice = .sentences(logs, advice)
    }
    guard let path else { return copy }
    if codeName == LogError.Code.notALog.rawValue {
      if let advice = places.advice(on: path) {
        copy.advice = .sentences(advice, Self.adviceOnMany(path, command))
      } else if let advice = places.adviceOnShipped(path) {
        copy.advice = advice
      }
    }
    guard codeName == LogError.Code.notFound.rawValue else { return copy }
    if places.isLog(path + ".new") {
      copy.advice =
        "'\(path).new' exists: a store was killed while it replaced its log. Its next start completes that."
    } else if path == "-" {
      copy.advice = CommandContext.manyLogsAdvice
    } else if advice == Self.adviceOnMissingLog, let advice = places.advice(onMisspelled: path) {
      copy.advice = advice
    }
    return copy
  }

  /// The way to run a command on all logs of a folder, if there is one.
  private static func adviceOnMany(_ folder: String, _ command: Command?) -> MessageText? {
    guard let command, !command.name.isEmpty else { return nil }
    let name = command.name
    guard command.effect == .readsLog else { return "'\(name)' takes one log at a time." }
    let isComplete = command.positionalArguments.dropFirst().allSatisfy { argument in argument.isOptional }
    let rest = isComplete ? "" : " …"
    return "\(.operation("each", .path(folder), "--", "\(name)\(rest)")) answers for each of them."
  }

  func advisingHelp(on command: Command) -> ToolFailure {
    advised("Run \(command: command, .option(.help)) for how to use it.")
  }

  package func advised(_ advice: MessageText) -> ToolFailure {
    guard guidance == nil else { return self }
    var copy = self
    copy.advice = advice
    return copy
  }
}

/// Prints a failure on standard error: as up to two lines of text, or as a JSON object.
struct FailureReport: Sendable {
  private let failure: ToolFailure
  private let wording: MessageWording

  init(_ failure: ToolFailure, _ wording: MessageWording) {
    self.failure = failure
    self.wording = wording
  }

  static func print(_ failure: ToolFailure, _ context: CommandContext) throws(ToolStreamError) {
    let named = context.tool.programSummary == nil ? nil : failure.namingTheLog
    let report = FailureReport(named ?? failure, context.wording)
    if context.isJSON {
      try context.messages.json(["error": report.json, "status": .integer(Int(failure.status.rawValue))])
    } else {
      try report.print(context.messages)
    }
  }

  private func print(_ messages: Printer) throws(ToolStreamError) {
    // A program gets the complete path.
    let path = failure.path.map { path in JSONPointer.excerpt(of: path, limitBytes: ToolFailure.messageLimitBytes) }
    var shown = failure
    (shown.message, shown.path) = (wording.message(failure.content), path)
    try messages.line(messages.style.red("error: ") + TerminalText.escaping(shown.headline))
    for line in failure.excerpt { try messages.line("  " + line) }
    if let guidance { try messages.line(TerminalText.escaping(guidance)) }
  }

  private var guidance: String? { failure.guidance.flatMap(wording.advice) }

  var json: JSONValue {
    var object: JSONObject = ["code": .string(failure.codeName), "message": .string(wording.message(failure.content))]
    object["path"] = failure.path.map(JSONValue.string)
    object["line"] = failure.line.map(JSONValue.integer)
    object["byteOffset"] = failure.byteOffset.map(JSONValue.integer)
    object["seq"] = failure.revision.map(JSONValue.integer)
    object["advice"] = guidance.map(JSONValue.string)
    return .object(object)
  }
}

extension ToolFailure {
  /// The failure with commands ready to type; `nil` unless a log is damaged. A user of an application may not know the path of its log.
  fileprivate var namingTheLog: ToolFailure? {
    guard codeName == LogError.Code.damaged.rawValue, let path else { return nil }
    // Damage is in a file of the log, mostly.
    let isFile = path.hasSuffix(LogFormat.segmentSuffix) || path.hasSuffix("/" + LogFormat.headName)
    let log = isFile ? LogLocator.folder(above: path) : path
    var copy = self
    copy.advice = .sentences(
      advice?.removing(.fullReport),
      "Run \(command: .verify, .path(log)) for the full report, \(command: .salvage, .path(log), "NEW") to save the intact actions "
        + "in a new log; the damaged one is not changed.")
    return copy
  }
}
