import BenchmarkKit

/// Times each of many calls.
enum Stopwatch {
  /// The nanoseconds of each of so many calls.
  static func times(_ count: Int, _ body: (Int) throws -> Void) rethrows -> [Double] {
    let clock = ContinuousClock()
    var times: [Double] = []
    times.reserveCapacity(count)
    for index in 0..<count {
      let begin = clock.now
      try body(index)
      times.append((clock.now - begin).nanoseconds)
    }
    return times
  }

  /// Returns the wall-clock time of each call and the CPU time of this thread in it; the difference is waiting.
  static func timesAndWork(
    _ count: Int, _ body: (Int) throws -> Void
  ) rethrows -> (times: [Double], work: [Double]) {
    var work: [Double] = []
    work.reserveCapacity(count)
    let times = try times(count) { index in
      let begin = SystemClock.ofThread
      try body(index)
      work.append(SystemClock.ofThread - begin)
    }
    return (times, work)
  }
}

extension [Double] {
  /// Median, 99th percentile and maximum as metrics.
  var percentiles: [String: Double] {
    [
      "medianNanoseconds": median,
      "p99Nanoseconds": percentile(99),
      "maximumNanoseconds": percentile(100),
    ]
  }
}
