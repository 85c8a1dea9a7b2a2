/// The existing lines of a unit, from its `@unit` record on.
package struct UnitLines {
  /// The offset after the last line of the unit that is valid.
  package private(set) var end: Int
  /// Whether all actions of the unit are there.
  package private(set) var isComplete = false
  /// Whether a complete line follows that is not the unit's next action. Otherwise its writer may be about to write it.
  package private(set) var isBroken = false

  /// Reads a unit.
  ///
  /// - Parameter byteOffset: The offset of the `@unit` line.
  /// - Complexity: O(length of the unit).
  package init(_ file: SourceFile, at byteOffset: Int) throws(LogError) {
    var lines = RecordLines(file, from: byteOffset)
    end = byteOffset
    guard let first = try lines.next(), let unit = first.unit else { return }
    end = first.end
    var (rest, last) = (unit.actions, first.parsed.crc)
    while rest > 0 {
      guard let line = try lines.next() else {
        // At the end of the file, the writer may be about to write the rest. What it has written since is no part of this answer.
        isBroken = lines.fault.map { fault in fault != .unfinished } ?? false
        return
      }
      guard !line.parsed.isControl, line.parsed.prev == last else {
        isBroken = true
        return
      }
      (rest, last, end) = (rest - 1, line.parsed.crc, line.end)
    }
    isComplete = true
  }
}

extension LogHead {
  /// Whether the line that begins at an offset of a segment was durable, so that its unit is complete.
  package func confirms(_ byteOffset: Int, of segment: Int) -> Bool {
    self.segment > segment || self.segment == segment && byteOffset < bytes
  }
}
