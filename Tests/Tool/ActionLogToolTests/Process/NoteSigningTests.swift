import ActionLog
import ActionLogMaintenance
import ActionLogTool
import Foundation
import TestSupport
import Testing

/// Signatures by the programs that are installed, against signatures that were made elsewhere.
@Suite("Signatures of checkpoints by programs", .timeLimit(.minutes(60)))
struct NoteSigningTests {
  static let vectors = PackageFolder.root.appending(path: "Tests/Engine/ActionLogTests/Fixtures/Evidence").path
  static let hasPrograms = Executable.find("ssh-keygen") != nil && Executable.find("openssl") != nil

  static func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: vectors + "/" + name)))
  }

  private static func note(_ name: String) throws -> SignedNote {
    try SignedCheckpoint(parsing: try bytes("checkpoints/" + name)).note
  }

  private static func key(_ name: String) throws -> NoteKey {
    let text = String(decoding: try bytes("keys/" + name), as: UTF8.self)
    return try NoteKey(verifierKey: text.trimmingCharacters(in: .newlines))
  }

  private static var allowedSigners: String { vectors + "/keys/allowed_signers" }

  @Test(.enabled(if: hasPrograms, "ssh-keygen or openssl is not installed"))
  func signaturesOfTheVectorsAreVerified() throws {
    let note = try Self.note("signed-18")
    let ssh = try NoteSigning.verifiers(allowedSigners: Self.allowedSigners, for: note).verifiers
    #expect(try note.verdict(trusting: ssh) == .signed(by: ["ann@example.com"]))
    let log = NoteSigning.verifier(try Self.key("log.vkey"))
    let witness = NoteSigning.verifier(try Self.key("witness.vkey"))
    #expect(
      try note.verdict(trusting: ssh + [log, witness])
        == .signed(by: ["ann@example.com", "example.com/guestbook", "witness.example/w1"]))
    let named = try Self.note("named-22")
    #expect(try named.verdict(trusting: [log, witness]) == .signed(by: ["example.com/guestbook"]))
  }

  @Test(.enabled(if: hasPrograms, "ssh-keygen or openssl is not installed"))
  func badSignaturesOfTheVectorsAreRefused() throws {
    let bad = try Self.note("bad-signature")
    let verifiers = try NoteSigning.verifiers(allowedSigners: Self.allowedSigners, for: bad).verifiers
    #expect(try bad.verdict(trusting: verifiers) == .badSignature(of: "ann@example.com"))
    let unknown = try Self.note("bad-unknown-key")
    let none = try NoteSigning.verifiers(allowedSigners: Self.allowedSigners, for: unknown).verifiers
    #expect(try unknown.verdict(trusting: none) == .unsigned)
  }

  /// The text belongs to what is signed, the time of a witness as well.
  @Test(.enabled(if: hasPrograms, "ssh-keygen or openssl is not installed"))
  func signaturesOfOtherTextsAreRefused() throws {
    let note = try Self.note("signed-18")
    let other = SignedNote(text: note.text.replacing("\n18\n", with: "\n19\n"), signatures: note.signatures)
    let ssh = try NoteSigning.verifiers(allowedSigners: Self.allowedSigners, for: other).verifiers
    #expect(try other.verdict(trusting: ssh) == .badSignature(of: "ann@example.com"))
    for (name, index) in [("log.vkey", 1), ("witness.vkey", 2)] {
      let verifier = NoteSigning.verifier(try Self.key(name))
      #expect(try other.verdict(trusting: [verifier]) == .badSignature(of: note.signatures[index].name))
      for offset in [0, 7, 8, note.signatures[index].bytes.count - 1] {
        var changed = note.signatures[index].bytes
        changed[offset] ^= 1
        let signature = NoteSignature(name: verifier.key.name, keyID: verifier.key.keyID, bytes: changed)
        #expect(try !verifier.isValid(note.text, signature), "\(name), byte \(offset)")
      }
    }
  }

  @Test(.enabled(if: hasPrograms, "ssh-keygen or openssl is not installed"))
  func keysOfSSHSignAndVerify() async throws {
    let directory = try TemporaryDirectory()
    let key = directory.path("key")
    try await Self.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "bob@example.com", "-f", key)
    let text = "example.com/log\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"
    let signature = try NoteSigning.signature(of: text, sshKey: key, name: "bob@example.com")
    #expect(signature.name == "bob@example.com")
    let note = try SignedNote(parsing: SignedNote(text: text, signatures: [signature]).encoded)
    let publicKey = try String(contentsOfFile: key + ".pub", encoding: .utf8)
    let signers = directory.path("allowed_signers")
    for (principals, isTrusted) in [
      ("bob@example.com", true), ("*@example.com", true), ("ann@example.com,bob@*", true), ("!bob@*,*", false),
      ("ann@example.com", false),
    ] {
      try Data("# keys\n\(principals) namespaces=\"action-log-checkpoint\" \(publicKey)".utf8)
        .write(to: URL(filePath: signers))
      let verifiers = try NoteSigning.verifiers(allowedSigners: signers, for: note).verifiers
      #expect(try note.verdict(trusting: verifiers) == (isTrusted ? .signed(by: ["bob@example.com"]) : .unsigned))
    }
    // A pipe can be read only once.
    try Data("bob@example.com namespaces=\"action-log-checkpoint\" \(publicKey)".utf8).write(to: URL(filePath: signers))
    let pipe = directory.path("pipe")
    try await Self.run("mkfifo", pipe)
    let writer = try Spawn.start(
      ["sh", "-c", "cat '\(signers)' > '\(pipe)'"], streams: Spawn.Streams(input: nil, output: nil, messages: nil))
    let piped = try NoteSigning.verifiers(allowedSigners: pipe, for: note).verifiers
    #expect(try await ChildProcess(writer).wait() == .status(0))
    #expect(try note.verdict(trusting: piped) == .signed(by: ["bob@example.com"]))
    // A key that may sign other things only, or until yesterday, has made no bad signature.
    for options in ["namespaces=\"file\"", "namespaces=\"action-log-checkpoint\",valid-before=\"20200101\""] {
      try Data("bob@example.com \(options) \(publicKey)".utf8).write(to: URL(filePath: signers))
      let found = try NoteSigning.verifiers(allowedSigners: signers, for: note)
      #expect(try note.verdict(trusting: found.verifiers) == .unsigned, "\(options)")
      #expect(found.refusedNames == ["bob@example.com"], "\(options)")
    }
    try Data("# nobody\n".utf8).write(to: URL(filePath: signers))
    let empty = #expect(throws: ToolFailure.self) { try NoteSigning.verifiers(allowedSigners: signers, for: note) }
    #expect(empty?.message == "the file of allowed signers has no key")
    #expect(try NoteSigning.signature(of: text, sshKey: key, name: "carl").name == "carl")
    let failure = #expect(throws: ToolFailure.self) { try NoteSigning.signature(of: text, sshKey: key, name: "a b") }
    #expect(failure?.advice == "Give a name with '--as NAME'.")
    #expect(throws: ToolFailure.self) { try NoteSigning.signature(of: text, sshKey: key + "-missing", name: "bob") }
  }

  @Test func commandsPrintSignatureLines() throws {
    let line = NoteSignature(name: "a", keyID: 7, bytes: [1, 2, 3]).line
    let found = try NoteSigning.signatures(of: "text\n", command: "cat >/dev/null; echo '\(line)'")
    #expect(found == [NoteSignature(name: "a", keyID: 7, bytes: [1, 2, 3])])
    for command in ["cat >/dev/null", "cat", "cat >/dev/null; echo '\(line)'; exit 3"] {
      #expect(throws: ToolFailure.self, "\(command)") { try NoteSigning.signatures(of: "text\n", command: command) }
    }
  }

  /// Runs a program without input and output.
  private static func run(_ words: String...) async throws {
    let process = try Spawn.start(words, streams: Spawn.Streams(input: nil, output: nil, messages: nil))
    #expect(try await ChildProcess(process).wait() == .status(0), "\(words)")
  }
}
