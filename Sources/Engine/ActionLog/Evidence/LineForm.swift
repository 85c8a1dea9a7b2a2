internal import JSONCoding
package import Platform

/// The form of a line, which decides what it is in the Merkle tree.
///
/// The member after the first five decides: `salt` in a salted line, `commitment` in a redacted one; all other lines are plain.
/// Only the bytes `,"salt":` and `,"commitment":` directly after the fifth member count as such a member. The rest of such a
/// line must be exactly what a writer makes of it, without white space and other members.
package struct LineForm: Equatable, Sendable {
  /// The three forms.
  package enum Kind: Equatable, Sendable {
    /// The line is in the tree as it is, without its commit mark.
    case plain
    /// The line is in the tree with a commitment in place of its content, computed with this salt.
    case salted(LineSalt)
    /// As before, but some of the content was removed.
    case redacted(LineRedaction)

    /// The redaction of a redacted line.
    package var redaction: LineRedaction? {
      guard case .redacted(let redaction) = self else { return nil }
      return redaction
    }
  }

  /// A reason why a line has none of the forms.
  package struct Fault: Error, Equatable, Sendable {
    /// The message, a fragment in lower case.
    package var message: String
  }

  /// The form.
  package let kind: Kind
  /// The end of the fifth member, `prev`. All ranges are relative to the first byte of the line.
  package let prefixEnd: Int
  /// The JSON object `data` of a salted or redacted line; empty for a plain one.
  package let data: Range<Int>
  /// The JSON object `meta` of a salted or redacted line.
  package let meta: Range<Int>?

  /// Reads the form of a line.
  ///
  /// It does not compute commitments: ``LineEntry`` and ``commitment(in:)`` do.
  ///
  /// - Parameter line: A line without its line feed that the parser of lines has accepted, or equivalent JSON.
  /// - Throws: ``Fault`` for a line that begins like a salted or redacted one and is not.
  /// - Complexity: O(size) for a salted or redacted line, O(length of the first members) for a plain one in the order of the
  ///   writer.
  package init(_ line: UnsafeRawBufferPointer) throws(Fault) {
    let writerEnd = LineForm.writerPrefixEnd(line)
    if let writerEnd { prefixEnd = writerEnd } else { prefixEnd = try LineForm.anyPrefixEnd(line) }
    var reader = LineFormReader(line, at: prefixEnd)
    let isSalted = reader.skip(#","salt":"#)
    guard isSalted || reader.skip(#","commitment":"#) else {
      (kind, data, meta) = (.plain, 0..<0, nil)
      return
    }
    guard writerEnd != nil else { throw Fault(message: "its first five members are not those of a writer") }
    if isSalted {
      guard reader.skip(#"""#), let salt = LineSalt(text: reader.take(LineSalt.textSizeBytes)), reader.skip(#"""#)
      else {
        throw Fault(message: "the member 'salt' is not 22 characters of unpadded base64")
      }
      (data, meta) = try reader.content()
      kind = .salted(salt)
    } else {
      guard reader.skip(#"""#), let commitment = Base64.digest(reader.take(43), .url), reader.skip(#"""#) else {
        throw Fault(message: "the member 'commitment' is not 43 characters of unpadded base64")
      }
      (data, meta) = try reader.content()
      kind = .redacted(try reader.redaction(commitment))
    }
    guard reader.isAtMark else { throw Fault(message: "it has other members than a writer's, or white space") }
  }

  /// Returns the end of the fifth member of a line that begins like a writer's.
  private static func writerPrefixEnd(_ line: UnsafeRawBufferPointer) -> Int? {
    var reader = LineFormReader(line, at: 0)
    guard reader.skip(#"{"seq":"#), reader.skipNumber(), reader.skip(#","time":""#),
      LogTime(parsing: reader.take(LogTime.textSizeBytes)) != nil, reader.skip(#"","type":""#), reader.skipString(),
      reader.skip(#","synced":"#), reader.skipNumber(), reader.skip(#","prev":""#),
      ChecksumDigits.parse(reader.take(ChecksumDigits.count)) != nil, reader.skip(#"""#)
    else { return nil }
    return reader.position
  }

  /// Returns the end of the value of the fifth member of any object.
  private static func anyPrefixEnd(_ line: UnsafeRawBufferPointer) throws(Fault) -> Int {
    var count = 0
    var end: Int?
    do throws(JSONError) {
      try JSONTape.forEachMember(
        of: line.assumingMemoryBound(to: UInt8.self), maximumDepth: LogFormat.depthLimit
      ) { member in
        count += 1
        if count == 5 { end = member.valueRange.upperBound }
      }
    } catch {
      throw Fault(message: "it is not strict JSON (\(error.message))")
    }
    guard let end else { throw Fault(message: "it has fewer than five members") }
    return end
  }
}

/// What a redacted line says of its redaction.
package struct LineRedaction: Equatable, Sendable {
  /// The commitment to the content before the redaction.
  package var commitment: SHA256Digest
  /// The index of the `@redact` record; `nil` in a line that was shortened only for a proof.
  package var by: Int?
  /// The parts that were removed and kept.
  package var parts: CommitmentParts
  /// Whether replay skips the action.
  package var skips: Bool
  /// The index of the first of the eight letters that give the line its checksum.
  package var fillStart: Int

  /// The number of letters that give the line its checksum.
  package static var fillSizeBytes: Int { 8 }

  /// Whether a byte can be one of these letters.
  package static func isFill(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "H")...UInt8(ascii: "O")).contains(byte & ~0x20)
  }

  /// The most parts that are read: more than a line can hold.
  static var partLimit: Int { LogFormat.lineLimitBytes / 64 }
}

/// A position in the members of a salted or redacted line. It never reads outside the line.
private struct LineFormReader {
  let line: UnsafeRawBufferPointer
  private(set) var position: Int

  init(_ line: UnsafeRawBufferPointer, at position: Int) {
    self.line = line
    self.position = position
  }

  /// Whether only a commit mark follows.
  var isAtMark: Bool {
    let mark = line.count - position
    guard mark == LogFormat.markSizeBytes - 1 else { return false }
    var rest = self
    return rest.skip(LogFormat.markOpening) && ChecksumDigits.parse(rest.take(ChecksumDigits.count)) != nil
      && rest.skip(#""}"#)
  }

  /// Skips a text if it is next.
  @inline(__always)
  mutating func skip(_ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard count <= line.count - position else { return false }
    for index in 0..<count where line[position + index] != text.utf8Start[index] { return false }
    position += count
    return true
  }

  /// Takes the next bytes; fewer at the end of the line.
  mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    let end = min(position + count, line.count)
    defer { position = end }
    return UnsafeRawBufferPointer(rebasing: line[position..<end])
  }

  /// Skips the digits of an integer without a leading zero.
  mutating func skipNumber() -> Bool { number() != nil }

  /// Reads an integer up to the limit of `seq`, without sign, leading zero, fraction or exponent.
  mutating func number() -> Int? {
    let start = position
    var value = 0
    // 16 digits are enough for the limit and cannot overflow.
    while position < line.count, position - start < 17, case let digit = line[position] &- UInt8(ascii: "0"), digit <= 9
    {
      value = value * 10 + Int(digit)
      position += 1
    }
    guard position > start, value <= LogFormat.revisionLimit else { return nil }
    return position - start > 1 && line[start] == UInt8(ascii: "0") ? nil : value
  }

  /// Skips the rest of a string whose opening quote was skipped, with its closing quote.
  mutating func skipString() -> Bool {
    while position < line.count {
      switch line[position] {
      case UInt8(ascii: "\""):
        position += 1
        return true
      case UInt8(ascii: "\\"): position += 2
      default: position += 1
      }
    }
    return false
  }

  /// Reads `,"data":{…}[,"meta":{…}]`.
  mutating func content() throws(LineForm.Fault) -> (data: Range<Int>, meta: Range<Int>?) {
    guard skip(#","data":"#), let data = object() else {
      throw LineForm.Fault(message: "its 'data' is missing, or not where a writer puts it")
    }
    guard skip(#","meta":"#) else { return (data, nil) }
    guard let meta = object() else { throw LineForm.Fault(message: "its 'meta' is not an object") }
    return (data, meta)
  }

  /// Skips an object.
  private mutating func object() -> Range<Int>? {
    let start = position
    guard start < line.count, line[start] == UInt8(ascii: "{") else { return nil }
    // The record itself is level 1.
    let depth = LogFormat.depthLimit - 1
    if let end = CompactObject.end(of: line, from: start, maximumDepth: depth) {
      position = end
      return start..<end
    }
    let rest = UnsafeRawBufferPointer(rebasing: line[start...]).assumingMemoryBound(to: UInt8.self)
    do throws(JSONError) { position += try JSONTape.checkValue(rest, maximumDepth: depth).end } catch { return nil }
    return start..<position
  }

  /// Reads `,"redacted":{…},"fill":"…"`.
  mutating func redaction(_ commitment: SHA256Digest) throws(LineForm.Fault) -> LineRedaction {
    let malformed = LineForm.Fault(message: "its 'redacted' is not what a writer makes of it")
    guard skip(#","redacted":{"#) else { throw malformed }
    var redaction = LineRedaction(
      commitment: commitment, by: nil, parts: CommitmentParts(), skips: false, fillStart: 0)
    if skip(#""by":"#) {
      guard let by = number(), skip(",") else { throw malformed }
      redaction.by = by
    }
    guard skip(#""gone":{"#) else { throw malformed }
    try parts { (pointer, text) throws(LineForm.Fault) in
      guard let commitment = Base64.digest(text, .url) else { throw malformed }
      redaction.parts.gone.append(CommitmentParts.Gone(pointer: pointer, commitment: commitment))
    }
    guard skip(#","open":{"#) else { throw malformed }
    try parts { (pointer, text) throws(LineForm.Fault) in
      guard let salt = LineSalt(text: text) else { throw malformed }
      redaction.parts.open.append(CommitmentParts.Open(pointer: pointer, salt: salt))
    }
    redaction.skips = skip(#","skip":true"#)
    guard skip(#"},"fill":""#) else { throw malformed }
    redaction.fillStart = position
    guard take(LineRedaction.fillSizeBytes).allSatisfy(LineRedaction.isFill), skip(#"""#) else {
      throw LineForm.Fault(message: "the member 'fill' is not eight letters of H…O and h…o")
    }
    return redaction
  }

  /// Reads the members of an object of strings, and its closing brace.
  private mutating func parts(
    _ body: (JSONPointer, UnsafeRawBufferPointer) throws(LineForm.Fault) -> Void
  ) throws(LineForm.Fault) {
    let malformed = LineForm.Fault(message: "its 'redacted' is not what a writer makes of it")
    if skip("}") { return }
    for _ in 0..<LineRedaction.partLimit {
      let start = position
      guard skip(#"""#), skipString(), position <= line.count else { throw malformed }
      let name = Array(line[start..<position])
      guard let text = LineFormReader.string(name), let pointer = JSONPointer(text),
        let root = pointer.tokens.first, root == "data" || root == "meta", skip(#":""#)
      else { throw malformed }
      let value = position
      guard skipString(), position <= line.count else { throw malformed }
      try body(pointer, UnsafeRawBufferPointer(rebasing: line[value..<position - 1]))
      if skip("}") { return }
      guard skip(",") else { throw malformed }
    }
    throw malformed
  }

  /// Returns the text of a JSON string; `nil` if it is not one.
  private static func string(_ quoted: [UInt8]) -> String? {
    do throws(JSONError) { return try JSONTape(parsing: quoted).root.string() } catch { return nil }
  }
}

// MARK: - What a line is in the tree

extension LineForm {
  /// Computes the commitment of a salted or redacted line from its content; `nil` for a plain line.
  ///
  /// - Parameter line: The line of this form.
  /// - Throws: ``Fault`` if the content has white space, or if the parts of a redacted line do not fit its content, or do not
  ///   give the commitment that the line states.
  /// - Complexity: O(size).
  package func commitment(
    in line: UnsafeRawBufferPointer, with computer: inout Commitment
  ) throws(Fault) -> SHA256Digest? {
    let found: SHA256Digest
    do throws(Commitment.Fault) {
      switch kind {
      case .plain:
        return nil
      case .salted(let salt):
        return try computer.commitment(
          data: UnsafeRawBufferPointer(rebasing: line[data]),
          meta: meta.map { range in UnsafeRawBufferPointer(rebasing: line[range]) }, salt: salt)
      case .redacted(let redaction):
        found = try computer.commitment(
          data: Array(line[data]), meta: meta.map { range in Array(line[range]) }, parts: redaction.parts)
        if found == redaction.commitment { return found }
      }
    } catch {
      switch error {
      case .notCompact: throw Fault(message: "its content is not JSON without white space")
      case .partsDoNotFit: throw Fault(message: "its redaction does not fit its content")
      case .noValue(let pointer): throw Fault(message: "there is no value at \(pointer)")
      }
    }
    throw Fault(message: "what a redaction kept is not what the line was committed to")
  }
}

/// Computes the leaves of the Merkle tree: the hashes of the entries of lines. A value reuses the memory of the previous line.
package struct LineEntry: Sendable {
  /// The prefix of the hash of a leaf (RFC 6962, section 2.1).
  static let leafPrefix: UInt8 = 0

  private var commitment = Commitment()
  private var entry: [UInt8] = []

  /// Creates a value without memory.
  package init() {}

  /// Returns the entry of a line: the bytes that it is in the tree.
  ///
  /// - Parameter line: A line without its line feed that the parser of lines has accepted.
  /// - Throws: ``LineForm/Fault`` for a salted or redacted line that is not exactly in its form.
  /// - Complexity: O(size).
  package mutating func entry(of line: UnsafeRawBufferPointer) throws(LineForm.Fault) -> [UInt8] {
    let form = try LineForm(line)
    guard try makeEntry(of: line, form) else { return Array(line.dropLast(LogFormat.markSizeBytes - 1)) }
    return entry
  }

  /// Makes the entry of a salted or redacted line in the memory of the value.
  ///
  /// - Returns: `false` for a plain line, whose entry is a part of it.
  private mutating func makeEntry(of line: UnsafeRawBufferPointer, _ form: LineForm) throws(LineForm.Fault) -> Bool {
    guard let commitment = try form.commitment(in: line, with: &self.commitment) else { return false }
    entry.removeAll(keepingCapacity: true)
    entry.append(contentsOf: line[..<form.prefixEnd])
    entry.append(contentsOf: #","commitment":""#.utf8)
    commitment.withUnsafeBytes { bytes in Base64.append(bytes, .url, to: &entry) }
    entry.append(contentsOf: #""}"#.utf8)
    return true
  }

  /// Returns the hash of the entry of a line.
  ///
  /// - Parameter line: A line without its line feed that the parser of lines has accepted.
  /// - Throws: ``LineForm/Fault`` for a salted or redacted line that is not exactly in its form.
  /// - Complexity: O(size). A plain line is hashed where it is.
  package mutating func leaf(of line: UnsafeRawBufferPointer) throws(LineForm.Fault) -> SHA256Digest {
    let form = try LineForm(line)
    if try makeEntry(of: line, form) {
      return entry.withUnsafeBytes { entry in SHA256.digest(Self.leafPrefix, entry) }
    }
    return Self.leaf(ofPlain: line)
  }

  /// Returns the hash of the entry of a plain line, which is hashed where it is.
  static func leaf(ofPlain line: UnsafeRawBufferPointer) -> SHA256Digest {
    let end = max(line.count - (LogFormat.markSizeBytes - 1), 0)
    return SHA256.digest(leafPrefix, UnsafeRawBufferPointer(rebasing: line[..<end]))
  }
}
