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
    guard let first = try lines.next(), let unit = Self.unit(first) else { return }
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

  /// Returns the start of the unfinished unit that has the line at an offset; `nil` if that line is in no unit, or in a complete one.
  ///
  /// - Parameter start: An offset at which a line begins that is in no unit.
  static func start(
    ofUnfinishedUnitAt byteOffset: Int, in file: SourceFile, from start: Int
  ) throws(LogError) -> Int? {
    var lines = RecordLines(file, from: start, to: byteOffset, chunkBytes: LineScanner.defaultChunkBytes)
    var last: (byteOffset: Int, end: Int)?
    while let line = try lines.next() {
      guard line.parsed.isControl, let unit = unit(line) else { continue }
      last = (line.byteOffset, line.parsed.revision + unit.actions)
    }
    guard let last else { return nil }
    return try UnitLines(file, at: last.byteOffset).isComplete ? nil : last.byteOffset
  }

  private static func unit(_ line: RecordLines.Record) -> UnitRecord? {
    do throws(LineFault) { return try UnitRecord(line.parsed, line.bytes) } catch { return nil }
  }
}

extension LogHead {
  /// Whether the line that begins at an offset of a segment was durable, so that its unit is complete.
  package func confirms(_ byteOffset: Int, of segment: Int) -> Bool {
    self.segment > segment || self.segment == segment && byteOffset < bytes
  }
}
