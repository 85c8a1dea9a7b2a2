import ActionLog
import Platform

/// The consumers that follow the logs of a set. They are not kept alive.
final class LogSetFollowers: Sendable {
  private struct Follower: Sendable {
    weak var changes: LogSetChanges?
  }

  private let followers = Locked<[Follower]>([])

  func add(_ changes: LogSetChanges) {
    followers.withLock { followers in
      followers.removeAll { follower in follower.changes == nil }
      followers.append(Follower(changes: changes))
    }
  }

  /// Notes that a writer has synced a log. Does not block.
  func note(_ key: String, _ revision: Int) {
    let followers = followers.withLock { followers in followers }
    guard !followers.isEmpty else { return }
    let key = LogSetKey(key)
    for follower in followers { follower.changes?.note(key, revision) }
  }
}

/// The changes of the logs of a set that a consumer has not taken yet.
final class LogSetChanges: Sendable {
  struct Change: Sendable {
    var synced: [LogSetKey: Int] = [:]
    var mustCheck = false

    var isEmpty: Bool { synced.isEmpty && !mustCheck }
  }

  private struct Contents: Sendable {
    var change = Change()
    var isEnded = false
    var cancelTimer: (@Sendable () -> Void)?
  }

  private let contents = Locked(Contents())
  private let signal = WakeSignal()

  func note(_ key: LogSetKey, _ revision: Int) {
    contents.withLock { contents in contents.change.synced[key] = max(revision, contents.change.synced[key] ?? 0) }
    signal.notify()
  }

  func requestCheck() {
    contents.withLock { contents in contents.change.mustCheck = true }
    signal.notify()
  }

  func requestCheck(after delay: Duration, _ schedule: LogEnvironment.Schedule) {
    guard !contents.withLock({ contents in contents.isEnded }) else { return }
    let cancel = schedule(delay) { [weak self] in self?.requestCheck() }
    let isEnded = contents.withLock { contents in
      if !contents.isEnded { contents.cancelTimer = cancel }
      return contents.isEnded
    }
    if isEnded { cancel() }
  }

  /// Waits for changes, and takes them; `nil` at the end, or if the task is canceled.
  func next() async -> Change? {
    while true {
      let (change, isEnded) = contents.withLock { contents in
        defer { contents.change = Change() }
        return (contents.change, contents.isEnded)
      }
      if isEnded || Task.isCancelled { return nil }
      if !change.isEmpty { return change }
      await signal.wait()
    }
  }

  func end() {
    let cancel = contents.withLock { contents in
      contents.isEnded = true
      return contents.cancelTimer
    }
    cancel?()
    signal.notify()
  }
}

/// The end of a log as its files show it, without reading its actions.
struct LogSetMark: Equatable, Sendable {
  var key: LogSetKey
  /// The contents of `HEAD`; `nil` if there are none.
  var head: LogHead?
  /// The length of the last segment; `nil` if it is unknown. It grows with actions that are not synced.
  var segmentBytes: Int?
  /// Whether the files could not be inspected. Reading the log reports the reason.
  var isUnknown = false
}

/// The ends of all logs of a set by their paths.
struct LogSetMarks: Sendable {
  var marks: [String: LogSetMark] = [:]
  /// The first error of a directory that could not be listed. Its logs keep their marks.
  var failure: LogError?
}

extension LogSetFolder {
  /// Returns the ends of all logs. Blocks.
  func marks(after known: LogSetMarks) throws(LogError) -> LogSetMarks {
    var found = LogSetMarks()
    for location in try locations() {
      let path = location.path
      if let failure = location.failure {
        // A file in the place of a log is reported by the summaries.
        guard failure.code != .notALog else { continue }
        found.failure = found.failure ?? failure
        for (log, mark) in known.marks where log.hasPrefix(path + "/") { found.marks[log] = mark }
        continue
      }
      let key: LogSetKey
      if let mark = known.marks[path] {
        key = mark.key
      } else {
        guard let text = try self.key(at: location) else { continue }
        key = LogSetKey(text)
      }
      do throws(FileSystemError) { found.marks[path] = try mark(of: key, at: path) } catch {
        found.marks[path] = LogSetMark(key: key, isUnknown: true)
      }
    }
    return found
  }

  private func mark(of key: LogSetKey, at path: String) throws(FileSystemError) -> LogSetMark {
    var mark = LogSetMark(key: key)
    let headPath = path + "/" + LogFormat.headName
    if try fileSystem.status(of: headPath) != nil {
      mark.head = LogHead(parsing: try fileSystem.contents(of: headPath, limitBytes: LogFormat.headSizeBytes))
    }
    // It is only a hint, so a log may have none.
    let named = mark.head == nil ? try fileSystem.names(in: path).compactMap(SegmentName.first).max() : nil
    guard let segment = mark.head?.segment ?? named else { return mark }
    mark.segmentBytes = try fileSystem.status(of: path + "/" + SegmentName.text(first: segment))?.sizeBytes
    return mark
  }

  /// Whether a subscription may have something to deliver in a log. Opens only its position. Blocks.
  ///
  /// - Parameters:
  ///   - isNew: Whether the end of the log has changed since the last check.
  ///   - trustsPosition: Whether the stored position is that of the subscription. The handler may store another one.
  func hasNews(_ mark: LogSetMark, at path: String, of subscription: String, isNew: Bool, trustsPosition: Bool) -> Bool
  {
    // A directory without `HEAD` and segments is not a log yet.
    guard mark.isUnknown || mark.head != nil || mark.segmentBytes != nil else { return false }
    let store = SubscriptionStore(at: path, fileSystem: fileSystem)
    do {
      if try store.hasActionsToRetry(subscription) { return true }
      guard isNew else { return false }
      guard trustsPosition, let head = mark.head, mark.segmentBytes == head.bytes,
        let position = try store.read(subscription)?.position, position.revision == head.revision
      else { return true }
      // `HEAD` is a hint: after a crash it can be that of an earlier segment.
      let next = path + "/" + SegmentName.text(first: head.revision + 1)
      return try head.segment <= head.revision && fileSystem.status(of: next) != nil
    } catch {
      // The delivery reports it.
      return true
    }
  }
}

/// A key, compared by its bytes: to Swift, the two normal forms of `é` are equal, and their logs are not.
struct LogSetKey: Hashable, Comparable, Sendable {
  let bytes: [UInt8]

  init(_ key: String) { bytes = Array(key.utf8) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  static func < (one: LogSetKey, other: LogSetKey) -> Bool { one.bytes.lexicographicallyPrecedes(other.bytes) }
}
