import ActionLog
import JSONCoding

extension Command {
  static let record = Command(
    "record",
    group: .record,
    summary: "record actions that come as JSON lines, and answer each",
    details: """
      Standard input has one action a line: {"type":…,"data":{…},"meta":{…}}, where "data" and "meta" may be left out.
      Every line gets one line of answer, in order: {"line":n,"seq":n,"durability":…} once the action is as safe as
      --durability says, or {"line":n,"refused":{…}}, after which recording goes on. The log is made when there is none,
      and gone on with when there is. The end of input, Ctrl-C and SIGTERM close it.
      """,
    examples: [
      .init(
        #"record counter my-log <<< '{"type":"didTapIncrementButton"}'"#, "record one action"),
      .init("record animals my-log < actions.jsonl > answers.jsonl", "record a file of actions"),
      .init("record counter my-log --workload 1000 --seed 7", "record a made-up history"),
    ],
    arguments: [
      CommandArgument("MODEL", "the model's name (see 'models')"),
      CommandArgument("LOG", "the log's directory; made when there is none"),
    ],
    options: RecordOptions.all,
    asynchronous: { context in try await RecordCommand(context: context).run() }
  )
}

/// `record`: lines in, answers out, one flush for all lines that came together.
private struct RecordCommand {
  let context: CommandContext

  func run() async throws -> ExitStatus {
    let options = try RecordOptions(context)
    let model = try context.model(named: context.arguments.positionals[0])
    let path = try context.logPath(1)
    if options.workload != nil, !model.hasWorkload {
      throw ToolFailure.usage("the model '\(model.name)' has no made-up histories; record actions from standard input")
    }
    context.environment.stop.accept()
    let recording = try await model.record(path, settings: options.settings(context))
    do {
      try await tellOpening(of: recording, path: path)
      let result =
        if let plan = options.workload {
          try await recordWorkload(plan, recording)
        } else {
          try await recordLines(recording, durability: options.durability)
        }
      try await recording.close()
      try await conclude(result, recording, path: path)
      return .success
    } catch ToolStreamError.closed {
      // Nobody reads the answers any more. What was accepted is kept, and the log is closed.
      try await recording.close()
      throw ToolStreamError.closed
    } catch {
      await recording.abandon()
      throw error
    }
  }

  private func tellOpening(of recording: any RecordingHandle, path: String) async throws {
    let opening = recording.opening
    if let recovered = opening.recovered {
      try context.warn(
        "the last writer was cut off: \(HumanText.count(recovered.bytes, "byte")) that were not whole lines "
          + "were moved to \(path)/\(recovered.file)")
    }
    if opening.isNew {
      try context.remark("new log \(path)")
    } else {
      try context.remark("going on with \(path) behind revision \(opening.lastSeq)")
    }
    if context.environment.inputIsTerminal, !context.arguments.has(RecordOptions.workloadOption) {
      try context.remark(#"type actions like {"type":"…","data":{}}, one a line; Ctrl-D ends"#)
    }
  }

  private func conclude(_ result: WorkloadResult, _ recording: any RecordingHandle, path: String) async throws {
    let last = recording.acknowledgedRevision
    var text = "recorded \(HumanText.count(result.accepted, "action"))"
    if result.accepted == 1 { text += " as revision \(last)" }
    if result.accepted > 1 { text += " as revisions \(last - result.accepted + 1)…\(last)" }
    if result.refused > 0 { text += ", refused \(HumanText.count(result.refused))" }
    try context.remark(text + "; the log is closed")
    try await OffPool.run { try context.flush() }
  }
}

// MARK: - Lines

extension RecordCommand {
  private func recordLines(
    _ recording: any RecordingHandle, durability: Durability
  ) async throws -> WorkloadResult {
    let input = LineInput(context.environment)
    var result = WorkloadResult()
    var number = 0
    while let lines = try await input.next() {
      let answers = try await answer(
        lines, from: number + 1, recording, durability: durability, counting: &result)
      number += lines.count
      try await OffPool.run {
        try context.output.write(answers)
        try context.flush()
      }
    }
    return result
  }

  /// Records a batch of lines and makes their answers.
  private func answer(
    _ lines: [LineReader.Line], from first: Int, _ recording: any RecordingHandle, durability: Durability,
    counting result: inout WorkloadResult
  ) async throws -> [UInt8] {
    var batch = AnswerBatch(firstLine: first)
    for line in lines { batch.append(line) }
    do {
      try await submit(&batch, to: recording)
      let receipt = try await recording.flush()
      result.accepted += batch.acceptedCount
      result.refused += batch.refusedCount
      return batch.answers(durability: receipt.durability)
    } catch {
      // What did reach the disk is acknowledged all the same; the error ends the command.
      let answers = batch.answers(
        durability: durability, through: recording.acknowledgedRevision, failure: ToolFailure(any: error))
      try await OffPool.run { try context.output.write(answers) }
      throw error
    }
  }

  /// Hands a batch's actions over. When that ends with an error, the batch knows what became of those before.
  private func submit(_ batch: inout AnswerBatch, to recording: any RecordingHandle) async throws {
    var outcomes: [LineOutcome] = []
    defer { batch.settle(outcomes) }
    try await recording.submit(batch.actions, outcomes: &outcomes)
  }
}

// MARK: - Made-up histories

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
    if context.isJSON {
      try context.output.json([
        "accepted": .integer(result.accepted), "refused": .integer(result.refused), "seq": .integer(last),
        "seed": .string(String(plan.seed)),
      ])
    } else {
      let duration = HumanText.duration(context.environment.uptime() - start)
      try context.output.line(
        "\(HumanText.count(result.accepted, "action")) accepted, \(HumanText.count(result.refused)) refused, "
          + "seed \(plan.seed), now at revision \(last), in \(duration)")
    }
    return result
  }
}
