/// Which number each number became, kept as runs: as many as there are places where something is missing or added.
struct Renumbering {
  private struct Run {
    var old: Int
    var new: Int
    var count: Int
  }

  private var runs: [Run] = []

  /// Adds the next pair.
  ///
  /// A number that is not larger than those before is passed over: actions that somebody has put into another order are not found by
  /// their old numbers.
  ///
  /// - Parameters:
  ///   - old: At most `LogFormat.seqLimit`, like all numbers of a log, so that sums of two do not overflow.
  ///   - new: Larger than those before.
  mutating func append(_ old: Int, as new: Int) {
    if let last = runs.last, old < last.old + last.count { return }
    if let last = runs.last, last.old + last.count == old, last.new + last.count == new {
      runs[runs.count - 1].count += 1
    } else {
      runs.append(Run(old: old, new: new, count: 1))
    }
  }

  /// What a number became; `nil` when it is not there.
  ///
  /// - Complexity: O(log runs).
  func new(for old: Int) -> Int? {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].old <= old { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let run = runs[low - 1]
    return old - run.old < run.count ? run.new + (old - run.old) : nil
  }

  /// Whether a number lies between the first and the last, and is not there.
  func isMissing(_ old: Int) -> Bool {
    guard let first = runs.first, let last = runs.last else { return false }
    return old > first.old && old < last.old && new(for: old) == nil
  }

  /// How many numbers are missing between the first and the last.
  var missingCount: Int {
    zip(runs, runs.dropFirst()).reduce(0) { sum, pair in sum + pair.1.old - (pair.0.old + pair.0.count) }
  }
}
