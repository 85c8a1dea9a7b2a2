import ActionLog
import Platform

/// A fault in a checkpoint, a signed note or a proof: untrusted text.
package struct EvidenceFault: Error, Equatable, Sendable, CustomStringConvertible {
  package var message: String

  package init(_ message: String) {
    self.message = message
  }

  package var description: String { message }
}

/// A text with signatures (C2SP signed-note), or without: a checkpoint need not be signed.
package struct SignedNote: Equatable, Sendable {
  package static let limitBytes = 1 << 20
  /// The most signatures: C2SP demands that 16 are accepted at least.
  static let signatureLimit = 100

  /// Whether the note is within the limits of those that are read.
  var isWithinLimits: Bool { signatures.count <= Self.signatureLimit && encoded.count <= Self.limitBytes }

  /// The text, which ends with a line feed.
  package let text: String
  /// The signatures, in the order of the note.
  package private(set) var signatures: [NoteSignature]

  package init(text: String, signatures: [NoteSignature] = []) {
    self.text = text
    self.signatures = signatures
  }

  package init(parsing bytes: some Collection<UInt8>) throws(EvidenceFault) {
    guard bytes.count <= Self.limitBytes else { throw EvidenceFault("the note is longer than 1 MiB") }
    let bytes = Array(bytes)
    guard !bytes.isEmpty else { throw EvidenceFault("the note is empty") }
    guard bytes.last == Self.lineFeed else { throw EvidenceFault("the note does not end with a line feed") }
    let whole = String(decoding: bytes, as: UTF8.self)
    guard whole.utf8.elementsEqual(bytes) else { throw EvidenceFault("the note is not UTF-8") }
    guard !bytes.contains(where: { byte in byte < 0x20 && byte != Self.lineFeed }) else {
      throw EvidenceFault("the note contains a control character")
    }
    let split = bytes.indices.dropFirst().last { index in
      bytes[index] == Self.lineFeed && bytes[index - 1] == Self.lineFeed
    }
    guard let split else {
      (text, signatures) = (whole, [])
      return
    }
    text = String(decoding: bytes[..<split], as: UTF8.self)
    signatures = []
    for line in bytes[(split + 1)...].dropLast().split(separator: Self.lineFeed, omittingEmptySubsequences: false) {
      guard signatures.count < Self.signatureLimit else {
        throw EvidenceFault("the note has more than \(Self.signatureLimit) signatures")
      }
      signatures.append(try NoteSignature(line: line))
    }
  }

  private static let lineFeed = UInt8(ascii: "\n")

  package var encoded: [UInt8] {
    guard !signatures.isEmpty else { return Array(text.utf8) }
    return Array((text + "\n" + signatures.map { signature in signature.line + "\n" }.joined()).utf8)
  }

  /// Adds signatures, except those that the note has already.
  package mutating func add(_ others: [NoteSignature]) {
    for signature in others where !signatures.contains(signature) { signatures.append(signature) }
  }
}

/// A signature of a note.
package struct NoteSignature: Equatable, Sendable {
  package let name: String
  /// The first four bytes of a hash over name and key.
  package let keyID: UInt32
  package let bytes: [UInt8]

  package init(name: String, keyID: UInt32, bytes: [UInt8]) {
    self.name = name
    self.keyID = keyID
    self.bytes = bytes
  }

  /// Parses a line without its line feed.
  package init(line: some Collection<UInt8>) throws(EvidenceFault) {
    let start = Array("— ".utf8)
    let parts = line.dropFirst(start.count).split(
      separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
    guard line.starts(with: start), parts.count == 2 else {
      throw EvidenceFault("the note has a line after its text that is not a signature")
    }
    name = String(decoding: parts[0], as: UTF8.self)
    guard NoteKey.isName(name) else { throw EvidenceFault("a signature has no name, or one with a space or '+'") }
    guard let bytes = Base64.bytes(parts[1]), bytes.count > 4 else {
      throw EvidenceFault("the signature of '\(name)' is not base64 of a key ID and a signature")
    }
    keyID = bytes[..<4].reduce(0) { id, byte in id << 8 | UInt32(byte) }
    self.bytes = Array(bytes[4...])
  }

  /// The line, without a line feed.
  package var line: String {
    let id = (0..<4).map { index in UInt8(truncatingIfNeeded: keyID >> UInt32(24 - 8 * index)) }
    return "— \(name) \(Base64.text(id + bytes))"
  }
}

/// A public key for notes, and its key ID.
package struct NoteKey: Equatable, Sendable {
  package enum Kind: Equatable, Sendable {
    /// A key that signs the text with Ed25519.
    case ed25519
    /// A witness's key, which signs the text with a time (C2SP tlog-cosignature).
    case witness
    /// A key of SSH, whose signature is an SSHSIG blob.
    case ssh

    /// The byte of the signature type, and what belongs to it.
    fileprivate var type: [UInt8] {
      switch self {
      case .ed25519: [0x01]
      case .witness: [0x04]
      case .ssh: [0xFF] + Array("sshsig/\(SSHSignature.namespace)".utf8)
      }
    }
  }

  package let name: String
  package let kind: Kind
  /// 32 bytes of Ed25519, or the public key blob of SSH.
  package let key: [UInt8]

  package init(name: String, kind: Kind, key: [UInt8]) {
    self.name = name
    self.kind = kind
    self.key = key
  }

  /// Parses a verifier key of C2SP signed-note: `NAME+KEYID+BASE64`.
  package init(verifierKey text: String) throws(EvidenceFault) {
    let parts = text.utf8.split(separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, let name = String(parts[0]), Self.isName(name) else {
      throw EvidenceFault("a verifier key has the form NAME+KEYID+BASE64")
    }
    guard let bytes = Base64.bytes(parts[2]), bytes.count == 33 else {
      throw EvidenceFault("the verifier key of '\(name)' is not one of Ed25519")
    }
    let kind: Kind
    switch bytes[0] {
    case 0x01: kind = .ed25519
    case 0x04: kind = .witness
    default: throw EvidenceFault("the verifier key of '\(name)' is of an unknown kind")
    }
    self.init(name: name, kind: kind, key: Array(bytes[1...]))
    guard ChecksumDigits.parse(parts[1]) == keyID else {
      throw EvidenceFault("the key ID of the verifier key of '\(name)' does not fit its key")
    }
  }

  /// The verifier key of C2SP signed-note; `nil` for a key of SSH, which has none.
  package var verifierKey: String? {
    guard kind != .ssh else { return nil }
    return "\(name)+\(ChecksumDigits.text(keyID))+\(Base64.text(kind.type + key))"
  }

  /// The first four bytes of the hash over name, kind and key.
  package var keyID: UInt32 {
    let digest = SHA256.hash(Array(name.utf8) + [0x0A] + kind.type + key)
    return digest[..<4].reduce(0) { id, byte in id << 8 | UInt32(byte) }
  }

  /// Whether a text can be the name of a key: not empty, without white space and `+`.
  package static func isName(_ text: String) -> Bool {
    !text.isEmpty
      && !text.unicodeScalars.contains { scalar in
        scalar == "+" || scalar.properties.isWhitespace || scalar.value < 0x20
      }
  }

  /// Returns what a key of Ed25519 has signed, and the 64 bytes of the signature.
  ///
  /// - Returns: `nil` if the signature has a wrong length, and for keys of SSH, whose signatures `ssh-keygen` verifies.
  package func ed25519Message(
    of text: String, _ signature: NoteSignature
  ) -> (message: [UInt8], signature: [UInt8])? {
    switch kind {
    case .ed25519:
      return signature.bytes.count == 64 ? (Array(text.utf8), signature.bytes) : nil
    case .witness:
      guard signature.bytes.count == 72 else { return nil }
      let time = signature.bytes[..<8].reduce(UInt64(0)) { time, byte in time << 8 | UInt64(byte) }
      return (Array("cosignature/v1\ntime \(time)\n\(text)".utf8), Array(signature.bytes[8...]))
    case .ssh:
      return nil
    }
  }
}

/// A key that the caller trusts, and the way to verify its signatures.
package struct NoteVerifier: Sendable {
  package let key: NoteKey
  /// Whether a signature of a text is valid.
  package let isValid: @Sendable (_ text: String, _ signature: NoteSignature) throws -> Bool

  package init(
    _ key: NoteKey, isValid: @escaping @Sendable (_ text: String, _ signature: NoteSignature) throws -> Bool
  ) {
    self.key = key
    self.isValid = isValid
  }
}

/// What the signatures of a note are worth to a caller who trusts certain keys.
package enum NoteVerdict: Equatable, Sendable {
  /// Signed by these trusted keys.
  case signed(by: [String])
  /// None of the signatures is of a trusted key.
  case unsigned
  /// The signature of a trusted key is bad.
  case badSignature(of: String)
}

extension SignedNote {
  /// Verifies the signatures of trusted keys, and passes over those of others.
  package func verdict(trusting verifiers: [NoteVerifier]) throws -> NoteVerdict {
    var names: [String] = []
    for signature in signatures {
      for verifier in verifiers where verifier.key.name == signature.name && verifier.key.keyID == signature.keyID {
        guard try verifier.isValid(text, signature) else { return .badSignature(of: signature.name) }
        if !names.contains(signature.name) { names.append(signature.name) }
      }
    }
    return names.isEmpty ? .unsigned : .signed(by: names)
  }
}

/// A signature of `ssh-keygen -Y sign`: the content of its armor.
package enum SSHSignature {
  /// The namespace, which keeps signatures of checkpoints apart from those of other files.
  package static let namespace = "action-log-checkpoint"

  private static let begin = "-----BEGIN SSH SIGNATURE-----"
  private static let end = "-----END SSH SIGNATURE-----"
  /// The length of a line of the armor.
  private static let lineBytes = 70

  /// Returns the blob in an armor.
  package static func blob(armored text: some Collection<UInt8>) throws(EvidenceFault) -> [UInt8] {
    let lines = text.split { byte in byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }
    guard lines.count >= 3, lines.count <= SignedNote.limitBytes / lineBytes, lines[0].elementsEqual(begin.utf8),
      lines[lines.count - 1].elementsEqual(end.utf8),
      let blob = Base64.bytes(Array(lines[1..<lines.count - 1].joined()))
    else { throw EvidenceFault("the output of ssh-keygen is not an SSH signature") }
    return blob
  }

  /// Returns the armor of a blob, as `ssh-keygen -Y verify` reads it.
  package static func armor(_ blob: [UInt8]) -> [UInt8] {
    let digits = Array(Base64.text(blob).utf8)
    var text = Array((begin + "\n").utf8)
    for start in stride(from: 0, to: digits.count, by: lineBytes) {
      text += digits[start..<min(start + lineBytes, digits.count)] + [UInt8(ascii: "\n")]
    }
    return text + Array((end + "\n").utf8)
  }

  /// Returns the public key blob in a signature: after the magic and the version, a string with its length.
  package static func publicKey(in blob: [UInt8]) throws(EvidenceFault) -> [UInt8] {
    let magic = Array("SSHSIG".utf8) + [0, 0, 0, 1]
    let start = magic.count + 4
    guard blob.count > start, blob.starts(with: magic) else {
      throw EvidenceFault("the signature is not an SSH signature of version 1")
    }
    let count = blob[magic.count..<start].reduce(0) { count, byte in count << 8 | Int(byte) }
    guard count > 0, count <= blob.count - start else {
      throw EvidenceFault("the signature is not an SSH signature of version 1")
    }
    return Array(blob[start..<start + count])
  }
}
