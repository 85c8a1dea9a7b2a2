import JSONCoding

/// Decides which removed element of an array became which added one.
///
/// Of all pairings that keep the order, the one is taken whose pairs have most in common, then the one with the most
/// pairs: an element that was inserted beside one that changed does not make both of them look rewritten.
enum ElementPairing {
  /// Above this many possible pairs, elements are paired in order of their places.
  private static let tableLimit = 10_000

  /// Returns pairs of places, rising in both sequences.
  ///
  /// - Complexity: O(size + *n* · *m* · members) for *n* · *m* up to the limit, O(min(*n*, *m*)) beyond it.
  static func pairs(_ old: ArraySlice<JSONValue>, _ new: ArraySlice<JSONValue>) -> [(old: Int, new: Int)] {
    let (pairCount, overflow) = old.count.multipliedReportingOverflow(by: new.count)
    if overflow || pairCount > tableLimit || pairCount <= 1 {
      return Array(zip(old.indices, new.indices))
    }
    let table = scores(old.map(Signature.init), new.map(Signature.init))
    return path(through: table).map { pair in (old.startIndex + pair.old, new.startIndex + pair.new) }
  }

  /// `table[row][column]` is the best sum for the elements from `row` and from `column` on; `gain` that of the pair.
  private struct Table {
    var best: [[Int]]
    var gain: [[Int]]
  }

  private static func scores(_ old: [Signature], _ new: [Signature]) -> Table {
    let row = [Int](repeating: 0, count: new.count + 1)
    var table = Table(
      best: [[Int]](repeating: row, count: old.count + 1), gain: [[Int]](repeating: row, count: old.count))
    for (oldPlace, signature) in old.enumerated().reversed() {
      for (newPlace, other) in new.enumerated().reversed() {
        let gain = signature.similarity(to: other)
        table.gain[oldPlace][newPlace] = gain
        table.best[oldPlace][newPlace] = max(
          table.best[oldPlace + 1][newPlace + 1] + gain,
          table.best[oldPlace + 1][newPlace],
          table.best[oldPlace][newPlace + 1]
        )
      }
    }
    return table
  }

  private static func path(through table: Table) -> [(old: Int, new: Int)] {
    var pairs: [(old: Int, new: Int)] = []
    var (old, new) = (0, 0)
    while old < table.gain.count, new < table.best[old].count - 1 {
      let best = table.best[old][new]
      if best == table.best[old + 1][new + 1] + table.gain[old][new] {
        pairs.append((old, new))
        (old, new) = (old + 1, new + 1)
      } else if best == table.best[old + 1][new] {
        old += 1
      } else {
        new += 1
      }
    }
    return pairs
  }

  /// What an element is made of: hashes of its members or elements. A collision costs a worse pairing, nothing else.
  private struct Signature {
    private let parts: [Int]

    init(_ value: JSONValue) {
      switch value {
      case .null, .bool, .number, .string: parts = []
      case .array(let elements): parts = elements.map(\.hashValue).sorted()
      case .object(let object):
        parts = object.map { member in JSONValue.object([member.name: member.value]).hashValue }.sorted()
      }
    }

    /// One for being a pair at all, and much more for every part in common.
    func similarity(to other: Signature) -> Int {
      var common = 0
      var (left, right) = (parts[...], other.parts[...])
      while let one = left.first, let two = right.first {
        if one == two { common += 1 }
        if one <= two { left.removeFirst() }
        if two <= one { right.removeFirst() }
      }
      return 1 + 4 * common
    }
  }
}
