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
    summary: "fold the log from its first action, and compare with its digests",
    details: """
      Snapshots are not used without --snapshots: the replay proves that the log alone determines the state. The status is 0 if
      every digest matches, and 1 if one differs. A projection has no digests; --verify proves that it depends on the actions alone.
      --verify folds twice, the second time in another process with other clocks, random values and orders of Set elements. It
      compares both folds with each other and with every digest and snapshot, and names the first revision and the first value
      that differ.
      --on-divergence chooses the action on a digest that differs: fail ends with an error, use-fold (default) reports it and
      continues, freeze continues from the state that the older code stored in a snapshot.
      --keep-snapshots writes snapshots on the way, where a recorder with the standard policy would have taken them, and keeps those
      that it would keep: later commands start there instead of at the first action. Present ones are neither replaced nor removed,
      and those that this code can use count: a second replay adds none. All of them together get at most as many bytes as the log.
      A program may be recording at the same time. If one cannot be written, a warning says why, and the answer and the status are
      the same.
      --from begins with the snapshot at exactly that revision, whatever code took it, or with the beginning of the log. The
      answer has the digests of both ends, and the status is 1 if the snapshot at the end has another state. --ranges divides a long
      log into ranges that end at snapshots, for several processes: together they prove the complete replay if each range begins
      with the digest with which the one before it ends, and 'verify' has checked the lines.
      \(CommandContext.logRowsForm)
      \(PointResolver.forms)
      """,
    examples: [
      .init("replay my-log", "prove the log"),
      .init("replay my-log --verify", "prove the reducer, too"),
      .init("replay my-log --snapshots", "see how long opening takes"),
      .init("replay my-log --keep-snapshots", "prove the log, and make later questions about it fast"),
      .init("replay my-log --digests-at 1,10", "digests to compare with another machine or build"),
      .init("replay my-log --ranges 8", "the parts of a long log, each for a process of its own"),
      .init("replay - < paths.txt", "many logs, one line of JSON for each"),
    ],
    arguments: [.readLogs],
    options: [
      ReplayCommand.from, .to, ReplayCommand.verify, ReplayCommand.snapshots, ReplayCommand.keepSnapshots,
      ReplayCommand.onDivergence, ReplayCommand.digestsAt, ReplayCommand.states, ReplayCommand.ranges, .model,
      .projection,
    ],
    answer: .object,
    blocking: { context in try ReplayCommand(context: context).run() }
  )
}

/// `replay`: folds the log with every check and prints the report.
private struct ReplayCommand {
  static let snapshots = CommandOption.flag("snapshots", letter: "s", "begin at the newest valid snapshot")

  static let keepSnapshots = CommandOption.flag(
    "keep-snapshots", "write snapshots on the way, for later commands to begin with")
  static let verify = CommandOption.flag("verify", "fold twice in two processes, and compare everything")
  static let onDivergence = CommandOption.choice(
    "on-divergence", of: ["fail", "use-fold", "freeze"], "the action on a digest that differs (default: use-fold)")
  static let digestsAt = CommandOption.value(
    "digests-at", "REVISIONS", "only print the digests at these revisions, as lines of JSON")
  static let states = CommandOption.flag("states", "print the states with the digests")
  static let from = CommandOption.value(
    "from", "POINT", "begin with exactly the snapshot at this revision, or with the beginning of the log")
  static let ranges = CommandOption.value(
    "ranges", "COUNT", "only print up to COUNT ranges of similar size that end at snapshots, for --from and --to")

  /// Each range costs a process the decoding of a state and the encoding of another.
  private static let rangeLimit = 10_000

  let context: CommandContext

  func run() throws -> ExitStatus {
    let arguments = context.arguments
    guard arguments.has(Self.digestsAt) || !arguments.has(Self.states) else {
      throw ToolFailure.usage("--states requires --digests-at")
    }
    try checkCombination()
    if context.isForManyLogs {
      for option in [Self.digestsAt, Self.from, Self.ranges] where arguments.has(option) {
        throw ToolFailure.usage("--\(option.name) is for one log")
      }
      return try context.forEachLog { subject in try replay(subject.path, rowOf: subject) }
    }
    return try replay(context.logPath())
  }

  /// Rejects options that would have no effect.
  private func checkCombination() throws {
    let arguments = context.arguments
    let given = { (options: [CommandOption]) in options.filter { option in arguments.has(option) } }
    var exclusive = given([Self.verify, Self.digestsAt, Self.onDivergence])
    let partial = given([Self.from, Self.ranges])
    if !partial.isEmpty {
      exclusive = partial + given([Self.verify, Self.digestsAt, Self.onDivergence, Self.snapshots, Self.keepSnapshots])
      if arguments.has(Self.ranges) { exclusive += given([.to]) }
    } else if exclusive.count < 2 {
      // Only a fold of the entire log can prove it, or find what to freeze.
      let needsWholeLog =
        !given([Self.verify, Self.digestsAt]).isEmpty || arguments.value(of: Self.onDivergence) == "freeze"
      if needsWholeLog { exclusive += given([Self.snapshots, Self.keepSnapshots]) }
      if arguments.has(Self.digestsAt) { exclusive += given([.to]) }
    }
    guard exclusive.count < 2 else {
      throw ToolFailure.usage("--\(exclusive[0].name) and --\(exclusive[1].name) cannot be combined")
    }
  }

  /// - Parameter subject: The log of the row to print; `nil` for an answer about one log.
  private func replay(_ path: String, rowOf subject: RowSubject? = nil) throws -> ExitStatus {
    let history = try context.openHistory(path)
    let revision = try context.revision(of: .to, in: history.reader)
    try context.warnOfBeginning(of: history.reader)
    if context.arguments.has(Self.verify) { return try prove(history, path, to: revision, rowOf: subject) }
    if let count = try context.arguments.integer(of: Self.ranges, in: 1...Self.rangeLimit) {
      return try printRanges(of: history, count)
    }
    if context.arguments.has(Self.from) { return try replayRange(of: history, to: revision) }
    if let text = context.arguments.value(of: Self.digestsAt) { return try printDigests(of: history, at: text) }
    let progress = context.progress("replaying", unit: .actions)
    let segments = history.reader.segments
    let totalBytes = segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    let isWhole = !context.arguments.has(Self.snapshots) && context.arguments.value(of: Self.onDivergence) != "freeze"
    var options = context.replayOptions(progress, ofBytes: isWhole ? totalBytes : nil)
    options.usesSnapshots = context.arguments.has(Self.snapshots)
    options.checksDigests = true
    switch context.arguments.value(of: Self.onDivergence) {
    case "fail": options.onDivergence = .fail
    case "freeze": options.onDivergence = .freezeBase
    default: break
    }
    let start = context.environment.uptime()
    let rebuilt: RebuiltState
    var kept: KeptSnapshots?
    if context.arguments.has(Self.keepSnapshots) {
      (rebuilt, kept) = try history.rebuiltStateKeepingSnapshots(
        at: revision, options: options, uptime: context.environment.uptime)
    } else {
      rebuilt = try history.rebuiltState(at: revision, options: options)
    }
    let duration = context.environment.uptime() - start
    let isSound = rebuilt.report.divergences.isEmpty && rebuilt.report.damage == nil
    let status = isSound ? ExitStatus.success : .negative
    if context.isJSON || subject != nil {
      var answer = try json(rebuilt.report, at: rebuilt.revision, rebuilt.digest, of: history, duration: duration)
      answer["snapshotsKept"] = kept.map { kept in .integer(kept.sizes.count) }
      try context.output.json(.object(subject?.row(status.rawValue, answer) ?? answer))
    } else {
      let rows = kept.map { kept in [["kept", Self.text(kept)]] } ?? []
      try context.output.lines(
        page(rebuilt.report, at: rebuilt.revision, rebuilt.digest, of: history, duration: duration, more: rows))
    }
    if let error = kept?.error { try context.warn("not all snapshots were kept: \(error)") }
    if !context.isJSON, subject == nil, let damage = rebuilt.report.damage { throw ToolFailure(damage) }
    try context.warn(of: rebuilt.report.snapshotsRefused)
    // A replay from a snapshot does not read all actions before the end.
    guard rebuilt.report.damage == nil, subject == nil else { return status }
    return try context.status(status, of: history.reader, upTo: revision)
  }

  private static func text(_ kept: KeptSnapshots) -> String {
    let bytes = kept.sizes.values.reduce(0, +)
    return HumanText.count(kept.sizes.count, "snapshot") + (bytes > 0 ? ", \(HumanText.bytes(bytes))" : "")
  }

  /// `--ranges`: a line for each range, as options of this verb.
  private func printRanges(of history: any HistoryHandle, _ count: Int) throws -> ExitStatus {
    try context.output.countAnswerLines()
    for range in try history.ranges(count) {
      if context.isJSON {
        try context.output.json(["from": .integer(range.first), "to": .integer(range.last)])
      } else {
        try context.output.line("--from \(range.first) --to \(range.last)")
      }
    }
    return .success
  }

  /// `--from`: the replay of a range.
  private func replayRange(of history: any HistoryHandle, to last: Int?) throws -> ExitStatus {
    let first = try context.revision(of: Self.from, in: history.reader) ?? history.reader.extent().lastRevision
    let progress = context.progress("replaying", unit: .actions)
    var options = context.replayOptions(progress)
    options.checksDigests = true
    let start = context.environment.uptime()
    let range: RebuiltRange
    do {
      range = try history.rebuiltRange(from: first, to: last, options: options)
    } catch let refusal as SnapshotRefusal {
      throw ToolFailure(
        refusal, .negative, message: "the replay cannot begin at revision \(first): \(refusal.message)",
        advice: "Begin with the beginning of the log, or with a snapshot: "
          + "'\(context.tool.name) replay \(ShellWord(history.reader.path)) --ranges 8' names some.")
    }
    let duration = context.environment.uptime() - start
    try progress.finish()
    if context.isJSON {
      var object = json(range.report, at: range.revision, range.end, of: history, duration: duration)
      object["fromSha256"] = .string(range.beginning.hexadecimal)
      object["snapshotMatches"] = range.isSnapshotEqual.map(JSONValue.bool) ?? .null
      try context.output.json(.object(object))
    } else {
      try context.output.lines(page(range, of: history, duration: duration))
    }
    try context.warn(of: range.report.snapshotsRefused)
    let isSound = range.report.divergences.isEmpty && range.report.damage == nil && range.isSnapshotEqual ?? true
    return isSound ? .success : .negative
  }

  private func page(_ range: RebuiltRange, of history: any HistoryHandle, duration: Duration) -> [String] {
    let snapshot =
      switch snapshotComparison(range) {
      case .equal: "the one at the end matches"
      case .different: context.output.style.red("the one at the end differs")
      case .refused: context.output.style.red("the one at the end cannot be read")
      case .none: "none at the end"
      }
    return page(
      range.report, at: range.revision, range.end, of: history, duration: duration,
      comparison: snapshotComparison(range),
      more: [["snapshot", snapshot], ["sha-256 of the beginning", range.beginning.hexadecimal]])
  }

  /// The comparison of the state at the end of a range with the snapshot there.
  private enum SnapshotComparison {
    case none, equal, different, refused
  }

  private func snapshotComparison(_ range: RebuiltRange) -> SnapshotComparison {
    switch range.isSnapshotEqual {
    case true?: .equal
    case false?: range.report.snapshotsRefused.isEmpty ? .different : .refused
    case nil: .none
    }
  }

  /// `--verify`: the same program performs the second fold, if there is one.
  private func prove(
    _ history: any HistoryHandle, _ path: String, to revision: Int?, rowOf subject: RowSubject?
  ) throws -> ExitStatus {
    let progress = context.progress("proving", unit: .actions)
    let proof = try history.prove(
      at: revision, against: context.witness(path), options: context.replayOptions(progress))
    try progress.finish()
    let status = proof.isProven ? ExitStatus.success : .negative
    if context.isJSON || subject != nil {
      let header = history.reader.header
      var object = proof.json(path: history.reader.path, model: header.model)
      object["log"] = .string(header.log)
      object["projection"] = history.projection.map { projection in .string(projection.name) }
      try context.output.json(.object(subject?.row(status.rawValue, object) ?? object))
    } else {
      try context.output.lines(proof.page(model: history.subject, style: context.output.style))
    }
    try context.warn(of: proof.snapshotsSkipped)
    return status
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
        try context.output.json(["revision": .integer(revision), "sha256": .string(digest.hexadecimal)])
      }
      return
    }
    for revision in revisions {
      let state = try history.canonicalState(at: revision, options: options)
      try context.output.json([
        "revision": .integer(revision), "sha256": .string(SHA256.hexadecimal(state)),
        "state": try JSONValue(parsing: state),
      ])
    }
  }

  private func page(
    _ report: ReplayReport, at revision: Int, _ digest: StateDigest, of history: any HistoryHandle, duration: Duration,
    comparison: SnapshotComparison = .none, more: [[String]] = []
  ) -> [String] {
    let style = context.output.style
    let verdict =
      if report.damage != nil {
        style.red("the log is damaged after it")
      } else if !report.divergences.isEmpty || comparison == .different {
        style.red("differs")
      } else if comparison == .refused {
        style.red("the snapshot at its end cannot be compared")
      } else if report.digestsChecked > 0 || comparison == .equal {
        style.green("matches")
      } else {
        "nothing to compare"
      }
    var table = TextTable([.left, .left])
    let actions = HumanText.count(report.actionsFolded, "action")
    let rate =
      report.actionsFolded > 0 && duration > .zero
      ? " (\(HumanText.count(Int(Double(report.actionsFolded) / (duration / .seconds(1))))) actions/s)" : ""
    let isFrozen = report.frozenRevision != nil
    table.append([
      "from",
      report.snapshotsLoaded > 0
        ? "the \(isFrozen ? "frozen state" : "snapshot") at \(report.startRevision)" : "the first action",
    ])
    table.append([
      "folded", "\(actions), \(HumanText.bytes(report.bytesRead)) read in \(HumanText.duration(duration))\(rate)",
    ])
    if report.skippedActions > 0 { table.append(["skipped", ReportForm.terminal.skipped(report.skippedActions)]) }
    table.append(["digests", digests(report)])
    for row in more { table.append(row) }
    table.append(["sha-256", digest.hexadecimal])
    var lines = [style.bold(TerminalText.escaping(history.subject)) + " at revision \(revision): \(verdict)"]
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

  private func json(
    _ report: ReplayReport, at revision: Int, _ digest: StateDigest, of history: any HistoryHandle, duration: Duration
  ) -> JSONObject {
    let reader = history.reader
    let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    var object: JSONObject = [
      "path": .string(reader.path), "log": .string(reader.header.log), "model": .string(reader.header.model),
      "revision": .integer(revision),
      "sha256": .string(digest.hexadecimal), "fromRevision": .integer(report.startRevision),
      "actionsFolded": .integer(report.actionsFolded), "bytesRead": .integer(report.bytesRead),
      "microseconds": .integer(Int(microseconds)), "digestsChecked": .integer(report.digestsChecked),
      "digestsOfOtherSchemas": .integer(report.digestsOfOtherSchemas),
      "divergences": .array(
        report.divergences.map { divergence in
          [
            "revision": .integer(divergence.revision), "recorded": .string(divergence.recorded.hexadecimal),
            "computed": .string(divergence.computed.hexadecimal), "lastAgreement": .integer(divergence.lastAgreement),
            "byOtherReducer": .bool(divergence.isByOtherReducer),
          ]
        }),
      "frozenRevision": report.frozenRevision.map(JSONValue.integer) ?? .null,
      "opaqueRecords": .integer(report.opaqueRecords),
      "damage": report.damage.map { damage in .string(damage.description) } ?? .null,
    ]
    if report.skippedActions > 0 { object["skippedActions"] = .integer(report.skippedActions) }
    object["projection"] = history.projection.map { projection in .string(projection.name) }
    return object
  }
}
