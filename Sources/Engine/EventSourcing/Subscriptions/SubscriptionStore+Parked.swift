public import ActionLog

extension SubscriptionStore {
  /// Enough for tens of thousands of parked actions. If a handler fails more often, it must be corrected.
  private static let parkedLimitBytes = 64 << 20

  /// Reads the parked actions of a subscription, and those that its consumer is to deliver again.
  ///
  /// - Returns: The actions by revision. Of an action that was parked twice, the last one. Lines that a crash truncated are ignored:
  ///   their actions were not parked, and the position is before them.
  /// - Throws: `LogError` if the files cannot be read.
  /// - Complexity: O(length of the files).
  public func parked(_ name: String) throws(LogError) -> (parked: [ParkedAction], waiting: [ParkedAction]) {
    (try readParked(parkedPath(name)), try readParked(retryPath(name)))
  }

  /// Lets the consumer of a subscription deliver its parked actions again, now or when it starts.
  ///
  /// - Returns: The number of those actions.
  /// - Throws: ``EventSourcingError/Code/unknownSubscription``; `LogError` with code `exists` if an earlier request is not completed.
  public func retryParked(_ name: String) throws -> Int {
    try checkExists(name)
    let parked = try readParked(parkedPath(name))
    guard !parked.isEmpty else { return 0 }
    do throws(FileSystemError) {
      try fileSystem.renameWithoutReplacing(parkedPath(name), to: retryPath(name))
      try fileSystem.syncDirectory(path)
    } catch {
      guard error.code == .exists else {
        throw failure(error, "parked actions cannot be delivered again", parkedPath(name))
      }
      throw LogError(
        .exists, "earlier parked actions of '\(name)' still wait to be delivered again", path: retryPath(name),
        advice: "A consumer delivers them when it starts, and then the others can follow.", underlying: error)
    }
    return parked.count
  }

  /// The actions that the consumer is to deliver again.
  func actionsToRetry(_ name: String) throws(LogError) -> [ParkedAction] { try readParked(retryPath(name)) }

  /// Replaces the actions to deliver again. Only the holder of the lock may call it.
  func setActionsToRetry(_ actions: [ParkedAction], _ name: String) throws(LogError) {
    guard actions.isEmpty else {
      return try replace(retryPath(name), with: actions.flatMap(\.bytes), "parked actions cannot be stored")
    }
    do throws(FileSystemError) {
      try fileSystem.remove(retryPath(name))
      try fileSystem.syncDirectory(path)
    } catch {
      throw failure(error, "parked actions cannot be removed", retryPath(name))
    }
  }

  /// Adds a parked action durably. Only the holder of the lock may call it.
  ///
  /// - Throws: `LogError` with code `beyondLimit` if the file is full, `noSpace` or `inputOutput`.
  func park(_ action: ParkedAction, _ name: String) throws(LogError) {
    let path = parkedPath(name)
    do throws(FileSystemError) {
      let isNew = try fileSystem.status(of: path) == nil
      let file = try fileSystem.open(path, for: isNew ? .create : .append)
      defer { file.close() }
      let size = try file.size()
      // After a line that a crash truncated, a new line begins.
      let isCut = size > 0 ? try file.bytes(at: size - 1, count: 1) != [0x0A] : false
      let line = (isCut ? [0x0A] : []) + action.bytes
      guard size + line.count <= Self.parkedLimitBytes else {
        throw FileSystemError(code: .fileTooLarge, operation: "append", path: path)
      }
      try file.append(line)
      try file.sync(.data)
      // Also for an existing file: an earlier call may have failed after it created the file.
      try fileSystem.syncDirectory(self.path)
    } catch {
      throw failure(error, "action \(action.revision) cannot be parked", path)
    }
  }

  private func readParked(_ path: String) throws(LogError) -> [ParkedAction] {
    let bytes: [UInt8]
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil else { return [] }
      bytes = try fileSystem.contents(of: path, limitBytes: Self.parkedLimitBytes)
    } catch {
      // The file may have been renamed since.
      if error.code == .notFound { return [] }
      throw failure(error, "the parked actions cannot be read", path)
    }
    var actions: [Int: ParkedAction] = [:]
    for line in bytes.split(separator: 0x0A) {
      guard let action = ParkedAction(parsing: Array(line) + [0x0A]) else { continue }
      actions[action.revision] = action
    }
    return actions.values.sorted { one, other in one.revision < other.revision }
  }
}
