extension Forest {
  /// Whether every share of the trees has one.
  ///
  /// The compiler (Swift 6.3.1) reports a circular reference at this loop when it describes private declarations.
  package func canBeShared(among count: Int) -> Bool {
    let bounds = (0...count).map { share in share * trees.count / count }
    for (start, end) in zip(bounds, bounds.dropFirst()) where start == end { return false }
    return true
  }
}
