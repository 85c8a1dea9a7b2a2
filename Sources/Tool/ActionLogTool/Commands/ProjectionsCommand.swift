import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI

extension Command {
  static let projections = Command(
    "projections",
    group: .care,
    effect: .readsLog,
    summary: "list the projections of a log, or rebuild one",
    details: """
      A projection is a second state, folded from the same actions, with a version and snapshots of its own in LOG/projections.
      Columns: name, version, revision of the newest usable snapshot, lag (actions after it), size of the snapshots, and a remark
      or an error.
      The status is 1 if the tool knows none of the model.
      '--projection NAME' of state, diff, blame, history, find, tui and others asks about the state of a projection.
      --rebuild removes its snapshots, folds the log from the first action, and takes a new snapshot. That is never necessary:
      snapshots of another version, log or code are not used, and all of them can be deleted.
      """,
    examples: [
      .init("projections my-log", "all of them"),
      .init("projections my-log --rebuild sales-per-day", "rebuild one of them"),
      .init("state my-log --projection sales-per-day --at '1h ago'", "its state an hour ago"),
    ],
    arguments: [.wholeLog],
    options: [ProjectionsCommand.rebuild, .unknownTypes],
    schema: .anyOf(
      "A line for each projection, or the snapshot of a rebuilt one.",
      [ProjectionsCommand.row.shape.schema, ProjectionsCommand.rebuilt.schema]),
    blocking: { context in try ProjectionsCommand(context: context).run() }
  )
}

private struct ProjectionsCommand {
  static let rebuild = CommandOption.value("rebuild", "NAME", "fold NAME again from the first action").writing

  let context: CommandContext

  struct Row {
    let name: String
    let version: Int
    /// The revision of the newest usable snapshot; `nil` if the folder cannot be read.
    var revision: Int?
    var lag: Int?
    var snapshotCount = 0
    var sizeBytes = 0
    var remark: String?
    var error: String?
  }

  static let row = AnswerRow<Row>(
    help: "A line for each projection.",
    shape: .object([
      .member("name", .text, \.name), .member("version", .integer, \.version),
      .nullable("revision", .revision, \.revision), .nullable("lag", .count, \.lag),
      .member("snapshots", .count, \.snapshotCount), .member("bytes", .count, \.sizeBytes),
      .optional("remark", .text, \.remark), .optional("error", .text, \.error),
    ]),
    heading: ["name", "version", "revision", "lag", "size", "remark"],
    columns: [.left, .right, .right, .right, .right, .left], isTruncated: false
  ) { row, table, context in
    let style = context.output.style
    let remark = row.error.map { error in TextTable.Cell("error: " + error, paint: style.red) }
    try table.append([
      .init(row.name, paint: style.bold), .init(String(row.version)),
      .init(row.revision.map(String.init) ?? "-"), .init(row.lag.map { lag in HumanText.count(lag) } ?? "-"),
      .init(HumanText.bytes(row.sizeBytes)), remark ?? .init(row.remark ?? "", paint: style.dim),
    ])
  }

  static let rebuilt = AnswerShape<(identity: ProjectionIdentity, snapshot: TakenSnapshot)>.object([
    .member("name", .text, \.identity.name), .member("version", .integer, \.identity.version),
    .member("revision", .revision, \.snapshot.revision), .member("path", .file, \.snapshot.path),
    .member("bytes", .count, \.snapshot.sizeBytes),
  ])

  func run() throws -> ExitStatus {
    let path = try context.logPath()
    let reader = try context.openCompleteLog(path, toRead: "projections")
    if let name = context.arguments.value(of: Self.rebuild) { return try rebuild(name, of: reader) }
    return try context.print(rows(of: reader), as: Self.row, noneText: "no projections")
  }

  private func rebuild(_ name: String, of reader: LogReader) throws -> ExitStatus {
    let projection = try context.projection(named: name, of: reader)
    let history = try projection.history(of: reader, fileSystem: context.files, unknownTypes: context.unknownTypes)
    let taken = try context.ask { options in
      try history.rebuildSnapshots(time: context.environment.logEnvironment.now(), options: options)
    }
    try context.answer((projection.identity, taken), Self.rebuilt) {
      try context.output.line(
        "\(name): revision \(taken.revision), \(TerminalText.escaping(taken.path)), \(HumanText.bytes(taken.sizeBytes))"
      )
    }
    return try context.status(.success, of: reader, upTo: nil)
  }

  private func rows(of reader: LogReader) throws -> [Row] {
    let last = try reader.extent().lastRevision
    let known = context.projections(of: reader)
    let directory = reader.path + "/" + LogFormat.projectionsName
    if known.isEmpty, let failure = SnapshotStore.obstacle(at: directory, context.files) { throw failure }
    return try known.map { projection in
      let identity = projection.identity
      var row = Row(name: identity.name, version: identity.version)
      // One unreadable folder must not hide the others.
      do throws(LogError) { try read(directory, of: reader, into: &row) } catch {
        row.error = "\(error)"
        return row
      }
      let history = try projection.history(of: reader, fileSystem: context.files, unknownTypes: context.unknownTypes)
      let (revision, refusals) = history.newestSnapshotRevision(options: ReplayOptions())
      (row.revision, row.lag) = (revision ?? 0, max(0, last - (revision ?? 0)))
      row.remark = row.snapshotCount == 0 ? "no snapshots" : nil
      if let refusal = refusals.first {
        row.remark = "\(HumanText.count(refusals.count, "snapshot")) not used: \(refusal.message)"
      }
      return row
    }.sorted { first, second in first.name < second.name }
  }

  private func read(_ directory: String, of reader: LogReader, into row: inout Row) throws(LogError) {
    let snapshots = SnapshotStore(at: reader.path, projection: row.name, fileSystem: context.files)
    for path in [directory, snapshots.directory] {
      if let failure = SnapshotStore.obstacle(at: path, context.files) { throw failure }
    }
    (row.snapshotCount, row.sizeBytes) = (try snapshots.revisions().count, try snapshots.sizeBytes())
  }
}
