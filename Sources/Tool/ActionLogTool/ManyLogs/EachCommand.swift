import ActionLog
import JSONCoding
import Platform

extension Command {
  static let each = Command(
    "each",
    group: .many,
    summary: "run a verb on each of many logs, and print one line of JSON for each",
    details: """
      A line has the log as it was named, the exit status of the verb, and the answer of the verb's --json, or an error:
      {"log":…, "status":0, "model":…, "revision":…, "sha256":…, "microseconds":…, "answer":{…}}.
      The verb is one of \(EachQuestion.verbs.joined(separator: ", ")). The log is inserted as its first argument.
      The lines are in the order of the logs. A directory is searched for logs; a symbolic link in it is not followed. With - as
      LOG, each line of standard input is a path, or an object whose members override the options of the verb for this log, such
      as {"log":"customers/7","id":7,"at":"-3"}; its id is repeated in the answer.
      The logs are read by one process for each processor, each of which reads many logs. If a process ends, for example because
      a reducer traps, or exceeds --timeout, only the line of that log reports it: its status is 128 plus the number of the
      signal, or 124 after a timeout.
      The exit status is 0 if every log has status 0, and 1 otherwise.
      """,
    examples: [
      .init("each customers -- state --path /balance", "one value of each log"),
      .init("each customers --timeout 10 -- replay", "prove each log, for at most ten seconds"),
      .init("each a b -- until '/balance < 0'", "when the balance was first negative"),
      .init("find . -name HEAD -printf '%h\\n' | action-log each - -- verify", "logs found by another program"),
    ],
    arguments: [
      .namedLogs,
      CommandArgument(
        "VERB", arity: .afterSeparator, choices: EachQuestion.verbs,
        "the verb, with its other arguments and its options"),
    ],
    options: [EachCommand.jobs, EachCommand.timeout, EachCommand.unordered],
    asynchronous: { context in try await EachCommand(context: context).run() }
  )
}

/// `each`: distributes the logs over child processes of this program, which run `each - --jobs 0`, and prints their lines.
struct EachCommand {
  static let jobs = CommandOption.value(
    "jobs", letter: "j", "N", "the number of processes (default: one per processor; 0: read the logs in this process)")
  static let timeout = CommandOption.value(
    "timeout", "SECONDS", "the time for one log, after which its process is killed")
  static let unordered = CommandOption.flag("unordered", "print each line as soon as it is known")

  /// More processes than processors only help while they wait for a disk.
  private static let jobLimit = 256

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let question = try EachQuestion(context)
    let jobs = try context.arguments.integer(of: Self.jobs, in: 0...Self.jobLimit)
    let timeout = try timeout()
    guard jobs != 0, let startChild = context.environment.startChild else {
      guard timeout == nil else {
        throw ToolFailure.usage("--timeout requires processes that can be killed: leave out --jobs 0")
      }
      return try await runHere(question)
    }
    let pool = EachPool(context, question, jobs: jobs, timeout: timeout, startChild)
    return try await BlockingWork.run { try pool.run() }
  }

  /// Reads the logs in this process, one after the other.
  private func runHere(_ question: EachQuestion) async throws -> ExitStatus {
    let source = try await BlockingWork.run { try EachSource(context) }
    context.environment.stop.accept()
    let progress = context.progress("reading", unit: .logs)
    var status = ExitStatus.success
    var count = 0
    while let request = try await BlockingWork.run({ try source.next() }) {
      let row = await question.row(for: request)
      if !row.isSuccess { status = .negative }
      count += 1
      try await BlockingWork.run { [count] in
        try context.output.write(row.line)
        try context.output.flush()
        try progress.update(done: count, total: source.count)
      }
    }
    try progress.finish()
    if context.environment.stop.isRequested {
      try context.note(EachSource.interruption(count, of: source.count))
      status = .negative
    }
    return status
  }

  /// The value of `--timeout`.
  private func timeout() throws(ToolFailure) -> Duration? {
    guard let text = context.arguments.value(of: Self.timeout) else { return nil }
    // A day is longer than any replay, and a millisecond shorter than any.
    guard let seconds = Double(text), (0.001...86_400).contains(seconds) else {
      throw .usage("--timeout takes a number of seconds (0.001…86400), not '\(text)'")
    }
    return .microseconds(Int64(seconds * 1e6))
  }
}

/// The verb of `each`: it answers for one log at a time.
struct EachQuestion: Sendable {
  /// The verbs that read one log, write nothing, and print JSON.
  static let verbs = [
    "state", "diff", "show", "replay", "blame", "history", "watch", "until", "reverse-until", "bisect", "minimise",
    "stats",
    "marks", "verify", "compat",
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
      throw .usage("'each' answers for logs, not with help", advice: "Run '\(context.tool.name) help \(verb)'.")
    }
    arguments.set(.json)
    arguments.set(.quiet)
    (self.command, self.arguments) = (command, arguments)
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
      row.status = await run(query.arguments, output, messages)
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

  /// Runs the verb with its output in memory.
  private func run(_ arguments: ParsedArguments, _ output: AnswerBuffer, _ messages: AnswerBuffer) async -> Int32 {
    var environment = context.environment
    environment.standardInput = NoInput()
    environment.standardOutput = output
    environment.standardError = messages
    environment.inputIsTerminal = false
    environment.outputIsTerminal = false
    environment.errorIsTerminal = false
    environment.terminal = nil
    return await context.tool.run(command, arguments, environment: environment)
  }

  /// The header of a log; `nil` if it cannot be read, which the answer reports.
  private static func header(of log: String, _ fileSystem: any LogFileSystem) -> LogHeader? {
    do throws(LogError) { return try LogReader.open(at: log, fileSystem: fileSystem).header } catch { return nil }
  }
}

/// An empty input.
private struct NoInput: ToolInput {
  func read(limit: Int) throws(ToolStreamError) -> [UInt8] { [] }
}

/// An output in memory, up to a limit.
private final class AnswerBuffer: ToolOutput {
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
  /// The reason that the log cannot be asked.
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
        try arguments.replace(option, with: value)
      }
    } else {
      guard String(validating: request.line, as: UTF8.self) != nil else { throw .usage("the path is not UTF-8") }
      log = String(decoding: request.line, as: UTF8.self)
    }
    guard !log.isEmpty else { throw .usage("the path of the log is empty") }
    // To the verb, - means paths on standard input.
    arguments.replaceFirstPositional(with: log == "-" ? "./-" : log)
    (self.log, self.id, self.arguments) = (log, id, arguments)
  }
}

/// The logs of `each`, in order. Thread-safe; ``next()`` may block on input.
final class EachSource: Sendable {
  private struct Contents: Sendable {
    var requests: ArraySlice<EachRequest>
    /// The standard input; `nil` if the logs are named on the command line.
    var reader: LineReader?
  }

  /// The number of logs; `nil` if they come from standard input.
  let count: Int?
  private let contents: Locked<Contents>

  /// Finds the logs that the command line names. Blocks.
  init(_ context: CommandContext) throws {
    if context.arguments.positionals == ["-"] {
      count = nil
      contents = Locked(
        Contents(
          requests: [],
          reader: LineReader(
            context.environment.standardInput, stop: context.environment.stop, limitBytes: Self.lineLimitBytes)))
      return
    }
    let logs = try NamedLogs(context.arguments.positionals, context.files)
    try context.noteSkippedLinks(logs)
    let requests =
      logs.paths.map { path in EachRequest(path: path) }
      + logs.failures.map { path, failure in EachRequest(path: path, failure: failure) }
    count = requests.count
    contents = Locked(Contents(requests: requests[...]))
  }

  /// The length of a request: a path has at most 4 KiB, and the options may hold a long condition.
  private static let lineLimitBytes = 1 << 20

  /// The next request; `nil` at the end of the input or after a stop request.
  func next() throws -> EachRequest? {
    try contents.withLock { contents in
      while true {
        if let request = contents.requests.popFirst() { return request }
        guard let lines = try contents.reader?.next() else { return nil }
        contents.requests =
          lines.compactMap { line in
            switch line {
            case .bytes(let bytes): bytes.isEmpty ? nil : EachRequest(line: Array(bytes))
            case .tooLong:
              EachRequest(
                path: "",
                failure: ToolFailure(
                  "beyondLimit", .limit, "a line of input is longer than \(HumanText.bytes(Self.lineLimitBytes))"))
            }
          }[...]
      }
    }
  }

  /// The message about an interrupted run.
  static func interruption(_ done: Int, of count: Int?) -> String {
    "interrupted after \(HumanText.count(done))" + (count.map { count in " of \(HumanText.count(count))" } ?? "")
      + " logs"
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
