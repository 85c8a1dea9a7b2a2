internal import JSONCoding

extension PreparedRedaction {
  /// The targets of one of several records.
  struct Part {
    var targets: [RedactionTarget] = []
    /// Whether its digests are replaced again by a later record.
    var isPreliminary = false
  }

  /// Splits the redaction so that each `@redact` record fits into a line.
  ///
  /// One record is the rule. Of several, the first ones withdraw the digests of states that will change, so that none is of a state
  /// which no replay leads to, wherever the redaction is interrupted; the last ones state the new digests.
  ///
  /// - Parameter limitBytes: The limit on a record.
  /// - Throws: ``LogError`` with code `beyondLimit` if the values in one line do not fit into a record.
  /// - Complexity: O(size of the record).
  func parts(meta: [UInt8]?, limitBytes: Int) throws(LogError) -> [Part] {
    let all = record.lines.map { line in PreparedRedaction.target(line) }
    let ofBase = record.base.map { base in RedactionTarget(index: nil, replacements: base.replacements) }
    guard room(for: record, meta) > limitBytes else { return [Part(targets: (ofBase.map { [$0] } ?? []) + all)] }
    var parts: [Part] = []
    let restated = record.lines.filter { line in restatedLines.contains(line.index) }
    let withdrawn = restated.map { line in
      var line = line
      line.replacements[0].json = PreparedRedaction.null
      return line
    }
    try append(withdrawn, isPreliminary: true, to: &parts, meta, limitBytes)
    try append(
      record.lines.filter { line in !restatedLines.contains(line.index) }, base: record.base, to: &parts, meta,
      limitBytes)
    try append(restated, to: &parts, meta, limitBytes)
    return parts
  }

  private func append(
    _ lines: [RedactRecord.Line], base: RedactRecord.Base? = nil, isPreliminary: Bool = false, to parts: inout [Part],
    _ meta: [UInt8]?, _ limitBytes: Int
  ) throws(LogError) {
    var part = RedactRecord(reason: record.reason, base: base, lines: [])
    var lines = lines[...]
    if let base, let pruning = lines.firstIndex(where: { line in PreparedRedaction.names(base, line) }) {
      // The base and the record that names it change together.
      part.lines.append(lines[pruning])
      lines.remove(at: pruning)
    }
    var size = room(for: part, meta)
    func finish() {
      guard !part.lines.isEmpty else { return }
      var targets = part.lines.map { line in PreparedRedaction.target(line) }
      if let base = part.base { targets.insert(RedactionTarget(index: nil, replacements: base.replacements), at: 0) }
      parts.append(Part(targets: targets, isPreliminary: isPreliminary))
      part.base = nil
      part.lines = []
    }
    let emptySize = room(for: RedactRecord(reason: record.reason, lines: []), meta)
    for line in lines {
      let added = room(for: RedactRecord(reason: record.reason, lines: [line]), meta) - emptySize + 1
      if size + added > limitBytes {
        finish()
        size = emptySize
      }
      guard size + added <= limitBytes else {
        throw LogError(
          .beyondLimit, "the @redact record would be longer than \(limitBytes) bytes for line \(line.index) alone",
          intact: "Nothing was changed.", advice: "Choose shorter replacements, or a shorter reason.")
      }
      part.lines.append(line)
      size += added
    }
    guard size <= limitBytes else {
      throw LogError(
        .beyondLimit, "the @redact record would be longer than \(limitBytes) bytes", intact: "Nothing was changed.",
        advice: "Choose shorter replacements, or a shorter reason.")
    }
    finish()
  }

  private func room(for record: RedactRecord, _ meta: [UInt8]?) -> Int {
    WriterQueue.room(for: LogDraft(record, meta: meta), isSalted: true)
  }

  private static func target(_ line: RedactRecord.Line) -> RedactionTarget {
    RedactionTarget(index: line.index, replacements: line.replacements, skips: line.skips)
  }

  private static func names(_ base: RedactRecord.Base, _ line: RedactRecord.Line) -> Bool {
    line.replacements.contains { replacement in
      replacement.pointer == JSONPointer(["data", "base", "sha256"])
        && replacement.json == Array("\"\(base.digest)\"".utf8)
    }
  }
}
