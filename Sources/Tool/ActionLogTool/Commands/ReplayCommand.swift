import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

extension Command {
  static let replay = Command(
    "replay",
    group: .travel,
    effect: .readsLog,
    summary: "fold the log from its first action, and compare with its digests",
    details: """
      Snapshots are not used without --snapshots: the replay proves that the log alone determines the state. The status is 0 if
      every digest matches, and 1 if one differs. A projection has no digests; --verify proves that it depends on the actions alone.
      --verify folds twice, the second time in another process with other clocks, random values and orders of Set elements. It
      compares both folds with each other and with every digest and snapshot, and names the first revision and the first value
      that differ.
      """,
    examples: [
      .init("replay my-log", "prove the log"),
      .init("replay my-log --verify", "prove the reducer, too"),
      .init("replay my-log --snapshots", "see how long opening takes"),
      .init("replay my-log --digests-at 1,10", "digests to compare with another machine or build"),
      .init("each customers -- replay", "many logs, one line of JSON for each"),
    ],
    arguments: [.readLog],
    options: [
      .to, ReplayCommand.verify, ReplayCommand.snapshots, ReplayCommand.digestsAt, ReplayCommand.states, .model,
      .projection,
    ],
    rules: [
      .oneOf([ReplayCommand.verify, ReplayCommand.digestsAt, ReplayCommand.snapshots]),
      .excludes(ReplayCommand.digestsAt, [.to]),
      .needs([ReplayCommand.states], [ReplayCommand.digestsAt]),
    ],
    answer: .object,
    schema: .anyOf(
      "One object: the state that the replay reached; with --verify the comparison with a second fold; with --digests-at a line for each revision.",
      [ReplayCommand.shape.schema, ReplayCommand.proof.schema, ReplayCommand.digest.schema, .end]),
    blocking: { context in try ReplayCommand(context: context).run() }
  )
}

struct ReplayCommand {
  static let snapshots = CommandOption.flag("snapshots", letter: "s", "begin at the newest valid snapshot")
  static let verify = CommandOption.flag("verify", "fold twice in two processes, and compare everything")
  static let digestsAt = CommandOption.value(
    "digests-at", "REVISIONS", "only print the digests at these revisions, as lines of JSON")
  static let states = CommandOption.flag("states", "print the states with the digests")
  typealias Answer = (history: any HistoryHandle, rebuilt: RebuiltState, duration: Duration)

  static let shape = AnswerShape<Answer>.object(
    "A replay.", isBounded: true,
    [
      .member("path", .file, \.history.reader.path), .member("log", .text, \.history.reader.header.log),
      .member("model", .text, \.history.reader.header.model), .member("revision", .revision, \.rebuilt.revision),
      .member("sha256", .sha256) { answer in try answer.rebuilt.digest.hexadecimal },
      .member("fromRevision", .revision, \.rebuilt.report.startRevision),
      .member("actionsFolded", .count, \.rebuilt.report.actionsFolded),
      .member("bytesRead", .count, \.rebuilt.report.bytesRead),
      .member("microseconds", .microseconds, \.duration),
      .member("digestsChecked", .count, \.rebuilt.report.digestsChecked),
      .member("digestsOfOtherSchemas", .count, \.rebuilt.report.digestsOfOtherSchemas),
      .member("divergences", .array(of: divergence), \.rebuilt.report.divergences),
      .member("opaqueRecords", .count, \.rebuilt.report.opaqueRecords),
      .nullable("damage", .text, \.rebuilt.report.damage?.description),
      .optional("skippedActions", .count) { answer in answer.rebuilt.report.skippedActions.ifPositive },
      .optional("projection", .text, \.history.projection?.name),
    ])

  private static let divergence = AnswerShape<Divergence>.object([
    .member("revision", .revision, \.revision), .member("recorded", .text, \.recorded.hexadecimal),
    .member("computed", .text, \.computed.hexadecimal), .member("lastAgreement", .revision, \.lastAgreement),
    .member("byOtherReducer", .flag, \.isByOtherReducer),
  ])

  static let proof = AnswerShape<(history: any HistoryHandle, proof: ReplayProof)>.object(
    "With --verify.", isBounded: true,
    [
      .member("path", .file, \.history.reader.path), .member("model", .text, \.history.reader.header.model),
      .member("revision", .revision, \.proof.revision), .member("proven", .flag, \.proof.isProven),
      .member("sha256", .sha256, \.proof.digest.hexadecimal), .member("digestsChecked", .count, \.proof.digestsChecked),
      .member("digestsOfOtherSchemas", .count, \.proof.digestsOfOtherSchemas),
      .member("snapshotsChecked", .count, \.proof.snapshotsChecked), .member("secondFold", .text, \.proof.witness),
      .member("statesCompared", .count, \.proof.statesCompared),
      .member("actionsFolded", .count, \.proof.actionsFolded),
      .member("disagreements", .array(of: disagreement), \.proof.disagreements),
      .nullable("damage", .text, \.proof.damage?.description),
      .optional("skippedActions", .count) { answer in answer.proof.skippedActions.ifPositive },
      .member("log", .text, \.history.reader.header.log), .optional("projection", .text, \.history.projection?.name),
    ])

  private static let disagreement = AnswerShape<ReplayDisagreement>.object([
    .member("kind", .text, \.kind.rawValue), .member("revision", .revision, \.revision),
    .member("lastAgreement", .revision, \.lastAgreement), .member("byOtherCode", .flag, \.isByOtherCode),
    .member("message", .text, \.description), .optional("pointer", .pointer, \.difference?.pointer),
    .optional("first", .value, \.difference?.first), .optional("second", .value, \.difference?.second),
  ])

  static let digest = AnswerShape<(revision: Int, sha256: String, state: JSONValue?)>.object(
    "A digest, or a state.", isBounded: true,
    [
      .member("revision", .revision, \.revision), .member("sha256", .sha256, \.sha256),
      .optional("state", .value, \.state),
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    // Only a fold of the entire log finds what to freeze.
    let history = try context.openHistory()
    let revision = try context.revision(of: .to, in: history.reader)
    try context.warnOfBeginning(of: history.reader)
    if context.arguments.has(Self.verify) { return try prove(history, to: revision) }
    if let text = context.arguments.value(of: Self.digestsAt) { return try printDigests(of: history, at: text) }
    let progress = context.progress("replaying", unit: .actions)
    let isWhole = !context.arguments.has(Self.snapshots)
    var options = context.replayOptions(progress, ofBytes: isWhole ? history.reader.sizeBytes : nil)
    options.usesSnapshots = context.arguments.has(Self.snapshots)
    options.checksDigests = true
    let start = context.environment.uptime()
    let rebuilt = try history.rebuiltState(at: revision, options: options)
    let duration = context.environment.uptime() - start
    let isSound = rebuilt.report.divergences.isEmpty && rebuilt.report.damage == nil
    let status = isSound ? ExitStatus.success : .negative
    try context.answer((history, rebuilt, duration), Self.shape) {
      try context.output.lines(page(rebuilt, of: history, duration: duration))
    }
    if !context.isJSON, let damage = rebuilt.report.damage { throw ToolFailure(damage) }
    try context.warn(of: rebuilt.report.snapshotsRefused)
    // A replay from a snapshot does not read all actions before the end.
    guard rebuilt.report.damage == nil else { return status }
    return try context.status(status, of: history.reader, upTo: revision)
  }

  /// `--verify`: the same program performs the second fold, if there is one.
  private func prove(
    _ history: any HistoryHandle, to revision: Int?
  ) throws -> ExitStatus {
    let progress = context.progress("proving", unit: .actions)
    let proof = try history.prove(
      at: revision, against: context.witness(context.logPath()), options: context.replayOptions(progress))
    try progress.finish()
    try context.answer((history, proof), Self.proof) {
      try context.output.lines(proof.page(model: history.subject, context))
    }
    try context.warn(of: proof.snapshotsSkipped)
    return proof.isProven ? .success : .negative
  }

  /// `--digests-at`: the part of the second process of `--verify`.
  private func printDigests(of history: any HistoryHandle, at text: String) throws -> ExitStatus {
    let revisions = try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
      guard let revision = Int(word), revision >= 0 else {
        throw ToolFailure.usage("--digests-at takes revisions with commas between them, such as 0,10,20, not '\(text)'")
      }
      return revision
    }
    guard zip(revisions, revisions.dropFirst()).allSatisfy({ first, second in first < second }) else {
      throw ToolFailure.usage("the revisions of --digests-at must ascend")
    }
    var options = context.replayOptions(context.progress("replaying", unit: .actions))
    // The process that reads the digests may be terminated.
    options.isCancelled = { [output = context.environment.standardOutput] in output.isClosed }
    try context.output.countAnswerLines()
    do {
      try printDigests(of: history, at: revisions, options)
    } catch is CancellationError {
      throw ToolStreamError.closed
    }
    return .success
  }

  private func printDigests(of history: any HistoryHandle, at revisions: [Int], _ options: ReplayOptions) throws {
    guard context.arguments.has(Self.states) else {
      for (revision, digest) in zip(revisions, try history.digests(at: revisions, options: options)) {
        try context.output.json(Self.digest.json((revision, digest.hexadecimal, nil)))
      }
      return
    }
    for revision in revisions {
      let state = try history.canonicalState(at: revision, options: options)
      try context.output.json(
        Self.digest.json((revision, SHA256.hexadecimal(state), .some(try JSONValue(parsing: state)))))
    }
  }

  private func page(
    _ rebuilt: RebuiltState, of history: any HistoryHandle, duration: Duration
  ) throws -> [String] {
    let report = rebuilt.report
    let style = context.output.style
    let verdict =
      if report.damage != nil {
        style.red("the log is damaged after it")
      } else if !report.divergences.isEmpty {
        style.red("differs")
      } else if report.digestsChecked > 0 {
        style.green("matches")
      } else {
        "nothing to compare"
      }
    let actions = HumanText.count(report.actionsFolded, "action")
    let rate =
      report.actionsFolded > 0 && duration > .zero
      ? " (\(HumanText.count(Int(Double(report.actionsFolded) / (duration / .seconds(1))))) actions/s)" : ""
    let table = TextTable(facts: [
      "from": report.snapshotsLoaded > 0 ? "the snapshot at \(report.startRevision)" : "the first action",
      "folded": "\(actions), \(HumanText.bytes(report.bytesRead)) read in \(HumanText.duration(duration))\(rate)",
      "skipped": report.skippedActions > 0 ? ReportForm.terminal.skipped(report.skippedActions) : nil,
      "digests": digests(report), "sha-256": try rebuilt.digest.hexadecimal,
    ])
    var lines = [style.bold(TerminalText.escaping(history.subject)) + " at revision \(rebuilt.revision): \(verdict)"]
    lines += table.lines(indent: 2)
    lines += report.divergences.map { divergence in style.red("  ! ") + divergence.description }
    return lines
  }

  private func digests(_ report: ReplayReport) -> String {
    let others = ReportForm.terminal.otherSchemas(report.digestsOfOtherSchemas)
    if report.digestsChecked == 0 { return "none in this range" + others }
    let agreeing = report.digestsChecked - report.divergences.count
    return "\(HumanText.count(agreeing)) of \(HumanText.count(report.digestsChecked)) match" + others
  }
}
