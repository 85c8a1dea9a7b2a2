public import ActionLog
import Dispatch

/// The subscriptions of a log: their positions, locks and parked actions, in `LOG/subscriptions`.
///
/// | file | contents |
/// |---|---|
/// | `NAME.json` | the position |
/// | `NAME.parked.jsonl` | the actions that could not be delivered |
/// | `NAME.retry.jsonl` | parked actions that the consumer delivers again, and the revisions of those that are done |
/// | `NAME.lock` | an empty directory, locked by the consumer |
///
/// The log does not depend on them, and they can be deleted. A position is replaced atomically: written to `NAME.json.new`, synced,
/// renamed, and the directory synced. So after a crash the file has the previous or the new position. All calls block; do not make them
/// on the cooperative pool.
public struct SubscriptionStore: Sendable {
  /// The path of the folder.
  public let path: String

  let log: String
  let fileSystem: any LogFileSystem
  /// The lock whose holder uses the store, and the name of its subscription; `nil` for other uses.
  private var held: (name: String, lock: any DirectoryLock)?

  /// The longest name, in bytes.
  package static let nameLimitBytes = 100
  /// The maximum number of attempts to acquire a lock while other processes remove the subscription.
  private static let lockAttemptLimit = 8
  /// The attempts to acquire a lock that another process holds: a list of subscriptions holds it for a moment.
  static let heldAttemptLimit = 4
  /// The pause between those attempts, much longer than that moment.
  static let heldPause = Duration.milliseconds(25)

  /// Creates a store for the subscriptions of a log.
  public init(at log: String, fileSystem: any LogFileSystem = POSIXFileSystem()) {
    self.log = log
    path = log + "/" + LogFormat.subscriptionsName
    self.fileSystem = fileSystem
  }

  func positionPath(_ name: String) -> String { "\(path)/\(name).json" }
  func parkedPath(_ name: String) -> String { "\(path)/\(name).parked.jsonl" }
  func retryPath(_ name: String) -> String { "\(path)/\(name).retry.jsonl" }
  private func lockPath(_ name: String) -> String { "\(path)/\(name).lock" }
}

// MARK: - Names

extension SubscriptionStore {
  /// Checks that a name can be part of file names.
  ///
  /// - Parameter name: 1 to 100 letters and digits of ASCII, `.`, `_` and `-`; the first one is a letter or digit.
  /// - Throws: `LogError.Code.invalidArgument`.
  public static func check(_ name: String) throws(LogError) {
    guard !isValid(name) else { return }
    throw LogError(
      .invalidArgument, "'\(PositionText.excerpt(name))' is not a name for a subscription",
      advice:
        "A name has 1 to \(nameLimitBytes) letters (a–z, A–Z), digits, '.', '_' and '-', and begins with a letter or digit."
    )
  }

  private static func isValid(_ name: String) -> Bool {
    func isLetterOrDigit(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard let first = name.utf8.first, isLetterOrDigit(first), name.utf8.count <= nameLimitBytes else { return false }
    return name.utf8.allSatisfy { byte in isLetterOrDigit(byte) || [0x2D, 0x2E, 0x5F].contains(byte) }
  }

  /// Returns the names of the subscriptions with a position, sorted.
  ///
  /// - Throws: `LogError` if the folder cannot be listed.
  public func names() throws(LogError) -> [String] {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: path) != nil else { return [] }
      return try fileSystem.names(in: path).compactMap { file in
        guard file.hasSuffix(".json") else { return nil }
        let name = String(file.dropLast(5))
        return Self.isValid(name) ? name : nil
      }
    } catch {
      throw failure(error, "the subscriptions cannot be listed", path)
    }
  }

  func checkExists(_ name: String) throws {
    try Self.check(name)
    let names = try names()
    guard !names.contains(name) else { return }
    let known: MessageText =
      names.isEmpty
      ? "The log has no subscriptions; its first consumer creates one."
      : "It has \(names.prefix(20).map { name in "'\(name)'" }.joined(separator: ", "))\(names.count > 20 ? ", …" : "")."
    throw EventSourcingError(.unknownSubscription, "the log has no subscription '\(name)'", path: log, advice: known)
  }
}

// MARK: - Locks

extension SubscriptionStore {
  /// Acquires the lock of a subscription without waiting, and creates what it needs.
  package func lock(_ name: String) throws(LogError) -> any DirectoryLock {
    let directory = lockPath(name)
    do throws(FileSystemError) {
      // A position is stored after this sync only.
      if try !hasPosition(name) {
        // The log may have been removed since it was opened, and another one is not created in a directory with other files.
        let names = try fileSystem.names(in: log)
        guard names.contains(where: { name in name != LogFormat.subscriptionsName && !SegmentName.isUnfinished(name) })
        else {
          throw FileSystemError(code: .notFound, operation: "opendir", path: log)
        }
        try fileSystem.createDirectoryIfMissing(path)
        // A crash may have left a folder whose name is not durable, and a position in it would be lost.
        try fileSystem.syncDirectory(log)
      }
      for _ in 0..<Self.lockAttemptLimit {
        try fileSystem.createDirectoryIfMissing(directory)
        do throws(FileSystemError) { return try fileSystem.lockPresent(directory: directory) } catch {
          guard error.code == .notFound else { throw error }
        }
      }
      throw FileSystemError(code: .notFound, operation: "flock", path: directory)
    } catch {
      guard error.code == .locked else {
        throw failure(error, "the subscription '\(name)' cannot be locked", directory)
      }
      let holder = error.holder.map { process in " (process \(process))" } ?? ""
      throw LogError(
        .locked, "another consumer holds the subscription '\(name)'\(holder)", path: path,
        advice: "One consumer at a time delivers a subscription. Wait until it ends, or use another name.",
        underlying: error)
    }
  }

  /// Returns the store for the holder of a lock: before each change, it checks that the lock still is one.
  func held(by lock: any DirectoryLock, of name: String) -> SubscriptionStore {
    var store = self
    store.held = (name, lock)
    return store
  }

  /// Checks that the log was not removed since the subscription was locked.
  ///
  /// Removing a log does not wait for its consumers. What one of them wrote then would be in the log that another process has created at
  /// the path since, and could be what the removal was to erase.
  func checkHeld() throws(LogError) {
    guard let (name, lock) = held, let identity = lock.identity else { return }
    let status: FileStatus?
    do throws(FileSystemError) { status = try fileSystem.status(of: lockPath(name)) } catch {
      throw failure(error, "the lock of the subscription '\(name)' cannot be inspected", lockPath(name))
    }
    guard status?.identity != identity else { return }
    throw LogError(
      .notFound, "the log was removed while the subscription '\(name)' delivered it", path: log,
      intact: "Nothing was stored in a log that replaces it.", advice: "Start the subscription again.",
      underlying: RemovedLog())
  }

  /// Acquires the lock, and waits if a list of subscriptions holds it for a moment. Blocks.
  func lockForChange(_ name: String) throws(LogError) -> any DirectoryLock {
    var attempt = 1
    while true {
      do throws(LogError) { return try lock(name) } catch {
        guard error.code == .locked, attempt < Self.heldAttemptLimit else { throw error }
        attempt += 1
        Self.waitForList()
      }
    }
  }

  /// Waits longer than a list holds a lock. Blocks.
  static func waitForList() {
    // Nothing signals it: the wait ends with its time.
    _ = DispatchSemaphore(value: 0).wait(timeout: .now() + (heldPause / .seconds(1)))
  }

  /// Whether a consumer holds the subscription, and its process if the system reports it.
  ///
  /// The lock is acquired for a moment to find out.
  func holder(of name: String) throws(LogError) -> (isHeld: Bool, process: Int32?) {
    do throws(FileSystemError) {
      guard try fileSystem.status(of: lockPath(name)) != nil else { return (false, nil) }
      try fileSystem.lock(directory: lockPath(name)).unlock()
      return (false, nil)
    } catch {
      switch error.code {
      case .locked: return (true, error.holder)
      case .notFound: return (false, nil)
      default: throw failure(error, "the lock of the subscription '\(name)' cannot be inspected", lockPath(name))
      }
    }
  }
}

// MARK: - Positions

extension SubscriptionStore {
  func hasPosition(_ name: String) throws(FileSystemError) -> Bool {
    try fileSystem.status(of: positionPath(name)) != nil
  }

  package func read(_ name: String) throws -> StoredPosition? {
    let path = positionPath(name)
    let bytes: [UInt8]
    do throws(FileSystemError) {
      guard try hasPosition(name) else { return nil }
      bytes = try fileSystem.contents(of: path, limitBytes: StoredPosition.limitBytes)
    } catch {
      guard error.code == .fileTooLarge, error.errorNumber == 0 else {
        throw failure(error, "the position cannot be read", path)
      }
      throw invalid("it is longer than any position", name)
    }
    guard let stored = StoredPosition(parsing: bytes) else { throw invalid("its checksum does not match", name) }
    guard stored.name == name else { throw invalid("it is that of '\(stored.name)'", name) }
    return stored
  }

  private func invalid(_ why: String, _ name: String) -> EventSourcingError {
    EventSourcingError(
      .invalidPosition, "the position of the subscription '\(name)' is damaged: \(why)", path: positionPath(name),
      intact: "Nothing was delivered, and the log is intact.",
      advice: "Decide where to continue, and set the position: \(Self.reset(name, "POINT")).")
  }

  /// Replaces a position durably. Only the holder of the lock may call it.
  ///
  /// - Throws: `LogError` with code `noSpace` or `inputOutput`. The file then has the previous position or the new one.
  package func write(_ stored: StoredPosition) throws(LogError) {
    try replace(positionPath(stored.name), with: stored.bytes, "the position cannot be stored")
  }

  func replace(_ path: String, with bytes: [UInt8], _ what: String) throws(LogError) {
    try checkHeld()
    do throws(FileSystemError) {
      try fileSystem.replaceFile(path, with: bytes, sync: .data)
    } catch {
      throw failure(error, what, path)
    }
  }

  /// Sets the position of a subscription.
  ///
  /// - Parameters:
  ///   - name: An existing subscription that no consumer holds.
  ///   - revision: The last revision that counts as handled, from 0: the next delivery is that of the following action.
  ///   - time: The time of the change, which the file of the position has.
  /// - Throws: ``EventSourcingError/Code/unknownSubscription``; `LogError` with code `locked` if a consumer holds it,
  ///   `revisionOutOfRange` for a revision that the log does not have, and as for reading the log.
  /// - Complexity: O(log(length of a segment)).
  public func reset(_ name: String, to revision: Int, time: LogTime = .now()) throws {
    try checkExists(name)
    let reader = try LogReader.open(at: log, fileSystem: fileSystem)
    let position = try SubscriptionPosition.at(revision, of: reader)
    let lock = try lockForChange(name)
    defer { lock.unlock() }
    try held(by: lock, of: name).write(StoredPosition(name: name, position: position, updated: time))
  }

  /// Removes a subscription with its parked actions.
  ///
  /// - Throws: ``EventSourcingError/Code/unknownSubscription``; `LogError` with code `locked` if a consumer holds it, or `inputOutput`.
  public func remove(_ name: String) throws {
    try checkExists(name)
    let lock = try lockForChange(name)
    defer { lock.unlock() }
    do throws(FileSystemError) {
      // The position goes last: until then, the subscription is listed and can be removed again.
      let position = positionPath(name)
      let unfinished = [position + LogFormat.newSuffix, retryPath(name) + LogFormat.newSuffix]
      for path in unfinished + [retryPath(name), parkedPath(name), position]
      where try fileSystem.status(of: path) != nil {
        try fileSystem.remove(path)
      }
      try fileSystem.syncDirectory(path)
      try fileSystem.remove(lockPath(name))
    } catch {
      throw failure(error, "the subscription '\(name)' cannot be removed", path)
    }
  }
}

// MARK: - Errors

/// The cause of the error of a consumer whose log was removed.
struct RemovedLog: Error {}

extension SubscriptionStore {
  func failure(_ error: FileSystemError, _ what: String, _ path: String) -> LogError {
    LogError(
      error.storeCode, "\(what) (\(error))", path: path,
      intact: "The log does not depend on this file. Actions past the stored position are delivered again.",
      advice: advice(on: error), underlying: error)
  }

  static func reset(_ name: String, _ point: MessageText.Operation.Word) -> MessageText.Operation {
    .operation("subscriptions", "LOG", .option("reset", "\(name)"), point)
  }

  private func advice(on error: FileSystemError) -> MessageText? {
    switch error.code {
    case .noSpace: "Free some space, and try again."
    case .permissionDenied, .readOnlyFileSystem:
      "Make '\(self.path)' and its files readable and writable for this user, and try again."
    case .notARegularFile, .notADirectory, .exists, .notEmpty:
      "'\(error.path)' is not what a subscription stores there: move it away, and try again."
    case .fileTooLarge where error.errorNumber == 0:
      "Mend the consumer, and let it deliver the parked actions again: \(.operation("subscriptions", "LOG", .option("retry", "NAME")))."
    case .notFound: "Check that '\(self.path)' exists, and try again."
    case .inputOutput where !error.isDescriptorShortage:
      "Check that '\(self.path)' and its files are readable and writable, and try again."
    // The tool has advice on the limits of the process.
    case .fileTooLarge, .locked, .inputOutput: nil
    }
  }
}
