import Platform

/// A seeded generator of random numbers for tests: the generator of the engine.
package struct SeededGenerator: RandomNumberGenerator, Sendable {
  private var generator: SplitMix64

  /// Creates a generator. Print the seed if a test fails.
  package init(seed: UInt64) {
    generator = SplitMix64(seed: seed)
  }

  /// Returns the next number.
  package mutating func next() -> UInt64 { generator.next() }
}
