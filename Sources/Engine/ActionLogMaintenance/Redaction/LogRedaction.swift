package import ActionLog
import EventSourcing
package import JSONCoding

/// Redacts values of a log that was made with `redactable`.
package enum LogRedaction {
  package struct Outcome: Equatable, Sendable {
    /// The numbers of the lines of the `@redact` records, usually one; none if nothing was changed.
    package var indices: [Int]
    /// The record; of several records, all that they state.
    package var record: RedactRecord
    /// The strings and numbers that were removed, and names of members that are not identifiers.
    package var removedTexts: Set<ExactName>

    /// The number of the first `@redact` record's line; `nil` if nothing was changed.
    package var index: Int? { indices.first }
  }

  /// Redacts values.
  ///
  /// The log is read and everything is checked before anything is written. A new segment is begun if the last one has an action, and
  /// begins with the `@redact` record. Digests in earlier records that are out of date are removed, too (``ObsoleteDigests``). Once
  /// the record is durable, the segments are rewritten one by one and the snapshots that may hold the values are removed. An
  /// interruption after the record leaves a log that can be read, and the next writer completes the redaction.
  ///
  /// If the record would not fit into a line, several are made and carried out, one after the other, and digests of states that change are
  /// withdrawn. An interruption between two of them leaves a log in which some of the values are redacted, and the redaction has to be
  /// repeated.
  ///
  /// - Parameters:
  ///   - isDryRun: Whether to check everything and change nothing.
  ///   - recordLimitBytes: The limit on a `@redact` record; lower than the default only in tests.
  ///   - targets: Returns the values to redact in a log. It is called again with the lock held.
  /// - Throws: `LogError`, and the errors of `targets`. The log is unchanged, or has records of a writer more, unless the error's
  ///   `intact` says that the redaction is recorded.
  package static func redact(
    at path: String, reason: String, meta: [UInt8]? = nil, isDryRun: Bool = false,
    recordLimitBytes: Int = defaultRecordLimitBytes, fileSystem: any LogFileSystem, environment: LogEnvironment,
    targets: (LogReader) throws -> [RedactionTarget]
  ) throws -> Outcome {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "redacted")
    if let meta { try LogWriter.check(meta: meta) }
    if try reader.redactionList().hasUnfinished {
      throw LogError(
        .invalidArgument, "an earlier redaction is not complete", path: reader.path,
        advice: "\(.finishingRedaction) completes it.")
    }
    try checkFolders(reader)
    let extent = try reader.extent()
    if let damage = extent.ending.damage { throw damage }
    func prepare(_ log: LogReader, _ targets: [RedactionTarget]) throws(LogError) -> PreparedRedaction {
      var prepared = try PreparedRedaction(of: log, targets)
      prepared.record.reason = reason
      return prepared
    }
    func isTooLong(_ record: RedactRecord) -> Bool {
      WriterQueue.room(for: LogDraft(record, meta: meta), isSalted: true) > recordLimitBytes
    }
    let plan = try prepare(reader, targets(reader))
    guard !plan.record.lines.isEmpty else {
      throw LogError(.invalidArgument, "no value was named", path: reader.path)
    }
    for line in plan.record.lines where isTooLong(RedactRecord(reason: reason, lines: [line])) {
      throw LogError(
        .beyondLimit, "the @redact record would be longer than \(recordLimitBytes) bytes for line \(line.index) alone",
        intact: "Nothing was changed.", advice: "Choose shorter replacements, or a shorter reason.")
    }
    if isDryRun {
      // The next writer finishes a pruning, and removes such segments.
      if try reader.lastPruning()?.isLastRecord != true { try checkOutdated(reader) }
      return Outcome(indices: [], record: plan.record, removedTexts: plan.removedTexts)
    }
    var outcome = Outcome(indices: [], record: RedactRecord(reason: reason, lines: []), removedTexts: [])
    var writer = try open(reader, extent, fileSystem, environment)
    // An error after a record was made must not be followed by another record, which would state that the redaction is complete.
    var isRecorded = false
    do {
      let locked = try LogReader.openWhole(at: path, fileSystem, toBe: "redacted")
      try checkOutdated(locked)
      // Another process may have redacted values, and changed digests, before this one had the lock.
      var batches = [try targets(locked)]
      while let batch = batches.popLast() {
        let prepared = try prepare(.openWhole(at: path, fileSystem, toBe: "redacted"), batch)
        if batch.count > 1, isTooLong(prepared.record) {
          batches += prepared.halves(of: batch).reversed()
          continue
        }
        try writer.appendNow(prepared.record, meta: meta)
        isRecorded = true
        if prepared.changesActiveSegment {
          // The segment that the writer appends to is replaced: the next writer does it before it opens the file.
          writer.abandon()
          do throws(LogError) {
            writer = try open(reader, extent, fileSystem, environment, beginsSegment: false)
          } catch {
            throw RedactionRun.incomplete(error)
          }
        } else {
          _ = try RedactionRun(
            path: writer.path, fileSystem: fileSystem, redactions: [(prepared.lineCount, prepared.record)]
          ).run()
        }
        isRecorded = false
        outcome.indices.append(prepared.lineCount)
        outcome.record.base = outcome.record.base ?? prepared.record.base
        outcome.record.lines += prepared.record.lines
        outcome.removedTexts.formUnion(prepared.removedTexts)
      }
    } catch {
      do { if isRecorded { writer.abandon() } else { try writer.closeNow() } } catch { writer.abandon() }
      throw isRecorded ? error : partial(error, outcome.indices.count)
    }
    try writer.closeNow()
    outcome.record.lines.sort { one, other in one.index < other.index }
    return outcome
  }

  /// 4 MiB: a later redaction that removes the digests of the record makes its line more than twice as long.
  package static let defaultRecordLimitBytes = LogFormat.lineLimitBytes / 4

  /// Refuses a log whose directory has segments before its base, as a program leaves them that was interrupted while it put them back:
  /// they have the values, and a redaction does not reach them. Whether they can be deleted is not known here.
  private static func checkOutdated(_ log: LogReader) throws(LogError) {
    let outdated = try LogFolder.list(log.path, log.fileSystem).outdated
    guard let first = outdated.first else { return }
    throw LogError(
      .rejected, "a segment before the base of the log is in its directory, and a redaction would not change it",
      path: first.path, intact: "Nothing was redacted.",
      advice:
        "\(.restoringArchive) puts all of them back. If there is a copy in an archive, they can be deleted: "
        + "the log does not use \(outdated.count == 1 ? "it" : "the \(outdated.count) files").")
  }

  /// Refuses a log with something else in place of a snapshot or of a directory of snapshots: a symbolic link can lead to snapshots
  /// that contain the values, and a redaction does not follow it.
  private static func checkFolders(_ log: LogReader) throws(LogError) {
    let path: String?
    do throws(FileSystemError) { path = try SnapshotFolders.obstacle(in: log.path, log.fileSystem) } catch {
      var failure = LogError.files(error, "the snapshots cannot be listed", path: error.path)
      failure.intact = "Nothing was redacted."
      throw failure
    }
    guard let path else { return }
    throw LogError(
      .rejected, "this is neither a snapshot nor a directory of snapshots", path: path, intact: "Nothing was redacted.",
      advice: "Move it away. If it is a link, also remove the snapshots in its target: they can contain the values.")
  }

  /// Adds what several records have done to an error.
  private static func partial(_ error: any Error, _ done: Int) -> any Error {
    guard done > 0, var error = error as? LogError else { return error }
    error.intact =
      "\(done) @redact records are made and carried out; the other values are still there. All records can be read."
    error.advice = "Remove the cause, and repeat the redaction."
    return error
  }

  /// Completes an interrupted redaction.
  ///
  /// - Returns: The number of the record's line in the log; `nil` if no redaction was interrupted, and nothing is changed then.
  package static func finish(
    at path: String, fileSystem: any LogFileSystem, environment: LogEnvironment
  ) throws(LogError) -> Int? {
    let reader = try LogReader.openWhole(at: path, fileSystem, toBe: "redacted")
    let redactions = try reader.redactionList()
    guard let last = redactions.entries.last, !last.isFinished else { return nil }
    let index = try redactions.index(of: last)
    let extent = try reader.extent()
    if let damage = extent.ending.damage { throw damage }
    try open(reader, extent, fileSystem, environment, beginsSegment: false).closeNow()
    return index
  }

  /// Excludes actions of a new log from the fold, because they are excluded in the log that they were copied from.
  ///
  /// - Parameter revisions: The actions, in the numbers of the new log. Nothing is done if there are none.
  static func skip(
    _ revisions: Set<Int>, at path: String, fileSystem: any LogFileSystem, environment: LogEnvironment
  ) throws(LogError) {
    guard !revisions.isEmpty else { return }
    try record(
      "excluded in the log that this one was made from", at: path, fileSystem: fileSystem, environment: environment
    ) { reader in
      try reader.lineIndices(ofActions: revisions).values.sorted().map { index in
        RedactionTarget(index: index, replacements: [], skips: true)
      }
    }
  }

  /// Names lines of a new log in a record of its own.
  ///
  /// - Parameter targets: Returns the lines.
  static func record(
    _ reason: String, at path: String, fileSystem: any LogFileSystem, environment: LogEnvironment,
    targets: (LogReader) throws -> [RedactionTarget]
  ) throws(LogError) {
    do {
      _ = try redact(
        at: path, reason: reason, fileSystem: fileSystem, environment: environment, targets: targets)
    } catch let error as LogError {
      throw error
    } catch {
      throw LogError(.inputOutput, "the lines cannot be named (\(error))", path: path)
    }
  }

  private static func open(
    _ reader: LogReader, _ extent: LogExtent, _ fileSystem: any LogFileSystem, _ environment: LogEnvironment,
    beginsSegment: Bool = true
  ) throws(LogError) -> LogWriter {
    var opener = LogOpener(maintaining: reader, extent, environment)
    opener.beginsSegment = beginsSegment
    return try opener.open()
  }
}

// MARK: - Next to the segments

extension LogRedaction {
  /// Replaces parked actions of subscriptions by the lines that the log has. The values in the log are redacted in any case.
  ///
  /// - Returns: The number of those that were redacted, and the reason why others were not, for instance that their consumer is running.
  package static func redactParked(
    at path: String, erasing texts: [String], fileSystem: any LogFileSystem
  ) throws -> (count: Int, failure: LogError?) {
    do {
      let reader = try LogReader.open(at: path, fileSystem: fileSystem)
      let store = SubscriptionStore(at: path, fileSystem: fileSystem)
      return (try store.redactParked(of: reader, erasing: texts), nil)
    } catch let error as LogError {
      return (0, error)
    }
  }

  /// The metadata of a `@redact` record.
  package static func meta(actor: String) -> [UInt8] { JSONValue.object(["actor": .string(actor)]).bytes() }

  /// Adds that the values in the log are redacted to the error of what follows.
  package static func made(_ failure: any Error) -> any Error {
    guard var error = failure as? LogError else { return failure }
    error.intact = "The redaction is recorded and carried out in the log. " + (error.intact ?? "")
    return error
  }
}

extension LogRedaction.Outcome {
  /// Redacts parked actions, and finds where erased texts are left.
  ///
  /// - Returns: The result of ``LogRedaction/redactParked(at:erasing:fileSystem:)``, the files next to the segments, by their paths within
  ///   the log's directory, and the places in the log.
  package func clean(
    at path: String, fileSystem: any LogFileSystem
  ) throws -> (parked: (count: Int, failure: LogError?), files: [String], places: ErasedTexts.Places) {
    let texts = removedTexts.map(\.text)
    let parked = try LogRedaction.redactParked(at: path, erasing: texts, fileSystem: fileSystem)
    let reader = try LogReader.open(at: path, fileSystem: fileSystem)
    return (parked, try reader.sideFiles(containing: texts), try ErasedTexts(self).places(in: reader))
  }
}
