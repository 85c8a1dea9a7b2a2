import ActionLog

/// Counts per stretch of time. The stretches grow as the times spread, so that there are never many.
struct TimeBuckets: Sendable {
  /// Lengths that people think in, in seconds, from a second to 52 weeks; each is a multiple of the one before.
  private static let lengths: [Int64] = [
    1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800, 2_419_200, 31_449_600,
  ]
  /// What fits on a screen below the rest of the page.
  private static let limit = 24

  private(set) var counts: [Int64: Int] = [:]
  private var level = 0

  /// Seconds per bucket.
  var lengthSeconds: Int64 { Self.lengths[level] }

  mutating func add(_ time: LogTime) {
    counts[bucket(of: time.microseconds / 1_000_000), default: 0] += 1
    while spread > Self.limit, level < Self.lengths.count - 1 { coarsen() }
  }

  /// How many buckets there are from the first to the last, empty ones included.
  private var spread: Int64 {
    guard let low = counts.keys.min(), let high = counts.keys.max() else { return 0 }
    return high - low + 1
  }

  private func bucket(of second: Int64) -> Int64 {
    second >= 0 ? second / lengthSeconds : (second + 1) / lengthSeconds - 1
  }

  private mutating func coarsen() {
    let old = counts
    let oldLength = lengthSeconds
    level += 1
    counts = [:]
    for (index, count) in old { counts[bucket(of: index * oldLength), default: 0] += count }
  }

  /// The buckets in order, empty ones included; at most a screen of them.
  var rows: [(start: LogTime, count: Int)] {
    guard let low = counts.keys.min(), let high = counts.keys.max(), high - low < 1_000 else { return [] }
    return (low...high).map { index in
      (start: LogTime(microseconds: index * lengthSeconds * 1_000_000), count: counts[index] ?? 0)
    }
  }
}

/// A bar for each stretch of time.
struct TimeChart {
  private static let barColumns = 40

  let lines: [String]

  init(_ buckets: TimeBuckets, style: Style) {
    let rows = buckets.rows
    let most = rows.map(\.count).max() ?? 0
    guard rows.count > 1, most > 0 else {
      lines = []
      return
    }
    var table = TextTable([.left, .right, .left])
    for row in rows {
      let start = row.start.description
      let label =
        buckets.lengthSeconds >= 86_400 ? start.prefix(10) : start.prefix(10) + " " + start.dropFirst(11).prefix(8)
      let columns = row.count == 0 ? 0 : max(1, row.count * Self.barColumns / most)
      table.append([
        .init(String(label), paint: style.dim), .init(HumanText.count(row.count)),
        .init(String(repeating: "█", count: columns), paint: style.cyan),
      ])
    }
    lines = table.lines(indent: 2)
  }
}
