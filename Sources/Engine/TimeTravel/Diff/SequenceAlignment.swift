import Platform

/// Aligns two sequences. Elements outside the alignment were removed or added.
///
/// The elements are numbers; ``Numbering`` numbers other values. The alignment trims the common prefix and suffix and runs the
/// greedy algorithm of Myers on the rest. The cost grows with the number of edits, so the search stops at a limit. Then the
/// sequences are divided at elements that occur once in both, and each range between them is aligned separately. A range that
/// still differs too much counts as replaced: every result is correct, but not always minimal.
///
/// - SeeAlso: E. W. Myers, "An O(ND) difference algorithm and its variations", 1986; "patience diff", B. Cohen.
package struct SequenceAlignment {
  /// A range without common elements: `old` was removed and `new` was added. One of them can be empty.
  package struct Gap: Equatable, Sendable {
    package var old: Range<Int>
    package var new: Range<Int>

    package init(old: Range<Int>, new: Range<Int>) {
      self.old = old
      self.new = new
    }
  }

  package private(set) var gaps: [Gap] = []

  /// Steps of the greedy search so far.
  package private(set) var work = 0

  /// The most edits to search for: the search keeps the square of this, 8 MB.
  private static let editLimit = 1_000

  /// About the most pairs that the search of one range visits: some hundredths of a second.
  private static let workLimit = 8_000_000

  private let old: [Int]
  private let new: [Int]

  /// Aligns two sequences.
  ///
  /// - Complexity: O((*n* + *m*) · min(*d*, 1 000)) for *d* edits between sequences of *n* and *m* elements, and
  ///   O((*n* + *m*) log (*n* + *m*)) beyond that.
  package init(old: [Int], new: [Int]) {
    self.old = old
    self.new = new
    align(old.indices, new.indices, mayDivide: true)
  }

  private mutating func align(_ oldRange: Range<Int>, _ newRange: Range<Int>, mayDivide: Bool) {
    let (oldRest, newRest) = trimmed(oldRange, newRange)
    if oldRest.isEmpty || newRest.isEmpty {
      appendGap(oldRest, newRest)
    } else if let found = search(oldRest, newRest) {
      for gap in found { appendGap(gap.old, gap.new) }
    } else if mayDivide {
      divide(oldRest, newRest)
    } else {
      appendGap(oldRest, newRest)
    }
  }

  private mutating func appendGap(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
    guard !oldRange.isEmpty || !newRange.isEmpty else { return }
    if let last = gaps.last, last.old.upperBound == oldRange.lowerBound, last.new.upperBound == newRange.lowerBound {
      gaps[gaps.count - 1].old = last.old.lowerBound..<oldRange.upperBound
      gaps[gaps.count - 1].new = last.new.lowerBound..<newRange.upperBound
    } else {
      gaps.append(Gap(old: oldRange, new: newRange))
    }
  }

  private func trimmed(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> (Range<Int>, Range<Int>) {
    var (oldStart, oldEnd) = (oldRange.lowerBound, oldRange.upperBound)
    var (newStart, newEnd) = (newRange.lowerBound, newRange.upperBound)
    while oldStart < oldEnd, newStart < newEnd, old[oldStart] == new[newStart] {
      oldStart += 1
      newStart += 1
    }
    while oldStart < oldEnd, newStart < newEnd, old[oldEnd - 1] == new[newEnd - 1] {
      oldEnd -= 1
      newEnd -= 1
    }
    return (oldStart..<oldEnd, newStart..<newEnd)
  }
}

// MARK: - The greedy search

extension SequenceAlignment {
  /// Returns the gaps of a shortest edit script, or `nil` if it exceeds the limits.
  private mutating func search(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [Gap]? {
    let (n, m) = (oldRange.count, newRange.count)
    let limit = min(Self.editLimit, max(16, Self.workLimit / (n + m)), n + m)
    // `reach[k + offset]` is how far the old sequence can be consumed on the diagonal k = x - y with d edits.
    let offset = limit + 1
    var reach = [Int](repeating: 0, count: 2 * limit + 3)
    var trace: [[Int]] = []
    for edits in 0...limit {
      trace.append(Array(reach[(offset - edits)...(offset + edits)]))
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let isDown =
          diagonal == -edits || (diagonal != edits && reach[offset + diagonal - 1] < reach[offset + diagonal + 1])
        var x = isDown ? reach[offset + diagonal + 1] : reach[offset + diagonal - 1] + 1
        var y = x - diagonal
        // On a diagonal that leaves a sequence, the loop does not run.
        while x < n, y < m, old[oldRange.lowerBound + x] == new[newRange.lowerBound + y] {
          x += 1
          y += 1
          work += 1
        }
        work += 1
        reach[offset + diagonal] = x
        if x >= n, y >= m { return path(through: trace, oldRange, newRange) }
      }
    }
    return nil
  }

  /// Walks back from the end: `trace[d]` holds the reach of the diagonals -d…d before the step with d edits.
  private func path(through trace: [[Int]], _ oldRange: Range<Int>, _ newRange: Range<Int>) -> [Gap] {
    var (x, y) = (oldRange.count, newRange.count)
    var reversed: [Gap] = []
    func add(_ oldStep: Range<Int>, _ newStep: Range<Int>) {
      if let last = reversed.last, last.old.lowerBound == oldStep.upperBound,
        last.new.lowerBound == newStep.upperBound
      {
        reversed[reversed.count - 1].old = oldStep.lowerBound..<last.old.upperBound
        reversed[reversed.count - 1].new = newStep.lowerBound..<last.new.upperBound
      } else {
        reversed.append(Gap(old: oldStep, new: newStep))
      }
    }
    for edits in trace.indices.reversed() where edits > 0 {
      let reach = trace[edits]
      let diagonal = x - y
      let isDown =
        diagonal == -edits || (diagonal != edits && reach[edits + diagonal - 1] < reach[edits + diagonal + 1])
      let startX = isDown ? reach[edits + diagonal + 1] : reach[edits + diagonal - 1]
      let startY = startX - (isDown ? diagonal + 1 : diagonal - 1)
      let oldStart = oldRange.lowerBound + startX
      let newStart = newRange.lowerBound + startY
      add(oldStart..<(oldStart + (isDown ? 0 : 1)), newStart..<(newStart + (isDown ? 1 : 0)))
      (x, y) = (startX, startY)
    }
    return reversed.reversed()
  }
}

// MARK: - Dividing at unique elements

extension SequenceAlignment {
  /// Aligns the ranges between elements that occur exactly once in both sequences, in the same order.
  private mutating func divide(_ oldRange: Range<Int>, _ newRange: Range<Int>) {
    var (oldStart, newStart) = (oldRange.lowerBound, newRange.lowerBound)
    for anchor in anchors(oldRange, newRange) {
      align(oldStart..<anchor.old, newStart..<anchor.new, mayDivide: false)
      (oldStart, newStart) = (anchor.old + 1, anchor.new + 1)
    }
    align(oldStart..<oldRange.upperBound, newStart..<newRange.upperBound, mayDivide: false)
  }

  private func anchors(_ oldRange: Range<Int>, _ newRange: Range<Int>) -> [(old: Int, new: Int)] {
    let oldPlaces = uniquePlaces(of: old, in: oldRange)
    let newPlaces = uniquePlaces(of: new, in: newRange)
    let candidates = oldRange.compactMap { place -> (old: Int, new: Int)? in
      guard oldPlaces[old[place]] == place, let other = newPlaces[old[place]], other >= 0 else { return nil }
      return (place, other)
    }
    return longestRun(candidates)
  }

  /// The index of each element that occurs once; −1 for an element that occurs more often.
  private func uniquePlaces(of elements: [Int], in range: Range<Int>) -> [Int: Int] {
    var places: [Int: Int] = [:]
    for place in range {
      places[elements[place]] = places[elements[place]] == nil ? place : -1
    }
    return places
  }

  /// The longest subsequence of the candidates with rising indices in the new sequence: patience sorting.
  private func longestRun(_ candidates: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    var tops: [Int] = []
    var previous = [Int?](repeating: nil, count: candidates.count)
    for index in candidates.indices {
      let place = tops.partitioningIndex { top in candidates[top].new >= candidates[index].new }
      previous[index] = place > 0 ? tops[place - 1] : nil
      if place == tops.count { tops.append(index) } else { tops[place] = index }
    }
    var run: [(old: Int, new: Int)] = []
    var next = tops.last
    while let index = next {
      run.append(candidates[index])
      next = previous[index]
    }
    return run.reversed()
  }
}

/// Numbers values, equal values alike, so that an alignment compares numbers.
package struct Numbering<Value: Hashable> {
  private var numbers: [Value: Int] = [:]

  package init() {}

  package mutating func number(of value: Value) -> Int {
    if let number = numbers[value] { return number }
    numbers[value] = numbers.count
    return numbers.count - 1
  }
}
