import ActionLog
import JSONCoding

/// Counts over the records of a log, gathered in one pass.
struct LogStatistics {
  struct Count {
    var actions = 0
    var bytes = 0
  }

  /// A moment of the log.
  struct Moment {
    var seq: Int
    var time: LogTime
  }

  private(set) var actionCount = 0
  private(set) var controlCount = 0
  private(set) var byteCount = 0
  private(set) var first: Moment?
  private(set) var last: Moment?
  private(set) var longestGap: (duration: Duration, seq: Int)?
  private var types: [String: Count] = [:]
  /// `nil` is whoever was not named.
  private var actors: [String?: Count] = [:]
  private(set) var timesPerBucket = TimeBuckets()

  mutating func add(_ record: LogRecord) throws(JSONError) {
    // The line feed counts.
    let bytes = record.rawLine.count + 1
    byteCount += bytes
    guard !record.isControl else {
      controlCount += 1
      return
    }
    actionCount += 1
    types[record.type, default: Count()].add(bytes)
    actors[try record.actor(), default: Count()].add(bytes)
    timesPerBucket.add(record.time)
    if let last {
      let gap = Duration.microseconds(record.time.microseconds - last.time.microseconds)
      if gap > longestGap?.duration ?? .zero { longestGap = (gap, record.seq) }
    }
    last = Moment(seq: record.seq, time: record.time)
    first = first ?? last
  }

  /// From the first action to the last; not negative, though clocks can go back.
  var span: Duration {
    guard let first, let last else { return .zero }
    return .microseconds(max(0, last.time.microseconds - first.time.microseconds))
  }

  /// The types, the most frequent first, equals by name.
  var typesByCount: [(type: String, count: Count)] {
    types.map { type, count in (type: type, count: count) }
      .sorted { left, right in (right.count.actions, left.type) < (left.count.actions, right.type) }
  }

  /// Who did them, the most frequent first, equals by name; none when nobody is named anywhere.
  var actorsByCount: [(actor: String?, count: Count)] {
    guard actors.contains(where: { actor, _ in actor != nil }) else { return [] }
    return actors.map { actor, count in (actor: actor, count: count) }
      .sorted { left, right in (right.count.actions, left.actor ?? "") < (left.count.actions, right.actor ?? "") }
  }
}

extension LogStatistics.Count {
  fileprivate mutating func add(_ bytes: Int) {
    actions += 1
    self.bytes += bytes
  }
}
