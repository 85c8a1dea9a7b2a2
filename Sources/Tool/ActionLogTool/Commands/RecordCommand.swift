import ActionLog
import EventSourcing
import JSONCoding
import Platform

extension Command {
  static let record = Command(
    "record",
    group: .record,
    summary: "record actions from JSON lines, and answer each",
    details: """
      Standard input has one action a line: {"type":…,"data":{…},"meta":{…}}, where "data" and "meta" are optional. The other
      members of a log's lines ("seq", "time", "synced", "prev", "salt", "crc") are ignored, and any other member is refused.
      The model 'patched' is for programs in any language: its state is a JSON value, at first {}, and a line has its effect on it,
      one of "patch" (RFC 6902), "merge" (RFC 7396), and "state", the complete next state. "type":"@init" begins with a state.
      Each line gets one line of answer, in order: {"line":n,"seq":n,"durability":…} once the action has the durability that
      --durability names, or {"line":n,"refused":{…}}, after which recording continues. "ignored" in an answer names up to 16 members
      of "data" that are not recorded, because the action has no such value. The log is created if there is none.
      The end of input, Ctrl-C and SIGTERM close it. If the reader of the answers closes the pipe, the log is closed as well, and
      the status is 3, because the rest of the input was not recorded.
      """,
    examples: [
      .init(
        #"record counter my-log <<< '{"type":"didTapIncrementButton"}'"#, "record one action"),
      .init("record animals my-log < actions.jsonl > answers.jsonl", "record a file of actions"),
      .init(
        #"record patched my-log <<< '{"type":"rename","patch":[{"op":"add","path":"/name","value":"Ann"}]}'"#,
        "record what happened in a program in any language"),
      .init("record counter my-log --workload 1000 --seed 7", "record a generated history"),
    ],
    arguments: [
      CommandArgument("MODEL", "the model's name (see 'help models')"),
      CommandArgument("LOG", "the log's directory; created if missing"),
    ],
    options: RecordOptions.all,
    rules: RecordOptions.rules,
    schema: .anyOf(
      "A line for each line of input: recorded, refused, failed, or unknown; with --workload one object.",
      AnswerBatch.schemas + [RecordCommand.workload.schema]),
    asynchronous: { context in try await RecordCommand(context: context).run() }
  )
}

/// `record`: reads lines and prints answers, with one flush for each batch of lines.
private struct RecordCommand {
  struct RecordingProgress {
    var result = WorkloadResult()
    /// The number of lines taken from the input; `nil` if it is not read.
    var lines: Int?
    var answered = 0
    /// The number of lines that are recorded or refused.
    var settled = 0
    var isComplete = false
  }

  static let workload = AnswerShape<(result: WorkloadResult, seq: Int, seed: UInt64)>.object([
    .member("accepted", .count, \.result.accepted), .member("refused", .count, \.result.refused),
    .member("seq", .revision, \.seq), .member("seed", .text) { answer in String(answer.seed) },
  ])

  let context: CommandContext

  func run() async throws -> ExitStatus {
    let options = try RecordOptions(context)
    let durability = options.settings.configuration.durability
    let model = try context.model(named: context.arguments.positionals[0])
    let path = try context.logPath(1)
    if options.workload != nil, !model.hasWorkload {
      throw ToolFailure.usage(
        "the model '\(model.name)' has no generated histories; record actions from standard input")
    }
    context.environment.stop.accept()
    let recording = try await model.record(path, options.settings)
    var progress = RecordingProgress()
    do {
      do { try await noteOpening(of: recording, path: path) } catch ToolStreamError.closed {
        // Recording continues without a reader of notes.
      }
      if let plan = options.workload {
        progress.result = try await recordWorkload(plan, recording)
      } else {
        try await recordLines(recording, durability: durability, &progress)
      }
    } catch ToolStreamError.closed {
      // Accepted actions are kept and the log is closed. The unread lines are lost unless this is reported.
      try await close(recording, progress, durability)
      throw closedOutput(progress, recording)
    } catch {
      await recording.abandon()
      throw failure(error, progress, recording, durability)
    }
    try await close(recording, progress, durability)
    try await conclude(progress, recording, path: path)
    return .success
  }

  private func noteOpening(of recording: any RecordingHandle, path: String) async throws {
    let opening = recording.opening
    try context.note(opening.isNew ? "new log \(path)" : "continuing \(path) after revision \(opening.lastRevision)")
    if context.environment.inputIsTerminal, !context.arguments.has(RecordOptions.workloadOption) {
      try context.note(#"type actions like {"type":"…","data":{}}, one a line; Ctrl-D ends"#)
    }
    // Before the first answer, if both go to the same place.
    try await BlockingWork.run { try context.messages.flush() }
  }

  private func conclude(_ progress: RecordingProgress, _ recording: any RecordingHandle, path: String) async throws {
    let last = recording.acknowledgedRevision
    let result = progress.result
    var text = "recorded \(HumanText.count(result.accepted, "action"))"
    if result.accepted == 1 { text += " as revision \(last)" }
    if result.accepted > 1 { text += " as revisions \(last - result.accepted + 1)…\(last)" }
    if result.refused > 0 { text += ", refused \(HumanText.count(result.refused))" }
    if context.environment.stop.isRequested, let lines = progress.lines {
      text += "; stopped after line \(lines) of the input, whose rest was not recorded"
    }
    try context.note("\(text); the log is closed")
    try await BlockingWork.run { try context.flush() }
  }
}

// MARK: - Early ends

extension RecordCommand {
  /// The error for a closed output, with the line at which the sender of the input has to continue.
  private func closedOutput(_ progress: RecordingProgress, _ recording: any RecordingHandle) -> ToolFailure {
    let closed: MessageText = "The log is closed, at revision \(recording.acknowledgedRevision)"
    guard let lines = progress.lines else {
      return ToolFailure("closedOutput", .environment, "the reader of the output closed it", advice: closed + ".")
    }
    // Bytes in a pipe may or may not have been read.
    return ToolFailure(
      "closedOutput", .environment,
      "the reader of the answers closed the pipe, so recording ended after line \(lines) of the input",
      advice: closed + ". The answers from line \(progress.answered + 1) on were not read. "
        + "The lines after line \(lines) were not recorded.")
  }

  private func close(
    _ recording: any RecordingHandle, _ progress: RecordingProgress, _ durability: Durability
  ) async throws {
    do { try await recording.close() } catch {
      var failure = failure(error, progress, recording, durability)
      // It is about the record that closes the log.
      failure.intact = nil
      throw failure
    }
  }

  /// Adds the last recorded revision and line to an error that ends the recording.
  private func failure(
    _ error: any Error, _ progress: RecordingProgress, _ recording: any RecordingHandle, _ durability: Durability
  ) -> ToolFailure {
    var failure = ToolFailure(any: error)
    let isSyncFailure = failure.codeName == LogError.Code.failed.rawValue
    var reached = "The log has all actions up to revision \(recording.acknowledgedRevision)"
    if isSyncFailure, !durability.waitsForSync {
      reached += "; a power cut may lose those after the last sync that succeeded"
    }
    reached += "."
    switch progress.lines {
    case nil: break
    case progress.settled where progress.isComplete:
      reached += " All lines of the input were answered."
    case let lines? where isSyncFailure && durability.waitsForSync && progress.settled < lines:
      reached += " Lines \(progress.settled + 1)…\(lines) of the input may be recorded, and later ones are not."
    case _?:
      reached += " To continue, repeat the command with the input from line \(progress.settled + 1) on."
    }
    failure.advice = .sentences(failure.advice, "\(reached)")
    return failure
  }
}

// MARK: - Lines

extension RecordCommand {
  private func recordLines(
    _ recording: any RecordingHandle, durability: Durability, _ progress: inout RecordingProgress
  ) async throws {
    let input = LineInput(context.environment)
    progress.lines = 0
    while let lines = try await input.next() {
      let first = (progress.lines ?? 0) + 1
      // These lines are gone from the input, whatever happens to them.
      progress.lines = first - 1 + lines.count
      let answers = try await answer(lines, from: first, recording, durability: durability, &progress)
      try await BlockingWork.run {
        try context.output.write(answers)
        try context.output.flush()
        do { try context.messages.flush() } catch ToolStreamError.closed {}
      }
      progress.answered = first - 1 + lines.count
    }
    progress.isComplete = !context.environment.stop.isRequested
  }

  private func answer(
    _ lines: [LineReader.Line], from first: Int, _ recording: any RecordingHandle, durability: Durability,
    _ progress: inout RecordingProgress
  ) async throws -> [UInt8] {
    let isPatched = context.arguments.positionals[0] == RegisteredModel.patched.name
    var batch = AnswerBatch(firstLine: first, isPatched: isPatched)
    for line in lines { batch.append(line) }
    do {
      try await submit(&batch, to: recording)
      let receipt = try await recording.receipt()
      progress.result.accepted += batch.acceptedCount
      progress.result.refused += batch.refusedCount
      progress.settled += lines.count
      return try batch.answers(durability: receipt.durability)
    } catch {
      // Actions on the disk are acknowledged; the error ends the command.
      progress.settled += batch.settledCount(through: recording.acknowledgedRevision)
      let answers = try batch.answers(
        durability: durability, through: recording.acknowledgedRevision, failure: ToolFailure(any: error))
      try await BlockingWork.run {
        do { try context.output.write(answers) } catch ToolStreamError.closed {}
      }
      throw error
    }
  }

  /// Submits the actions of a batch. After an error the batch has the outcomes so far.
  private func submit(_ batch: inout AnswerBatch, to recording: any RecordingHandle) async throws {
    var outcomes: [LineOutcome] = []
    defer { batch.settle(outcomes) }
    try await recording.submit(batch.actions, outcomes: &outcomes)
  }
}

// MARK: - Generated histories

extension RecordCommand {
  private func recordWorkload(_ plan: WorkloadPlan, _ recording: any RecordingHandle) async throws -> WorkloadResult {
    let progress = context.progress("recording", unit: .actions)
    let context = context
    let start = context.environment.uptime()
    let result = try await recording.submitWorkload(plan) { done in
      try progress.update(done: done, total: plan.count)
      return !context.environment.stop.isRequested
    }
    try progress.finish()
    let last = recording.acknowledgedRevision
    try context.answer((result, last, plan.seed), Self.workload) {
      let duration = HumanText.duration(context.environment.uptime() - start)
      try context.output.line(
        "\(HumanText.count(result.accepted, "action")) accepted, \(HumanText.count(result.refused)) refused, "
          + "seed \(plan.seed), now at revision \(last), in \(duration)")
    }
    return result
  }
}

struct RecordOptions: Sendable {
  static let durabilityOption = CommandOption.choice(
    "durability", letter: "d", of: ["written", "interval", "synced", "full"],
    "answer when written, written and synced soon, synced (default), or stored in the drive permanently")
  static let intervalOption = CommandOption.value(
    "interval", "DURATION", "how often to sync with --durability interval (default 1s)")
  static let segmentSizeOption = CommandOption.value(
    "segment-size", "SIZE", "start a new segment at this size, for instance 4M (default 32M)")
  static let segmentAgeOption = CommandOption.value(
    "segment-age", "AGE", "start a new segment at this age, such as 1h, or 'day' for midnight UTC (default: no limit)")
  static let snapshotEveryOption = CommandOption.value(
    "snapshot-every", "COUNT", "take a snapshot after every COUNT actions")
  static let redactableOption = CommandOption.flag(
    "redactable", "give each line a salt, so that values can be erased later; a log keeps the choice")
  static let workloadOption = CommandOption.value(
    "workload", "COUNT", "record COUNT generated actions instead of standard input")
  static let seedOption = CommandOption.value("seed", "N", "the seed of --workload (default 1)")

  static let onDivergenceOption = CommandOption.choice(
    "on-divergence", of: ["fail", "use-fold"],
    "after a change of the reducer: refuse, or continue with its state (default); 'branch' continues with the recorded one"
  )

  static let all = [
    durabilityOption, intervalOption, segmentSizeOption, segmentAgeOption, snapshotEveryOption, redactableOption,
    workloadOption, seedOption, onDivergenceOption,
  ]

  static let rules: [OptionRule] = [
    .needs([seedOption], [workloadOption]), .needsValue([intervalOption], durabilityOption, "interval"),
  ]

  let settings: RecordingSettings
  let workload: WorkloadPlan?

  init(_ context: CommandContext) throws(ToolFailure) {
    let arguments = context.arguments
    let configuration = LogConfiguration(
      durability: try Self.durability(arguments),
      segmentLimitBytes: try arguments.value(of: Self.segmentSizeOption).map(Self.size)
        ?? LogConfiguration.defaultSegmentLimitBytes,
      environment: context.environment.logEnvironment, redactable: arguments.has(Self.redactableOption),
      segmentAge: try Self.segmentAge(arguments))
    settings = RecordingSettings(
      configuration: configuration, fileSystem: context.files,
      snapshotEvery: try arguments.integer(of: Self.snapshotEveryOption, in: 1 ... .max),
      notices: RecordingNotices(context),
      onDivergence: arguments.value(of: Self.onDivergenceOption) == "fail" ? .fail : .useFold)
    let count = try arguments.integer(of: Self.workloadOption, in: 0 ... .max)
    let seed = try arguments.integer(of: Self.seedOption, in: 0 ... .max)
    workload = count.map { count in WorkloadPlan(seed: UInt64(seed ?? 1), count: count) }
  }

  private static func durability(_ arguments: ParsedArguments) throws(ToolFailure) -> Durability {
    // A day is longer than any useful interval.
    let interval = try arguments.duration(of: intervalOption, in: .microseconds(1) ... .seconds(86_400))
    return switch arguments.value(of: durabilityOption) {
    case "written"?: .written
    case "interval"?: .interval(interval ?? .seconds(1))
    case "full"?: .full
    default: .synced
    }
  }

  private static func segmentAge(_ arguments: ParsedArguments) throws(ToolFailure) -> LogConfiguration.SegmentAge? {
    if arguments.value(of: segmentAgeOption) == "day" { return .day }
    return try arguments.duration(of: segmentAgeOption, in: .seconds(1) ... .seconds(366 * 86_400)).map { age in
      .duration(age)
    }
  }

  /// Reads a size such as `4M`, `512K`, `1000`.
  private static func size(_ text: String) throws(ToolFailure) -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.uppercased().last.flatMap { letter in units[letter] }
    let (size, isOverflow) = (Int(unit == nil ? text : String(text.dropLast())) ?? 0)
      .multipliedReportingOverflow(by: unit ?? 1)
    guard !isOverflow, size > 0 else {
      throw .usage("--segment-size takes a size such as 4M, 512K or 1000 (bytes), not '\(text)'")
    }
    return size
  }
}
