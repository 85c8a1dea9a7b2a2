package import ActionLog
package import JSONCoding
package import Platform

// The files that prove something about a log without the log: that a line is in it, and that it only grew.

/// Lines of a text with a limit, for the heads of proofs.
private struct ProofReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  mutating func line() -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { rest = rest[(end + 1)...] }
    return rest[..<end]
  }

  mutating func line(after start: String) -> ArraySlice<UInt8>? {
    guard let line = line(), line.starts(with: start.utf8) else { return nil }
    return line.dropFirst(start.utf8.count)
  }

  mutating func hashes() throws(EvidenceFault) -> [SHA256Digest] {
    var hashes: [SHA256Digest] = []
    while let line = line() {
      if line.isEmpty { return hashes }
      guard hashes.count < MerkleProof.hashLimit else {
        throw EvidenceFault("the proof has more than \(MerkleProof.hashLimit) hashes")
      }
      guard let hash = Base64.digest(line) else {
        throw EvidenceFault("hash \(hashes.count + 1) of the proof is not base64 of 32 bytes")
      }
      hashes.append(hash)
    }
    throw EvidenceFault("the proof has no empty line before its checkpoint")
  }

  func checkpoint() throws(EvidenceFault) -> SignedCheckpoint { try SignedCheckpoint(parsing: rest) }
}

private func appendLines(_ hashes: [SHA256Digest], to text: inout [UInt8]) {
  for hash in hashes {
    hash.withUnsafeBytes { bytes in Base64.append(bytes, .standard, to: &text) }
    text.append(UInt8(ascii: "\n"))
  }
}

/// A proof that a line is in a log (C2SP tlog-proof), with the line.
package struct LineProof: Equatable, Sendable {
  /// The longest file: the longest line in base64, and a note.
  package static let limitBytes = LogFormat.lineLimitBytes / 3 * 4 + 2 * SignedNote.limitBytes

  private static let version = "c2sp.org/tlog-proof@v1"

  /// The line, without its line feed.
  package let line: [UInt8]
  package let index: Int
  /// The path in the tree, the sibling of the leaf first.
  package let path: [SHA256Digest]
  package let checkpoint: SignedCheckpoint

  /// Creates a proof. ``verify()`` checks it.
  package init(line: [UInt8], index: Int, path: [SHA256Digest], checkpoint: SignedCheckpoint) {
    self.line = line
    self.index = index
    self.path = path
    self.checkpoint = checkpoint
  }

  /// Parses a file.
  ///
  /// - Throws: ``EvidenceFault``. A parsed proof is not verified yet.
  package init(parsing bytes: [UInt8]) throws(EvidenceFault) {
    guard bytes.count <= Self.limitBytes else { throw EvidenceFault("the file is too long for a proof") }
    var reader = ProofReader(bytes)
    guard reader.line()?.elementsEqual(Self.version.utf8) == true else {
      throw EvidenceFault("the file is no proof: it does not begin with \(Self.version)")
    }
    guard let extra = reader.line(after: "extra ") else {
      throw EvidenceFault("the proof does not contain its line: its second line is not 'extra' and base64")
    }
    guard let line = Base64.bytes(extra) else { throw EvidenceFault("the line of the proof is not base64") }
    guard let index = reader.line(after: "index ").flatMap({ digits in Checkpoint.number(digits) }) else {
      throw EvidenceFault(
        "the proof does not name the index of its line, in digits without leading zeros and up to \(Int.max)")
    }
    self.line = line
    self.index = index
    path = try reader.hashes()
    checkpoint = try reader.checkpoint()
  }

  package var encoded: [UInt8] {
    var text = Array("\(Self.version)\nextra ".utf8)
    line.withUnsafeBytes { bytes in Base64.append(bytes, .standard, to: &text) }
    text += Array("\nindex \(index)\n".utf8)
    appendLines(path, to: &text)
    text.append(UInt8(ascii: "\n"))
    return text + checkpoint.encoded
  }

  /// Verifies the proof, except the signatures of its checkpoint: the checksum and the form of the line, the commitment to
  /// its content, and the path to the root.
  ///
  /// - Returns: The locations in the line that are not proved, because a redaction has removed what was there.
  package func verify() throws(EvidenceFault) -> [JSONPointer] {
    guard !line.contains(UInt8(ascii: "\n")) else { throw Self.noRecord("it contains a line feed") }
    _ = try record()
    let form: LineForm
    let leaf: SHA256Digest
    do throws(LineForm.Fault) {
      var entry = LineEntry()
      (form, leaf) = try line.withUnsafeBytesTyped { (bytes) throws(LineForm.Fault) in
        (try LineForm(bytes), try entry.leaf(of: bytes))
      }
    } catch {
      throw Self.noRecord(error.message)
    }
    let tree = checkpoint.checkpoint
    guard MerkleProof.isIncluded(leaf, at: index, path: path, size: tree.size, root: tree.root) else {
      throw EvidenceFault("the line is not line \(index) of the tree that the checkpoint names")
    }
    guard case .redacted(let redaction) = form.kind else { return [] }
    return redaction.parts.gone.map(\.pointer)
  }

  /// Returns the record that the line is. ``verify()`` says what of it is proved.
  package func record() throws(EvidenceFault) -> LogRecord {
    do throws(LineFault) {
      let parsed = try LineParser.parse(line[...])
      return LogRecord(parsed, line: line[...], schema: 0, place: LogPlace(path: "", byteOffset: 0))
    } catch {
      throw Self.noRecord(error.message)
    }
  }

  private static func noRecord(_ reason: String) -> EvidenceFault {
    EvidenceFault("the line of the proof is not a record: \(reason)")
  }
}

/// A proof that the tree of one checkpoint leads to that of a newer one: the body of `add-checkpoint` of C2SP tlog-witness.
package struct ConsistencyProof: Equatable, Sendable {
  package static let limitBytes = 2 * SignedNote.limitBytes

  package let oldSize: Int
  /// The hashes; none if the older tree is empty, or is the same.
  package let hashes: [SHA256Digest]
  package let checkpoint: SignedCheckpoint

  /// Creates a proof. ``verify(from:)`` checks it.
  package init(oldSize: Int, hashes: [SHA256Digest], checkpoint: SignedCheckpoint) {
    self.oldSize = oldSize
    self.hashes = hashes
    self.checkpoint = checkpoint
  }

  /// Parses a file.
  ///
  /// - Throws: ``EvidenceFault``. A parsed proof is not verified yet.
  package init(parsing bytes: [UInt8]) throws(EvidenceFault) {
    guard bytes.count <= Self.limitBytes else { throw EvidenceFault("the file is too long for a proof") }
    var reader = ProofReader(bytes)
    guard let oldSize = reader.line(after: "old ").flatMap({ digits in Checkpoint.number(digits) }) else {
      throw EvidenceFault("the file is no proof: it does not begin with 'old' and a size")
    }
    self.oldSize = oldSize
    hashes = try reader.hashes()
    checkpoint = try reader.checkpoint()
  }

  package var encoded: [UInt8] {
    var text = Array("old \(oldSize)\n".utf8)
    appendLines(hashes, to: &text)
    text.append(UInt8(ascii: "\n"))
    return text + checkpoint.encoded
  }

  /// Verifies that the tree of an older checkpoint leads to that of the newer one, except signatures.
  package func verify(from old: Checkpoint) throws(EvidenceFault) {
    let new = checkpoint.checkpoint
    guard old.origin.utf8.elementsEqual(new.origin.utf8) else {
      throw EvidenceFault("the checkpoints are of different logs: '\(old.origin)' and '\(new.origin)'")
    }
    guard oldSize == old.size else {
      throw EvidenceFault("the proof begins at \(oldSize) lines, and the older checkpoint is of \(old.size)")
    }
    guard oldSize <= new.size else {
      throw EvidenceFault("the older checkpoint is of \(oldSize) lines, and the newer one of \(new.size)")
    }
    // Every tree extends the empty one.
    let extendsNothing =
      oldSize == 0 && hashes.isEmpty && old.root == MerkleHash.emptyRoot
      && (new.size > 0 || new.root == MerkleHash.emptyRoot)
    guard
      extendsNothing
        || MerkleProof.isConsistent(
          oldSize: oldSize, oldRoot: old.root, size: new.size, root: new.root, proof: hashes)
    else {
      throw EvidenceFault("the tree of \(old.size) lines does not lead to that of \(new.size) lines")
    }
  }
}
