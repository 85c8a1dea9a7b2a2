/// Whole lines in what reads as one line that does not check.
///
/// A damaged line feed makes one line of two, and a lost page leaves zeros and no line feed before the line behind it: each line
/// says what it always said.
enum HiddenLines {
  /// In so many places, from its end, is looked for a whole line in one that is not: a hostile one could have a million of them.
  static let limit = 8

  /// A part of a line that does not check.
  struct Stretch: Equatable {
    var range: Range<Int>
    /// Whether it is a whole line itself, without its line feed.
    var isLine: Bool
  }

  /// Takes a line apart, in order and without gaps.
  ///
  /// - Parameter bytes: A line that does not check, without its line feed.
  /// - Complexity: O(count of the bytes).
  static func stretches(of bytes: ArraySlice<UInt8>) -> [Stretch] {
    var starts: [Int] = []
    while starts.count < limit,
      let start = CommitMark.lineStart(afterLastMarkIn: bytes[..<(starts.last ?? bytes.endIndex)])
    {
      starts.append(start)
    }
    starts.append(bytes.startIndex)
    if let zero = bytes.lastIndex(of: 0), !starts.contains(zero + 1) { starts.append(zero + 1) }
    starts.sort()
    // Before each of them stands what is no line feed any more.
    let ends = starts.dropFirst().map { start in start - 1 } + [bytes.endIndex]
    var stretches: [Stretch] = []
    var noted = bytes.startIndex
    for (start, end) in zip(starts, ends) where isWhole(bytes[start..<end]) {
      if noted < start { stretches.append(Stretch(range: noted..<start, isLine: false)) }
      stretches.append(Stretch(range: start..<end, isLine: true))
      noted = end
    }
    if noted < bytes.endIndex { stretches.append(Stretch(range: noted..<bytes.endIndex, isLine: false)) }
    return stretches
  }

  private static func isWhole(_ bytes: ArraySlice<UInt8>) -> Bool {
    do throws(LineFault) {
      _ = try LineParser.parse(bytes)
      return true
    } catch {
      return false
    }
  }
}
