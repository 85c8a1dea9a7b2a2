/// The seeds of a property test in a few batches: a test case for every seed would cost more than what it tests.
enum Seeds {
  static let batches: Range<UInt64> = 0..<4

  /// The seeds of one batch, of `total` seeds in all.
  static func batch(_ batch: UInt64, of total: UInt64) -> Range<UInt64> {
    let size = total / UInt64(batches.count)
    return (batch * size)..<((batch + 1) * size)
  }
}
