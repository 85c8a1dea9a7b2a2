import ActionLog
import EventSourcing
import JSONCoding
import Platform

/// The time, type and cause of every action, for counts over any range and for the effects of an action. One pass over the log fills
/// it, without a fold, and later actions are appended.
final class ActionIndex: Sendable {
  private struct Entry: Sendable {
    /// The latest time of this action and those before it, in microseconds: a clock that was set back makes no loop.
    var time: Int64
    var type: UInt16
    /// The distance back to the cause; 0 without one. One that does not fit is left out.
    var cause: UInt32
  }

  private struct Contents: Sendable {
    var before: Int
    var reached: Int
    var entries: [Entry] = []
    var types = Names()
    var latest = Int64.min
    var isReading = false
    var rollbacks = 0

    subscript(revision: Int) -> Entry { entries[revision - before - 1] }
  }

  /// Texts by numbers, with the number of actions of each.
  private struct Names: Sendable {
    private(set) var texts: [String] = []
    private(set) var counts: [Int] = []
    private var numbers: [ExactName: UInt16] = [:]

    /// The greatest number of different texts. Further ones share the last number.
    private static let limit = 65_536

    /// The numbers of some texts by the bytes of their JSON strings: most actions have one of a few types, and to decode and find the text
    /// of each took longer than to check its line.
    private var known: [NameBytes: UInt16] = [:]
    private static let knownLimit = 256
    /// Longer texts are always decoded, so that a hostile log cannot fill the memory.
    private static let knownBytes = 1_024
    private(set) var decoded = 0

    private struct NameBytes: Hashable, Sendable {
      let json: ArraySlice<UInt8>

      func hash(into hasher: inout Hasher) { json.withUnsafeBytes { bytes in hasher.combine(bytes: bytes) } }
    }

    /// - Parameter json: The bytes of a JSON string. The same bytes always have the same text.
    mutating func add(_ json: ArraySlice<UInt8>, _ text: () -> String) -> UInt16 {
      guard json.count <= Self.knownBytes else { return add(text()) }
      if let number = known[NameBytes(json: json)] {
        counts[Int(number)] += 1
        return number
      }
      let number = add(text())
      // A copy, because the slice keeps its batch alive.
      if known.count < Self.knownLimit { known[NameBytes(json: Array(json)[...])] = number }
      return number
    }

    private mutating func add(_ text: String) -> UInt16 {
      decoded += 1
      let text = InspectorText.name(text)
      let number: UInt16
      if let known = numbers[ExactName(text)] {
        number = known
      } else if texts.count < Self.limit {
        number = UInt16(texts.count)
        numbers[ExactName(text)] = number
        texts.append(text)
        counts.append(0)
      } else {
        number = UInt16(Self.limit - 1)
      }
      counts[Int(number)] += 1
      return number
    }

    mutating func remove(_ number: UInt16) { counts[Int(number)] -= 1 }

    /// The most frequent first.
    var ranking: [Int] {
      texts.indices.filter { index in counts[index] > 0 }.sorted { left, right in
        counts[left] != counts[right] ? counts[left] > counts[right] : texts[left] < texts[right]
      }
    }
  }

  /// 256 MiB. Of a longer log the newest actions are counted.
  static let limit = 16 << 20
  /// The types that a timeline distinguishes by color.
  private static let shownTypes = 8

  private let reader: LogReader
  private let contents: Locked<Contents>
  private let limit: Int

  /// - Parameter limit: Tests lower it.
  init(_ reader: LogReader, limit: Int = ActionIndex.limit) {
    self.reader = reader
    self.limit = limit
    contents = Locked(Contents(before: reader.firstRevision, reached: reader.firstRevision))
  }

  var reached: Int { contents.withLock { contents in contents.reached } }

  var count: Int { contents.withLock { contents in contents.entries.count } }

  /// Whether the oldest actions are not counted.
  var isCut: Bool { contents.withLock { contents in contents.before > reader.firstRevision } }

  /// Starts to read up to the end of the log, unless that is in progress.
  func catchUp(to tip: InspectorSource.Tip, unless isStopped: @escaping @Sendable () -> Bool) {
    let isNew = contents.withLock { contents -> Bool in
      guard !contents.isReading else { return false }
      if contents.rollbacks != tip.rollbacks {
        // A writer rolled back actions, which may have been counted.
        contents = Contents(before: reader.firstRevision, reached: reader.firstRevision, rollbacks: tip.rollbacks)
      }
      guard contents.reached < tip.last else { return false }
      contents.isReading = true
      return true
    }
    guard isNew else { return }
    BlockingWork.start { [self] in
      // Damage ends the index where it ends the log: the tip reports it.
      do { try read(to: tip.last, unless: isStopped) } catch {}
      contents.withLock { contents in contents.isReading = false }
    }
  }

  /// Lines are read in batches, and of each only the type and the metadata: the index is ready after little more than the time in which
  /// the lines are checked.
  func read(to last: Int, unless isStopped: () -> Bool = { false }) throws {
    let start = reached + 1
    guard start <= last else { return }
    var batches = try reader.batches(from: start)
    while !isStopped(), let batch = try batches.nextBatch() {
      guard try contents.withLock({ contents in try append(batch, from: start, to: last, &contents) }) else { return }
      batches.recycle(batch)
    }
  }

  /// - Returns: Whether later actions are needed.
  private func append(_ batch: RecordBatch, from first: Int, to last: Int, _ contents: inout Contents) throws -> Bool {
    for (index, entry) in batch.entries.enumerated() where !entry.isControl && entry.revision >= first {
      guard entry.revision <= last else { return false }
      contents.latest = max(contents.latest, entry.time.microseconds)
      let cause = try batch.meta(at: index).flatMap { meta in try RecordMeta.cause(in: meta) }
      let distance = cause.map { cause in entry.revision - max(0, min(cause, entry.revision)) } ?? 0
      contents.entries.append(
        Entry(
          time: contents.latest,
          type: contents.types.add(batch.bytes[entry.typeRange]) { batch.type(at: index) },
          cause: UInt32(exactly: distance) ?? 0))
      contents.reached = entry.revision
      if contents.entries.count > limit {
        // Several at once, because the others are moved.
        let count = max(1, limit / 16)
        for oldest in contents.entries.prefix(count) { contents.types.remove(oldest.type) }
        contents.before += count
        contents.entries.removeFirst(count)
      }
    }
    return contents.reached < last
  }

  /// For tests that count work: few, because most actions have one of a few types.
  var decodedTexts: Int { contents.withLock { contents in contents.types.decoded } }
}

// MARK: - Answers

extension ActionIndex {
  /// Adds the effects of a chain's action to the chain, as far as the actions are counted: O(number of actions after it).
  func addEffects(to chain: inout CausalChain, limit: Int) {
    contents.withLock { contents in
      let last = contents.before + contents.entries.count
      var revision = max(chain.revision, contents.before) + 1
      while revision <= last, chain.count < limit {
        let distance = contents[revision].cause
        if distance > 0 { chain.take(revision, cause: revision - Int(distance)) }
        revision += 1
      }
    }
  }

  /// The number of actions of each type in equal parts of a range, by time or by revision: O(length of the range).
  func density(_ query: inout InspectorQuery) throws -> JSONObject {
    let axis = try query.optionalText("axis") ?? "time"
    guard axis == "time" || axis == "revision" else { throw InspectorQuery.wrong("'axis' is 'time' or 'revision'") }
    let wanted = (from: try query.integer("from", or: 0), to: try query.integer("to", or: .max))
    let buckets = max(1, try query.integer("buckets", or: 600, upTo: InspectorLimits.buckets))
    return contents.withLock { contents in
      let ranking = contents.types.ranking
      let shown = ranking.prefix(Self.shownTypes)
      var object: JSONObject = ["axis": .string(axis)]
      let from = max(contents.before + 1, wanted.from)
      let to = min(contents.before + contents.entries.count, wanted.to)
      object["from"] = .integer(from)
      object["to"] = .integer(to)
      object["types"] = .array(shown.map { index in .string(contents.types.texts[index]) } + ["other"])
      let other = shown.count
      var columns = Array(repeating: other, count: contents.types.texts.count)
      for (column, index) in shown.enumerated() { columns[index] = column }
      guard from <= to else {
        object["first"] = []
        object["counts"] = []
        return object
      }
      let (start, end) = (contents[from].time, contents[to].time)
      object["start"] = .string(LogTime(microseconds: start).description)
      object["end"] = .string(LogTime(microseconds: end).description)
      // The times do not decrease, so that the difference fits.
      let length = axis == "time" ? UInt64(bitPattern: end &- start) : UInt64(to - from)
      let width = length / UInt64(buckets) + 1
      // The last part has the last action, so that the parts are an axis from the first to the last one.
      let used = Int(length / width) + 1
      var counts = Array(repeating: Array(repeating: 0, count: other + 1), count: used)
      var first = Array(repeating: 0, count: used)
      for revision in from...to {
        let entry = contents[revision]
        let place = axis == "time" ? UInt64(bitPattern: entry.time &- start) : UInt64(revision - from)
        let bucket = Int(place / width)
        if first[bucket] == 0 { first[bucket] = revision }
        counts[bucket][columns[Int(entry.type)]] += 1
      }
      // A part without actions leads to the next one.
      var next = to
      for bucket in first.indices.reversed() {
        if first[bucket] == 0 { first[bucket] = next } else { next = first[bucket] }
      }
      object["first"] = .array(first.map(JSONValue.integer))
      object["counts"] = .array(counts.map { count in .array(count.map(JSONValue.integer)) })
      return object
    }
  }
}
