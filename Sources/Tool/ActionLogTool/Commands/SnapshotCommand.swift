import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

extension Command {
  static let snapshot = Command(
    "snapshot",
    group: .care,
    summary: "store the state at a point, so that later replays start there",
    details: """
      \(PointResolver.forms)
      The snapshot is written into the log's directory, next to the records. While the reducer is unchanged, deleting it costs
      only time. After a change of the reducer, snapshots of the older code hold the states that users saw, and 'freeze' needs
      them: a snapshot that matches a digest in the log is not replaced by another state.
      """,
    examples: [
      .init("snapshot my-log", "of the last state"),
      .init("snapshot my-log --at 10000", "of an earlier point that is read often"),
    ],
    arguments: [.wholeLog],
    options: [SnapshotCommand.at, .model, .projection],
    blocking: { context in try SnapshotCommand(context: context).run() }
  )
}

/// `snapshot`: replays the log and writes the state.
private struct SnapshotCommand {
  static let at = CommandOption.value("at", letter: "a", "POINT", "the point (default: the end)")

  let context: CommandContext

  func run() throws -> ExitStatus {
    let history = try context.openHistory()
    let revision = try context.revision(of: Self.at, in: history.reader)
    let progress = context.progress("replaying", unit: .actions)
    let taken = try history.writeSnapshot(
      at: revision, time: context.environment.logEnvironment.now(), options: context.replayOptions(progress))
    try progress.finish()
    if context.isJSON {
      try context.output.json([
        "revision": .integer(taken.revision), "path": .string(taken.path), "bytes": .integer(taken.sizeBytes),
      ])
    } else {
      try context.output.line(
        "revision \(taken.revision): \(TerminalText.escaping(taken.path)), "
          + HumanText.bytes(taken.sizeBytes))
    }
    return try context.status(.success, of: history.reader, upTo: revision)
  }
}
