package import ActionLog
package import JSONCoding

/// A value or a name of a line that contains a text, or of the state with which a pruned log begins.
package struct FoundText: Equatable, Sendable {
  /// The number of the line in the log, counted from 0; `nil` for `base.json`.
  package var index: Int?
  /// The name of the segment, and the number of the line in it, counted from 1; `nil` for `base.json`.
  package var line: String?
  /// The `seq` of the line, or the revision of the state.
  package var revision: Int
  /// The type of the record; the name `base.json`.
  package var type: String
  /// The location of the value in the record, or in the base; of a member's value if the member's name contains the text.
  package var pointer: JSONPointer
  /// Whether the name of the member contains the text, which goes only with the object that has it.
  package var isName: Bool
}

extension LogReader {
  /// Calls a closure with each record and the number of its line, until it returns `false`.
  fileprivate func forEachLine(_ body: (LogRecord, _ index: Int) throws -> Bool) throws {
    var index = try firstLineIndex()
    var records = try records(from: 0)
    while let record = try records.next(), try body(record, index) { index += 1 }
  }

  /// Finds the values in the lines of the log that contain one of some texts: strings, numbers as they are written, and names of members.
  /// Those in the state that a pruned log begins with are the first.
  package func find(anyOf texts: [String], _ body: (FoundText) throws -> Void) throws {
    let search = TextSearch(texts)
    // The base is known once the log was listed.
    _ = try firstLineIndex()
    if let base = currentBase {
      let root = try JSONTape(parsing: base.state, maximumDepth: LogFormat.depthLimit).root
      try search.visit(root, JSONPointer(["state"])) { pointer, isName in
        try body(
          FoundText(index: nil, revision: base.revision, type: LogFormat.baseName, pointer: pointer, isName: isName))
      }
    }
    try forEachLine { record, index in
      let root = try JSONTape(parsing: record.rawLine).root
      for name in ["data", "meta"] {
        guard let node = root[name] else { continue }
        try search.visit(node, JSONPointer([name])) { pointer, isName in
          try body(
            FoundText(
              index: index, line: Self.line(of: record.place), revision: record.revision, type: record.type,
              pointer: pointer, isName: isName))
        }
      }
      return true
    }
  }

  private static func line(of place: LogPlace) -> String? {
    place.line.map { line in "\(place.path.split(separator: "/").last ?? ""):\(line)" }
  }

  /// Returns the numbers of the lines of actions.
  package func lineIndices(ofActions revisions: Set<Int>) throws(LogError) -> [Int: Int] {
    guard !revisions.isEmpty else { return [:] }
    var missing = revisions
    var found: [Int: Int] = [:]
    var index = try firstLineIndex()
    var records = try records(from: 0)
    while !missing.isEmpty, let record = try records.next() {
      if !record.isControl, missing.remove(record.revision) != nil { found[record.revision] = index }
      index += 1
    }
    // Reports the revision with the range of those that the log has.
    if let revision = missing.min() { _ = try record(at: revision) }
    return found
  }

  /// Returns targets that replace digests of states.
  ///
  /// - Parameter replacement: Returns the new value of `state` in JSON; `nil` to keep the digest.
  package func digestTargets(
    from revision: Int, replacement: (_ record: LogRecord, _ digest: DigestRecord) throws -> [UInt8]?
  ) throws -> [RedactionTarget] {
    var targets: [RedactionTarget] = []
    try forEachLine { record, index in
      guard record.controlType == .digest, record.revision >= revision else { return true }
      let digest = try DigestRecord(record)
      if !digest.isWithdrawn, let json = try replacement(record, digest) {
        targets.append(
          RedactionTarget(
            index: index, replacements: [ValueReplacement(JSONPointer(["data", "state"]), with: json)]))
      }
      return true
    }
    return targets
  }

  /// Returns the files next to the segments that contain one of some texts: those in the quarantine, records past a gap, marks, parked
  /// actions and positions of subscriptions, entries in the proofs, segments before the base, and files that an interrupted program left.
  ///
  /// - Returns: The paths within the log's directory.
  package func sideFiles(containing texts: [String]) throws(LogError) -> [String] {
    let search = JSONTextSearch(texts)
    guard !search.texts.isEmpty else { return [] }
    var found: [String] = []
    let begin = try listing().base?.first ?? 1
    let names = try LogError.files("the files next to the segments cannot be read", at: path) {
      () throws(FileSystemError) in try fileSystem.names(in: path)
    }
    for name in names {
      try LogError.files("the file cannot be searched", at: "\(path)/\(name)") { () throws(FileSystemError) in
        var files: [String] = []
        let isOutdated = SegmentName.first(of: name).map { first in first < begin } ?? false
        // A cleaning of the marks that was interrupted leaves the second file.
        let marks = [LogFormat.marksName, LogFormat.marksName + LogFormat.newSuffix]
        if (marks + [LogFormat.afterGapName, PruningEnd.unfinishedName]).contains(name) || isOutdated
          || SegmentName.isUnfinished(name)
        {
          files = try self.files(at: name)
        } else if LogReader.isQuarantine(name) || name == LogFormat.subscriptionsName {
          files = try self.files(at: name, depth: 1)
        }
        for file in files where try contains(search.texts, file) { found.append(file) }
      }
    }
    return found
  }

  /// The file at a path within the log's directory, or the files in a directory there; none if there is neither.
  private func files(at name: String, depth: Int = 0) throws(FileSystemError) -> [String] {
    switch try fileSystem.status(of: path + "/" + name)?.kind {
    case .file: return [name]
    case .directory where depth > 0:
      var files: [String] = []
      for inner in try fileSystem.names(in: path + "/" + name) {
        files += try self.files(at: name + "/" + inner, depth: depth - 1)
      }
      return files
    default: return []
    }
  }

  /// Whether a name is that of a quarantine: `quarantine`, `quarantine-2`, …
  package static func isQuarantine(_ name: String) -> Bool {
    name == LogFormat.quarantineName || name.hasPrefix(LogFormat.quarantineName + "-")
  }

  private func contains(_ texts: [[UInt8]], _ name: String) throws(FileSystemError) -> Bool {
    let file = try fileSystem.open(path + "/" + name, for: .read)
    defer { file.close() }
    let longest = texts.map(\.count).max() ?? 0
    var window: [UInt8] = []
    var chunks = try FileChunks(file)
    while let bytes = try chunks.next() {
      // A text may lie across two chunks.
      window = Array(window.suffix(longest - 1)) + bytes
      if texts.contains(where: { text in JSONTextSearch.contains(text, in: window[...]) }) { return true }
    }
    return false
  }
}

/// A search for texts in the values of a record.
private struct TextSearch {
  private let texts: [[UInt8]]

  init(_ texts: [String]) { self.texts = texts.map { text in Array(text.utf8) } }

  /// Visits the values that contain the text, without descending into other kinds of values.
  func visit(
    _ node: JSONTape.Node, _ pointer: JSONPointer, _ body: (JSONPointer, _ isName: Bool) throws -> Void
  ) throws {
    switch node.kind {
    case .string: if matches(node.stringBytes() ?? []) { try body(pointer, false) }
    case .number: if matches(Array(node.bytes)) { try body(pointer, false) }
    case .bool, .null: break
    case .object:
      for (name, value) in node.members {
        let inner = pointer.appending(name.string() ?? "")
        if matches(name.stringBytes() ?? []) { try body(inner, true) }
        try visit(value, inner, body)
      }
    case .array:
      for (index, value) in node.elements.enumerated() { try visit(value, pointer.appending(index), body) }
    }
  }

  private func matches(_ bytes: [UInt8]) -> Bool {
    texts.contains { text in JSONTextSearch.contains(text, in: bytes[...]) }
  }
}
