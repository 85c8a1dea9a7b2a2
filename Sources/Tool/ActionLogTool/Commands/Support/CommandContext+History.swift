import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

extension CommandContext {
  /// Opens the command's log as a history, with the model that it names or that `--model` names.
  func openHistory() throws -> any HistoryHandle { try openHistory(logPath()) }

  /// Opens a log as a history, with the model that it names or that `--model` names.
  func openHistory(_ path: String) throws -> any HistoryHandle { try history(of: openReader(path)) }

  /// Returns the history of an open log, with the model that it names or that `--model` names.
  func history(of reader: LogReader) throws -> any HistoryHandle {
    try model(of: reader).history(of: reader, fileSystem: files, unknownTypes: unknownTypes)
  }

  /// The revision that an option's point means; `nil` when it is not given or is the end. `--to` ends a stretch wherever it stands,
  /// see ``PointRange``.
  func revision(of option: CommandOption, in reader: LogReader) throws -> Int? {
    guard let text = arguments.value(of: option), text != "end" else { return nil }
    let resolver = PointResolver(self, reader: reader)
    return try option == .to ? resolver.lastAction(text) : resolver.revision(text)
  }

  /// The JSON Pointer that an option holds.
  func pointer(of option: CommandOption) throws(ToolFailure) -> JSONPointer? {
    try arguments.value(of: option).map(pointer)
  }

  /// The JSON Pointer that was typed.
  func pointer(_ text: String) throws(ToolFailure) -> JSONPointer {
    if let pointer = JSONPointer(text) { return pointer }
    throw .usage("'\(text)' is not a JSON Pointer", advice: "It begins with '/', for instance /animals/data/Dog.")
  }

  /// How replays are done here: with progress on a terminal, until the command is asked to stop.
  func replayOptions(_ progress: ProgressLine) -> ReplayOptions {
    var options = ReplayOptions()
    options.progress = { step in
      // A terminal that went away is noticed when the result is printed.
      do { try progress.update(done: step.actionsFolded, total: step.actionsLimit) } catch {}
    }
    return options
  }

  /// Rebuilds a state and shows progress meanwhile.
  ///
  /// The end of a damaged log is what comes before the damage, whatever snapshots lie behind it: so every command means the same
  /// by it.
  func replay(_ history: any HistoryHandle, to revision: Int?) throws -> RebuiltState {
    let progress = progress("replaying", unit: .actions)
    var rebuilt = try history.state(at: revision, options: replayOptions(progress))
    if revision == nil, rebuilt.report.snapshotsLoaded > 0 {
      let extent = try history.reader.extent()
      if rebuilt.revision > extent.lastSeq, extent.ending.damage != nil {
        rebuilt = try history.state(at: extent.lastSeq, options: replayOptions(progress))
      }
    }
    try progress.finish()
    return rebuilt
  }

  /// The status of an answer that goes as far as a log can be read, unless it was asked for up to a revision.
  ///
  /// - Throws: The damage that the log cannot be read beyond, after the answer was printed: nobody shall take it for one about
  ///   everything that was recorded.
  func status(_ status: ExitStatus, of reader: LogReader, upTo revision: Int?) throws -> ExitStatus {
    guard revision == nil, let damage = try reader.extent().ending.damage else { return status }
    throw damage
  }

  /// Warns of snapshots that were not used: in one line, whatever their number, with the first one of each reason.
  func warn(of refusals: [SnapshotRefusal]) throws(ToolStreamError) {
    guard let first = refusals.first else { return }
    guard refusals.count > 1 else { return try warn(first.description) }
    var reasons: [(refusal: SnapshotRefusal, count: Int)] = []
    for refusal in refusals {
      if let index = reasons.firstIndex(where: { reason in reason.refusal.reason == refusal.reason }) {
        reasons[index].count += 1
      } else {
        reasons.append((refusal, 1))
      }
    }
    let parts = reasons.map { refusal, count in
      "\(refusal.path): \(refusal.message)"
        + (count > 1 ? " (and \(HumanText.count(count - 1)) for the same reason)" : "")
    }
    try warn("\(HumanText.count(refusals.count, "snapshot")) not used: " + parts.joined(separator: "; "))
  }

  /// Says from what a state was rebuilt, which snapshots were of no use, and whether more would have been there.
  ///
  /// - Throws: Damage behind the state, if that is why it is not further.
  func noteReplay(_ rebuilt: RebuiltState, of history: any HistoryHandle) throws {
    let report = rebuilt.report
    try warn(of: report.snapshotsRefused)
    let start = report.snapshotsLoaded > 0 ? " on the snapshot at \(report.startRevision)" : ""
    try note(
      "revision \(rebuilt.revision) of \(history.reader.header.model), "
        + "\(HumanText.count(report.actionsFolded, "action")) folded\(start)")
    if let damage = report.damage { throw ToolFailure(damage) }
  }
}

extension ToolFailure {
  /// Damage that ends what can be read of a log.
  init(_ damage: LogDamage) {
    self.init("damaged", .negative, damage.description)
  }
}

extension Style {
  /// The colours of the engine's own renderings.
  var tree: TextStyle { isColoured ? .ansi : .plain }
}
