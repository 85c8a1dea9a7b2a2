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
      Projections that this tool does not know are listed by their folder. The status is 1 if there are none.
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
    blocking: { context in try ProjectionsCommand(context: context).run() }
  )
}

/// `projections`: lists the projections of a log with their snapshots, and rebuilds them.
private struct ProjectionsCommand {
  static let rebuild = CommandOption.value("rebuild", "NAME", "fold NAME again from the first action").writing

  let context: CommandContext

  /// A projection that the tool knows, or that has a folder.
  private struct Row {
    var name: String
    /// The version in the tool; without code, that of the newest snapshot.
    var version: Int?
    /// The revision of the newest usable snapshot; `nil` if its code is unknown, or its folder cannot be read.
    var revision: Int?
    var lag: Int?
    var snapshotCount: Int
    var sizeBytes: Int
    var isKnown: Bool
    var remark: String?
    /// The reason why its snapshots cannot be listed.
    var error: String?
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
    let known = context.projections(of: reader)
    let directory = reader.path + "/" + LogFormat.projectionsName
    if known.isEmpty, let failure = SnapshotStore.obstacle(at: directory, context.files) { throw failure }
    var rows = try known.map { projection in try row(of: projection, reader, last, in: directory) }
    for folder in try ProjectionFolder.all(at: reader.path, fileSystem: context.files)
    where !known.contains(where: { projection in projection.identity.name == folder.name }) {
      var row = Row(
        name: folder.name, snapshotCount: 0, sizeBytes: 0, isKnown: false, remark: "not known to this tool")
      // One unreadable folder must not hide the others.
      do throws(LogError) { try add(folder, to: &row) } catch { row.error = "\(error)" }
      rows.append(row)
    }
    return rows.sorted { first, second in first.name < second.name }
  }

  /// The row of a projection that the tool knows.
  private func row(
    of projection: any ProjectionHandle, _ reader: LogReader, _ last: Int, in directory: String
  ) throws -> Row {
    let identity = projection.identity
    let folder = ProjectionFolder(at: reader.path, name: identity.name, fileSystem: context.files)
    var row = Row(
      name: folder.name, version: identity.version, snapshotCount: 0, sizeBytes: 0, isKnown: true)
    do throws(LogError) {
      for path in [directory, directory + "/" + folder.name] {
        if let failure = SnapshotStore.obstacle(at: path, context.files) { throw failure }
      }
      row.snapshotCount = try folder.snapshots.revisions().count
      row.sizeBytes = try folder.sizeBytes()
    } catch {
      row.error = "\(error)"
      return row
    }
    let history = try projection.history(of: reader, fileSystem: context.files, unknownTypes: context.unknownTypes)
    let (revision, refusals) = try history.newestSnapshotRevision(options: ReplayOptions())
    row.revision = revision ?? 0
    row.lag = max(0, last - (revision ?? 0))
    row.remark = row.snapshotCount == 0 ? "no snapshots" : nil
    if let refusal = refusals.first {
      row.remark = "\(HumanText.count(refusals.count, "snapshot")) not used: \(refusal.message)"
    }
    return row
  }

  /// Adds the snapshots of a projection whose code the tool does not have.
  private func add(_ folder: ProjectionFolder, to row: inout Row) throws(LogError) {
    let revisions = try folder.snapshots.revisions()
    row.snapshotCount = revisions.count
    row.sizeBytes = try folder.sizeBytes()
    guard let newest = revisions.last else { return }
    do throws(SnapshotRefusal) { row.version = try folder.snapshots.read(at: newest).projection?.version } catch {
      row.remark = "not known to this tool; \(error.message)"
    }
  }

  private func table(_ rows: [Row]) -> TextTable {
    let style = context.output.style
    var table = TextTable([.left, .right, .right, .right, .right, .left])
    if !rows.isEmpty {
      let names = ["name", "version", "revision", "lag", "size", "remark"]
      table.append(names.map { name in .init(name, paint: style.dim) })
    }
    for row in rows {
      let remark = row.error.map { error in TextTable.Cell("error: " + error, paint: style.red) }
      table.append([
        .init(row.name, paint: style.bold), .init(row.version.map { version in "\(version)" } ?? "-"),
        .init(row.revision.map { revision in "\(revision)" } ?? "-"),
        .init(row.lag.map { lag in HumanText.count(lag) } ?? "-"),
        .init(HumanText.bytes(row.sizeBytes)), remark ?? .init(row.remark ?? "", paint: style.dim),
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
    object["error"] = row.error.map(JSONValue.string)
    return object
  }
}
