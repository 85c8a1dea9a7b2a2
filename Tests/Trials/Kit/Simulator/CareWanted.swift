import ActionLog

/// What a copy of a log must hold, found out by comparing its bytes with those that it had before they were damaged, and by nothing
/// of the engine.
package struct CareWanted: Sendable {
  /// The values of the actions, in order.
  package var actions: [[UInt8]]
  /// The lines of actions that must lie beside the copy.
  package var setAside: [[UInt8]]

  /// Says what is wanted.
  package init(actions: [[UInt8]], setAside: [[UInt8]] = []) {
    self.actions = actions
    self.setAside = setAside
  }

  /// A segment, line by line, without line feeds.
  struct Segment {
    var path: String
    var lines: [[UInt8]]
  }

  /// Finds out what is wanted of a log.
  ///
  /// - Parameters:
  ///   - whole: What it was.
  ///   - disk: What it is.
  ///   - joins: Whether good lines from beyond the damage are to be in the copy, too.
  init(_ whole: [Segment], on disk: MemoryFileSystem, joins: Bool) throws(FileSystemError) {
    actions = []
    setAside = []
    var isBehind = false
    for segment in whole {
      let bytes = try disk.contents(of: segment.path)
      var offset = 0
      for (number, line) in segment.lines.enumerated() {
        let isThere = bytes[offset..<min(offset + line.count, bytes.count)].elementsEqual(line)
        let end = offset + line.count
        // A line whose line feed is damaged is good, and the intact part ends before it.
        if !isThere || bytes[end] != 10 { isBehind = true }
        offset = end + 1
        // The first line of a segment says whose actions they are; without it they are anybody's.
        guard isThere, number > 0, let values = Self.values(in: line) else { continue }
        if isBehind { setAside.append(line) }
        if !isBehind || joins { actions.append(values) }
      }
    }
  }

  /// The segments of the simulated log.
  static func lines(on disk: MemoryFileSystem) throws(FileSystemError) -> [Segment] {
    var segments: [Segment] = []
    for name in try disk.names(in: SimulatedLog.path).sorted() where name.hasSuffix(".jsonl") {
      let path = SimulatedLog.path + "/" + name
      segments.append(
        Segment(path: path, lines: try disk.contents(of: path).split(separator: 10).map { line in Array(line) }))
    }
    return segments
  }

  /// The values of an action: from the first `{"n":` to the brace behind it, which its text has none of.
  private static func values(in line: [UInt8]) -> [UInt8]? {
    let opening = Array(#"{"n":"#.utf8)
    guard let start = line.indices.first(where: { index in line[index...].starts(with: opening) }),
      let end = line[start...].firstIndex(of: UInt8(ascii: "}"))
    else { return nil }
    return Array(line[start...end])
  }
}

extension SimulatedLog {
  /// The values of the actions that can be read.
  func contents(from path: String) throws(LogError) -> [[UInt8]] {
    var records = try LogReader.open(path, fileSystem: door).records()
    var found: [[UInt8]] = []
    while let record = try records.next() {
      if !record.isControl { found.append(Array(record.dataBytes)) }
    }
    return found
  }
}
