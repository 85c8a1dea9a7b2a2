/// Room for the suites of generated code, and for what several of them need.
enum DirectSuite {
  /// The seeds of property tests; a failure names the one that it was found with.
  static let seeds: [UInt64] = [1, 2, 3, 4]
}
