import ActionLog
import EventSourcing
import Foundation
import Interchange
import JSONCoding
import TerminalUI
import TimeTravel

/// The error of a command, ready to print: what failed, where, what is intact, and what to do.
package struct ToolFailure: Error, Sendable {
  /// A stable name for programs.
  package var code: String
  package var status: ExitStatus
  /// What failed: lower case, without the location.
  package var message: String
  package var path: String?
  package var line: Int?
  package var byteOffset: Int?
  package var revision: Int?
  /// A shorter message for a narrow space; `nil` if it cannot be shortened.
  var essence: String?
  /// The input, and below it a marker under the error.
  var excerpt: [String] = []
  /// What is intact and what to do, in full sentences.
  package var advice: String?

  package init(_ code: String, _ status: ExitStatus, _ message: String, path: String? = nil, advice: String? = nil) {
    self.code = code
    self.status = status
    self.message = message
    self.path = path
    self.advice = advice
  }

  init(_ error: LogError) {
    self.init(
      error.code.rawValue, ExitStatus(error.code), error.message, path: error.path,
      advice: Self.advice(on: error))
    line = error.line
    byteOffset = error.byteOffset
    revision = error.revision
  }

  init(_ error: EventSourcingError) {
    self.init(error.code.rawValue, ExitStatus(error.code), error.message, path: error.path, advice: error.advice)
    revision = error.revision
    guard let underlying = error.underlying else { return }
    if error.code == .unknownType, DecodingFault.namesUnknownCase(underlying) { return }
    message += " (\(DecodingFault(underlying)))"
  }

  init(_ error: TimeTravelError) {
    self.init(error.code.rawValue, ExitStatus(error.code), error.headline)
    if let underlying = error.underlying { message += " (\(DecodingFault(underlying)))" }
    essence = error.essence
    excerpt = error.excerpt?.lines ?? []
  }

  init(_ error: InterchangeError) {
    let place = error.pointer.map { pointer in " at \(pointer)" } ?? ""
    self.init(error.code.rawValue, ExitStatus(error.code), error.message + place, advice: error.advice)
    line = error.line
    byteOffset = error.byteOffset
  }

  /// Converts any error; those of the engine keep their details.
  init(any error: any Error) {
    switch error {
    case let failure as ToolFailure: self = failure
    case let error as LogError: self.init(error)
    case let error as EventSourcingError: self.init(error)
    case let error as TimeTravelError: self.init(error)
    case let error as InterchangeError: self.init(error)
    case let error as FileSystemError:
      self.init(
        error.code == .noSpace ? "noSpace" : "inputOutput", .environment, "\(error)", path: error.path,
        advice: Self.adviceOnLimit(error) ?? Self.advice(on: error.code))
    case ToolStreamError.failed(let number):
      self.init(
        "inputOutput", .environment, "standard input or output failed: \(String(cString: strerror(number)))",
        advice: Self.adviceOnLimit(number))
    default: self.init("other", .environment, "\(error)")
    }
  }

  /// A usage error.
  package static func usage(_ message: String, advice: String? = nil) -> ToolFailure {
    ToolFailure("usage", .usage, message, advice: advice)
  }
}

extension ToolFailure {
  /// Advice on errors that the engine, which knows no command line, cannot give.
  private static func advice(on code: LogError.Code) -> String? {
    switch code {
    case .notFound: "Check the path; 'action-log record MODEL LOG' creates a log."
    case .notALog:
      "A log is a directory of files like 0000000000000001.jsonl; 'action-log record MODEL LOG' creates one."
    case .wrongModel: "Record with that model, or into another directory."
    case .inputOutput: "Check that the path and its parent directory exist and are readable and writable."
    case .exists: "Name a directory that does not exist."
    case .noSpace: "Free some space and try again. No acknowledged action is lost."
    default: nil
    }
  }

  /// The advice of the engine, and how to raise the limit that was met.
  private static func advice(on error: LogError) -> String? {
    let known = [error.advice, adviceOnLimit(error.underlying)].compactMap(\.self)
    return known.isEmpty ? advice(on: error.code) : known.joined(separator: " ")
  }

  /// Advice on a limit of the process.
  private static func adviceOnLimit(_ error: (any Error)?) -> String? {
    (error as? FileSystemError).flatMap { error in adviceOnLimit(error.errorNumber) }
  }

  private static func adviceOnLimit(_ errorNumber: Int32) -> String? {
    switch errorNumber {
    case EMFILE: "The process may not open more files: allow more with 'ulimit -n'. Acknowledged actions are kept."
    case EFBIG: "The length of files is limited: allow more with 'ulimit -f'. Acknowledged actions are kept."
    default: nil
    }
  }

  /// Advice on an error of a file outside a log.
  private static func advice(on code: FileSystemError.Code) -> String? {
    switch code {
    case .noSpace: "Free some space, or name another path."
    case .fileTooLarge:
      "The process ('ulimit -f') or the file system limits the size of a file: raise the limit, or name another path."
    case .readOnlyFileSystem, .permissionDenied: "Name a writable path."
    case .notFound, .notADirectory: "Check that its parent directory exists."
    default: advice(on: LogError.Code.inputOutput)
    }
  }

  /// Returns the failure with advice that names the logs nearby, if the path is one level too high. Blocks.
  func namingLogs(_ places: LogLocator) -> ToolFailure {
    guard let path else { return self }
    var copy = self
    if code == LogError.Code.notALog.rawValue {
      if let advice = places.advice(on: path) ?? places.adviceOnShipped(path) { copy.advice = advice }
    }
    if code == LogError.Code.notFound.rawValue, path == "-" { copy.advice = CommandContext.manyLogsAdvice }
    if code == LogError.Code.notFound.rawValue, places.isLog(path + ".new") {
      copy.advice =
        "'\(path).new' exists: a store was killed while it replaced its log. Its next start completes that."
    }
    return copy
  }

  /// Returns the failure with this advice, unless it has some.
  package func advised(_ advice: String) -> ToolFailure {
    var copy = self
    copy.advice = copy.advice ?? advice
    return copy
  }

  /// What failed, where, and what to do, on one line: for a command that continues.
  var sentence: String {
    let text = ([message] + [place].compactMap(\.self)).joined(separator: ": ")
    return advice.map { advice in "\(text). \(advice)" } ?? text
  }

  /// The known parts of file, line, revision and byte.
  var place: String? {
    var parts: [String] = []
    if let path { parts.append(line.map { line in "\(path):\(line)" } ?? path) }
    if let revision { parts.append("seq \(revision)") }
    if let byteOffset { parts.append("byte \(byteOffset)") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// Prints a failure on standard error: as up to two lines of text, or as a JSON object.
struct FailureReport: Sendable {
  private let failure: ToolFailure

  init(_ failure: ToolFailure) {
    self.failure = failure
  }

  func print(context: CommandContext) throws(ToolStreamError) {
    if context.tool.program != nil, let failure = failure.namingTheLog {
      return try FailureReport(failure).printAsItIs(context)
    }
    try printAsItIs(context)
  }

  private func printAsItIs(_ context: CommandContext) throws(ToolStreamError) {
    if context.isJSON {
      try context.messages.json(["error": json, "status": .integer(Int(failure.status.rawValue))])
      return
    }
    let style = context.messages.style
    let text = ([failure.message] + [failure.place].compactMap(\.self)).joined(separator: ": ")
    try context.messages.line(style.red("error: ") + TerminalText.escaping(text))
    for line in failure.excerpt { try context.messages.line("  " + line) }
    // The engine's advice names `action-log`. For a program with other commands, that name is kept.
    let name = context.tool.program == nil ? context.tool.name : "action-log"
    let advice = failure.advice?.replacingOccurrences(of: "'action-log ", with: "'\(name) ")
    if let advice { try context.messages.line(TerminalText.escaping(advice)) }
  }

  /// The JSON output.
  var json: JSONValue {
    var object: JSONObject = ["code": .string(failure.code), "message": .string(failure.message)]
    object["path"] = failure.path.map(JSONValue.string)
    object["line"] = failure.line.map(JSONValue.integer)
    object["byteOffset"] = failure.byteOffset.map(JSONValue.integer)
    object["seq"] = failure.revision.map(JSONValue.integer)
    object["advice"] = failure.advice.map(JSONValue.string)
    return .object(object)
  }
}

extension ToolFailure {
  /// Returns the failure with commands ready to type; `nil` unless a log is damaged.
  ///
  /// A user of `action-log` has just typed the path of the log; a user of an application may not know it.
  fileprivate var namingTheLog: ToolFailure? {
    guard code == LogError.Code.damaged.rawValue, let path else { return nil }
    // Damage is in a file of the log, mostly.
    let isFile = path.hasSuffix(LogFormat.segmentSuffix) || path.hasSuffix("/" + LogFormat.headName)
    let log = ShellWord(isFile ? LogLocator.folder(above: path) : path)
    let intact = (advice ?? "").replacingOccurrences(of: "Run 'action-log verify' for the full report.", with: "")
    let whatToDo = [
      "Run 'action-log verify \(log)' for the full report,",
      "'action-log salvage \(log) NEW' to save the intact actions in a new log; the damaged one is not changed.",
    ]
    var copy = self
    copy.advice = ([intact.trimmingCharacters(in: .whitespaces)] + whatToDo).joined(separator: " ")
      .trimmingCharacters(in: .whitespaces)
    return copy
  }
}

/// The reason and location of a decoding error, in one sentence.
struct DecodingFault: CustomStringConvertible {
  let description: String

  /// Plainer texts for messages of compiler-generated decoding. Any other message is unchanged.
  private static let plainer = [
    unknownCase: "no case has that name"
  ]
  private static let unknownCase = "Invalid number of keys found, expected one."

  /// Whether the error is only an unknown case, which a message about the action's type has already reported.
  static func namesUnknownCase(_ error: any Error) -> Bool {
    switch error {
    case DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context):
      context.debugDescription == unknownCase
    default: false
    }
  }

  init(_ error: any Error) {
    description =
      switch error {
      case DecodingError.keyNotFound(let key, let context):
        Self.place(context) + "'\(key.stringValue)' is missing"
      case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
        DecodingError.dataCorrupted(let context):
        Self.place(context) + (Self.plainer[context.debugDescription] ?? context.debugDescription)
      default: "\(error)"
      }
  }

  private static func place(_ context: DecodingError.Context) -> String {
    guard !context.codingPath.isEmpty else { return "" }
    return "at " + JSONPointer.excerpt(of: context.codingPath.map(\.stringValue).joined(separator: ".")) + ": "
  }
}
