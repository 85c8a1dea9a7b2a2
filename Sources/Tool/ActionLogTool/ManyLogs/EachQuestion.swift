import ActionLog
import JSONCoding
import Platform

struct EachQuestion: Sendable {
  /// The size of an answer that a process holds in memory: a larger state is printed by `state` itself.
  private static let answerLimitBytes = 64 << 20

  let words: [String]
  private let context: CommandContext
  private let command: Command
  /// The parsed arguments, with a placeholder for the log.
  private let arguments: ParsedArguments

  /// - Throws: A usage error, also for a verb that writes.
  init(_ context: CommandContext) throws(ToolFailure) {
    self.context = context
    words = context.arguments.trailing
    guard let verb = words.first else {
      throw .usage("'each' needs a verb after --", advice: "For example: \(context.tool.name) each customers -- state")
    }
    let named = try context.parser.command(named: verb)
    guard named.effect == .readsLog else { throw Self.refusal(of: named, context) }
    guard
      case .run(let command, var arguments) = try context.parser.parse(
        [verb, Self.placeholder, "--\(CommandOption.json.name)"] + words.dropFirst())
    else {
      throw .usage("'each' prints no help", advice: "Run '\(context.tool.name) help \(verb)'.")
    }
    for option in command.options where arguments.has(option) { try Self.checkReads(command, option) }
    if let argument = command.arguments.prefix(arguments.positionals.count).first(where: \.writes) {
      throw .usage(
        "'each' only reads, and '\(command.name)' with \(argument.name) writes",
        advice: "Run '\(command.name)' on one log at a time.")
    }
    if command.arguments.first?.isRepeatable == true, arguments.positionals.count > 1 {
      throw .usage("'each' names the log, and '\(arguments.positionals[1])' is another one")
    }
    arguments.set(.quiet)
    (self.command, self.arguments) = (command, arguments)
  }

  private static func checkReads(_ command: Command, _ option: CommandOption) throws(ToolFailure) {
    guard option.writes else { return }
    throw .usage(
      "'each' only reads, and '\(command.name) --\(option.name)' writes",
      advice: "Run '\(command.name)' on one log at a time.")
  }

  private static let placeholder = "LOG"

  private static func refusal(of command: Command, _ context: CommandContext) -> ToolFailure {
    let tool = context.tool.name
    let verbs = context.tool.commands.filter { command in command.effect == .readsLog }.map(\.name)
    if command.effect == .reads, command.arguments.first?.isRepeatable == true, !command.takesCommandLine {
      return .usage(
        "'\(command.name)' takes many logs itself", advice: "For example: \(tool) \(command.name) customers")
    }
    return .usage(
      "'each' runs verbs that only read, and '\(command.name)' is not one of them",
      advice: "It runs \(verbs.joined(separator: ", ")).")
  }

  /// Answers for one log, in this process. A damaged or missing log, an invalid request and an overlong answer are rows with an error.
  func row(for request: EachRequest) async -> EachRow {
    let start = context.environment.uptime()
    var row = EachRow(request)
    do {
      if let failure = request.failure { throw failure }
      let answer = try await context.tool.answer(
        command, arguments(for: request), environment: context.environment, limitBytes: Self.answerLimitBytes)
      row.take(answer)
      row.subject.identify(in: context.files)
    } catch {
      row.fail(ToolFailure(any: error), context.wording)
    }
    row.duration = context.environment.uptime() - start
    return row
  }

  private func arguments(for request: EachRequest) throws(ToolFailure) -> ParsedArguments {
    var arguments = arguments
    let (path, overrides) = (request.subject.path, request.overrides)
    guard !path.isEmpty else { throw .usage("the path of the log is empty") }
    // A choice of the request replaces that of the command line.
    for case .oneOf(let options) in command.rules where options.contains(where: { overrides[$0.name] != nil }) {
      for option in options { try arguments.replace(option, with: .null) }
    }
    for (name, value) in overrides {
      guard let option = command.options.first(where: { option in option.name == name }) else {
        let names = command.options.map(\.name)
        throw .usage(
          "'\(command.name)' has no option \"\(name)\"", advice: Suggestion.sentence(for: name, among: names))
      }
      try Self.checkReads(command, option)
      try arguments.replace(option, with: value)
    }
    try arguments.checkRules(of: command)
    // To the verb, - means paths on standard input.
    arguments.replaceFirstPositional(with: path == "-" ? "./-" : path)
    return arguments
  }
}

struct EachRequest: Sendable {
  /// The line for the process that reads the log.
  let line: [UInt8]
  /// The log. The path of an invalid line is its text.
  private(set) var subject: RowSubject
  /// The members that override options of the verb.
  private(set) var overrides = JSONObject()
  private(set) var failure: ToolFailure?

  init(line: [UInt8]) {
    self.line = line
    subject = RowSubject(path: String(decoding: line, as: UTF8.self))
    do throws(ToolFailure) { try parse() } catch { failure = error }
  }

  init(path: String, failure: ToolFailure? = nil) {
    line = JSONValue.object(["log": .string(path)]).bytes()
    (subject, self.failure) = (RowSubject(path: path), failure)
  }

  private mutating func parse() throws(ToolFailure) {
    guard line.first == UInt8(ascii: "{") else {
      // Invalid bytes are replaced. String(validating:as:) needs macOS 15.
      guard subject.path.utf8.elementsEqual(line) else { throw .usage("the path is not UTF-8") }
      return
    }
    do throws(JSONError) {
      if case .object(let object) = try JSONValue(parsing: line) { overrides = object }
    } catch {
      throw .usage(
        "a request is a path or a JSON object: \(error)", advice: "A path that begins with { is written ./{….")
    }
    guard case .string(let path)? = overrides["log"] else { throw .usage("a request has no \"log\"") }
    subject = RowSubject(path: path)
    switch overrides["id"] {
    case nil: break
    case .string?, .number?: subject.id = overrides["id"]
    default: throw .usage("\"id\" is a string or a number")
    }
    (overrides["log"], overrides["id"]) = (nil, nil)
  }
}

/// The log of a row about one of many logs: the members that the rows of all verbs have.
struct RowSubject: Sendable {
  let path: String
  var id: JSONValue?
  /// The exit status of the verb; `nil` for a row without one.
  var status: Int32?
  /// The identifier of the log, its model and its key; `nil` if its header was not read.
  fileprivate(set) var log: String?
  fileprivate(set) var model: String?
  fileprivate(set) var key: String?

  /// Reads the header of the log, if it is readable. The answer reports if it is not.
  mutating func identify(in fileSystem: any LogFileSystem) {
    do throws(LogError) {
      let header = try LogReader.open(at: path, fileSystem: fileSystem).header
      (log, model, key) = (header.log, model ?? header.model, header.key)
    } catch {}
  }

  /// - Parameter isAnswer: Whether each row has a status. A line on standard error about a log has none.
  static func members<Row>(
    isAnswer: Bool, _ subject: @escaping @Sendable (Row) -> RowSubject
  ) -> [AnswerMember<Row>] {
    [
      .member("path", .file, { row in subject(row).path }), .optional("log", .text, { row in subject(row).log }),
      .optional("id", .id, { row in subject(row).id }),
      isAnswer
        ? .member("status", .status, { row in subject(row).status ?? 0 })
        : .optional("status", .status, { row in subject(row).status }),
      .optional("model", .text, { row in subject(row).model }), .optional("key", .text, { row in subject(row).key }),
    ]
  }
}

struct EachRow: Sendable {
  var subject: RowSubject
  var duration: Duration = .zero
  private var revision: JSONValue?
  private var digest: JSONValue?
  private var answer: JSONValue?
  private var error: JSONValue?
  private var warnings: [JSONValue] = []

  static let shape = AnswerShape<EachRow>.object(
    "A line for each log: answer is what the verb prints, one object or an array of its lines.",
    RowSubject.members(isAnswer: true, \.subject) + [
      .optional("revision", .encoded(.revision), \.revision), .optional("sha256", .encoded(.sha256), \.digest),
      .member("microseconds", .microseconds, \.duration),
      .optional("warnings", .array(of: .value)) { row in row.warnings.isEmpty ? nil : row.warnings },
      .optional("error", .encoded(.error), \.error), .optional("answer", .value, \.answer),
    ])

  init(_ request: EachRequest) {
    subject = request.subject
    subject.status = 0
  }

  var isSuccess: Bool { subject.status == 0 }

  mutating func take(_ answer: CollectedAnswer) {
    subject.status = answer.status
    self.answer = answer.items.count > 1 ? .array(answer.items) : answer.items.first
    error = answer.error
    warnings = answer.warnings.map(JSONValue.string)
    guard case .object(let object)? = self.answer else { return }
    if case .string(let name)? = object["model"] { subject.model = name }
    digest = object["sha256"]
    revision = object["revision"] ?? object["lastSeq"] ?? object["to"]
    if case .object(let last)? = object["last"] { revision = revision ?? last["seq"] }
    // A search that found nothing.
    if revision == .null { revision = nil }
  }

  mutating func fail(_ failure: ToolFailure, _ wording: MessageWording, status: Int32? = nil) {
    subject.status = status ?? failure.status.rawValue
    answer = nil
    error = FailureReport(failure, wording).json
  }

  func line() throws -> [UInt8] { try Self.shape.json(self).bytes() + [0x0A] }
}
