import SampleSupport

/// Random numbers that come again for the same seed, on every platform and for ever.
///
/// They are drawn outside the reducer, which must be deterministic, and go into actions as finished values.
public struct SeededRandomGenerator: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// Makes a generator; equal seeds give equal numbers.
  public init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  /// The next 64 bits.
  public mutating func next() -> UInt64 { generator.next() }

  // The standard library's `random(in:using:)` may choose otherwise in a later version.

  /// A number from 0 up to, not including, `bound`, which is at least 1.
  mutating func next(below bound: Int) -> Int { generator.next(below: bound) }

  /// A number of a range, in steps of a 1 000th.
  mutating func seconds(in range: ClosedRange<Int>) -> Duration {
    .milliseconds(1_000 * range.lowerBound + next(below: 1_000 * (range.upperBound - range.lowerBound) + 1))
  }
}
