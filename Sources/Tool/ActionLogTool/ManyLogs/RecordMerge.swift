import ActionLog
import EventSourcing
import TimeTravel

/// The selected records of many logs, merged by time.
///
/// The order is that of the recorded times; records of one log keep the order of their revisions, also if a clock was set back, and
/// equal times are in the order of the logs' paths. A record therefore has the position of the latest time in its log so far.
///
/// One log is open at a time, and opened again for its next records, so that any number can be merged. Memory is bounded by
/// ``memoryLimitBytes`` for all logs together.
package struct RecordMerge {
  /// The size of the records that are read ahead, without the overhead of their values.
  private static let memoryLimitBytes = 64 << 20
  /// The size of the records that are read ahead from one log: less would open a log too often, more would bring nothing.
  private static let readAheadBytes = (least: 4 << 10, most: 1 << 20)
  /// A log takes about 2 KiB before its first record is read.
  static let logLimit = 100_000

  private var streams: [RecordStream] = []
  private var heap = MergeHeap()
  /// The errors that were found since they were last taken.
  private var failures: [(path: String, error: any Error)] = []
  private(set) var bytesRead = 0
  private(set) var totalBytes = 0

  init(_ paths: [String], selection: (String) throws -> (LogReader, ActionSelection)) throws {
    guard paths.count <= Self.logLimit else {
      throw ToolFailure(
        "beyondLimit", .limit, "more than \(HumanText.count(Self.logLimit)) logs cannot be merged",
        advice: "Name folders inside the directory, or use 'each'.")
    }
    for path in paths {
      do {
        let (reader, selection) = try selection(path)
        totalBytes += reader.sizeBytes
        streams.append(try RecordStream(path, reader, selection))
      } catch let failure as ToolFailure where failure.codeName == "usage" {
        // It concerns the command line, and not this log.
        throw failure
      } catch {
        failures.append((path, error))
      }
    }
    // One record of each log: most logs may not be needed for a long time.
    for index in streams.indices { fill(index, bytes: 1) }
  }

  mutating func next() throws -> LoggedRecord? {
    guard let top = heap.first else { return nil }
    let index = top.order
    let record = streams[index].removeFirst()
    if streams[index].isEmpty {
      let share = Self.memoryLimitBytes / max(1, heap.count)
      fill(index, bytes: min(max(share, Self.readAheadBytes.least), Self.readAheadBytes.most))
    } else if let key = streams[index].nextKey {
      heap.replaceFirst(with: MergeHeap.Entry(microseconds: key, order: index))
    }
    return LoggedRecord(record: record, path: streams[index].path, header: streams[index].header)
  }

  /// Returns the errors of logs that cannot be read, or of their damage after the intact records, each once.
  mutating func takeFailures() -> [(path: String, error: any Error)] {
    guard !failures.isEmpty else { return [] }
    defer { failures = [] }
    return failures
  }

  var endings: [LogEnding] { streams.compactMap(\.ending) }

  /// Reads records of a log ahead, and updates its entry in the heap.
  private mutating func fill(_ index: Int, bytes: Int) {
    let before = streams[index].bytesRead
    do { try streams[index].fill(bytes: bytes) } catch {
      streams[index].end()
      failures.append((streams[index].path, error))
    }
    bytesRead += streams[index].bytesRead - before
    let key = streams[index].nextKey.map { key in MergeHeap.Entry(microseconds: key, order: index) }
    if heap.first?.order == index {
      if let key { heap.replaceFirst(with: key) } else { heap.removeFirst() }
    } else if let key {
      heap.insert(key)
    }
  }
}

private struct RecordStream {
  let path: String
  private let reader: LogReader
  var header: LogHeader { reader.header }
  private let range: PointRange
  /// The filter of the records; `nil` if they are selected by their revisions.
  private let selection: ActionSelection?
  /// The matching revisions, if the selection reads states; ascending.
  private let revisions: [Int]?
  private var nextMatch = 0

  /// The position to continue at: the last action that was read, and the number of records from it on.
  private var position = (revision: 0, count: 0)
  private var isAtEnd = false
  private(set) var bytesRead = 0
  private var ahead: ArraySlice<(record: LogRecord, key: Int64)> = []
  private var latest = Int64.min
  private(set) var ending: LogEnding?

  /// The number of revisions that conditions on states may select in a log: 80 MB.
  private static let matchLimit = 10_000_000
  /// The number of bytes of a read for a few records.
  private static let smallChunkBytes = 16 << 10

  init(_ path: String, _ reader: LogReader, _ selection: ActionSelection) throws {
    (self.path, self.reader, range) = (path, reader, selection.range)
    // A fold cannot be interrupted and continued, so its answer is kept as revisions.
    guard selection.readsStates else {
      (self.selection, revisions) = (selection, nil)
      return
    }
    var matches: [Int] = []
    let outcome = try selection.forEach("reading") { record in
      guard matches.count < Self.matchLimit else {
        throw ToolFailure(
          "beyondLimit", .limit,
          "the condition on the state selects more than \(HumanText.count(Self.matchLimit)) actions",
          path: path, advice: "Name a range with --from and --to, or ask this log alone.")
      }
      matches.append(record.revision)
      return true
    }
    (self.selection, revisions) = (nil, matches)
    ending = outcome.ending
    pendingDamage = outcome.damage
  }

  /// The damage that ended a fold, reported after the records before it.
  private var pendingDamage: (any Error)?

  var isEmpty: Bool { ahead.isEmpty }
  /// The key of the next record: the latest time of the log up to it, in microseconds.
  var nextKey: Int64? { ahead.first?.key }

  mutating func removeFirst() -> LogRecord { ahead.removeFirst().record }

  /// Reads records until those ahead have a size, or the range ends.
  ///
  /// - Throws: The damage, after all records before it were taken; an error of opening or reading.
  mutating func fill(bytes: Int) throws {
    guard ahead.isEmpty else { return }
    if let damage = failure {
      failure = nil
      throw damage
    }
    guard !isAtEnd else { return }
    if let revisions, nextMatch == revisions.count { return try finish() }
    var cursor = try open(chunkBytes: max(bytes, Self.smallChunkBytes))
    // Records that are selected by their revisions are all read.
    let screen = selection?.filter.screen(upTo: range.last) ?? LineScreen { [] }
    defer { bytesRead += cursor.bytesRead }
    var size = 0
    var taken: [(record: LogRecord, key: Int64)] = []
    defer { ahead = taken[...] }
    while size < bytes {
      let record: LogRecord?
      let excludedCount = screen.excludedCount
      do { record = try cursor.next(unless: screen) } catch {
        isAtEnd = true
        // Damage after the range does not concern it.
        guard cursor.lastLink?.revision ?? 0 < range.last else { return }
        if taken.isEmpty { throw error }
        failure = error
        return
      }
      guard let record, record.revision <= range.last else {
        if record == nil { ending = cursor.ending }
        return try finish()
      }
      if record.isControl, screen.excludedCount > excludedCount {
        // It follows an excluded action.
        position = (record.revision, 2)
      } else if record.isControl || position.revision == record.revision {
        position.count += 1
      } else {
        position = (record.revision, 1)
      }
      guard record.revision >= range.first, try isSelected(record) else { continue }
      latest = max(latest, record.time.microseconds)
      taken.append((record, latest))
      size += record.rawLine.count
      if let revisions, nextMatch == revisions.count {
        return try finish(isLast: false)
      }
    }
  }

  /// The error to report once the records ahead are taken.
  private var failure: (any Error)?

  private mutating func isSelected(_ record: LogRecord) throws -> Bool {
    guard let revisions else { return try selection?.matches(record) ?? true }
    guard !record.isControl, nextMatch < revisions.count, revisions[nextMatch] == record.revision else { return false }
    nextMatch += 1
    return true
  }

  private mutating func finish(isLast: Bool = true) throws {
    end()
    guard let damage = pendingDamage else { return }
    pendingDamage = nil
    if isLast { throw damage }
    failure = damage
  }

  mutating func end() { isAtEnd = true }

  private func open(chunkBytes: Int) throws -> RecordCursor {
    let isBeginning = position.count == 0
    let start = isBeginning ? revisions?.first ?? range.first : position.revision
    var cursor = try reader.records(from: start, chunkBytes: chunkBytes)
    for _ in 0..<position.count { _ = try cursor.next() }
    return cursor
  }
}

struct MergeHeap {
  struct Entry: Comparable {
    var microseconds: Int64
    var order: Int

    static func < (left: Entry, right: Entry) -> Bool {
      left.microseconds == right.microseconds ? left.order < right.order : left.microseconds < right.microseconds
    }
  }

  private var entries: [Entry] = []

  var first: Entry? { entries.first }
  var count: Int { entries.count }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0, entries[child] < entries[(child - 1) / 2] {
      entries.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Replaces the first entry. The heap must not be empty.
  mutating func replaceFirst(with entry: Entry) {
    entries[0] = entry
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count && entries[child] < entries[least] {
        least = child
      }
      guard least != parent else { return }
      entries.swapAt(parent, least)
      parent = least
    }
  }

  mutating func removeFirst() {
    let last = entries.removeLast()
    if !entries.isEmpty { replaceFirst(with: last) }
  }
}
