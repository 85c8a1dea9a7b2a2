internal import JSONCoding
internal import Platform

/// The `@prune` record: the beginning of the log was removed, or was put back.
///
/// It precedes the first action of its segment, so that the beginnings of segments show all such records.
package struct PruneRecord: ControlRecord, Equatable, Sendable {
  package struct Base: Equatable, Sendable {
    package var revision: Int
    /// The SHA-256 digest of the file: 64 hexadecimal digits.
    package var sha256: String
    /// The digest of the state in canonical form.
    package var state: String

    package init(revision: Int, sha256: String, state: String) {
      (self.revision, self.sha256, self.state) = (revision, sha256, state)
    }
  }

  package struct Segment: Equatable, Sendable {
    package var first: Int
    package var lineCount: Int
    /// The SHA-256 digest of the file: 64 hexadecimal digits.
    package var sha256: String

    package init(first: Int, lineCount: Int, sha256: String) {
      (self.first, self.lineCount, self.sha256) = (first, lineCount, sha256)
    }
  }

  package static var controlType: ControlType { .prune }

  package var reason: String
  /// The first action of the log from here on; 1 if the segments were put back.
  package var first: Int
  /// The index of the log's first line, counted from 0.
  package var lineCount: Int
  /// The index of the newest `@redact` record before the log's first line: the snapshots from before that redaction are known by it.
  /// `nil` if there is none.
  package var redaction: Int?
  /// The base; `nil` if the segments were put back.
  package var base: Base?
  /// The segments that were removed or put back; none if the log was made from another one, with its base.
  package var segments: [Segment]
  /// The directory that holds the segments; `nil` if they were deleted.
  package var archive: String?

  package init(
    reason: String, first: Int, lineCount: Int, redaction: Int? = nil, base: Base?, segments: [Segment],
    archive: String?
  ) {
    (self.reason, self.first, self.lineCount, self.redaction) = (reason, first, lineCount, redaction)
    (self.base, self.segments, self.archive) = (base, segments, archive)
  }

  package func data() -> [UInt8] {
    var object: JSONObject = [
      "reason": .string(reason), "first": .number(JSONNumber(first)), "lines": .number(JSONNumber(lineCount)),
    ]
    object["redact"] = redaction.map { index in .number(JSONNumber(index)) }
    object["base"] = base.map { base in
      ["seq": .number(JSONNumber(base.revision)), "sha256": .string(base.sha256), "state": .string(base.state)]
    }
    object["segments"] = .array(
      segments.map { segment in
        [
          "first": .number(JSONNumber(segment.first)), "lines": .number(JSONNumber(segment.lineCount)),
          "sha256": .string(segment.sha256),
        ]
      })
    object["archive"] = archive.map(JSONValue.string)
    return JSONValue.object(object).bytes()
  }
}

extension PruneRecord {
  /// Creates the record of a new log that begins with the base of the log that it is made of.
  package init(inheriting base: LogBase, reason: String = "the log that this one was made of begins there") {
    self.init(
      reason: reason, first: base.first, lineCount: base.lineCount,
      base: Base(
        revision: base.revision, sha256: SHA256.hexadecimal(base.bytes), state: SHA256.hexadecimal(base.state)),
      segments: [], archive: nil)
  }

  /// Returns the records since the log last had its first action, oldest first. Those in segments that were removed later are missing.
  package static func sinceRestoring(_ changes: [ChangeRecord]) -> [PruneRecord] {
    let records = changes.compactMap { change in PruneRecord(change.record) }
    let restoring = records.lastIndex { record in record.base == nil } ?? -1
    return Array(records[(restoring + 1)...])
  }

  /// Reads a `@prune` record of a log.
  ///
  /// - Returns: `nil` if a member is missing or invalid.
  package init?(_ record: LogRecord) {
    guard record.controlType == .prune else { return nil }
    do { try self.init(JSONTape(parsing: record.dataBytes).root) } catch { return nil }
  }

  private init(_ root: JSONTape.Node) throws(RecordMemberError) {
    reason = try root.text("reason")
    first = try root.number("first", from: 1)
    lineCount = try root.number("lines", from: 0)
    redaction = root["redact"] == nil ? nil : try root.number("redact", from: 0)
    archive = root["archive"] == nil ? nil : try root.text("archive")
    if let member = root["base"] {
      base = Base(
        revision: try member.number("seq", from: 1), sha256: try member.sha256("sha256"),
        state: try member.sha256("state"))
      guard base?.revision == first - 1 else { throw RecordMemberError("base") }
    } else {
      guard first == 1 else { throw RecordMemberError("base") }
    }
    segments = []
    var elements = root["segments"]?.elements.makeIterator()
    while let element = elements?.next() {
      segments.append(
        Segment(
          first: try element.number("first", from: 1), lineCount: try element.number("lines", from: 1),
          sha256: try element.sha256("sha256")))
    }
  }
}

extension JSONTape.Node {
  /// Returns the digest member with a name: 64 lower-case hexadecimal digits.
  fileprivate func sha256(_ name: String) throws(RecordMemberError) -> String {
    let text = try text(name)
    guard text.utf8.count == 64,
      text.utf8.allSatisfy({ byte in (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte) })
    else { throw RecordMemberError(name) }
    return text
  }
}

extension LogReader {
  package struct Pruning: Sendable {
    package var record: PruneRecord
    package var revision: Int
    /// Whether it is the last record of the log, so that the pruning was not finished.
    package var isLastRecord: Bool
    /// The checksum of its line, which identifies the record.
    var checksum: UInt32
  }

  package struct Beginning: Equatable, Sendable {
    let first: Int
    let pruning: UInt32?
  }

  package func beginning() throws(LogError) -> Beginning {
    Beginning(first: try listing().base?.first ?? 1, pruning: try lastPruning()?.checksum)
  }

  /// Returns the newest record of a pruning; `nil` if there is none, and for a single segment.
  package func lastPruning() throws(LogError) -> Pruning? {
    for change in try changes().changes.reversed() {
      guard let record = PruneRecord(change.record) else { continue }
      return Pruning(
        record: record, revision: change.record.revision, isLastRecord: change.isLastRecord,
        checksum: change.record.crc)
    }
    return nil
  }

  /// The directories that the segments before the log were archived to, as far as its records tell.
  package func archives() throws(LogError) -> [String] {
    var archives: [String] = []
    for archive in PruneRecord.sinceRestoring(try changes().changes).compactMap(\.archive)
    where !archives.contains(archive) { archives.append(archive) }
    return archives
  }

  /// Checks that a record names the base of the log: a `@prune` record, or the record of a redaction that is not complete.
  package func checkBaseIsRecorded() throws(LogError) {
    guard let base = try listing().base else { return }
    let digest = SHA256.hexadecimal(base.bytes)
    let changes = try changes().changes
    if PruneRecord.sinceRestoring(changes).contains(where: { record in record.base?.sha256 == digest }) { return }
    if let last = changes.last, last.isLastRecord, last.record.controlType == .redact,
      RedactRecord(data: last.record.dataBytes)?.base?.digest == digest
    {
      return
    }
    throw LogError(
      .damaged, "no @prune record names this base.json", path: path + "/" + LogFormat.baseName,
      intact: "The actions after it are not affected.",
      advice: "Restore base.json from a backup, or put the archived segments back: \(.restoringArchive).")
  }

  /// Returns a sentence on where the beginning of the log is; `nil` if no record says so, or it cannot be read.
  package func pruningAdvice() -> MessageText? {
    let pruning: Pruning?
    // The advice belongs to another error.
    do throws(LogError) { pruning = try lastPruning() } catch { return nil }
    guard let record = pruning?.record, record.base != nil else { return nil }
    guard !record.segments.isEmpty else { return "The log was made from another one, which begins there." }
    guard let archive = record.archive else { return "Its segments were deleted." }
    do throws(LogError) {
      let all = try archives()
      if all.count > 1 {
        return .sentences(
          "Its segments were archived to \(PrunedLog.list(all)).",
          "Copied to one directory, \(.restoringArchive) puts them back.")
      }
    } catch {
      // The newest record is enough.
    }
    return "Its segments were archived to '\(archive)'; \(.restoringArchive) puts them back."
  }
}
