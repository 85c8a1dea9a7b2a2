import ActionLog
import JSONCoding
import Platform

/// The verb of `each`: it answers for one log at a time.
struct EachQuestion: Sendable {
  /// The verbs that read one log, write nothing, and print JSON.
  static let verbs = [
    "state", "diff", "show", "replay", "blame", "history", "watch", "until", "reverse-until", "bisect", "minimise",
    "stats", "marks", "verify", "compat", "subscriptions", "projections",
  ]
  /// The options with which a verb writes.
  private static let writingOptions: [String: Set<String>] = [
    "subscriptions": ["reset", "remove", "retry"], "projections": ["rebuild"],
  ]
  /// The verbs that take many logs themselves.
  private static let verbsOfManyLogs: Set<String> = ["list", "tail", "export", "fleet"]
  /// The size of an answer that a process holds in memory: a larger state is printed by `state` itself.
  private static let answerLimitBytes = 64 << 20

  /// The verb and its arguments, as on the command line.
  let words: [String]
  private let context: CommandContext
  private let command: Command
  /// The parsed arguments, with a placeholder for the log.
  private let arguments: ParsedArguments

  /// Parses the words after `--`.
  ///
  /// - Throws: A usage error, also for a verb that writes.
  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    words = context.arguments.trailing
    guard let verb = words.first else {
      throw .usage("'each' needs a verb after --", advice: "For example: \(context.tool.name) each customers -- state")
    }
    let named = try context.parser.command(named: verb)
    guard Self.verbs.contains(named.name) else { throw Self.refusal(of: named, context) }
    guard
      case .run(let command, var arguments) = try context.parser.parse([verb, Self.placeholder] + words.dropFirst())
    else {
      throw .usage("'each' prints no help", advice: "Run '\(context.tool.name) help \(verb)'.")
    }
    for option in command.options where arguments.has(option) { try Self.checkReads(command, option) }
    arguments.set(.json)
    arguments.set(.quiet)
    (self.command, self.arguments) = (command, arguments)
  }

  /// Refuses an option with which the verb would write.
  fileprivate static func checkReads(_ command: Command, _ option: CommandOption) throws(ToolFailure) {
    guard writingOptions[command.name]?.contains(option.name) == true else { return }
    throw .usage(
      "'each' only reads, and '\(command.name) --\(option.name)' writes",
      advice: "Run '\(command.name)' on one log at a time.")
  }

  private static let placeholder = "LOG"

  private static func refusal(of command: Command, _ context: CommandContext) -> ToolFailure {
    let tool = context.tool.name
    if verbsOfManyLogs.contains(command.name) {
      return .usage(
        "'\(command.name)' takes many logs itself", advice: "For example: \(tool) \(command.name) customers")
    }
    return .usage(
      "'each' runs verbs that only read, and '\(command.name)' is not one of them",
      advice: "It runs \(verbs.joined(separator: ", ")).")
  }

  /// Answers for one log, in this process.
  ///
  /// A damaged or missing log, an invalid request and an overlong answer are rows with an error.
  func row(for request: EachRequest) async -> EachRow {
    let start = context.environment.uptime()
    var row = EachRow(request)
    do {
      if let failure = request.failure { throw failure }
      let query = try EachQuery(request, of: command, arguments)
      row = EachRow(log: query.log, id: query.id)
      let output = AnswerBuffer(limitBytes: Self.answerLimitBytes)
      let messages = AnswerBuffer(limitBytes: Self.answerLimitBytes)
      row.status = await context.tool.run(
        command, query.arguments, environment: context.environment.running(into: output, messages: messages))
      guard !output.isOverflown, !messages.isOverflown else {
        throw ToolFailure(
          "beyondLimit", .limit, "the answer is larger than \(HumanText.bytes(Self.answerLimitBytes))",
          advice: "Ask for a part of it, for example with --path.")
      }
      try row.take(answer: output.bytes, messages: messages.bytes)
      let header = Self.header(of: query.log, context.files)
      row.model = row.model ?? header?.model
      row.key = header?.key
    } catch {
      row.fail(ToolFailure(any: error))
    }
    row.duration = context.environment.uptime() - start
    return row
  }

  /// The header of a log; `nil` if it cannot be read, which the answer reports.
  private static func header(of log: String, _ fileSystem: any LogFileSystem) -> LogHeader? {
    do throws(LogError) { return try LogReader.open(at: log, fileSystem: fileSystem).header } catch { return nil }
  }
}

/// An output in memory, up to a limit.
final class AnswerBuffer: ToolOutput {
  private let limitBytes: Int
  private let contents = Locked<(bytes: [UInt8], isOverflown: Bool)>(([], false))

  init(limitBytes: Int) {
    self.limitBytes = limitBytes
  }

  var bytes: [UInt8] { contents.withLock { contents in contents.bytes } }
  /// Whether the output was longer than the limit, and was dropped.
  var isOverflown: Bool { contents.withLock { contents in contents.isOverflown } }

  func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    try contents.withLock { contents throws(ToolStreamError) in
      guard !contents.isOverflown, contents.bytes.count + bytes.count <= limitBytes else {
        contents = ([], true)
        // The command then ends quietly, as if the reader had left.
        throw .closed
      }
      contents.bytes += bytes
    }
  }
}

/// A request to `each`: a line of its input, or a log that it found.
struct EachRequest: Sendable {
  /// The line for the process that reads the log.
  let line: [UInt8]
  /// The reason why the log cannot be read.
  let failure: ToolFailure?

  /// A line of input.
  init(line: [UInt8]) {
    self.line = line
    failure = nil
  }

  /// A log or directory.
  init(path: String, failure: ToolFailure? = nil) {
    line = JSONValue.object(["log": .string(path)]).bytes()
    self.failure = failure
  }

  /// The log, for a row that reports a failure. An invalid object is repeated as text.
  var named: (log: String, id: JSONValue?) {
    do {
      guard let object = try object() else { return (String(decoding: line, as: UTF8.self), nil) }
      guard case .string(let log)? = object["log"] else { return (String(decoding: line, as: UTF8.self), nil) }
      return (log, object["id"])
    } catch {
      return (String(decoding: line, as: UTF8.self), nil)
    }
  }

  /// The members of a line that is a JSON object; `nil` for a path.
  func object() throws(ToolFailure) -> JSONObject? {
    guard line.first == UInt8(ascii: "{") else { return nil }
    do throws(JSONError) {
      if case .object(let object) = try JSONValue(parsing: line) { return object }
    } catch {
      throw .usage(
        "a request is a path or a JSON object: \(error)", advice: "A path that begins with { is written ./{….")
    }
    return nil
  }
}

/// A parsed request: the log and the arguments of the verb.
private struct EachQuery {
  let log: String
  let id: JSONValue?
  let arguments: ParsedArguments

  /// - Throws: A usage error for an invalid object, an unknown member, or an invalid value.
  init(_ request: EachRequest, of command: Command, _ arguments: ParsedArguments) throws(ToolFailure) {
    var arguments = arguments
    var log = ""
    var id: JSONValue?
    if let object = try request.object() {
      guard case .string(let path)? = object["log"] else { throw .usage("a request has no \"log\"") }
      log = path
      id = object["id"]
      switch id {
      case nil, .string, .number: break
      default: throw .usage("\"id\" is a string or a number")
      }
      for (name, value) in object where name != "log" && name != "id" {
        guard let option = command.options.first(where: { option in option.name == name }) else {
          let names = command.options.map(\.name)
          throw .usage(
            "'\(command.name)' has no option \"\(name)\"", advice: Suggestion.sentence(for: name, among: names))
        }
        try EachQuestion.checkReads(command, option)
        try arguments.replace(option, with: value)
      }
    } else {
      log = String(decoding: request.line, as: UTF8.self)
      // Invalid bytes are replaced. String(validating:as:) needs macOS 15.
      guard log.utf8.elementsEqual(request.line) else { throw .usage("the path is not UTF-8") }
    }
    guard !log.isEmpty else { throw .usage("the path of the log is empty") }
    // To the verb, - means paths on standard input.
    arguments.replaceFirstPositional(with: log == "-" ? "./-" : log)
    (self.log, self.id, self.arguments) = (log, id, arguments)
  }
}

/// A line of the output of `each`.
struct EachRow: Sendable {
  private let log: String
  private let id: JSONValue?
  var status: Int32 = 0
  var model: String?
  var key: String?
  var duration: Duration = .zero
  private var revision: JSONValue?
  private var digest: JSONValue?
  private var answer: JSONValue?
  private var error: JSONValue?
  private var warnings: [JSONValue] = []

  init(log: String, id: JSONValue?) {
    (self.log, self.id) = (log, id)
  }

  init(_ request: EachRequest) {
    let (log, id) = request.named
    switch id {
    case .string, .number: self.init(log: log, id: id)
    default: self.init(log: log, id: nil)
    }
  }

  var isSuccess: Bool { status == 0 }

  /// Takes the output of a verb.
  ///
  /// - Throws: `JSONError` if it is not JSON, which no verb with `--json` prints.
  mutating func take(answer bytes: [UInt8], messages: [UInt8]) throws {
    let answers = try Self.documents(bytes)
    answer = answers.count > 1 ? .array(answers) : answers.first
    for case .object(let message) in try Self.documents(messages) {
      if let failure = message["error"] {
        error = failure
      } else if let warning = message["warning"] {
        warnings.append(warning)
      }
    }
    guard case .object(let object)? = answer else { return }
    if case .string(let name)? = object["model"] { model = name }
    digest = object["sha256"]
    revision = object["revision"] ?? object["lastSeq"] ?? object["to"]
    if case .object(let last)? = object["last"] { revision = revision ?? last["seq"] }
  }

  /// Replaces the answer by an error.
  mutating func fail(_ failure: ToolFailure, status: Int32? = nil) {
    self.status = status ?? failure.status.rawValue
    answer = nil
    error = FailureReport(failure).json
  }

  /// The bytes of the line, with its line feed.
  var line: [UInt8] {
    var object: JSONObject = ["log": .string(log)]
    object["id"] = id
    object["status"] = .integer(Int(status))
    object["key"] = key.map(JSONValue.string)
    object["model"] = model.map(JSONValue.string)
    object["revision"] = revision
    object["sha256"] = digest
    let (seconds, attoseconds) = duration.components
    object["microseconds"] = .integer(Int(clamping: seconds * 1_000_000 + attoseconds / 1_000_000_000_000))
    if !warnings.isEmpty { object["warnings"] = .array(warnings) }
    object["error"] = error
    object["answer"] = answer
    return JSONValue.object(object).bytes() + [0x0A]
  }

  /// The documents of an output: one, or one on each line.
  private static func documents(_ bytes: [UInt8]) throws -> [JSONValue] {
    try bytes.split(separator: 0x0A).map { line in try JSONValue(parsing: line) }
  }
}
