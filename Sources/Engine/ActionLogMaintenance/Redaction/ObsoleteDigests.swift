import ActionLog
import JSONCoding

/// Finds what earlier `@redact` and `@prune` records still state of removed values: digests from which they could be guessed,
/// replacements, and locations that have names of removed members.
///
/// The digests of states, of `base.json` and of lines with replacements have no salt. Once a later redaction has changed what such a
/// digest was computed from, nothing needs it any more, but every reader of the log could still compare guesses with it. Entries
/// name earlier lines, so records are examined in the order of the log, each after those that it may name.
struct ObsoleteDigests {
  private static let null = Array("null".utf8)
  /// The locations in lines whose replacements are digests of states or of `base.json`.
  private static let digestPointers: Set<JSONPointer> = [
    JSONPointer(["data", "state"]), JSONPointer(["data", "base", "sha256"]), JSONPointer(["data", "base", "state"]),
  ]

  /// The values that are erased now, and the locations around them, by the numbers of their lines; `nil` is `base.json`.
  private var erased: [Int?: (pointers: Set<JSONPointer>, ancestors: Set<JSONPointer>)] = [:]
  /// The first revisions of the segments that are rewritten now.
  private var segments: Set<Int> = []
  /// The newest earlier record that names a line, by the numbers of lines.
  private var newest: [Int: Int] = [:]
  private let baseDigest: String?

  /// Creates a search.
  ///
  /// - Parameter baseDigest: The digest of `base.json`; `nil` if it changes, or there is none.
  init(of records: [(index: Int, record: LogRecord)], baseDigest: String?) {
    self.baseDigest = baseDigest
    for (index, record) in records where record.controlType == .redact {
      for line in RedactRecord(data: record.dataBytes)?.lines ?? [] { newest[line.index] = index }
    }
  }

  /// Notes a line that is redacted now.
  mutating func note(_ line: RedactRecord.Line) {
    note(line.replacements, of: line.index)
    segments.insert(line.segment)
  }

  /// Notes the values of a line that are redacted now; of `base.json` if `index` is `nil`.
  mutating func note(_ replacements: [ValueReplacement], of index: Int?) {
    let pointers = Set(replacements.map(\.pointer))
    var ancestors: Set<JSONPointer> = []
    for pointer in pointers {
      var outer = pointer.parent
      while let next = outer, ancestors.insert(next).inserted { outer = next.parent }
    }
    erased[index] = (pointers, ancestors)
  }

  /// Adds the digests of a record that are out of date to the values to redact in it.
  ///
  /// - Parameters:
  ///   - target: The values to redact; `nil` if there are none.
  ///   - isRestated: Whether the record is the `@prune` record of the base that is redacted now.
  /// - Returns: `nil` if nothing of the record is redacted.
  func complete(
    _ target: RedactionTarget?, _ record: LogRecord, _ index: Int, isRestated: Bool
  ) throws(LogError) -> RedactionTarget? {
    let found: [ValueReplacement]
    if record.controlType == .prune {
      found = PruneRecord(record).map { pruning in digests(of: pruning, isRestated: isRestated) } ?? []
    } else {
      found = digests(ofRedaction: record.dataBytes, at: index)
    }
    var complete = target ?? RedactionTarget(index: index, replacements: [])
    for replacement in complete.replacements
    where RedactedLine.isRecordedDigest(replacement.pointer, record.controlType)
      || RedactedLine.isRecordedReplacements(replacement.pointer, record.controlType)
    {
      // Which locations may go is not up to the caller.
      guard !RedactedLine.isRecordedReplacements(replacement.pointer, record.controlType),
        found.contains(where: { other in other.pointer == replacement.pointer })
      else {
        throw LogError(
          .invalidArgument, RedactionFault.notAllowed(replacement.pointer.excerpt).message, path: record.place.path,
          byteOffset: record.place.byteOffset, revision: record.revision, intact: "Nothing was changed.")
      }
    }
    for replacement in found {
      if complete.replacements.contains(where: { other in replacement.pointer.isWithin(other.pointer) }) { continue }
      complete.replacements.removeAll { other in other.pointer.isWithin(replacement.pointer) }
      complete.replacements.append(replacement)
    }
    return complete.replacements.isEmpty && !complete.skips ? target : complete
  }

  private func digests(of pruning: PruneRecord, isRestated: Bool) -> [ValueReplacement] {
    var found: [ValueReplacement] = []
    if let base = pruning.base, !isRestated, base.sha256 != baseDigest {
      for (name, digest) in [("sha256", base.sha256), ("state", base.state)] where digest != RedactedLine.noDigest {
        found.append(ValueReplacement(JSONPointer(["data", "base", name]), with: RedactedLine.noDigestJSON))
      }
    }
    // Segments that are in the log although a record names them were put back.
    for (number, segment) in pruning.segments.enumerated()
    where segments.contains(segment.first) && segment.sha256 != RedactedLine.noDigest {
      found.append(
        ValueReplacement(JSONPointer(["data", "segments", String(number), "sha256"]), with: RedactedLine.noDigestJSON))
    }
    return found
  }

  private func digests(ofRedaction data: ArraySlice<UInt8>, at index: Int) -> [ValueReplacement] {
    guard let record = RedactRecord(data: data) else { return [] }
    var found: [ValueReplacement] = []
    if let base = record.base, base.digest != baseDigest {
      found += digests(of: base.replacements, base.digest, line: nil, at: 0)
    }
    let start = record.base == nil ? 0 : 1
    for (number, line) in record.lines.enumerated()
    where erased[line.index] != nil || newest[line.index] ?? index > index {
      found += digests(of: line.replacements, line.digest, line: line.index, at: start + number)
    }
    return found
  }

  /// Returns what is removed from the entry of a line, or of the base, that is out of date.
  ///
  /// - Parameter line: The number of the line; `nil` for the base.
  private func digests(
    of replacements: [ValueReplacement], _ digest: String, line: Int?, at number: Int
  ) -> [ValueReplacement] {
    let location = JSONPointer(["data", "lines", String(number)])
    var isWithdrawal = true
    var removed: [ValueReplacement] = []
    /// The replacements that stay if locations go, as members of an object.
    var kept: [[UInt8]] = []
    var isNameRemoved = false
    for replacement in replacements {
      let (pointer, value) = (replacement.pointer, replacement.json ?? Self.null)
      if value == Self.null, Self.digestPointers.contains(pointer) {
        kept.append(Self.member(pointer, Self.null))
        continue
      }
      isWithdrawal = false
      let isRemoved = isDigest(value, pointer) || isErased(pointer, line) && !Self.defaults.contains(value)
      if isRemoved {
        removed.append(
          ValueReplacement(location.appending("with").appending(pointer.description), with: Self.null))
      }
      if isNameErased(pointer, line) {
        isNameRemoved = true
      } else {
        kept.append(Self.member(pointer, isRemoved ? Self.null : value))
      }
    }
    if isNameRemoved {
      let json = [UInt8(ascii: "{")] + kept.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
      removed = [ValueReplacement(location.appending("with"), with: json)]
    }
    // The digest of a line whose digest was withdrawn is not one of a state.
    guard !isWithdrawal, digest != RedactedLine.noDigest else { return removed }
    return removed + [ValueReplacement(location.appending("digest"), with: RedactedLine.noDigestJSON)]
  }

  /// The values that a redaction puts in place of others by default.
  private static let defaults = Set(
    ["\"[redacted]\"", "0", "false", "null", "[]", "{}"].map { text in Array(text.utf8) })

  private func isDigest(_ value: [UInt8], _ pointer: JSONPointer) -> Bool {
    Self.digestPointers.contains(pointer) && value.count == RedactedLine.noDigestJSON.count
      && value.first == UInt8(ascii: "\"")
      && value != RedactedLine.noDigestJSON
  }

  private static func member(_ pointer: JSONPointer, _ value: [UInt8]) -> [UInt8] {
    var member: [UInt8] = []
    JSONText.appendString(pointer.description, to: &member)
    return member + [UInt8(ascii: ":")] + value
  }

  /// Whether an object around a location is erased now, so that the names of its members are gone from the line.
  private func isNameErased(_ pointer: JSONPointer, _ line: Int?) -> Bool {
    guard let erased = erased[line], let outer = pointer.parent else { return false }
    return outer.isWithin(anyOf: erased.pointers)
  }

  /// Whether a replacement of an earlier redaction is erased now, or something in it.
  private func isErased(_ pointer: JSONPointer, _ line: Int?) -> Bool {
    guard let erased = erased[line] else { return false }
    return pointer.isWithin(anyOf: erased.pointers) || erased.ancestors.contains(pointer)
  }
}
