import ActionLog
import EventSourcing
import Foundation
import Interchange
import JSONCoding
import TextDisplay
import TimeTravel

/// Why a command gave up, ready to be told: what happened, where, what is still good, what to do.
package struct ToolFailure: Error, Sendable {
  /// A stable name for programs.
  package var code: String
  package var status: ExitStatus
  /// What happened: lower case, without the place.
  package var message: String
  package var path: String?
  package var line: Int?
  package var byteOffset: Int?
  package var seq: Int?
  /// The message for places that have no room for all of it; `nil` where nothing can be left out.
  var essence: String?
  /// What was typed, and below it a mark where it is wrong.
  var excerpt: [String] = []
  /// What is still good and what to do: whole sentences.
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
    seq = error.seq
  }

  init(_ error: EventSourcingError) {
    self.init(error.code.rawValue, ExitStatus(error.code), error.message, path: error.path, advice: error.advice)
    seq = error.seq
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

  /// Any error at all; those of the engine keep their parts.
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

  /// A command that was called wrongly.
  package static func usage(_ message: String, advice: String? = nil) -> ToolFailure {
    ToolFailure("usage", .usage, message, advice: advice)
  }
}

extension ToolFailure {
  /// What to do where the engine, which knows no command line, cannot say it.
  private static func advice(on code: LogError.Code) -> String? {
    switch code {
    case .notFound: "Check the path; 'action-log record MODEL LOG' makes a log."
    case .notALog: "A log is a directory of files like 0000000000000001.jsonl; 'action-log record MODEL LOG' makes one."
    case .wrongModel: "Record with that model, or into another directory."
    case .inputOutput: "Check that the path and the directory above it exist and may be read and written."
    case .exists: "Name a directory that does not exist yet."
    case .noSpace: "Make room and try again. Nothing that was acknowledged is lost."
    default: nil
    }
  }

  /// What the engine says of an error, and how a limit is raised that it has met.
  private static func advice(on error: LogError) -> String? {
    let known = [error.advice, adviceOnLimit(error.underlying)].compactMap(\.self)
    return known.isEmpty ? advice(on: error.code) : known.joined(separator: " ")
  }

  /// What to do about a limit that somebody set for the process.
  private static func adviceOnLimit(_ error: (any Error)?) -> String? {
    (error as? FileSystemError).flatMap { error in adviceOnLimit(error.errorNumber) }
  }

  private static func adviceOnLimit(_ errorNumber: Int32) -> String? {
    switch errorNumber {
    case EMFILE: "The process may open no more files: allow more with 'ulimit -n'. What was acknowledged is kept."
    case EFBIG: "No file may be longer: allow more with 'ulimit -f'. What was acknowledged is kept."
    default: nil
    }
  }

  /// What to do about a file that is no log's.
  private static func advice(on code: FileSystemError.Code) -> String? {
    switch code {
    case .noSpace: "Make room, or name another place."
    case .fileTooLarge:
      "The process ('ulimit -f') or the file system limits the size of one file: raise the limit, or name another place."
    case .readOnlyFileSystem, .permissionDenied: "Name a place that may be written."
    case .notFound, .notADirectory: "Check that the directory above it exists."
    default: advice(on: LogError.Code.inputOutput)
    }
  }

  /// The same failure; where a log was looked for one level too high, the logs that were meant are named. Blocks.
  func namingLogs(_ places: LogPlaces) -> ToolFailure {
    guard let path else { return self }
    var copy = self
    if code == LogError.Code.notALog.rawValue {
      if let advice = places.advice(on: path) ?? places.adviceOnShipped(path) { copy.advice = advice }
    }
    if code == LogError.Code.notFound.rawValue, path == "-" { copy.advice = CommandContext.manyLogsAdvice }
    if code == LogError.Code.notFound.rawValue, places.isLog(path + ".new") {
      copy.advice =
        "'\(path).new' is there: a store was killed while it began its log anew. Its next start completes that."
    }
    return copy
  }

  /// The same failure with advice, if it has none yet.
  package func advised(_ advice: String) -> ToolFailure {
    var copy = self
    copy.advice = copy.advice ?? advice
    return copy
  }

  /// What happened, where, and what to do, in one line: for those who tell it and go on.
  var sentence: String {
    let text = ([message] + [place].compactMap(\.self)).joined(separator: ": ")
    return advice.map { advice in "\(text). \(advice)" } ?? text
  }

  /// File, line, revision and byte, as far as they are known.
  var place: String? {
    var parts: [String] = []
    if let path { parts.append(line.map { line in "\(path):\(line)" } ?? path) }
    if let seq { parts.append("seq \(seq)") }
    if let byteOffset { parts.append("byte \(byteOffset)") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// A failure as it is told on standard error: to people in up to two lines, to programs as one JSON object.
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
    // The engine's own advice names the tool that it comes with; a program of other commands has to send people there.
    let name = context.tool.program == nil ? context.tool.name : "action-log"
    let advice = failure.advice?.replacingOccurrences(of: "'action-log ", with: "'\(name) ")
    if let advice { try context.messages.line(TerminalText.escaping(advice)) }
  }

  /// What is told to programs.
  var json: JSONValue {
    var object: JSONObject = ["code": .string(failure.code), "message": .string(failure.message)]
    object["path"] = failure.path.map(JSONValue.string)
    object["line"] = failure.line.map(JSONValue.integer)
    object["byteOffset"] = failure.byteOffset.map(JSONValue.integer)
    object["seq"] = failure.seq.map(JSONValue.integer)
    object["advice"] = failure.advice.map(JSONValue.string)
    return .object(object)
  }
}

extension ToolFailure {
  /// The same failure with commands that can be typed as they stand; `nil` unless a log is damaged.
  ///
  /// Who runs `action-log` has just typed the path of the log. Who runs an application may never have heard of it.
  fileprivate var namingTheLog: ToolFailure? {
    guard code == LogError.Code.damaged.rawValue, let path else { return nil }
    // Damage is in a file of the log, mostly.
    let isFile = path.hasSuffix(LogFormat.segmentSuffix) || path.hasSuffix("/" + LogFormat.headName)
    let log = ShellWord(isFile ? LogPlaces.folder(above: path) : path)
    let isGood = (advice ?? "").replacingOccurrences(of: "Run 'action-log verify' for the full report.", with: "")
    let whatToDo = [
      "Run 'action-log verify \(log)' for the full report,",
      "'action-log salvage \(log) NEW' to save what is good as a new log; the damaged one is not touched.",
    ]
    var copy = self
    copy.advice = ([isGood.trimmingCharacters(in: .whitespaces)] + whatToDo).joined(separator: " ")
      .trimmingCharacters(in: .whitespaces)
    return copy
  }
}

/// Why a value does not decode, in one sentence: where, and what was found there.
struct DecodingFault: CustomStringConvertible {
  let description: String

  /// What the decoding that the compiler writes says to programmers, said to whoever wrote the value. A text that is not
  /// here is passed on.
  private static let plainer = [
    unknownCase: "no case has that name"
  ]
  private static let unknownCase = "Invalid number of keys found, expected one."

  /// Whether it says no more than that there is no such case: where an action's type was named, that was said.
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
