import ActionLog
package import Platform

/// A checkpoint of a log (C2SP tlog-checkpoint): its origin, its number of lines, and the root of their tree.
///
/// It fits in a commit, a ticket or a mail. Who has it can later prove whether a log still begins with the same lines.
package struct Checkpoint: Equatable, Sendable {
  /// The name of the log, which never changes: `actionlog/` and the log's UUID, unless its owner has chosen another.
  package let origin: String
  /// The number of lines, control records included.
  package let size: Int
  package let root: SHA256Digest
  /// Lines after the third. Only other logs have them.
  package let extensions: [String]

  package init(origin: String, size: Int, root: SHA256Digest) throws(EvidenceFault) {
    guard Self.isOrigin(origin) else {
      throw EvidenceFault("the origin of a checkpoint is a line of text without control characters")
    }
    (self.origin, self.size, self.root, extensions) = (origin, size, root, [])
  }

  package init(text: String) throws(EvidenceFault) {
    var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Substring.init)
    guard lines.popLast()?.isEmpty == true, lines.count >= 3, !lines.contains(where: \.isEmpty) else {
      throw EvidenceFault("a checkpoint has three lines: origin, size, root")
    }
    origin = String(lines[0])
    guard Self.isOrigin(origin) else {
      throw EvidenceFault("the origin of a checkpoint is a line of text without control characters")
    }
    guard let size = Self.number(lines[1].utf8) else {
      throw EvidenceFault(
        "the size of a checkpoint is a number of digits, without leading zeros and up to \(Int.max)")
    }
    guard let root = Base64.digest(lines[2].utf8) else {
      throw EvidenceFault("the root of a checkpoint is base64 of 32 bytes")
    }
    self.size = size
    self.root = root
    extensions = lines[3...].map(String.init)
  }

  /// Whether two checkpoints have the same bytes. Texts that only look the same are different origins.
  package static func == (one: Checkpoint, other: Checkpoint) -> Bool {
    one.size == other.size && one.root == other.root && one.text.utf8.elementsEqual(other.text.utf8)
  }

  /// Throws if the checkpoint of a proof is not the one that was kept.
  package func requireSame(as kept: Checkpoint) throws(EvidenceFault) {
    guard self != kept else { return }
    func name(_ checkpoint: Checkpoint) -> String {
      "\(checkpoint.size) \(checkpoint.size == 1 ? "line" : "lines") of '\(checkpoint.origin)'"
    }
    let hint =
      origin != kept.origin
      ? "" : size == kept.size ? ", with another root" : ". A proof can be made for that one, too"
    throw EvidenceFault(
      "the proof ends with a checkpoint of \(name(self)), and the one that was kept is of \(name(kept))\(hint)")
  }

  /// The text, which ends with a line feed: what is signed.
  package var text: String {
    ([origin, "\(size)", Base64.text(root)] + extensions).map { line in line + "\n" }.joined()
  }

  /// Returns the default origin of a log.
  package static func origin(ofLog log: String) -> String { originStart + log }

  private static let originStart = "actionlog/"
  /// Whether the owner of the log has chosen the origin.
  package var hasChosenOrigin: Bool { !origin.hasPrefix(Self.originStart) }

  private static func isOrigin(_ text: String) -> Bool {
    !text.isEmpty && !text.utf8.contains { byte in byte < 0x20 }
  }

  /// Parses digits without a leading zero and without overflow.
  static func number(_ digits: some Collection<UInt8>) -> Int? {
    // 2⁶³ has 19 digits.
    guard (1...19).contains(digits.count), digits.allSatisfy({ digit in (0x30...0x39).contains(digit) }),
      digits.count == 1 || digits.first != UInt8(ascii: "0")
    else { return nil }
    return Int(String(decoding: digits, as: UTF8.self))
  }
}

package struct SignedCheckpoint: Equatable, Sendable {
  package private(set) var note: SignedNote
  package let checkpoint: Checkpoint

  package init(_ checkpoint: Checkpoint) {
    self.checkpoint = checkpoint
    note = SignedNote(text: checkpoint.text)
  }

  package init(parsing bytes: some Collection<UInt8>) throws(EvidenceFault) {
    note = try SignedNote(parsing: bytes)
    checkpoint = try Checkpoint(text: note.text)
  }

  /// Adds signatures, except those that the checkpoint has already.
  package mutating func add(_ signatures: [NoteSignature]) { note.add(signatures) }

  package var encoded: [UInt8] { note.encoded }
}
