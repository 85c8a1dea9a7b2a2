import ActionLog
import Platform

extension Command {
  /// - Parameter verbs: The verbs that it runs: they read one log, and write nothing without some of their options.
  static func each(_ verbs: [String]) -> Command {
    Command(
      "each",
      group: .many,
      effect: .reads,
      summary: "run a verb on each of many logs, and print one line of JSON for each",
      details: """
        A line has the path of the log as it was named, its identifier if it is known, the exit status of the verb, and the answer of
        the verb's --json, or an error:
        {"path":…, "log":…, "status":0, "model":…, "revision":…, "sha256":…, "microseconds":…, "answer":{…}}.
        The verb is one of \(verbs.joined(separator: ", ")). The log is inserted as its first argument.
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
        .init("each customers --timeout 10s -- replay", "prove each log, for at most ten seconds"),
        .init("each a b -- find '/balance < 0'", "when the balance was first negative"),
        .init("each - -- verify < paths.txt", "logs that another program names"),
      ],
      arguments: [
        .namedLogs,
        CommandArgument(
          "VERB", arity: .afterSeparator, choices: verbs,
          "the verb, with its other arguments and its options"),
      ],
      options: [EachCommand.jobs, EachCommand.timeout],
      schema: EachRow.shape.schema,
      asynchronous: { context in try await EachCommand(context: context).run() }
    )
  }
}

/// `each`: distributes the logs over child processes of this program, which run `each - --jobs 0`, and prints their lines.
struct EachCommand {
  static let jobs = CommandOption.value(
    "jobs", letter: "j", "N", "the number of processes (default: one per processor; 0: read the logs in this process)")
  static let timeout = CommandOption.value(
    "timeout", "DURATION", "the time for one log, such as 10s, 5m or 0.5 (seconds), after which its process is killed")

  /// More processes than processors only help while they wait for a disk.
  private static let jobLimit = 256

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let question = try EachQuestion(context)
    let jobs = try context.arguments.integer(of: Self.jobs, in: 0...Self.jobLimit)
    // A day is longer than any replay, and a millisecond shorter than any.
    let timeout = try context.arguments.duration(of: Self.timeout, in: .milliseconds(1) ... .seconds(86_400))
    guard jobs != 0, let startChild = context.environment.startChild else {
      guard timeout == nil else {
        throw ToolFailure.usage("--timeout requires processes that can be killed: leave out --jobs 0")
      }
      return try await runHere(question)
    }
    let pool = EachPool(context, question, jobs: jobs, timeout: timeout, startChild)
    return try await BlockingWork.run { try pool.run() }
  }

  private func runHere(_ question: EachQuestion) async throws -> ExitStatus {
    let source = try await BlockingWork.run { try EachSource(context) }
    context.environment.stop.accept()
    let progress = context.progress("reading", unit: .logs)
    var status = ExitStatus.success
    var count = 0
    var next = try await BlockingWork.run { try source.next() }
    while let request = next {
      let row = await question.row(for: request)
      if !row.isSuccess { status = .negative }
      count += 1
      // One call, because each has a thread of its own.
      next = try await BlockingWork.run { [count] in
        try context.output.write(row.line())
        try context.output.flush()
        try progress.update(done: count, total: source.count)
        return try source.next()
      }
    }
    try progress.finish()
    if context.environment.stop.isRequested {
      try context.note("\(EachSource.interruption(count, of: source.count))")
      status = .negative
    }
    return status
  }
}

/// The logs of `each`, in order. Thread-safe; ``next()`` may block on input.
final class EachSource: Sendable {
  private struct Contents: Sendable {
    var requests: ArraySlice<EachRequest>
    var reader: LineReader?
  }

  /// The number of logs; `nil` if they come from standard input.
  let count: Int?
  private let contents: Locked<Contents>

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

  static func interruption(_ done: Int, of count: Int?) -> String {
    "interrupted after \(HumanText.count(done))" + (count.map { count in " of \(HumanText.count(count))" } ?? "")
      + " logs"
  }
}
