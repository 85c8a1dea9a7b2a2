import ActionLog
import JSONCoding
import TextDisplay
import TimeTravel

extension Command {
  static let backup = Command(
    "backup",
    group: .care,
    summary: "copy a log, also while it is written to",
    details: """
      HEAD is copied first, then snapshots and segments, so that the copy holds everything that was known durable when
      the copying began. An unfinished line at the end and the quarantine are left out, and so are snapshots
      that cannot be read: each is named.
      """,
    examples: [.init("backup my-log /backup/my-log-monday", "a copy that opens like the original")],
    arguments: [.wholeLog, CommandArgument("DEST", "the directory of the copy; nothing may lie there")],
    blocking: { context in try BackupCommand(context: context).run() }
  )
}

/// `backup`: the engine's, and its report.
private struct BackupCommand {
  let context: CommandContext

  func run() throws -> ExitStatus {
    let target = try context.logPath(1)
    let report = try LogBackup.backup(context.logPath(), to: target, fileSystem: context.files)
    if context.isJSON {
      try context.output.json([
        "path": .string(target), "files": .array(report.files.map(JSONValue.string)),
        "bytes": .integer(report.sizeBytes), "unfinishedBytes": .integer(report.unfinishedBytes),
        "unreadableSnapshots": .array(report.unreadableSnapshots.map(JSONValue.string)),
      ])
    } else {
      let files = HumanText.count(report.files.count, "file")
      try context.output.line("\(TerminalText.escaping(target)): \(files), \(HumanText.bytes(report.sizeBytes))")
    }
    if report.unfinishedBytes > 0 {
      try context.remark(
        "\(HumanText.count(report.unfinishedBytes, "byte")) at the end were no whole line and were left out")
    }
    for name in report.unreadableSnapshots {
      try context.warn("\(name) cannot be read and was left out; the copy opens without it, if more slowly")
    }
    let reader = try LogReader.open(target, fileSystem: context.files)
    return try context.status(.success, of: reader, upTo: nil)
  }
}
