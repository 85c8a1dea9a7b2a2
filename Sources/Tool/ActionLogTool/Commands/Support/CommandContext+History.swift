import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TimeTravel

extension CommandContext {
  func openHistory() throws -> any HistoryHandle { try openHistory(logPath()) }

  func openHistory(_ path: String) throws -> any HistoryHandle { try history(of: openReader(path)) }

  /// Returns the history of an open log, with the model that it names or that `--model` names, or of the projection that
  /// `--projection` names.
  func history(of reader: LogReader) throws -> any HistoryHandle {
    if let text = environment.variables[ProgramRerun.processors], !text.isEmpty, (Int(text) ?? 0) < 1 {
      throw ToolFailure.usage("\(ProgramRerun.processors) is '\(text)', and not a number of processors, at least 1")
    }
    var history = try handle(of: reader)
    if let folder = DataFolder.cachePath(environment.variables) {
      history.derivedFiles = DerivedFiles(in: folder, fileSystem: environment.fileSystem, failure: cacheFailure)
    }
    return history
  }

  private func handle(of reader: LogReader) throws -> any HistoryHandle {
    if let name = arguments.value(of: .projection) {
      return try projection(named: name, of: reader)
        .history(of: reader, fileSystem: files, unknownTypes: unknownTypes)
    }
    return try model(of: reader).type.history(of: reader, fileSystem: files, unknownTypes: unknownTypes)
  }

  /// The revision of an option's point; `nil` for the end or without the option. `--to` can end a range anywhere, see
  /// ``PointRange``.
  func revision(of option: CommandOption, in reader: LogReader) throws -> Int? {
    guard let text = arguments.value(of: option), text != "end" else { return nil }
    let resolver = PointResolver(self, reader: reader)
    return try option == .to ? resolver.lastAction(text) : resolver.revision(text)
  }

  func pointer(of option: CommandOption) throws(ToolFailure) -> JSONPointer? {
    try arguments.value(of: option).map(pointer)
  }

  func pointer(_ text: String) throws(ToolFailure) -> JSONPointer {
    if let pointer = JSONPointer(text) { return pointer }
    throw .usage(
      "'\(text)' is not a JSON Pointer",
      advice: text.hasPrefix("/")
        ? "In a name, '~' is written as ~0 and '/' as ~1." : "It begins with '/', for instance /animals/data/Dog.")
  }

  /// - Parameter totalBytes: The number of bytes of a log that is replayed from its beginning to its end.
  func replayOptions(_ progress: ProgressLine, ofBytes totalBytes: Int? = nil) -> ReplayOptions {
    var options = ReplayOptions()
    if let count = environment.variables[ProgramRerun.processors].flatMap(Int.init) {
      options.foldLimit = min(options.foldLimit, max(1, count))
    }
    options.progress = { step in
      // A closed terminal is noticed when the result is printed.
      let share = totalBytes.map { total in Double(step.bytesRead) / Double(max(1, total)) }
      do { try progress.update(done: step.actionsFolded, total: step.actionsLimit, share: share) } catch {}
    }
    options.refused = { [refusals] refusal in
      refusals.withLock { refusals in if !refusals.contains(refusal) { refusals.append(refusal) } }
    }
    return options
  }

  /// In a damaged log the end is the last action before the damage, even if there are later snapshots, so that all
  /// commands agree.
  func replay(_ history: any HistoryHandle, to revision: Int?) throws -> RebuiltState {
    let progress = progress("replaying", unit: .actions)
    var rebuilt = try history.rebuiltState(at: revision, options: replayOptions(progress))
    if revision == nil, rebuilt.report.snapshotsLoaded > 0 {
      let extent = try history.reader.extent()
      if rebuilt.revision > extent.lastRevision, extent.ending.damage != nil {
        rebuilt = try history.rebuiltState(at: extent.lastRevision, options: replayOptions(progress))
      }
    }
    try progress.finish()
    return rebuilt
  }

  /// The status of an answer about all readable actions, or about those up to a revision.
  ///
  /// - Throws: The damage that ends the readable part, after the answer is printed: the answer does not cover
  ///   everything that was recorded.
  func status(_ status: ExitStatus, of reader: LogReader, upTo revision: Int?) throws -> ExitStatus {
    try warnOfRefusals()
    guard revision == nil, let damage = try reader.extent().ending.damage else { return status }
    throw damage
  }

  /// Throws the damage of a log if a revision comes after it: a question folds from the beginning.
  func requireReadable(_ revision: Int?, in reader: LogReader) throws(LogError) {
    guard let revision, case let extent = try reader.extent(), revision > extent.lastRevision else { return }
    if let damage = extent.ending.damage { throw damage }
  }

  /// - Throws: If there is none, the error names the existing members; if the log is damaged before its end, a warning says so.
  func value(
    at pointer: JSONPointer, of rebuilt: RebuiltState, in reader: LogReader, upTo revision: Int?
  ) throws -> JSONValue {
    do { return try rebuilt.value(at: pointer) } catch {
      if revision == nil, let damage = try reader.extent().ending.damage {
        try warn("the log can be read only up to revision \(rebuilt.revision): \(damage.text)")
      }
      throw error
    }
  }

  func warnOfRefusals() throws(ToolStreamError) { try warn(of: refusals.withLock { refusals in refusals }) }

  /// Warns of unused snapshots on one line, with the first one for each reason, once for each.
  func warn(of refusals: [SnapshotRefusal]) throws(ToolStreamError) {
    let refusals = warned.withLock { warned in
      let new = refusals.filter { refusal in !warned.contains(refusal) }
      warned += new
      return new
    }
    guard let first = refusals.first else { return }
    guard refusals.count > 1 else { return try warn(first.text) }
    try warn("\(HumanText.count(refusals.count, "snapshot")) not used: \(first.path): \(first.message) (and others)")
  }

  /// - Throws: The damage that ended the replay, if any.
  func noteReplay(_ rebuilt: RebuiltState, of history: any HistoryHandle) throws {
    let report = rebuilt.report
    try warn(of: report.snapshotsRefused)
    let start = report.snapshotsLoaded > 0 ? " on the snapshot at \(report.startRevision)" : ""
    try note(
      "revision \(rebuilt.revision) of \(history.subject), "
        + "\(HumanText.count(report.actionsFolded, "action")) folded\(start)")
    if let damage = report.damage { throw ToolFailure(damage) }
  }
}

extension ToolFailure {
  /// The error for damage that ends the readable part of a log.
  init(_ damage: LogDamage) {
    self.init("damaged", .negative, damage.text)
  }
}
