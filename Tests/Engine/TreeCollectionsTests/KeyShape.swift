/// How the hashes of a test's keys lie.
enum KeyShape: CaseIterable, Sendable {
  /// Anywhere, as `Hasher` makes them.
  case scattered
  /// All equal.
  case equal
  /// A few different ones.
  case crowded
  /// Equal but for the last digits.
  case sharedPrefix
  /// Equal but for the first digits.
  case sharedSuffix

  /// The key of a number.
  func key(_ number: Int) -> Colliding {
    switch self {
    case .scattered: Colliding(number, digits: number.hashValue)
    case .equal: Colliding(number, digits: 7)
    case .crowded: Colliding(number, digits: (number % 5).hashValue)
    case .sharedPrefix: Colliding(number, digits: 0x1234_5678 << 32 | number % 97)
    case .sharedSuffix: Colliding(number, digits: number << (Int.bitWidth - 10))
    }
  }
}
