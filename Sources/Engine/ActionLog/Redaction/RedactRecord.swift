internal import JSONCoding

/// The `@redact` record: the lines whose values were replaced, and why.
///
/// It is complete in itself: the lines as they were, or as they are, and the record give the redacted lines byte for byte.
package struct RedactRecord: ControlRecord, Equatable, Sendable {
  /// A line that the record names.
  package struct Line: Equatable, Sendable {
    /// The number of the line in the log, counted from 0.
    package var index: Int
    /// The revision in the name of its segment.
    package var segment: Int
    /// The `seq` of the line.
    package var revision: Int
    /// The values that were replaced, with the values in their place.
    package var replacements: [ValueReplacement]
    /// Whether replay skips the action.
    package var skips: Bool
    /// The SHA-256 of the redacted line in hexadecimal digits.
    package var digest: String

    /// Creates an entry.
    package init(
      index: Int, segment: Int, revision: Int, replacements: [ValueReplacement], skips: Bool, digest: String
    ) {
      self.index = index
      self.segment = segment
      self.revision = revision
      self.replacements = replacements
      self.skips = skips
      self.digest = digest
    }
  }

  /// The base of a pruned log whose state was changed.
  package struct Base: Equatable, Sendable {
    /// The values that were replaced, with the values in their place.
    package var replacements: [ValueReplacement]
    /// The SHA-256 of the new `base.json` in hexadecimal digits.
    package var digest: String

    /// Creates an entry.
    package init(replacements: [ValueReplacement], digest: String) {
      self.replacements = replacements
      self.digest = digest
    }
  }

  package static var controlType: ControlType { .redact }

  /// The reason that was given.
  package var reason: String
  /// The base of a pruned log; `nil` unless its state is redacted.
  package var base: Base?
  /// The lines, in the order of the log.
  package var lines: [Line]

  /// Creates a record.
  package init(reason: String, base: Base? = nil, lines: [Line]) {
    self.reason = reason
    self.base = base
    self.lines = lines
  }

  /// The lowest revision whose state may hold a replaced value; `nil` if the record names nothing. Each state of a pruned log may
  /// hold one of its base.
  package var lowestRevision: Int? { base == nil ? lines.map(\.revision).min() : 0 }

  package func data() -> [UInt8] {
    var bytes = Array(#"{"reason":"#.utf8)
    JSONText.appendString(reason, to: &bytes)
    bytes += #","lines":["#.utf8
    if let base {
      bytes += #"{"base":true,"#.utf8
      RedactRecord.append(base.replacements, skips: false, digest: base.digest, to: &bytes)
    }
    for (number, line) in lines.enumerated() {
      if number > 0 || base != nil { bytes.append(UInt8(ascii: ",")) }
      bytes += #"{"index":\#(line.index),"segment":\#(line.segment),"seq":\#(line.revision),"#.utf8
      RedactRecord.append(line.replacements, skips: line.skips, digest: line.digest, to: &bytes)
    }
    bytes += "]}".utf8
    return bytes
  }

  /// Appends the members of an entry that lines and the base have in common, and its brace.
  private static func append(
    _ replacements: [ValueReplacement], skips: Bool, digest: String, to bytes: inout [UInt8]
  ) {
    bytes += #""with":{"#.utf8
    for (number, replacement) in replacements.enumerated() {
      if number > 0 { bytes.append(UInt8(ascii: ",")) }
      JSONText.appendString(replacement.pointer.description, to: &bytes)
      bytes.append(UInt8(ascii: ":"))
      bytes += replacement.json ?? Array("null".utf8)
    }
    bytes += skips ? #"},"skip":true,"digest":""#.utf8 : #"},"digest":""#.utf8
    bytes += digest.utf8
    bytes += #""}"#.utf8
  }

  /// Reads the contents of a `@redact` record.
  ///
  /// - Parameter data: The `data` of the record. Its reason may have been redacted to a value of any type.
  /// - Returns: `nil` if a member that names a line or the base is missing or has another type.
  /// - Complexity: O(length).
  package init?(data: ArraySlice<UInt8>) {
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: data).root } catch { return nil }
    guard let entries = root["lines"], entries.kind == .array else { return nil }
    reason = root["reason"]?.string() ?? ""
    lines = []
    for entry in entries.elements {
      if entry["base"]?.bool() == true {
        guard base == nil, let with = RedactRecord.replacements(entry), let digest = RedactRecord.digest(entry) else {
          return nil
        }
        base = Base(replacements: with, digest: digest)
        continue
      }
      guard let line = Line(entry) else { return nil }
      lines.append(line)
    }
  }
}

extension RedactRecord {
  fileprivate static func replacements(_ entry: JSONTape.Node) -> [ValueReplacement]? {
    guard let with = entry["with"], with.kind == .object else { return nil }
    var replacements: [ValueReplacement] = []
    for (name, value) in with.members {
      guard let pointer = name.string().flatMap({ text in JSONPointer(text) }) else { return nil }
      replacements.append(ValueReplacement(pointer, with: Array(value.bytes)))
    }
    return replacements
  }

  fileprivate static func digest(_ entry: JSONTape.Node) -> String? {
    guard let digest = entry["digest"]?.string(), digest.utf8.count == 64 else { return nil }
    return digest
  }
}

extension RedactRecord.Line {
  fileprivate init?(_ entry: JSONTape.Node) {
    guard let index = entry["index"]?.plainInteger, let segment = entry["segment"]?.plainInteger, segment > 0,
      let revision = entry["seq"]?.plainInteger, let replacements = RedactRecord.replacements(entry),
      let digest = RedactRecord.digest(entry)
    else { return nil }
    self.init(
      index: index, segment: segment, revision: revision, replacements: replacements,
      skips: entry["skip"]?.bool() ?? false, digest: digest)
  }
}

// MARK: - Digests that are out of date

/// Finds the digests in earlier `@redact` and `@prune` records from which removed values could be guessed.
///
/// The digests of states, of `base.json` and of lines with replacements have no salt. Once a later redaction has changed what such a
/// digest was computed from, nothing needs it any more, but everybody who reads the log could still compare guesses with it. Entries
/// name earlier lines, so records are examined in the order of the log, each after those that it may name.
struct ObsoleteDigests {
  /// The digits in place of a removed digest: readers of any version accept them, and no file or line has this digest.
  static let none = String(repeating: "0", count: 64)
  static let noneJSON = Array("\"\(none)\"".utf8)
  private static let null = Array("null".utf8)
  /// The locations in lines whose replacements are digests of states or of `base.json`.
  private static let digestPointers: Set<JSONPointer> = [
    JSONPointer(["data", "state"]), JSONPointer(["data", "base", "sha256"]), JSONPointer(["data", "base", "state"]),
  ]

  /// The values that are erased now, and the locations around them, by the numbers of their lines.
  private var erased: [Int: (pointers: Set<JSONPointer>, ancestors: Set<JSONPointer>)] = [:]
  /// The first revisions of the segments that are rewritten now.
  private var segments: Set<Int> = []
  /// The newest earlier record that names a line, by the numbers of lines.
  private var newest: [Int: Int] = [:]
  private let baseDigest: String?

  /// Creates a search.
  ///
  /// - Parameters:
  ///   - records: The `@redact` and `@prune` records, with the numbers of their lines.
  ///   - baseDigest: The digest of `base.json`; `nil` if it changes, or there is none.
  /// - Complexity: O(length of the records).
  init(of records: [(index: Int, record: LogRecord)], baseDigest: String?) {
    self.baseDigest = baseDigest
    for (index, record) in records where record.controlType == .redact {
      for line in RedactRecord(data: record.dataBytes)?.lines ?? [] { newest[line.index] = index }
    }
  }

  /// Notes a line that is redacted now.
  mutating func note(_ line: RedactRecord.Line) {
    let pointers = Set(line.replacements.map(\.pointer))
    var ancestors: Set<JSONPointer> = []
    for pointer in pointers {
      var outer = pointer.parent
      while let next = outer, ancestors.insert(next).inserted { outer = next.parent }
    }
    erased[line.index] = (pointers, ancestors)
    segments.insert(line.segment)
  }

  /// Adds the digests of a record that are out of date to the values to redact in it.
  ///
  /// - Parameters:
  ///   - target: The values to redact; `nil` if there are none.
  ///   - isRestated: Whether the record is the `@prune` record of the base that is redacted now.
  /// - Returns: `nil` if nothing of the record is redacted.
  /// - Throws: ``LogError`` with code `invalidArgument` if the target removes a digest that is needed.
  /// - Complexity: O(length of the record).
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
    where RedactedLine.isRecordedDigest(replacement.pointer, record.controlType) {
      guard found.contains(where: { other in other.pointer == replacement.pointer }) else {
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
      for (name, digest) in [("sha256", base.sha256), ("state", base.state)] where digest != Self.none {
        found.append(ValueReplacement(JSONPointer(["data", "base", name]), with: Self.noneJSON))
      }
    }
    // Segments that are in the log although a record names them were put back.
    for (number, segment) in pruning.segments.enumerated()
    where segments.contains(segment.first) && segment.sha256 != Self.none {
      found.append(
        ValueReplacement(JSONPointer(["data", "segments", String(number), "sha256"]), with: Self.noneJSON))
    }
    return found
  }

  private func digests(ofRedaction data: ArraySlice<UInt8>, at index: Int) -> [ValueReplacement] {
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: data).root } catch { return [] }
    guard let entries = root["lines"], entries.kind == .array else { return [] }
    var found: [ValueReplacement] = []
    for (number, entry) in entries.elements.enumerated() {
      let line = entry["base"]?.bool() == true ? nil : entry["index"]?.plainInteger
      let isObsolete: Bool
      if let line {
        isObsolete = erased[line] != nil || newest[line] ?? index > index
      } else {
        isObsolete = entry["digest"]?.string() != baseDigest
      }
      guard isObsolete, let with = entry["with"], with.kind == .object else { continue }
      let location = JSONPointer(["data", "lines", String(number)])
      var isWithdrawal = true
      for (name, value) in with.members {
        guard let text = name.string(), let pointer = JSONPointer(text) else { continue }
        if value.isNull, Self.digestPointers.contains(pointer) { continue }
        isWithdrawal = false
        if isDigest(value, pointer) || isErased(pointer, line) && !value.isDefault {
          found.append(ValueReplacement(location.appending("with").appending(text), with: Self.null))
        }
      }
      // The digest of a line whose digest was withdrawn is not one of a state.
      if !isWithdrawal, entry["digest"]?.string() != Self.none {
        found.append(ValueReplacement(location.appending("digest"), with: Self.noneJSON))
      }
    }
    return found
  }

  private func isDigest(_ value: JSONTape.Node, _ pointer: JSONPointer) -> Bool {
    Self.digestPointers.contains(pointer) && value.string()?.utf8.count == 64 && value.string() != Self.none
  }

  /// Whether a replacement of an earlier redaction is erased now, or something in it.
  private func isErased(_ pointer: JSONPointer, _ line: Int?) -> Bool {
    guard let line, let erased = erased[line] else { return false }
    var outer: JSONPointer? = pointer
    while let next = outer {
      if erased.pointers.contains(next) { return true }
      outer = next.parent
    }
    return erased.ancestors.contains(pointer)
  }
}

extension JSONTape.Node {
  /// Whether the value is one that a redaction puts in place of another by default.
  fileprivate var isDefault: Bool {
    let text = String(decoding: bytes, as: UTF8.self)
    return ["\"[redacted]\"", "0", "false", "null", "[]", "{}"].contains(text)
  }
}
