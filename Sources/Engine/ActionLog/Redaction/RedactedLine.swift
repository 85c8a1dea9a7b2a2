package import JSONCoding
internal import Platform

/// A value of a line to remove, and the value to put in its place.
package struct ValueReplacement: Equatable, Sendable {
  /// The location in the record, which begins with `/data` or `/meta`.
  package var pointer: JSONPointer
  /// The new value in JSON; `nil` for the default of the value's type: `"[redacted]"`, `0`, `false`, `null`, `[]`, `{}`.
  package var json: [UInt8]?

  package init(_ pointer: JSONPointer, with json: [UInt8]? = nil) {
    self.pointer = pointer
    self.json = json
  }
}

package enum RedactionFault: Error, Equatable, Sendable {
  case noSalt
  /// The line has a salt or a redaction that does not fit its content.
  case damaged(String)
  case noValue(String)
  /// A pointer that is not in `data` or `meta`.
  case outside(String)
  /// One of two pointers is within the other, or both are the same.
  case overlap(String, String)
  /// The value is needed to read the log.
  case notAllowed(String)
  case notAnObject(String)
  case invalidReplacement(String, reason: String)
  case notAnAction
  /// The redacted line would exceed the limit; the pointer is the value whose parts take most of it.
  case tooLong(String)

  /// A description, without the location of the line.
  package var message: String {
    switch self {
    case .noSalt: "the line has no salt: the log was not made with 'redactable'"
    case .damaged(let reason): "the line cannot be redacted: \(reason)"
    case .noValue(let pointer): "there is no value at \(pointer)"
    case .outside(let pointer):
      "\(pointer.isEmpty ? "a complete record" : pointer) cannot be redacted: only values in /data and /meta can"
    case .overlap(let one, let other):
      one == other ? "\(one) is named twice" : "\(one) and \(other) overlap: name only the outer one"
    case .notAllowed(let pointer): "\(pointer) is needed to read the log and cannot be redacted"
    case .notAnObject(let pointer): "the replacement of \(pointer) is not an object"
    case .invalidReplacement(let pointer, let reason): "the replacement of \(pointer) is not strict JSON (\(reason))"
    case .notAnAction: "only actions can be skipped"
    case .tooLong(let pointer): "the redacted line would be longer than 16 MiB: redact \(pointer) as a whole"
    }
  }

  /// A description that names the line if all of it is the reason.
  package func message(ofLine index: Int) -> String {
    self == .noSalt ? message.replacing("the line", with: "the line at index \(index)", maxReplacements: 1) : message
  }
}

/// Makes the redacted form of a line: other values in place of removed ones, and what proves the rest.
package struct RedactedLine: Equatable, Sendable {
  /// The line, without its line feed. It has the checksum of the original line.
  package var bytes: [UInt8]
  /// The replacements in the order of the line, with the defaults filled in.
  package var replacements: [ValueReplacement]
  /// Whether replay skips the action.
  package var skips: Bool

  /// The SHA-256 of the line in hexadecimal digits, as a `@redact` record states it.
  package var digest: String { RedactedLine.digest(of: bytes) }

  package static func digest(of line: [UInt8]) -> String { SHA256.hexadecimal(line) }
  /// The digits in place of a removed digest: readers of any version accept them, and no file or line has this digest.
  package static let noDigest = String(repeating: "0", count: 64)
  package static let noDigestJSON = Array("\"\(noDigest)\"".utf8)

  /// Redacts a salted line, or an already redacted one again.
  ///
  /// - Parameters:
  ///   - line: A valid line, without its line feed.
  ///   - replacements: The values to remove, none within another. None if the action is only to be skipped.
  ///   - skips: Whether replay skips the action from now on. An action that is skipped stays so.
  ///   - by: The index of the `@redact` record that names the line; `nil` for a line that is shortened for a proof.
  ///   - limitBytes: The limit on the redacted line, with its line feed; lower than that of the format only in tests.
  package init(
    of line: [UInt8], replacing replacements: [ValueReplacement], skips: Bool = false, by: Int?,
    limitBytes: Int = LogFormat.lineLimitBytes
  ) throws(RedactionFault) {
    let form: LineForm
    do throws(LineForm.Fault) { form = try line.withForm() } catch { throw .damaged(error.message) }
    let parsed: ParsedLine
    // The parser also checks the commitment of a line that was redacted before.
    do throws(LineFault) { parsed = try LineParser.parse(line[...]) } catch { throw .damaged(error.message) }
    let type = parsed.controlType(in: line[...])
    // No replay reads the line of a proof.
    let isForProof = by == nil && (type == .digest || type == .base)
    try RedactedLine.check(replacements.map(\.pointer), isForProof ? nil : type)
    var replacements = replacements
    for (index, replacement) in replacements.enumerated() {
      if type == .digest && replacement.pointer == JSONPointer(["data", "state"]) {
        // A text is not a digest, and would be taken for one that fits no state.
        replacements[index].json = replacement.json ?? Array("null".utf8)
      } else if RedactedLine.isRecordedDigest(replacement.pointer, type) {
        // Any other digest would be taken for one that nothing fits.
        guard replacement.json ?? Self.noDigestJSON == Self.noDigestJSON else {
          throw .notAllowed(replacement.pointer.excerpt)
        }
        replacements[index].json = Self.noDigestJSON
      }
    }
    let source: Commitment.Source
    var skips = skips
    switch form.kind {
    case .plain: throw .noSalt
    case .salted(let salt): source = .salt(salt)
    case .redacted(let redaction):
      source = .parts(redaction.parts)
      skips = skips || redaction.skips
    }
    guard !skips || !parsed.isControl else { throw .notAnAction }
    var data = Array(line[form.data])
    var meta = form.meta.map { range in Array(line[range]) }
    var computer = Commitment()
    let split: (commitment: SHA256Digest, parts: CommitmentParts)
    do throws(Commitment.Fault) {
      split = try computer.split(data: data, meta: meta, source: source, hidden: replacements.map(\.pointer))
    } catch {
      if case .noValue(let pointer) = error { throw .noValue(pointer) }
      throw .damaged("its salts do not fit its content")
    }
    var done = try RedactedContent.replace(replacements, named: "data", in: &data)
    if var content = meta {
      done += try RedactedContent.replace(replacements, named: "meta", in: &content)
      meta = content
    }
    self.replacements = done
    self.skips = skips
    var text = Array(line[..<form.prefixEnd])
    LineRedaction(commitment: split.commitment, by: by, parts: split.parts, skips: skips, fillStart: 0)
      .append(data[...], meta?[...], to: &text)
    text += ChecksumFill.letters(after: text, reaching: parsed.crc)
    text.append(UInt8(ascii: "\""))
    text += CommitMark.bytes(of: parsed.crc).dropLast()
    guard text.count < limitBytes else { throw .tooLong(RedactedLine.widest(split.parts)) }
    bytes = text
  }

  /// Returns the value that has most parts.
  private static func widest(_ parts: CommitmentParts) -> String {
    var counts: [JSONPointer: Int] = [:]
    for pointer in parts.gone.map(\.pointer) + parts.open.map(\.pointer) {
      counts[pointer.parent ?? .root, default: 0] += 1
    }
    let widest = counts.max { one, other in
      one.value < other.value || one.value == other.value && one.key.tokens.count < other.key.tokens.count
    }
    return widest.map { entry in entry.key.excerpt } ?? "/data"
  }

  // MARK: Pointers

  private static func check(_ pointers: [JSONPointer], _ type: ControlType?) throws(RedactionFault) {
    for pointer in pointers {
      guard let root = pointer.tokens.first, root == "data" || root == "meta" else {
        throw .outside(pointer.excerpt)
      }
    }
    try PointerTree.checkOverlaps(of: pointers)
    for pointer in pointers where !isAllowed(pointer, type) { throw .notAllowed(pointer.excerpt) }
  }

  /// Whether a location is the digest of a line in a `@redact` record, or of a segment in a `@prune` record. It can be removed once it
  /// is out of date.
  package static func isRecordedDigest(_ pointer: JSONPointer, _ type: ControlType?) -> Bool {
    guard pointer.tokens.count == 4, pointer.tokens[0] == "data" else { return false }
    switch type {
    case .redact: return pointer.tokens[1] == "lines" && pointer.tokens[3] == "digest"
    case .prune: return pointer.tokens[1] == "segments" && pointer.tokens[3] == "sha256"
    default: return false
    }
  }

  /// Whether a location is the object with all replacements of a line in a `@redact` record, whose names are locations. It can be
  /// replaced once a later record names the line.
  package static func isRecordedReplacements(_ pointer: JSONPointer, _ type: ControlType?) -> Bool {
    type == .redact && pointer.tokens.count == 4 && pointer.tokens[0] == "data" && pointer.tokens[1] == "lines"
      && pointer.tokens[3] == "with"
  }

  /// Whether a value of a control record can be removed without making the log unreadable.
  private static func isAllowed(_ pointer: JSONPointer, _ type: ControlType?) -> Bool {
    func touches(_ tokens: String...) -> Bool {
      pointer.isWithin(JSONPointer(tokens)) || JSONPointer(tokens).isWithin(pointer)
    }
    switch type {
    case .segment: return false
    case .unit: return pointer.isWithin(JSONPointer(["meta"]))
    case .open: return !touches("data", "epoch") && !touches("data", "schema")
    case .redact:
      // A replacement can be private, too. It was needed only until the redaction was complete.
      let isReplacement = pointer.tokens.count > 4 && pointer.tokens[1] == "lines" && pointer.tokens[3] == "with"
      return isReplacement || isRecordedDigest(pointer, type) || isRecordedReplacements(pointer, type)
        || pointer.isWithin(JSONPointer(["data", "reason"])) || pointer.isWithin(JSONPointer(["meta"]))
    case .prune:
      return isRecordedDigest(pointer, type)
        || ["reason", "archive"].contains { name in pointer.isWithin(JSONPointer(["data", name])) }
        || ["sha256", "state"].contains { name in pointer.isWithin(JSONPointer(["data", "base", name])) }
        || pointer.isWithin(JSONPointer(["meta"]))
    // A digest without a member fits no state, and no replay begins without the state of a base.
    case .digest: return pointer.tokens.count > 1 || pointer.tokens.first == "meta"
    case .base:
      return pointer.tokens.count > 2 && pointer.tokens[1] == "state" || pointer.isWithin(JSONPointer(["meta"]))
    case .close, .rejected, .report, nil: return true
    }
  }
}

extension JSONPointer {
  /// Whether the value at this location is the one at another location, or within it.
  package func isWithin(_ outer: JSONPointer) -> Bool {
    tokens.count >= outer.tokens.count
      && zip(tokens, outer.tokens).allSatisfy { token, other in token.utf8.elementsEqual(other.utf8) }
  }

  /// Whether the value at this location is one of those at other locations, or within one.
  package func isWithin(anyOf pointers: Set<JSONPointer>) -> Bool {
    var outer: JSONPointer? = self
    while let next = outer {
      if pointers.contains(next) { return true }
      outer = next.parent
    }
    return false
  }
}

extension [UInt8] {
  /// The form of a line; `nil` if it has none, so that it states no redaction and is not plain. A valid line always has one.
  package var form: LineForm? {
    do throws(LineForm.Fault) { return try withForm() } catch { return nil }
  }

  package func withForm() throws(LineForm.Fault) -> LineForm {
    try withUnsafeBufferPointer { (bytes) throws(LineForm.Fault) in try LineForm(UnsafeRawBufferPointer(bytes)) }
  }
}

/// Values in the content of a line, or in the state of a base.
package enum RedactedContent {
  /// Replaces the values in the member of a record, or the state in a base.
  ///
  /// - Returns: The replacements in the order of the content, with the defaults filled in.
  static func replace(
    _ replacements: [ValueReplacement], named name: String, in bytes: inout [UInt8]
  ) throws(RedactionFault) -> [ValueReplacement] {
    let wanted = replacements.filter { replacement in replacement.pointer.tokens.first == name }
    guard !wanted.isEmpty else { return [] }
    let root = try parsed(bytes, wanted[0].pointer)
    let found = PointerTree(wanted.map { replacement in JSONPointer(Array(replacement.pointer.tokens.dropFirst())) })
      .values(in: root)
    var edits: [(range: Range<Int>, replacement: ValueReplacement, json: [UInt8])] = []
    for (number, replacement) in wanted.enumerated() {
      guard let node = found[number] else {
        throw .noValue(replacement.pointer.excerpt)
      }
      let json =
        try replacement.json.map { (json) throws(RedactionFault) in
          try value(json, at: replacement.pointer)
        } ?? defaultValue(of: node)
      if replacement.pointer.tokens.count == 1, name != "state", json.first != UInt8(ascii: "{") {
        throw .notAnObject(replacement.pointer.excerpt)
      }
      edits.append((node.byteRange, ValueReplacement(replacement.pointer, with: json), json))
    }
    edits.sort { one, other in one.range.lowerBound < other.range.lowerBound }
    var result: [UInt8] = []
    var position = 0
    for edit in edits {
      result += bytes[position..<edit.range.lowerBound]
      result += edit.json
      position = edit.range.upperBound
    }
    result += bytes[position...]
    bytes = result
    // A replacement may nest too deeply for its place.
    _ = try parsed(bytes, wanted[0].pointer)
    return edits.map(\.replacement)
  }

  private static func parsed(_ bytes: [UInt8], _ pointer: JSONPointer) throws(RedactionFault) -> JSONTape.Node {
    do throws(JSONError) {
      return try JSONTape(parsing: bytes, maximumDepth: LogFormat.depthLimit - 1).root
    } catch {
      throw .invalidReplacement(pointer.excerpt, reason: error.message)
    }
  }

  private static func value(_ json: [UInt8], at pointer: JSONPointer) throws(RedactionFault) -> [UInt8] {
    let node = try parsed(json, pointer)
    // White space around the value is not part of it.
    return SaltedLine.compacted(Array(node.bytes))
  }

  /// Returns the strings and numbers of a text at locations, with those within them and the names of members that are not identifiers.
  ///
  /// A name such as `diet` belongs to a type and is in most lines. A name such as `Ann Smith` is a key of a dictionary, and a value.
  ///
  /// - Returns: None if the text is not JSON.
  package static func texts(of json: [UInt8], at locations: [JSONPointer]) -> Set<ExactName> {
    let root: JSONTape.Node
    do throws(JSONError) { root = try JSONTape(parsing: json, maximumDepth: LogFormat.depthLimit + 1).root } catch {
      return []
    }
    var texts: Set<ExactName> = []
    for value in PointerTree(locations).values(in: root).values {
      var nodes = [value]
      while let node = nodes.popLast() {
        if let text = node.string() { texts.insert(ExactName(text)) }
        if node.kind == .number { texts.insert(ExactName(String(decoding: node.bytes, as: UTF8.self))) }
        for (name, value) in node.members {
          if let text = name.string(), !isIdentifier(text) { texts.insert(ExactName(text)) }
          nodes.append(value)
        }
        nodes += node.elements
      }
    }
    return texts
  }

  /// Whether a name of a member can be that of a property: a letter or `_`, then letters, digits and `_`, all of ASCII.
  package static func isIdentifier(_ name: String) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { byte == 0x5F || (0x41...0x5A).contains(byte & 0xDF) }
    guard let first = name.utf8.first, isLetter(first) else { return false }
    return name.utf8.allSatisfy { byte in isLetter(byte) || (0x30...0x39).contains(byte) }
  }

  /// Returns a value of the same type, so that most actions still decode.
  private static func defaultValue(of node: JSONTape.Node) -> [UInt8] {
    switch node.kind {
    case .string: Array(#""[redacted]""#.utf8)
    case .number: Array("0".utf8)
    case .bool: Array("false".utf8)
    case .null: Array("null".utf8)
    case .array: Array("[]".utf8)
    case .object: Array("{}".utf8)
    }
  }
}
