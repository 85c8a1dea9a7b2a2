package struct LogFolder {
  package struct Segment: Equatable {
    /// The `seq` of its first action, which is its name.
    package var first: Int
    package var path: String

    package init(first: Int, path: String) { (self.first, self.path) = (first, path) }

    /// Returns the length; 0 if the path is not a file, which reading the segment reports.
    package func sizeBytes(_ fileSystem: any LogFileSystem) throws(LogError) -> Int {
      do throws(FileSystemError) {
        guard let status = try fileSystem.status(of: path) else {
          throw FileSystemError(code: .notFound, operation: "lstat", path: path)
        }
        return status.kind == .file ? status.sizeBytes : 0
      } catch {
        var failure = LogError.segment(error, "the length of the segment cannot be read", path: path)
        failure.revision = first
        failure.intact = "The other segments are not affected. Each can be read by its path."
        throw failure
      }
    }
  }

  package let path: String
  /// The segments of the log in ascending order. The last one is active.
  package private(set) var segments: [Segment] = []
  /// The segments before the base of a pruned log. They are not part of the log.
  package private(set) var outdated: [Segment] = []
  /// The base of a pruned log, after ``readBase(_:known:)``.
  private(set) var knownBase: KnownLogBase?
  /// Whether the directory has a file named like the base of a pruned log.
  package private(set) var hasBase = false
  /// Whether a pruning left a base that does not have its name yet.
  package private(set) var hasUnfinishedBase = false
  /// The paths of segments that a writer had not finished creating when it was terminated.
  package private(set) var unfinished: [String] = []
  package let names: [String]

  /// Lists a directory. ``readBase(_:known:)`` then finds the segments that are part of the log.
  package init(_ path: String, _ fileSystem: any LogFileSystem) throws(FileSystemError) {
    self.path = path
    names = try fileSystem.names(in: path)
    for name in names {
      if let first = SegmentName.first(of: name) {
        segments.append(Segment(first: first, path: path + "/" + name))
      } else if SegmentName.isUnfinished(name), try fileSystem.status(of: path + "/" + name)?.kind != .directory {
        // No writer creates a directory with such a name.
        unfinished.append(path + "/" + name)
      } else if name == LogFormat.baseName {
        hasBase = true
      } else if name == PruningEnd.unfinishedName {
        hasUnfinishedBase = true
      }
    }
    segments.sort { one, other in one.first < other.first }
  }

  package var hasHead: Bool { names.contains(LogFormat.headName) }
  package var headPath: String { path + "/" + LogFormat.headName }
  package var basePath: String { path + "/" + LogFormat.baseName }

  package var base: LogBase? { knownBase?.base }

  /// Reads the base if there is one, and removes the segments before it from the list.
  package mutating func readBase(_ fileSystem: any LogFileSystem, known: KnownLogBase? = nil) throws(LogError) {
    guard hasBase else { return }
    let found = try LogBase.read(basePath, fileSystem, known: known)
    knownBase = found
    outdated = segments.filter { segment in segment.first < found.base.first }
    segments.removeFirst(outdated.count)
  }

  /// The message about a directory that holds other files of a log and none of its segments.
  package var noSegmentMessage: String {
    guard let base else { return "the directory holds \(hasHead ? "HEAD" : "base.json") and no segment" }
    return "according to base.json the log begins with \(SegmentName.text(first: base.first)), which is missing"
  }

  /// Checks that the first segment is the one with which the log begins.
  package func checkBeginning() throws(LogError) {
    let expected = base?.first ?? 1
    guard let first = segments.first, first.first != expected else { return }
    let name = SegmentName.text(first: expected)
    throw LogError(
      .damaged,
      base == nil
        ? "the log begins with this segment, but the segments before it are missing, and so is the base.json of a pruned log"
        : "the log begins with this segment, but according to base.json with \(name), which is missing",
      path: first.path, line: 1, byteOffset: 0, revision: expected, intact: LogError.intact(from: nil, through: 0),
      advice: .sentences("Restore what is missing from a backup.", .fullReport))
  }

  /// Returns the directory that contains a path.
  package static func parent(of path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    guard let slash = trimmed.lastIndex(of: "/") else { return "." }
    return slash == trimmed.startIndex ? "/" : String(trimmed[..<slash])
  }

  package static func trimmed(_ path: String) -> String {
    var trimmed = path[...]
    while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed = trimmed.dropLast() }
    return String(trimmed)
  }
}

/// The name of a segment file: the `seq` of its first action in 16 digits, and `.jsonl`.
package enum SegmentName {
  /// As many zeros as a name has digits.
  private static let zeros = "0000000000000000"

  package static func text(first: Int) -> String {
    let digits = String(first)
    var name = String(Substring(zeros.utf8.dropFirst(digits.utf8.count)))
    name += digits
    name += LogFormat.segmentSuffix
    return name
  }

  /// Returns the first `seq` from the name of a segment; `nil` for any other name.
  package static func first(of name: String) -> Int? {
    let bytes = name.utf8
    guard bytes.count == 22, name.hasSuffix(LogFormat.segmentSuffix) else { return nil }
    var first = 0
    for byte in bytes.prefix(16) {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      // 16 digits are below 2⁶³.
      first = first * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return (1...LogFormat.revisionLimit).contains(first) ? first : nil
  }

  /// Whether a name has the form of a segment's, finished or not, but other digits than any segment's. No writer makes such a file, whole or
  /// after a crash.
  package static func isImpossible(_ name: String) -> Bool {
    var stem = name[...]
    if stem.hasSuffix(LogFormat.newSuffix) { stem = stem.dropLast(LogFormat.newSuffix.count) }
    guard stem.hasSuffix(LogFormat.segmentSuffix), first(of: String(stem)) == nil else { return false }
    let digits = stem.utf8.dropLast(LogFormat.segmentSuffix.utf8.count)
    return !digits.isEmpty && digits.allSatisfy { byte in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  }

  /// Whether a name belongs to a segment that a writer had not finished creating when it was terminated.
  package static func isUnfinished(_ name: String) -> Bool {
    name.hasSuffix(LogFormat.newSuffix)
      && first(of: String(name.dropLast(LogFormat.newSuffix.count))) != nil
  }
}
