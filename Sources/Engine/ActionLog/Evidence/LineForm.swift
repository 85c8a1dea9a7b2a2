internal import JSONCoding
package import Platform

/// The form of a line, which decides what it is in the Merkle tree.
///
/// The member after the first five decides: `salt` in a salted line, `commitment` in a redacted one; all other lines are plain.
/// Only the bytes `,"salt":` and `,"commitment":` directly after the fifth member count as such a member. The rest of such a
/// line must be exactly what a writer makes of it, without white space and other members.
package struct LineForm: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// The line is in the tree as it is, without its commit mark.
    case plain
    /// The line is in the tree with a commitment in place of its content, computed with this salt.
    case salted(LineSalt)
    /// As before, but some of the content was removed.
    case redacted(LineRedaction)

    package var redaction: LineRedaction? {
      guard case .redacted(let redaction) = self else { return nil }
      return redaction
    }
  }

  /// A reason why a line has none of the forms.
  package struct Fault: Error, Equatable, Sendable {
    package var message: String
  }

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
  package init(_ line: UnsafeRawBufferPointer) throws(Fault) {
    var parser = LineParser()
    if let parsed = parser.parseFast(line, crc: 0) {
      guard parsed.isSalted else {
        (kind, prefixEnd, data, meta) = (.plain, 0, 0..<0, nil)
        return
      }
      // Before `data` is its name, and before that the salt.
      let end = parsed.data.lowerBound - #","data":"#.utf8.count - LogFormat.saltMemberBytes
      let text = line[(end + #","salt":""#.utf8.count)...].prefix(LineSalt.textSizeBytes)
      guard let salt = LineSalt(text: text) else { throw Fault(message: "its member 'salt' is no salt") }
      (kind, prefixEnd, data, meta) = (.salted(salt), end, parsed.data, parsed.meta)
      return
    }
    let root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: Array(line), maximumDepth: LogFormat.depthLimit).root
    } catch {
      throw Fault(message: "it is not strict JSON (\(error.message))")
    }
    let members = Array(root.members)
    guard members.count >= 5 else { throw Fault(message: "it has fewer than five members") }
    prefixEnd = members[4].value.byteRange.upperBound
    let rest = line[prefixEnd...]
    guard rest.starts(with: #","salt":"#.utf8) || rest.starts(with: #","commitment":"#.utf8) else {
      (kind, data, meta) = (.plain, 0..<0, nil)
      return
    }
    var text: [UInt8]
    do throws(RecordMemberError) {
      guard let content = root["data"], content.kind == .object else { throw RecordMemberError("data") }
      guard root["meta"]?.kind ?? .object == .object else { throw RecordMemberError("meta") }
      (kind, data, meta) = (try Self.kind(root), content.byteRange, root["meta"]?.byteRange)
      text = try Self.prefix(root)
      if case .salted(let salt) = kind {
        text += #","salt":"\#(salt.text)""#.utf8
        Self.append(content.bytes, root["meta"]?.bytes, to: &text)
      } else if case .redacted(let redaction) = kind {
        redaction.append(content.bytes, root["meta"]?.bytes, to: &text)
        guard redaction.fillStart == text.count else { throw RecordMemberError("fill") }
        text += line[text.count...].prefix(LineRedaction.fillSizeBytes) + [UInt8(ascii: "\"")]
      }
    } catch {
      throw Fault(message: "its member '\(error.name)' is missing, or not what a writer makes of it")
    }
    // Nothing but the mark follows.
    guard line.starts(with: text), line.count == text.count + LogFormat.markSizeBytes - 1,
      root["crc"]?.checksum != nil
    else { throw Fault(message: "it is not exactly what a writer makes of it") }
  }

  private static func kind(_ root: JSONTape.Node) throws(RecordMemberError) -> Kind {
    guard let salt = root["salt"] else { return .redacted(try LineRedaction(root)) }
    guard let text = salt.stringBytes(), let salt = LineSalt(text: text) else { throw RecordMemberError("salt") }
    return .salted(salt)
  }

  private static func prefix(_ root: JSONTape.Node) throws(RecordMemberError) -> [UInt8] {
    guard let type = root["type"], type.kind == .string else { throw RecordMemberError("type") }
    var text = Array(#"{"seq":\#(try root.number("seq", from: 0)),"time":"\#(try root.time("time"))","type":"#.utf8)
    text += type.bytes
    text += #","synced":\#(try root.number("synced", from: 0)),"prev":""#.utf8
    ChecksumDigits.append(try root.checksum("prev"), to: &text)
    return text + [UInt8(ascii: "\"")]
  }

  fileprivate static func append(_ data: ArraySlice<UInt8>, _ meta: ArraySlice<UInt8>?, to text: inout [UInt8]) {
    text += #","data":"#.utf8
    text += data
    guard let meta else { return }
    text += #","meta":"#.utf8
    text += meta
  }
}

/// What a redacted line says of its redaction.
package struct LineRedaction: Equatable, Sendable {
  package var commitment: SHA256Digest
  /// The index of the `@redact` record; `nil` in a line that was shortened only for a proof.
  package var by: Int?
  package var parts: CommitmentParts
  /// Whether replay skips the action.
  package var skips: Bool
  /// The index of the first of the eight letters that give the line its checksum.
  package var fillStart: Int

  package static var fillSizeBytes: Int { 8 }

  /// Whether a byte can be one of these letters.
  package static func isFill(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "H")...UInt8(ascii: "O")).contains(byte & ~0x20)
  }

}

extension LineRedaction {
  fileprivate init(_ root: JSONTape.Node) throws(RecordMemberError) {
    guard let commitment = root["commitment"]?.stringBytes().flatMap({ text in Base64.digest(text, .url) }) else {
      throw RecordMemberError("commitment")
    }
    guard let fill = root["fill"], let letters = fill.stringBytes(), letters.count == Self.fillSizeBytes,
      letters.allSatisfy(Self.isFill)
    else { throw RecordMemberError("fill") }
    guard let redacted = root["redacted"] else { throw RecordMemberError("redacted") }
    func parts<Part>(_ name: String, _ part: (JSONPointer, [UInt8]) -> Part?) throws(RecordMemberError) -> [Part] {
      guard let list = redacted[name], list.kind == .object else { throw RecordMemberError("redacted") }
      var parts: [Part] = []
      for (name, value) in list.members {
        guard let pointer = name.string().flatMap({ text in JSONPointer(text) }),
          let root = pointer.tokens.first, root == "data" || root == "meta",
          let part = value.stringBytes().flatMap({ text in part(pointer, Array(text)) })
        else { throw RecordMemberError("redacted") }
        parts.append(part)
      }
      return parts
    }
    self.commitment = commitment
    by = redacted["by"] == nil ? nil : try redacted.number("by", from: 0)
    self.parts = CommitmentParts(
      gone: try parts("gone") { pointer, text in
        Base64.digest(text, .url).map { digest in CommitmentParts.Gone(pointer: pointer, commitment: digest) }
      },
      open: try parts("open") { pointer, text in
        LineSalt(text: text).map { salt in CommitmentParts.Open(pointer: pointer, salt: salt) }
      })
    skips = redacted["skip"]?.bool() ?? false
    fillStart = fill.byteRange.lowerBound + 1
  }

  /// Appends the members of a redacted line from `commitment` to the beginning of `fill`.
  func append(_ data: ArraySlice<UInt8>, _ meta: ArraySlice<UInt8>?, to text: inout [UInt8]) {
    func append(_ pointer: JSONPointer, _ value: String, isFirst: Bool) {
      if !isFirst { text.append(UInt8(ascii: ",")) }
      JSONText.appendString(pointer.description, to: &text)
      text += #":"\#(value)""#.utf8
    }
    text += #","commitment":"\#(Base64.text(commitment, .url))""#.utf8
    LineForm.append(data, meta, to: &text)
    text += #","redacted":{"#.utf8
    if let by { text += #""by":\#(by),"#.utf8 }
    text += #""gone":{"#.utf8
    for (index, part) in parts.gone.enumerated() {
      append(part.pointer, Base64.text(part.commitment, .url), isFirst: index == 0)
    }
    text += #"},"open":{"#.utf8
    for (index, part) in parts.open.enumerated() { append(part.pointer, part.salt.text, isFirst: index == 0) }
    text += skips ? #"},"skip":true}"#.utf8 : "}}".utf8
    text += #","fill":""#.utf8
  }
}

// MARK: - What a line is in the tree

extension LineForm {
  /// Computes the commitment of a salted or redacted line from its content; `nil` for a plain line.
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

  package init() {}

  /// Returns the entry of a line: the bytes that it is in the tree.
  ///
  /// - Parameter line: A line without its line feed that the parser of lines has accepted.
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
  package mutating func leaf(of line: UnsafeRawBufferPointer) throws(LineForm.Fault) -> SHA256Digest {
    let form = try LineForm(line)
    if try makeEntry(of: line, form) {
      return entry.withUnsafeBytes { entry in SHA256.digest(Self.leafPrefix, entry) }
    }
    return Self.leaf(ofPlain: line)
  }

  /// Returns the hash of the entry of a parsed line.
  package mutating func leaf(
    of parsed: ParsedLine, _ line: UnsafeRawBufferPointer
  ) throws(LineForm.Fault) -> SHA256Digest {
    try parsed.isPlain ? Self.leaf(ofPlain: line) : leaf(of: line)
  }

  private static func leaf(ofPlain line: UnsafeRawBufferPointer) -> SHA256Digest {
    let end = max(line.count - (LogFormat.markSizeBytes - 1), 0)
    return SHA256.digest(leafPrefix, UnsafeRawBufferPointer(rebasing: line[..<end]))
  }
}
