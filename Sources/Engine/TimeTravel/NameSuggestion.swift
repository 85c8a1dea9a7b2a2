/// Finds the name that was probably meant when another one was typed.
enum NameSuggestion {
  /// At most this many names are compared: with more of them a typing mistake is not the likely reason.
  private static let candidateLimit = 10_000

  /// Longer names are only compared without regard to case: the distance costs the product of two lengths.
  private static let lengthLimit = 64

  /// More suggestions than this are noise.
  private static let suggestionLimit = 3

  /// Returns the candidates that are close to `name`, closest first, then in order of name.
  ///
  /// Close means: equal but for case, or one edit for every three characters, at least one. An edit inserts, removes or
  /// replaces a character, or swaps two neighbours.
  ///
  /// - Complexity: O(*n* · *k*²) for *n* candidates of *k* characters, bounded by the limits above.
  static func suggestions(for name: String, among candidates: some Sequence<String>) -> [String] {
    let typed = Array(name)
    let folded = name.lowercased()
    let allowed = max(1, typed.count / 3)
    var found: [(distance: Int, name: String)] = []
    for candidate in candidates.prefix(candidateLimit) where !candidate.isEmpty {
      if candidate.lowercased() == folded {
        found.append((0, candidate))
      } else if let distance = distance(typed, Array(candidate)), distance <= allowed, distance < typed.count {
        found.append((distance, candidate))
      }
    }
    found.sort { left, right in (left.distance, left.name) < (right.distance, right.name) }
    return found.prefix(suggestionLimit).map(\.name)
  }

  /// The optimal string alignment distance, or `nil` when a text is too long to compare.
  private static func distance(_ left: [Character], _ right: [Character]) -> Int? {
    guard left.count <= lengthLimit, right.count <= lengthLimit else { return nil }
    var beforeLast = [Int](repeating: 0, count: right.count + 1)
    var last = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let substitution = last[column] + (left[row] == right[column] ? 0 : 1)
        var best = min(substitution, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, beforeLast[column - 1] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
