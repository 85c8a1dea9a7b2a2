import ActionLog
package import ActionLogMaintenance
import Foundation
import Platform

#if canImport(CryptoKit)
import CryptoKit
#endif

/// Signatures of notes by other programs: `ssh-keygen` or any command makes them, `ssh-keygen` and `openssl` verify them. The keys
/// stay with these programs, so that agents and hardware keys can be used. All calls block.
package enum NoteSigning {
  /// The most bytes that a program may answer with: those of a note.
  private static let answerLimitBytes = SignedNote.limitBytes

  private static func run(
    _ name: String, _ arguments: [String], input: [UInt8] = []
  ) throws -> (output: [UInt8], ending: ToolCommandEnding) {
    let path: String
    do throws(ToolFailure) { path = try SpawnedProcess.program(name) } catch {
      var failure = error
      failure.advice = "Install it, or add its directory to PATH."
      throw failure
    }
    let process = try SpawnedProcess(path, arguments, readsOutput: true)
    // The output of these programs follows their input, so neither waits for the other.
    // A program that has ended or closed its input reads no more: its exit status says what that means.
    do { try process.send(input) } catch ToolStreamError.closed {}
    let answer = try process.finish(limitBytes: answerLimitBytes)
    guard answer.output.count <= answerLimitBytes else {
      throw ToolFailure("signing", .environment, "the program '\(name)' answers more than 1 MiB")
    }
    return answer
  }

  private static func failure(_ name: String, _ ending: ToolCommandEnding, intact: String) -> ToolFailure {
    ToolFailure(
      "signing", .environment, "the program '\(name)' ended \(ending.text)", intact: intact,
      advice: "Its messages are above.")
  }

  /// Returns the first bytes of a file, one more than the limit at most; `nil` if it cannot be read.
  private static func contents(atPath path: String) -> Data? {
    guard let file = FileHandle(forReadingAtPath: path) else { return nil }
    do {
      var data = Data()
      // A pipe returns what its writer has written so far.
      while data.count <= answerLimitBytes, let chunk = try file.read(upToCount: answerLimitBytes + 1 - data.count),
        !chunk.isEmpty
      {
        data += chunk
      }
      try file.close()
      return data
    } catch {
      return nil
    }
  }

  private static func runChecked(_ name: String, _ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
    let (output, ending) = try run(name, arguments, input: input)
    guard ending == .status(0) else { throw failure(name, ending, intact: "Nothing was signed.") }
    return output
  }

  /// Calls a closure with the paths of files that exist during the call.
  private static func withFiles<Result>(
    _ contents: [[UInt8]], _ body: (_ paths: [String]) throws -> Result
  ) throws -> Result {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("action-log-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    } catch {
      throw ToolFailure(
        "signing", .environment, "a temporary directory cannot be created: \(error.localizedDescription)",
        path: directory.path)
    }
    // What is left in a temporary directory is public: texts, signatures and public keys.
    defer { _ = try? FileManager.default.removeItem(at: directory) }
    var paths: [String] = []
    for (index, bytes) in contents.enumerated() {
      let file = directory.appendingPathComponent("\(index)")
      do { try Data(bytes).write(to: file) } catch {
        throw ToolFailure(
          "signing", .environment, "a temporary file cannot be written: \(error.localizedDescription)", path: file.path)
      }
      paths.append(file.path)
    }
    return try body(paths)
  }
}

// MARK: - Signing

extension NoteSigning {
  /// Signs a text with a key of SSH, by `ssh-keygen -Y sign`. An agent may hold the private key of a public one.
  package static func signature(of text: String, sshKey key: String, name: String) throws -> NoteSignature {
    guard NoteKey.isName(name) else {
      throw ToolFailure(
        "signing", .usage, "'\(name)' cannot be the name of a signature: it is empty, or has a space or '+'",
        path: key, advice: "Give a name with '--as NAME'.")
    }
    let armor = try runChecked(
      "ssh-keygen", ["-q", "-Y", "sign", "-n", SSHSignature.namespace, "-f", key], input: Array(text.utf8))
    do throws(EvidenceFault) {
      let blob = try SSHSignature.blob(armored: armor)
      let publicKey = NoteKey(name: name, kind: .ssh, key: try SSHSignature.publicKey(in: blob))
      return NoteSignature(name: name, keyID: publicKey.keyID, bytes: blob)
    } catch {
      throw ToolFailure("signing", .environment, "\(error.message)", path: key)
    }
  }

  /// Returns the signature lines that a command of the shell prints for a text on its standard input.
  package static func signatures(of text: String, command: String) throws -> [NoteSignature] {
    let output = try runChecked("sh", ["-c", command], input: Array(text.utf8))
    do throws(EvidenceFault) {
      var signatures: [NoteSignature] = []
      for line in output.split(separator: UInt8(ascii: "\n")) { signatures.append(try NoteSignature(line: line)) }
      guard !signatures.isEmpty else { throw EvidenceFault("the command printed no signature") }
      return signatures
    } catch {
      throw ToolFailure(
        "signing", .environment, "the output of '\(command)' is not lines of signatures: \(error.message)",
        advice: "A line is '— NAME BASE64', as in C2SP signed-note.")
    }
  }

  /// The start of a public key of Ed25519 in DER (RFC 8410).
  private static let keyInfoStart: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
}

// MARK: - Verifying

extension NoteSigning {
  /// Returns the verifier of a key of Ed25519: by CryptoKit where it can be imported, otherwise by `openssl pkeyutl`.
  package static func verifier(_ key: NoteKey) -> NoteVerifier {
    NoteVerifier(key) { text, signature in
      guard let (message, bytes) = key.ed25519Message(of: text, signature) else { return false }
      #if canImport(CryptoKit)
      return try Curve25519.Signing.PublicKey(rawRepresentation: key.key).isValidSignature(bytes, for: message)
      #else
      return try withFiles([keyInfoStart + key.key, message, bytes]) { paths in
        // 1 is its answer to a bad signature.
        try isGood(
          "openssl",
          [
            "pkeyutl", "-verify", "-rawin", "-pubin", "-keyform", "DER", "-inkey", paths[0], "-in", paths[1],
            "-sigfile", paths[2],
          ], badStatuses: 1...1)
      }
      #endif
    }
  }

  /// Returns the verifiers of the keys that an `allowed_signers` file names for the signatures of a note, by `ssh-keygen -Y verify`, and
  /// the names whose key is listed, but not for them, for checkpoints or at this time: their signatures are valid, and are not those of a
  /// trusted key.
  package static func verifiers(
    allowedSigners path: String, for note: SignedNote
  ) throws -> (verifiers: [NoteVerifier], refusedNames: [String]) {
    guard let data = contents(atPath: path) else {
      throw ToolFailure("noSuchFile", .environment, "the file of allowed signers cannot be read", path: path)
    }
    guard data.count <= answerLimitBytes else {
      throw ToolFailure("beyondLimit", .environment, "the file of allowed signers is longer than 1 MiB", path: path)
    }
    let keys = keys(in: String(decoding: data, as: UTF8.self))
    guard !keys.isEmpty else {
      throw ToolFailure(
        "invalidArgument", .usage, "the file of allowed signers has no key", path: path,
        advice: "A line is like: ann@example.com namespaces=\"\(SSHSignature.namespace)\" ssh-ed25519 AAAA…")
    }
    var verifiers: [NoteVerifier] = []
    var refusedNames: [String] = []
    for signature in note.signatures {
      for key in keys {
        let key = NoteKey(name: signature.name, kind: .ssh, key: key)
        guard key.keyID == signature.keyID, !verifiers.contains(where: { verifier in verifier.key == key }) else {
          continue
        }
        // The file may be a pipe, and can be read only once.
        let verifier = NoteVerifier(key) { text, signature in
          try isGood(signature, of: text, key, with: [Array(data)]) { paths in
            ["verify", "-f", paths[1], "-I", key.name]
          }
        }
        // A good signature of a key that is not allowed, or not for this name or at this time.
        if try !verifier.isValid(note.text, signature),
          try isGood(signature, of: note.text, key, { _ in ["check-novalidate"] })
        {
          if !refusedNames.contains(key.name) { refusedNames.append(key.name) }
        } else {
          verifiers.append(verifier)
        }
      }
    }
    return (verifiers, refusedNames)
  }

  /// Whether ssh-keygen finds a signature of a text and a key good. `command` gets the paths of the signature and of more files.
  private static func isGood(
    _ signature: NoteSignature, of text: String, _ key: NoteKey, with files: [[UInt8]] = [],
    _ command: (_ paths: [String]) -> [String]
  ) throws -> Bool {
    // The signature of another allowed key under this name has another key ID.
    do throws(EvidenceFault) {
      guard try SSHSignature.publicKey(in: signature.bytes) == key.key else { return false }
    } catch {
      return false
    }
    return try withFiles([SSHSignature.armor(signature.bytes)] + files) { paths in
      try isGood(
        "ssh-keygen", ["-q", "-Y"] + command(paths) + ["-n", SSHSignature.namespace, "-s", paths[0]],
        input: Array(text.utf8), badStatuses: sshRefusals)
    }
  }

  /// The statuses of `ssh-keygen` for a bad signature, or one of a key that is not allowed; 126 and 127 are those of a shell that cannot
  /// start a program.
  private static let sshRefusals: ClosedRange<Int32> = 128...255

  /// Whether a program found a signature good: any status but 0, 1 and `badStatuses` means that it has not answered.
  private static func isGood(
    _ name: String, _ arguments: [String], input: [UInt8] = [], badStatuses: ClosedRange<Int32>
  ) throws -> Bool {
    let (_, ending) = try run(name, arguments, input: input)
    guard case .status(let status) = ending, status == 0 || status == 1 || badStatuses.contains(status) else {
      throw failure(name, ending, intact: "No signature was verified.")
    }
    return status == 0
  }

  private static let signerLimit = 10_000

  /// The keys in an `allowed_signers` file. Who may sign with them, what and when, `ssh-keygen` decides.
  private static func keys(in text: String) -> [[UInt8]] {
    text.split(whereSeparator: \.isNewline).prefix(signerLimit).compactMap { line in
      // Options may contain quoted spaces, so the key is the field after its type.
      let fields = line.split { character in character == " " || character == "\t" }
      guard let first = fields.first, !first.hasPrefix("#"),
        let type = fields.indices.dropFirst().first(where: { index in isKeyType(fields[index]) }),
        type + 1 < fields.count
      else { return nil }
      return Base64.bytes(fields[type + 1].utf8)
    }
  }

  private static func isKeyType(_ field: Substring) -> Bool {
    ["ssh-", "ecdsa-", "sk-ssh-", "sk-ecdsa-"].contains { start in field.hasPrefix(start) }
  }
}
