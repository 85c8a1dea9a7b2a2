/// "Did you mean": the known word that a mistyped one is closest to.
package enum Suggestion {
  /// No command, option or model that people type is longer; longer words are not compared.
  private static let lengthLimit = 64

  /// The candidate with the smallest number of typing slips, if it is near enough to be meant.
  ///
  /// - Complexity: O(number of candidates × their length × the word's length).
  package static func closest(to word: String, among candidates: [String]) -> String? {
    // Another number is as far away as any: who types 3 does not mean 1.
    let isNumber = word.contains(where: \.isNumber) && !word.contains(where: \.isLetter)
    guard word.count <= lengthLimit, !isNumber else { return nil }
    let lowered = word.lowercased()
    let ranked = candidates.map { candidate in
      (candidate: candidate, distance: distance(Array(lowered), Array(candidate.lowercased())))
    }
    guard let best = ranked.min(by: { left, right in left.distance < right.distance }) else { return nil }
    if best.distance <= max(1, min(lowered.count, best.candidate.count) / 3) { return best.candidate }
    // A word that was left unfinished.
    let completions = candidates.filter { candidate in lowered.count >= 2 && candidate.lowercased().hasPrefix(lowered) }
    return completions.count == 1 ? completions[0] : nil
  }

  /// The suggestion as a sentence, for an error's advice.
  static func sentence(for word: String, among candidates: [String]) -> String? {
    closest(to: word, among: candidates).map { candidate in "Did you mean '\(candidate)'?" }
  }

  /// The number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment).
  package static func distance(_ left: [Character], _ right: [Character]) -> Int {
    var twoBack: [Int] = []
    var previous = Array(0...right.count)
    for (row, leftLetter) in left.enumerated() {
      var current = [row + 1]
      for (column, rightLetter) in right.enumerated() {
        var best = min(previous[column + 1] + 1, current[column] + 1)
        best = min(best, previous[column] + (leftLetter == rightLetter ? 0 : 1))
        if row > 0, column > 0, leftLetter == right[column - 1], left[row - 1] == rightLetter {
          best = min(best, twoBack[column - 1] + 1)
        }
        current.append(best)
      }
      twoBack = previous
      previous = current
    }
    return previous[right.count]
  }
}
