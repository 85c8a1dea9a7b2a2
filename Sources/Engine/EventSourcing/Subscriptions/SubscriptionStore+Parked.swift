public import ActionLog
import JSONCoding

extension SubscriptionStore {
  private static let retryLimitBytes = LogFormat.subscriptionLimitBytes
  /// Each action to retry can be followed by a ``SettledAction``, whose line is shorter.
  private static let parkedLimitBytes = retryLimitBytes / 2

  /// Reads the parked actions of a subscription, and those that its consumer is to deliver again.
  ///
  /// - Returns: The actions by revision. Of an action that was parked twice, the last one. Lines that a crash truncated are ignored:
  ///   their actions were not parked, and the position is before them.
  /// - Throws: `LogError` if the files cannot be read.
  /// - Complexity: O(length of the files).
  public func parked(_ name: String) throws(LogError) -> (parked: [ParkedAction], waiting: [ParkedAction]) {
    (try readParked(parkedPath(name)) ?? [], try actionsToRetry(name) ?? [])
  }

  /// Lets the consumer of a subscription deliver its parked actions again, now or when it starts.
  ///
  /// - Returns: The number of parked actions; 0 if there are none, or if another process has just requested the same.
  /// - Throws: ``EventSourcingError/Code/unknownSubscription``; `LogError` with code `exists` if an earlier request is not completed.
  public func retryParked(_ name: String) throws -> Int {
    try checkExists(name)
    let parked = try readParked(parkedPath(name)) ?? []
    guard !parked.isEmpty else { return 0 }
    do throws(FileSystemError) {
      try fileSystem.renameWithoutReplacing(parkedPath(name), to: retryPath(name))
      try fileSystem.syncDirectory(path)
    } catch {
      switch error.code {
      case .notFound: return 0
      case .exists: throw try unfinishedRetry(name, parkedCount: parked.count, error)
      default: throw failure(error, "parked actions cannot be delivered again", parkedPath(name))
      }
    }
    return parked.count
  }

  private func unfinishedRetry(
    _ name: String, parkedCount: Int, _ error: FileSystemError
  ) throws(LogError) -> LogError {
    let waitingCount = try actionsToRetry(name)?.count ?? 0
    let waiting = waitingCount == 1 ? "1 parked action" : "\(waitingCount) parked actions"
    let more = parkedCount == 1 ? "1 more stays" : "\(parkedCount) more stay"
    return LogError(
      .exists, "\(waiting) of '\(name)' will be delivered again by an earlier request, and \(more) parked",
      path: retryPath(name), intact: "Nothing was changed.",
      advice: "A running consumer completes the earlier request at its next pause, others when they start. "
        + "Then repeat this request.", underlying: error)
  }

  /// The actions that the consumer is to deliver again; `nil` if that was not requested.
  func actionsToRetry(_ name: String) throws(LogError) -> [ParkedAction]? {
    try readParked(retryPath(name), limitBytes: Self.retryLimitBytes)
  }

  /// Notes durably that an action need not be delivered again. Only the holder of the lock may call it.
  ///
  /// - Complexity: O(1), so that many parked actions are delivered again in linear time.
  func noteSettled(_ action: ParkedAction, _ name: String) throws(LogError) {
    try checkHeld()
    do throws(FileSystemError) {
      let file = try fileSystem.open(retryPath(name), for: .append)
      defer { file.close() }
      let line = SettledAction(revision: action.revision).bytes
      try file.append(lines: line, path: retryPath(name), limitBytes: Self.retryLimitBytes, .data)
    } catch {
      throw failure(error, "the delivery of the parked action \(action.revision) cannot be noted", retryPath(name))
    }
  }

  /// Whether actions wait to be delivered again.
  func hasActionsToRetry(_ name: String) throws(FileSystemError) -> Bool {
    try fileSystem.status(of: retryPath(name)) != nil
  }

  /// Removes the actions to deliver again. Only the holder of the lock may call it.
  func removeActionsToRetry(_ name: String) throws(LogError) {
    try checkHeld()
    do throws(FileSystemError) {
      try fileSystem.remove(retryPath(name))
      try fileSystem.syncDirectory(path)
    } catch {
      throw failure(error, "parked actions cannot be removed", retryPath(name))
    }
  }

  /// Adds a parked action durably. Only the holder of the lock may call it.
  func park(_ action: ParkedAction, _ name: String) throws(LogError) {
    try checkHeld()
    let path = parkedPath(name)
    do throws(FileSystemError) {
      // `retryParked` renames the file at any time. An action that is appended after the rename is delivered again with the others.
      let file = try fileSystem.openForAppending(path)
      defer { file.close() }
      try file.append(lines: action.bytes, path: path, limitBytes: Self.parkedLimitBytes, .data)
      // Also for an existing file: an earlier call may have failed after it created the file.
      try fileSystem.syncDirectory(self.path)
    } catch {
      throw failure(error, "action \(action.revision) cannot be parked", path)
    }
  }

  private func readParked(
    _ path: String, limitBytes: Int = parkedLimitBytes
  ) throws(LogError) -> [ParkedAction]? {
    guard let lines = try parkedLines(path, limitBytes: limitBytes) else { return nil }
    var actions: [Int: ParkedAction] = [:]
    for line in lines {
      if let action = ParkedAction(parsing: line) {
        actions[action.revision] = action
      } else if let settled = SettledAction(parsing: line) {
        actions[settled.revision] = nil
      }
    }
    return actions.values.sorted { one, other in one.revision < other.revision }
  }

  /// The lines of a file of parked actions with their line feeds; `nil` if there is no file.
  private func parkedLines(_ path: String, limitBytes: Int) throws(LogError) -> [[UInt8]]? {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil else { return nil }
      return try fileSystem.contents(of: path, limitBytes: limitBytes).split(separator: 0x0A).map { line in
        Array(line) + [0x0A]
      }
    } catch {
      // The file may have been renamed since.
      if error.code == .notFound { return nil }
      throw failure(error, "the parked actions cannot be read", path)
    }
  }
}

// MARK: - Redaction

extension SubscriptionStore {
  /// Replaces the lines of parked actions whose values were redacted since by those of the log, and removes the erased texts from the
  /// stored errors of these actions. If the action was pruned, and its line or values of the base were redacted, all of its content is
  /// removed.
  package func redactParked(of reader: LogReader, erasing texts: [String]) throws -> Int {
    var count = 0
    for name in try names() {
      guard try parkedPaths(name).contains(where: { path throws(LogError) in try redacted(path, reader, texts) != nil })
      else { continue }
      let lock = try lockForChange(name)
      defer { lock.unlock() }
      // A consumer may have changed the files before it released the lock.
      count += try held(by: lock, of: name).redactParked(name, of: reader, erasing: texts)
    }
    return count
  }

  /// Redacts the parked actions of one subscription, like ``redactParked(of:erasing:)``. Only the holder of the lock may call it.
  @discardableResult
  func redactParked(_ name: String, of reader: LogReader, erasing texts: [String] = []) throws(LogError) -> Int {
    var count = 0
    for path in parkedPaths(name) {
      guard let lines = try redacted(path, reader, texts) else { continue }
      try replace(path, with: lines.bytes, "the parked actions cannot be redacted")
      count += lines.count
    }
    return count
  }

  private func parkedPaths(_ name: String) -> [String] { [parkedPath(name), retryPath(name)] }

  /// The contents of a file of parked actions with the present lines of the log, and the number of lines that differ; `nil` if none does.
  private func redacted(
    _ path: String, _ reader: LogReader, _ texts: [String]
  ) throws(LogError) -> (bytes: [UInt8], count: Int)? {
    guard let lines = try parkedLines(path, limitBytes: Self.retryLimitBytes) else { return nil }
    let redactions: LogRedactions
    do throws(LogError) { redactions = try reader.redactionList() } catch {
      // A damaged log says nothing of its redactions; 'verify' reports it.
      guard error.code == .damaged else { throw error }
      return nil
    }
    guard !redactions.isEmpty else { return nil }
    var result: (bytes: [UInt8], count: Int) = ([], 0)
    for line in lines {
      guard var action = ParkedAction(parsing: line), let present = Self.redactedLine(of: action, reader, redactions)
      else {
        result.bytes += line
        continue
      }
      result.count += 1
      guard !present.isEmpty else { continue }
      let search = JSONTextSearch(texts + present.texts(erasedFrom: action.line).map(\.text))
      var error: [UInt8] = []
      JSONText.appendString(action.error, to: &error)
      if search.isFound(in: error[...]) { action.error = "[redacted]" }
      action.line = present
      result.bytes += action.bytes
    }
    return result.count > 0 ? result : nil
  }

  /// The line that a redaction made of a parked one; empty if only removing the action erases its values, `nil` if no redaction concerns it.
  private static func redactedLine(
    of action: ParkedAction, _ reader: LogReader, _ redactions: LogRedactions
  ) -> [UInt8]? {
    do throws(LogError) {
      let record = try reader.record(at: action.revision)
      return record.isRedaction(ofLine: action.line) ? record.rawLine : nil
    } catch {
      // A log without the action says nothing of it, unless its beginning was pruned.
      guard error.code == .pruned else { return nil }
    }
    // The base was folded from the action. Once values of it are redacted, segments before it are not put back, and the action is not
    // delivered any more.
    let isConcerned = redactions.entries.contains { entry in
      entry.record.base != nil || entry.record.lines.contains { line in line.revision == action.revision }
    }
    guard isConcerned else { return nil }
    do {
      let names = try action.line.withForm().meta == nil ? ["data"] : ["data", "meta"]
      let content = names.map { name in ValueReplacement(JSONPointer([name])) }
      let line = try RedactedLine(of: action.line, replacing: content, by: nil).bytes
      return line == action.line ? nil : line
    } catch {
      // Without a salt there is no form of the line without its values.
      return []
    }
  }
}

extension LogRecord {
  /// Whether the line was made of another one by a redaction: it has another content, and the same checksum.
  func isRedaction(ofLine other: [UInt8]) -> Bool {
    guard rawLine != other,
      rawLine.suffix(ChecksumDigits.count + 2).elementsEqual(other.suffix(ChecksumDigits.count + 2))
    else { return false }
    do throws(LineForm.Fault) {
      guard case .redacted = try rawLine.withForm().kind else { return false }
      return true
    } catch {
      return false
    }
  }
}

extension [UInt8] {
  /// Returns the strings and numbers that a redaction has removed from a line to make this one.
  fileprivate func texts(erasedFrom line: [UInt8]) -> Set<ExactName> {
    do throws(LineForm.Fault) {
      guard case .redacted(let redaction) = try withForm().kind else { return [] }
      return RedactedContent.texts(of: line, at: redaction.parts.gone.map(\.pointer))
    } catch {
      return []
    }
  }
}
