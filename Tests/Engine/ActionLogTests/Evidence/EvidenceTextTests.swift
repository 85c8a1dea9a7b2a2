import ActionLog
import ActionLogMaintenance
import JSONCoding
import Platform
import Testing

/// Reads a file of the vectors.
private func vector(_ name: String, _ folder: String) throws -> [UInt8] {
  try Vectors.bytes(name, in: folder, of: "Evidence")
}

private func keyText(_ name: String) throws -> String {
  try #require(String(decoding: try vector(name, "keys"), as: UTF8.self).split(separator: "\n").first.map(String.init))
}

/// The public key blob in `keys/allowed_signers`.
private func sshBlob() throws -> [UInt8] {
  let fields = String(decoding: try vector("allowed_signers", "keys"), as: UTF8.self).split { character in
    character == " " || character == "\n"
  }
  let blob = try #require(fields.last)
  return try #require(Base64.bytes(blob.utf8))
}

@Suite("Checkpoints and signed notes")
struct CheckpointTests {
  private static let origin = "actionlog/3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  @Test(arguments: [
    ("plain-7", 7, 0), ("plain-12", 12, 0), ("signed-18", 18, 3), ("signed-22", 22, 1), ("named-22", 22, 1),
    ("bad-signature", 18, 1), ("bad-unknown-key", 18, 1),
  ])
  func checkpointsAreReadAndWritten(name: String, size: Int, signatures: Int) throws {
    let bytes = try vector(name, "checkpoints")
    let signed = try SignedCheckpoint(parsing: bytes)
    #expect(signed.checkpoint.size == size)
    #expect(signed.note.signatures.count == signatures)
    #expect(signed.checkpoint.origin == (name == "named-22" ? "example.com/guestbook" : Self.origin))
    #expect(signed.encoded == bytes)
    let again = try Checkpoint(origin: signed.checkpoint.origin, size: size, root: signed.checkpoint.root)
    #expect(again == signed.checkpoint)
    #expect(again.text == signed.note.text)
  }

  @Test(arguments: [
    (
      "bad-size",
      "the size of a checkpoint is a number of digits, without leading zeros and up to 9223372036854775807"
    ),
    ("bad-root", "the root of a checkpoint is base64 of 32 bytes"),
    ("bad-two-lines", "a checkpoint has three lines: origin, size, root"),
    ("bad-control", "the note contains a control character"),
    ("bad-no-line-feed", "the note does not end with a line feed"),
  ])
  func malformedCheckpointsAreRefused(name: String, message: String) throws {
    let bytes = try vector(name, "checkpoints")
    let fault = #expect(throws: EvidenceFault.self) { try SignedCheckpoint(parsing: bytes) }
    #expect(fault?.message == message)
  }

  @Test(arguments: ["9223372036854775808", "18446744073709551615", "100000000000000000000000"])
  func sizesBeyondEveryLogAreNamed(size: String) throws {
    let bytes = Array("a\n\(size)\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n".utf8)
    let fault = #expect(throws: EvidenceFault.self) { try SignedCheckpoint(parsing: bytes) }
    #expect(
      fault?.message
        == "the size of a checkpoint is a number of digits, without leading zeros and up to 9223372036854775807")
  }

  @Test(arguments: [
    "a\n1\n", "\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    "a\n-1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    "a\n9223372036854775808\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    "a\n99999999999999999999\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFV=\n", "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\nno signature\n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— a+b AAAAAAA=\n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— a AAAAAA==\n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n— a AAAAAAA= \n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n—  AAAAAAA=\n",
    "a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n\n- a AAAAAAA=\n",
    "a\r\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
  ])
  func otherTextsAreRefused(text: String) {
    #expect(throws: EvidenceFault.self) { try SignedCheckpoint(parsing: text.utf8) }
  }

  @Test func limitsOfNotesAreKept() throws {
    let start = Array("a\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n".utf8)
    let line = Array("— a AAAAAAA=\n".utf8)
    let hundred = start + [0x0A] + (0..<100).flatMap { _ in line }
    #expect(try SignedCheckpoint(parsing: hundred).note.signatures.count == 100)
    #expect(throws: EvidenceFault.self) { try SignedCheckpoint(parsing: hundred + line) }
    let long = start + [UInt8](repeating: UInt8(ascii: "x"), count: SignedNote.limitBytes - start.count - 1) + [0x0A]
    #expect(try SignedCheckpoint(parsing: long).checkpoint.extensions.count == 1)
    #expect(throws: EvidenceFault.self) { try SignedCheckpoint(parsing: [UInt8(ascii: "x")] + long) }
    #expect(throws: EvidenceFault.self) { try SignedCheckpoint(parsing: [0xFF] + start) }
  }

  @Test func keyIDsMatchTheVectors() throws {
    let signatures = try SignedCheckpoint(parsing: try vector("signed-18", "checkpoints")).note.signatures
    let ssh = NoteKey(name: "ann@example.com", kind: .ssh, key: try sshBlob())
    let log = try NoteKey(verifierKey: try keyText("log.vkey"))
    let witness = try NoteKey(verifierKey: try keyText("witness.vkey"))
    #expect(log.kind == .ed25519)
    #expect(witness.kind == .witness)
    #expect(signatures.map(\.name) == [ssh.name, log.name, witness.name])
    #expect(signatures.map(\.keyID) == [ssh.keyID, log.keyID, witness.keyID])
    #expect(log.verifierKey == (try keyText("log.vkey")))
    #expect(witness.verifierKey == (try keyText("witness.vkey")))
    #expect(try SSHSignature.publicKey(in: signatures[0].bytes) == ssh.key)
    let armor = SSHSignature.armor(signatures[0].bytes)
    #expect(try SSHSignature.blob(armored: armor) == signatures[0].bytes)
    #expect(armor.split(separator: 0x0A).map(\.count).max() == 70)
    #expect(throws: EvidenceFault.self) { try SSHSignature.blob(armored: armor.dropLast(5)) }
    #expect(throws: EvidenceFault.self) { try SSHSignature.publicKey(in: Array(signatures[0].bytes.prefix(20))) }
    #expect(throws: EvidenceFault.self) { try SSHSignature.publicKey(in: signatures[1].bytes) }
  }

  @Test func witnessesSignTheTextWithATime() throws {
    let signed = try SignedCheckpoint(parsing: try vector("signed-18", "checkpoints"))
    let witness = try NoteKey(verifierKey: try keyText("witness.vkey"))
    let message = try #require(witness.ed25519Message(of: signed.note.text, signed.note.signatures[2]))
    #expect(String(decoding: message.message, as: UTF8.self) == "cosignature/v1\ntime 1795251600\n" + signed.note.text)
    #expect(message.signature.count == 64)
    let log = try NoteKey(verifierKey: try keyText("log.vkey"))
    #expect(
      log.ed25519Message(of: signed.note.text, signed.note.signatures[1])?.message == Array(signed.note.text.utf8))
    #expect(log.ed25519Message(of: signed.note.text, signed.note.signatures[2]) == nil)
  }

  struct Note: Decodable {
    var vkey: String
    var note: String
  }

  @Test func notesOfOtherProgramsAreReadAndWritten() throws {
    for vector in try Vectors.decode([Note].self, "outside/notes.json", of: "Evidence") {
      let note = try SignedNote(parsing: vector.note.utf8)
      #expect(String(decoding: note.encoded, as: UTF8.self) == vector.note)
      let key = try NoteKey(verifierKey: vector.vkey)
      #expect(key.verifierKey == vector.vkey)
      #expect(note.signatures.map(\.name) == [key.name])
      #expect(note.signatures.map(\.keyID) == [key.keyID])
    }
  }

  @Test func badKeysOfOtherProgramsAreRefused() throws {
    for key in try MerkleTileTests.vectors().badKeys + ["", "a", "a+b", "a+00000000+AA==", "+c74f20a3+ARpc2QcU"] {
      #expect(throws: EvidenceFault.self, "\(key)") { try NoteKey(verifierKey: key) }
    }
  }

  @Test func treesOfGoAreWrittenAlike() throws {
    let tree = try MerkleTileTests.vectors().formatTree
    let root = try #require(SHA256Digest(SHA256.hash([0] + Array(tree.leaf.utf8))))
    let checkpoint = try Checkpoint(origin: "go.sum database tree", size: tree.size, root: root)
    let isRootOfLeaf = checkpoint.text == tree.text
    let parsed = try Checkpoint(text: tree.text)
    #expect(parsed.size == tree.size)
    #expect(parsed.text == tree.text)
    // Go formats the hash of the text itself or of the leaf.
    #expect(isRootOfLeaf || parsed.root.bytes == SHA256.hash(tree.leaf.utf8))
  }

  /// A verifier that accepts the signatures with certain bytes.
  private func verifier(_ key: NoteKey, accepts bytes: [UInt8]) -> NoteVerifier {
    NoteVerifier(key) { _, signature in signature.bytes == bytes }
  }

  @Test func verdictsFollowTheTrustedKeys() throws {
    let good = try SignedCheckpoint(parsing: try vector("signed-18", "checkpoints")).note
    let key = NoteKey(name: "ann@example.com", kind: .ssh, key: try sshBlob())
    let ann = verifier(key, accepts: good.signatures[0].bytes)
    #expect(try good.verdict(trusting: [ann]) == .signed(by: ["ann@example.com"]))
    #expect(try good.verdict(trusting: []) == .unsigned)
    let bad = try SignedCheckpoint(parsing: try vector("bad-signature", "checkpoints")).note
    #expect(try bad.verdict(trusting: [ann]) == .badSignature(of: "ann@example.com"))
    let unknown = try SignedCheckpoint(parsing: try vector("bad-unknown-key", "checkpoints")).note
    #expect(try unknown.verdict(trusting: [ann]) == .unsigned)
    let log = try NoteKey(verifierKey: try keyText("log.vkey"))
    #expect(
      try good.verdict(trusting: [ann, verifier(log, accepts: [])]) == .badSignature(of: "example.com/guestbook"))
    #expect(
      try good.verdict(trusting: [ann, verifier(log, accepts: good.signatures[1].bytes)])
        == .signed(by: ["ann@example.com", "example.com/guestbook"]))
  }

  @Test func signaturesAreAddedOnce() throws {
    var plain = SignedCheckpoint(try SignedCheckpoint(parsing: try vector("signed-18", "checkpoints")).checkpoint)
    let signed = try SignedCheckpoint(parsing: try vector("signed-18", "checkpoints"))
    plain.add(Array(signed.note.signatures[..<2]))
    plain.add(signed.note.signatures)
    #expect(plain == signed)
  }
}

@Suite("Proof files")
struct EvidenceProofTests {
  @Test(arguments: [
    ("line-0", 0, []), ("line-3", 3, []), ("line-3-redacted", 3, ["/data/name", "/data/email"]),
    ("line-3-disclosed", 3, ["/data/name", "/data/email", "/meta"]), ("line-11-skipped", 11, ["/data"]),
  ])
  func goodProofsAreVerified(name: String, index: Int, gone: [String]) throws {
    let bytes = try vector(name + ".tlog-proof", "proofs")
    let proof = try LineProof(parsing: bytes)
    #expect(proof.index == index)
    #expect(proof.checkpoint.checkpoint.size == 18)
    #expect(try proof.verify().map(\.description) == gone)
    #expect(proof.encoded == bytes)
  }

  @Test(arguments: [
    ("line", "the line is not line 3 of the tree that the checkpoint names"),
    ("crc", "the line of the proof is not a record: checksum mismatch"),
    (
      "kept-part",
      "the line of the proof is not a record: the redacted line was changed: what a redaction kept is not what the line was committed to"
    ),
    ("index", "the line is not line 4 of the tree that the checkpoint names"),
    ("index-beyond", nil),
    (
      "index-zeros",
      "the proof does not name the index of its line, in digits without leading zeros and up to 9223372036854775807"
    ),
    ("path-order", "the line is not line 3 of the tree that the checkpoint names"),
    ("path-short", "the line is not line 3 of the tree that the checkpoint names"),
    ("path-long", "the line is not line 3 of the tree that the checkpoint names"),
    ("base64", nil), ("no-extra", "the proof does not contain its line: its second line is not 'extra' and base64"),
    ("version", "the file is no proof: it does not begin with c2sp.org/tlog-proof@v1"),
    ("other-tree", "the line is not line 3 of the tree that the checkpoint names"),
  ])
  func badProofsAreRefused(name: String, message: String?) throws {
    let bytes = try vector("bad-\(name).tlog-proof", "proofs")
    let fault = #expect(throws: EvidenceFault.self) { try LineProof(parsing: bytes).verify() }
    if let message { #expect(fault?.message == message) }
  }

  /// Whatever byte of the line, the index, the path or the root is changed, the proof fails. Origin and size are signed;
  /// a path is the same in trees of several sizes.
  @Test(arguments: ["line-3", "line-3-redacted", "line-3-disclosed", "line-0"])
  func aChangedByteIsRefused(name: String) throws {
    let bytes = try vector(name + ".tlog-proof", "proofs")
    let proof = try LineProof(parsing: bytes)
    let head = bytes.count - proof.checkpoint.encoded.count
    let text = proof.checkpoint.note.text
    let signed = text.utf8.count - "\n".utf8.count - 44
    let ann = NoteKey(name: "ann@example.com", kind: .ssh, key: try sshBlob())
    let verifier = NoteVerifier(ann) { found, _ in found.utf8.elementsEqual(text.utf8) }
    for offset in 0..<head + text.utf8.count {
      for bit in [offset % 8, (offset + 5) % 8] {
        var changed = bytes
        changed[offset] ^= 1 << bit
        if (head..<head + signed).contains(offset) {
          guard let note = try? LineProof(parsing: changed).checkpoint.note else { continue }
          #expect(try note.verdict(trusting: [verifier]) == .badSignature(of: ann.name), "byte \(offset), bit \(bit)")
          continue
        }
        #expect(throws: EvidenceFault.self, "byte \(offset), bit \(bit)") { try LineProof(parsing: changed).verify() }
      }
    }
  }

  /// White space in a plain line is part of it, but a line feed would end it.
  @Test func aLineFeedInALineIsRefused() throws {
    let proof = try LineProof(parsing: try vector("line-0.tlog-proof", "proofs"))
    let end = proof.line.count - 18
    let text = proof.line[..<end] + [0x0A]
    var line = Array(text + Array(#","crc":""#.utf8))
    ChecksumDigits.append(CRC32C.checksum(of: Array(text)), to: &line)
    line += Array(#""}"#.utf8)
    let tree = MerkleLeaves([SHA256Digest(SHA256.hash([0] + Array(text)))].compactMap(\.self))
    var hashes = tree
    let checkpoint = try Checkpoint(origin: "a", size: 1, root: try hashes.root(size: 1))
    let forged = LineProof(line: line, index: 0, path: [], checkpoint: SignedCheckpoint(checkpoint))
    let fault = #expect(throws: EvidenceFault.self) { try forged.verify() }
    #expect(fault?.message == "the line of the proof is not a record: it contains a line feed")
  }

  @Test func theEndOfAProofMayNotBeMissing() throws {
    let bytes = try vector("line-3.tlog-proof", "proofs")
    let proof = try LineProof(parsing: bytes)
    let needed = bytes.count - proof.checkpoint.encoded.count + proof.checkpoint.note.text.utf8.count
    for count in 0..<needed {
      #expect(throws: EvidenceFault.self, "\(count) bytes") { try LineProof(parsing: Array(bytes[..<count])).verify() }
    }
  }

  @Test func consistencyProofsAreVerified() throws {
    let plain = try SignedCheckpoint(parsing: try vector("plain-12", "checkpoints")).checkpoint
    let signed = try SignedCheckpoint(parsing: try vector("signed-18", "checkpoints")).checkpoint
    for (name, old, other) in [("12-18", plain, signed), ("18-22", signed, plain)] {
      let bytes = try vector(name + ".consistency", "proofs")
      let proof = try ConsistencyProof(parsing: bytes)
      try proof.verify(from: old)
      #expect(proof.encoded == bytes)
      #expect(throws: EvidenceFault.self) { try proof.verify(from: other) }
    }
    for name in ["size", "hash", "empty"] {
      let bytes = try vector("bad-\(name).consistency", "proofs")
      #expect(throws: EvidenceFault.self, "\(name)") { try ConsistencyProof(parsing: bytes).verify(from: signed) }
    }
  }

  /// Every bit of sizes, hashes and root. A proof can hold for several sizes of the newer tree; the size is signed.
  @Test(arguments: [("12-18", "plain-12"), ("18-22", "signed-18")])
  func aChangedBitOfAConsistencyProofIsRefused(name: String, older: String) throws {
    let bytes = try vector(name + ".consistency", "proofs")
    let old = try SignedCheckpoint(parsing: try vector(older, "checkpoints")).checkpoint
    let proof = try ConsistencyProof(parsing: bytes)
    let head = bytes.count - proof.checkpoint.encoded.count
    let origin = proof.checkpoint.checkpoint.origin.utf8.count + 1
    let end = head + proof.checkpoint.note.text.utf8.count
    let size = head + origin..<end - 45
    for offset in 0..<end {
      for bit in 0..<8 {
        var changed = bytes
        changed[offset] ^= 1 << UInt8(bit)
        do {
          let other = try ConsistencyProof(parsing: changed)
          try other.verify(from: old)
          #expect(size.contains(offset) && other.checkpoint.note.text != proof.checkpoint.note.text, "byte \(offset)")
        } catch {
          // The expected refusal.
        }
      }
    }
  }

  struct Witness: Decodable {
    struct Request: Decodable {
      var body: String
      var status: Int
    }
    var requests: [Request]
  }

  /// The requests to a witness, in order. It knows the last checkpoint that it has signed.
  @Test func requestsToAWitnessAreJudgedAlike() throws {
    var known: Checkpoint?
    for request in try Vectors.decode(Witness.self, "outside/witness.json", of: "Evidence").requests {
      // One of the bad signatures is not base64.
      guard request.status != 403 else { continue }
      let proof = try ConsistencyProof(parsing: Array(request.body.utf8))
      #expect(String(decoding: proof.encoded, as: UTF8.self) == request.body)
      let empty = try Checkpoint(origin: proof.checkpoint.checkpoint.origin, size: 0, root: MerkleHash.emptyRoot)
      switch request.status {
      case 200:
        try proof.verify(from: known ?? empty)
        known = proof.checkpoint.checkpoint
      default:
        #expect(throws: EvidenceFault.self) { try proof.verify(from: known ?? empty) }
      }
    }
    #expect(known?.size == 5)
  }
}
