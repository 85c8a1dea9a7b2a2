import ActionLog
import EventSourcing
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let replay = Command(
    "replay",
    group: .travel,
    summary: "fold the log from its first action, and compare with the digests in it",
    details: """
      Snapshots are not used unless --snapshots says so: this is the proof that the log alone gives the state. The
      status is 0 when every digest agrees, 1 when one differs. With - as LOG, paths are read from standard input, one a
      line, and each log gets one line of JSON.
      \(PointResolver.forms)
      """,
    examples: [
      .init("replay my-log", "prove the log"),
      .init("replay my-log --snapshots", "how long does opening take?"),
      .init("replay - < paths.txt", "many logs, one line of JSON for each"),
    ],
    arguments: [.readLogs],
    options: [.to, ReplayCommand.snapshots, .model],
    blocking: { context in try ReplayCommand(context: context).run() }
  )
}

/// `replay`: one fold with every check, and its report.
private struct ReplayCommand {
  static let snapshots = CommandOption.flag("snapshots", letter: "s", "begin at the newest snapshot that fits")

  let context: CommandContext

  func run() throws -> ExitStatus {
    if context.isForManyLogs {
      return try context.forEachPath { path in try replay(path, asJSON: true) }
    }
    return try replay(context.logPath(), asJSON: context.isJSON)
  }

  private func replay(_ path: String, asJSON: Bool) throws -> ExitStatus {
    let history = try context.openHistory(path)
    let revision = try context.revision(of: .to, in: history.reader)
    let progress = context.progress("replaying", unit: .actions)
    var options = context.replayOptions(progress)
    options.usesSnapshots = context.arguments.has(Self.snapshots)
    options.checksDigests = true
    let start = context.environment.uptime()
    let rebuilt = try history.state(at: revision, options: options)
    let duration = context.environment.uptime() - start
    try progress.finish()
    if asJSON {
      try context.output.json(json(rebuilt, of: history.reader, duration: duration))
    } else {
      try context.output.lines(page(rebuilt, of: history.reader, duration: duration))
      if let damage = rebuilt.report.damage { throw ToolFailure(damage) }
    }
    for refusal in rebuilt.report.snapshotsRefused { try context.warn(refusal.description) }
    let isSound = rebuilt.report.divergences.isEmpty && rebuilt.report.damage == nil
    return isSound ? .success : .negative
  }

  private func page(_ rebuilt: RebuiltState, of reader: LogReader, duration: Duration) -> [String] {
    let report = rebuilt.report
    let style = context.output.style
    let verdict =
      if report.damage != nil {
        style.red("the log is damaged behind it")
      } else {
        report.divergences.isEmpty ? style.green("agrees") : style.red("differs")
      }
    var table = TextTable([.left, .left])
    let actions = HumanText.count(report.actionsFolded, "action")
    let rate =
      report.actionsFolded > 0 && duration > .zero
      ? " (\(HumanText.count(Int(Double(report.actionsFolded) / (duration / .seconds(1))))) actions/s)" : ""
    table.append(["from", report.snapshotsLoaded > 0 ? "the snapshot at \(report.startRevision)" : "the first action"])
    table.append([
      "folded", "\(actions), \(HumanText.bytes(report.bytesRead)) read in \(HumanText.duration(duration))\(rate)",
    ])
    table.append(["digests", digests(report)])
    table.append(["state", "sha-256 \(rebuilt.digest.hexadecimal)"])
    var lines = [
      style.bold(TerminalText.escaping(reader.header.model))
        + " at revision \(rebuilt.revision): \(verdict)"
    ]
    lines += table.lines(indent: 2)
    lines += report.divergences.map { divergence in style.red("  ! ") + divergence.description }
    return lines
  }

  private func digests(_ report: ReplayReport) -> String {
    if report.digestsChecked == 0 { return "none in this stretch" }
    let agreeing = report.digestsChecked - report.divergences.count
    return "\(HumanText.count(agreeing)) of \(HumanText.count(report.digestsChecked)) agree"
  }

  private func json(_ rebuilt: RebuiltState, of reader: LogReader, duration: Duration) -> JSONValue {
    let report = rebuilt.report
    let microseconds = duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
    return [
      "log": .string(reader.path), "model": .string(reader.header.model), "revision": .integer(rebuilt.revision),
      "sha256": .string(rebuilt.digest.hexadecimal), "fromRevision": .integer(report.startRevision),
      "actionsFolded": .integer(report.actionsFolded), "bytesRead": .integer(report.bytesRead),
      "microseconds": .integer(Int(microseconds)), "digestsChecked": .integer(report.digestsChecked),
      "divergences": .array(
        report.divergences.map { divergence in
          [
            "revision": .integer(divergence.revision), "recorded": .string(divergence.recorded.hexadecimal),
            "computed": .string(divergence.computed.hexadecimal), "lastAgreement": .integer(divergence.lastAgreement),
            "byOtherReducer": .bool(divergence.isByOtherReducer),
          ]
        }),
      "damage": report.damage.map { damage in .string(damage.description) } ?? .null,
    ]
  }
}
