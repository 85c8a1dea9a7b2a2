import ActionLog
import EventSourcing
import JSONCoding
import TerminalUI

extension Command {
  static let projections = Command(
    "projections",
    group: .care,
    summary: "list the projections of a log, or rebuild one",
    details: """
      A projection is a second state, folded from the same actions, with a version and snapshots of its own in LOG/projections.
      Columns: name, version, revision of the newest usable snapshot, lag (actions after it), size of the snapshots, and a remark.
      Projections that this tool does not know are listed by their folder. The status is 1 if there are none.
      '--projection NAME' of state, diff, blame, until, bisect, tui and others asks about the state of a projection.
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
    blocking: { context in try ProjectionsCommand(context: context).run() }
  )
}

/// `projections`: lists the projections of a log with their snapshots, and rebuilds them.
private struct ProjectionsCommand {
  static let rebuild = CommandOption.value("rebuild", "NAME", "fold NAME again from the first action")

  let context: CommandContext

  /// A projection that the tool knows, or that has a folder.
  private struct Row {
    var name: String
    /// The version in the tool; without code, that of the newest snapshot.
    var version: Int?
    /// The revision of the newest usable snapshot; `nil` if its code is unknown.
    var revision: Int?
    var lag: Int?
    var snapshotCount: Int
    var sizeBytes: Int
    var isKnown: Bool
    var remark: String?
  }

  func run() throws -> ExitStatus {
    let path = try context.logPath()
    let reader = try context.openCompleteLog(path, toRead: "projections")
    if let name = context.arguments.value(of: Self.rebuild) { return try rebuild(name, of: reader) }
    let rows = try rows(of: reader)
    if context.isJSON {
      for row in rows { try context.output.json(.object(json(row))) }
    } else {
      try context.output.lines(table(rows).lines())
    }
    if rows.isEmpty { try context.note("no projections") }
    return rows.isEmpty ? .negative : .success
  }

  private func rebuild(_ name: String, of reader: LogReader) throws -> ExitStatus {
    let projection = try context.projection(named: name, of: reader)
    let history = try projection.history(of: reader, fileSystem: context.files, unknownTypes: context.unknownTypes)
    let progress = context.progress("replaying", unit: .actions)
    let taken = try history.rebuildSnapshots(
      time: context.environment.logEnvironment.now(), options: context.replayOptions(progress))
    try progress.finish()
    if context.isJSON {
      try context.output.json([
        "name": .string(name), "version": .integer(projection.identity.version), "revision": .integer(taken.revision),
        "path": .string(taken.path), "bytes": .integer(taken.sizeBytes),
      ])
    } else {
      try context.output.line(
        "\(name): revision \(taken.revision), \(TerminalText.escaping(taken.path)), \(HumanText.bytes(taken.sizeBytes))"
      )
    }
    return try context.status(.success, of: reader, upTo: nil)
  }

  private func rows(of reader: LogReader) throws -> [Row] {
    let last = try reader.extent().lastRevision
    let folders = try ProjectionFolder.all(at: reader.path, fileSystem: context.files)
    let known = context.projections(of: reader)
    var rows: [Row] = []
    for projection in known {
      let folder = ProjectionFolder(at: reader.path, name: projection.identity.name, fileSystem: context.files)
      let history = try projection.history(of: reader, fileSystem: context.files, unknownTypes: context.unknownTypes)
      let (revision, refusals) = try history.newestSnapshotRevision(options: ReplayOptions())
      let count = try folder.snapshots.revisions().count
      var remark = count == 0 ? "no snapshots" : nil
      if let refusal = refusals.first {
        remark = "\(HumanText.count(refusals.count, "snapshot")) not used: \(refusal.message)"
      }
      rows.append(
        Row(
          name: folder.name, version: projection.identity.version, revision: revision ?? 0,
          lag: max(0, last - (revision ?? 0)), snapshotCount: count, sizeBytes: try folder.sizeBytes(), isKnown: true,
          remark: remark))
    }
    for folder in folders where !known.contains(where: { projection in projection.identity.name == folder.name }) {
      rows.append(try row(of: folder))
    }
    return rows.sorted { first, second in first.name < second.name }
  }

  /// The row of a projection whose code the tool does not have.
  private func row(of folder: ProjectionFolder) throws -> Row {
    let revisions = try folder.snapshots.revisions()
    var version: Int?
    var remark = "not known to this tool"
    if let newest = revisions.last {
      do throws(SnapshotRefusal) { version = try folder.snapshots.read(at: newest).projection?.version } catch {
        remark += "; \(error.message)"
      }
    }
    return Row(
      name: folder.name, version: version, snapshotCount: revisions.count, sizeBytes: try folder.sizeBytes(),
      isKnown: false, remark: remark)
  }

  private func table(_ rows: [Row]) -> TextTable {
    let style = context.output.style
    var table = TextTable([.left, .right, .right, .right, .right, .left])
    for row in rows {
      table.append([
        .init(row.name, paint: style.bold), .init(row.version.map { version in "version \(version)" } ?? "-"),
        .init(row.revision.map { revision in "revision \(revision)" } ?? "-"),
        .init(row.lag.map { lag in "lag \(HumanText.count(lag))" } ?? "-"), .init(HumanText.bytes(row.sizeBytes)),
        .init(row.remark ?? "", paint: style.dim),
      ])
    }
    return table
  }

  private func json(_ row: Row) -> JSONObject {
    var object: JSONObject = [
      "name": .string(row.name), "version": row.version.map(JSONValue.integer) ?? .null,
      "revision": row.revision.map(JSONValue.integer) ?? .null, "lag": row.lag.map(JSONValue.integer) ?? .null,
      "snapshots": .integer(row.snapshotCount), "bytes": .integer(row.sizeBytes), "known": .bool(row.isKnown),
    ]
    object["remark"] = row.remark.map(JSONValue.string)
    return object
  }
}
