internal import JSONCoding

/// The `@redact` record: the lines whose values were replaced, and why.
///
/// It is complete in itself: the lines as they were, or as they are, and the record give the redacted lines byte for byte.
package struct RedactRecord: ControlRecord, Equatable, Sendable {
  package struct Line: Equatable, Sendable {
    /// The number of the line in the log, counted from 0.
    package var index: Int
    /// The revision in the name of its segment.
    package var segment: Int
    package var revision: Int
    /// The values that were replaced, with the values in their place.
    package var replacements: [ValueReplacement]
    package var skips: Bool
    /// The SHA-256 of the redacted line in hexadecimal digits.
    package var digest: String

    package init(
      index: Int, segment: Int, revision: Int, replacements: [ValueReplacement], skips: Bool, digest: String
    ) {
      (self.index, self.segment, self.revision) = (index, segment, revision)
      (self.replacements, self.skips, self.digest) = (replacements, skips, digest)
    }
  }

  /// The base of a pruned log whose state was changed.
  package struct Base: Equatable, Sendable {
    /// The values that were replaced, with the values in their place.
    package var replacements: [ValueReplacement]
    /// The SHA-256 of the new `base.json` in hexadecimal digits.
    package var digest: String

    package init(replacements: [ValueReplacement], digest: String) {
      (self.replacements, self.digest) = (replacements, digest)
    }
  }

  package static var controlType: ControlType { .redact }

  package var reason: String
  /// The base of a pruned log; `nil` unless its state is redacted.
  package var base: Base?
  package var lines: [Line]

  package init(reason: String, base: Base? = nil, lines: [Line]) {
    (self.reason, self.base, self.lines) = (reason, base, lines)
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
}

extension RedactRecord {
  /// Reads the contents of a `@redact` record.
  ///
  /// - Returns: `nil` if a member that names a line or the base is missing or has another type.
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
