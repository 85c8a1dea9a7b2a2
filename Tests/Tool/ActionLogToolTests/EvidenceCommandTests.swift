import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import ActionLogTool
import Foundation
import JSONCoding
import Testing

/// The commands `checkpoint` and `prove`, and `verify --checkpoint`.
@Suite("Checkpoints and proofs on the command line")
struct EvidenceCommandTests {
  private static let origin = "actionlog/3f0c9a52-7d1e-4c55-9d0a-0b9f6f0f5a11"

  /// A log with a checkpoint in the file `kept`.
  private static func bench() async throws -> Bench {
    let bench = Bench(tool: .withStories)
    try await bench.recordCounter()
    let run = await bench.run("checkpoint", "my-log")
    try #require(run.status == 0, "\(run.messages)")
    try bench.disk.setContents(Array(run.output.utf8), of: "kept")
    return bench
  }

  /// Nothing was compared, so nothing differs.
  @Test(arguments: ["my-log/proofs", "my-log/proofs/checkpoints"])
  func aFileInPlaceOfTheProofsIsNamed(path: String) async throws {
    let bench = Bench(tool: .withStories)
    try await bench.recordCounter()
    if path.hasSuffix("checkpoints") { try bench.disk.createDirectory("my-log/proofs") }
    try bench.disk.setContents([], of: path)
    let verify = await bench.run("verify", "my-log")
    #expect(verify.status == 1 && verify.output.contains("this is not a directory: \(path)"), "\(verify)")
    #expect(verify.messages.contains("Every record is intact. The records were not compared"), "\(verify)")
    let checkpoint = await bench.run("checkpoint", "my-log")
    #expect(checkpoint.status == 3 && checkpoint.messages.contains("move away what is at '\(path)'"), "\(checkpoint)")
  }

  @Test func aCheckpointIsPrintedAndStored() async throws {
    let bench = try await Self.bench()
    let bytes = try bench.disk.contents(of: "kept")
    let checkpoint = try SignedCheckpoint(parsing: bytes).checkpoint
    #expect(checkpoint.origin == Self.origin)
    let lines = try bench.disk.contents(of: "my-log/0000000000000001.jsonl").split(separator: 0x0A)
    #expect(checkpoint.size == lines.count)
    #expect(try bench.disk.contents(of: "my-log/proofs/checkpoint") == bytes)
    let json = await bench.run("checkpoint", "my-log", "--json")
    let answer = try JSONValue(parsing: Array(json.output.utf8))
    #expect(answer["lines"]?.integer == checkpoint.size)
    #expect(answer["linesRead"]?.integer == 0)
    #expect(answer["text"]?.text == String(decoding: bytes, as: UTF8.self))
  }

  @Test func theOriginNeverChanges() async throws {
    let bench = try await Self.bench()
    let run = await bench.run("checkpoint", "my-log", "--origin", "example.com/log")
    #expect(run.status == 2)
    #expect(run.messages.contains("never changes"), "\(run.messages)")
    #expect(await bench.run("checkpoint", "my-log", "--origin", Self.origin).status == 0)
  }

  @Test(arguments: [
    "\u{1}", "\n", "\u{7F}", "\u{9B}", "\u{85}", "\u{2028}", "\u{202E}", "\u{2066}", "\u{200F}", "\u{FEFF}",
  ])
  func checkpointsHaveNoControlCharacters(_ control: String) async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let origin = await bench.run("checkpoint", "my-log", "--origin", "example.com\(control)/log")
    #expect(origin.status == 2 && origin.messages.contains("the origin \"example.com\\"), "\(origin)")
    #expect(try bench.disk.names(in: "my-log").contains("proofs") == false)
  }

  @Test func linesAreProvedWithoutTheLog() async throws {
    let bench = try await Self.bench()
    for words in [["prove", "my-log", "3"], ["prove", "my-log", "end"], ["prove", "my-log", "--line", "0"]] {
      let run = await bench.run(words)
      #expect(run.status == 0, "\(run.messages)")
      let proof = try LineProof(parsing: Array(run.output.utf8))
      #expect(try proof.verify() == [])
      #expect(proof.checkpoint.encoded == (try bench.disk.contents(of: "kept")))
    }
    for words in [
      ["prove", "my-log"], ["prove", "my-log", "3", "--line", "3"], ["prove", "my-log", "--line", "x"],
      ["prove", "my-log", "3", "--consistency", "kept"], ["prove", "my-log", "3", "--checkpoint", "my-log/HEAD"],
    ] {
      #expect(await bench.run(words).status == 2, "\(words)")
    }
    // A plain log has no salts.
    let proved = try LineProof(parsing: Array(await bench.run("prove", "my-log", "3").output.utf8))
    for words in [["3"], ["--line", "\(proved.index)"]] {
      let hidden = await bench.run(["prove", "my-log"] + words + ["--hide", "/data"])
      let message = "the line at index \(proved.index) has no salt: the log was not made with 'redactable'"
      #expect(hidden.messages.contains(message), "\(hidden.messages)")
    }
  }

  @Test func oneCheckpointLeadsToAnother() async throws {
    let bench = try await Self.bench()
    let old = try SignedCheckpoint(parsing: try bench.disk.contents(of: "kept")).checkpoint
    try await bench.recordCounter()
    _ = await bench.run("checkpoint", "my-log")
    let run = await bench.run("prove", "my-log", "--consistency", "kept")
    #expect(run.status == 0, "\(run.messages)")
    let proof = try ConsistencyProof(parsing: Array(run.output.utf8))
    try proof.verify(from: old)
    #expect(proof.checkpoint.checkpoint.size > old.size)
    let verified = await bench.run("verify", "my-log", "--checkpoint", "kept", "--json")
    #expect(verified.status == 0)
    let answer = try JSONValue(parsing: Array(verified.output.utf8))
    #expect(answer["verdict"]?.text == "extends")
    #expect(answer["more"]?.integer == proof.checkpoint.checkpoint.size - old.size)
  }

  /// The stored checkpoint is of a log with one more action.
  @Test func verifyComparesStoredCheckpoints() async throws {
    let bench = try await Self.bench()
    let page = await bench.run("verify", "my-log")
    #expect(page.status == 0)
    #expect(page.output.contains("the lines lead to 1 stored checkpoint\n"), "\(page.output)")
    let answer = try JSONValue(parsing: Array(await bench.run("verify", "my-log", "--json").output.utf8))
    #expect(answer["checkpoints"]?.integer == 1)
    let signed = try SignedCheckpoint(parsing: try bench.disk.contents(of: "kept")).checkpoint
    let other = try Checkpoint(origin: signed.origin, size: signed.size, root: MerkleHash.emptyRoot)
    let name = String(signed.size)
    try bench.disk.setContents(
      Array(other.text.utf8),
      of: "my-log/proofs/checkpoints/" + String(repeating: "0", count: 16 - name.count) + name)
    try bench.disk.remove("my-log/proofs/checkpoint")
    let run = await bench.run("verify", "my-log")
    #expect(run.status == 1)
    #expect(run.output.contains("the log no longer leads to the checkpoint of \(name) lines"), "\(run.output)")
    #expect(run.messages.contains("If the checkpoint was not changed, the log was."), "\(run.messages)")
    #expect(!run.messages.contains("salvage"))
  }

  /// A tree has commitments in place of values: a redaction without a record does not change it.
  @Test(arguments: ["unrecorded-redaction", "changed-replacement"])
  func forgedRedactionsAreNotTakenForTheLog(name: String) async throws {
    let bench = Bench(tool: .withStories)
    let folder = NoteSigningTests.vectors + "/forged/" + name
    for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
      let bytes = Array(try Data(contentsOf: URL(filePath: folder + "/" + file)))
      try bench.disk.setContents(bytes, of: "my-log/" + file)
    }
    try bench.disk.setContents(try NoteSigningTests.bytes("checkpoints/plain-12"), of: "kept")
    let run = await bench.run("verify", "my-log", "--checkpoint", "kept")
    #expect(run.status == 1)
    #expect(run.output.contains(", but the log is not intact: line "), "\(run.output)")
    let json = await bench.run("verify", "my-log", "--checkpoint", "kept", "--json")
    #expect(try JSONValue(parsing: Array(json.output.utf8))["verdict"]?.text == "altered")
  }

  /// The state of a base is not in the tree; the record of the pruning names its file.
  @Test func aForgedBaseIsNotTakenForTheLog() async throws {
    let bench = Bench(tool: .withStories)
    let recorded = await bench.run("record", "counter", "my-log", "--workload", "100", "--segment-size", "4K")
    try #require(recorded.status == 0, "\(recorded.messages)")
    let kept = await bench.run("checkpoint", "my-log")
    try bench.disk.setContents(Array(kept.output.utf8), of: "kept")
    let pruned = await bench.run("prune", "my-log", "--before", "60", "--reason", "test", "--delete", "--yes")
    try #require(pruned.status == 0, "\(pruned.messages)")
    #expect(await bench.run("verify", "my-log", "--checkpoint", "kept").status == 0)
    let base = String(decoding: try bench.disk.contents(of: "my-log/base.json"), as: UTF8.self)
    let end = try #require(base.range(of: #","crc":""#, options: .backwards))
    let text = base[..<end.lowerBound].replacing(/"state":\{"value":-?\d+/, with: #""state":{"value":4711"#)
    #expect(text != base[..<end.lowerBound])
    let crc = ChecksumDigits.text(CRC32C.checksum(of: Array(text.utf8)))
    try bench.disk.setContents(Array("\(text),\"crc\":\"\(crc)\"}\n".utf8), of: "my-log/base.json")
    let run = await bench.run("verify", "my-log", "--checkpoint", "kept")
    #expect(run.status == 1)
    #expect(run.output.contains("no @prune record names this base.json"), "\(run.output)")
  }

  @Test func checkpointsOfOtherLogsProveNothing() async throws {
    let bench = try await Self.bench()
    let other = try Checkpoint(origin: "example.com/log", size: 3, root: MerkleHash.emptyRoot)
    try bench.disk.setContents(Array(other.text.utf8), of: "other")
    for words in [["3", "--checkpoint", "other"], ["--consistency", "other"]] {
      let run = await bench.run(["prove", "my-log"] + words)
      #expect(run.status == 2)
      #expect(run.messages.contains("the checkpoint is of another log: 'example.com/log'"), "\(run.messages)")
    }
    let run = await bench.run("verify", "my-log", "--checkpoint", "other")
    #expect(run.status == 1)
    #expect(run.messages.contains("name it with --origin"), "\(run.messages)")
  }

  @Test func verdictsHaveTheirStatus() async throws {
    let bench = try await Self.bench()
    let same = await bench.run("verify", "my-log", "--checkpoint", "kept")
    #expect(same.status == 0)
    #expect(same.output == "my-log: the log has exactly the lines of the checkpoint\n")
    let signed = try SignedCheckpoint(parsing: try bench.disk.contents(of: "kept"))
    func verify(_ origin: String, _ size: Int, _ more: String...) async throws -> (Int32, String?) {
      let text = try Checkpoint(origin: origin, size: size, root: signed.checkpoint.root).text
      try bench.disk.setContents(Array(text.utf8), of: "other")
      let run = await bench.run(["verify", "my-log", "--checkpoint", "other", "--json"] + more)
      return (run.status, try JSONValue(parsing: Array(run.output.utf8))["verdict"]?.text)
    }
    let size = signed.checkpoint.size
    #expect(try await verify("example.com/log", size) == (1, "otherLog"))
    #expect(try await verify("example.com/log", size, "--origin", "example.com/log") == (0, "extends"))
    #expect(try await verify(Self.origin, size + 2) == (1, "shorter"))
    #expect(try await verify(Self.origin, size - 1) == (1, "differs"))
    let key = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
    #expect(try await verify(Self.origin, size, "--key", key) == (1, "unsigned"))
    #expect(await bench.run("verify", "my-log", "--checkpoint", "kept", "--key", "nonsense").status == 2)
    #expect(await bench.run("verify", "my-log", "--proofs", "x").status == 2)
    try bench.disk.setContents(Array("a checkpoint\n".utf8), of: "other")
    let malformed = await bench.run("verify", "my-log", "--checkpoint", "other")
    #expect(malformed.messages.contains("a checkpoint has three lines: origin, size, root"), "\(malformed.messages)")
  }
}

/// `verify --proof`: the log is not there.
@Suite("Proofs verified on the command line")
struct ProofVerificationTests {
  /// A disk with files of the vectors: proofs and checkpoints by their names.
  private static func bench(_ names: String...) throws -> Bench {
    let bench = Bench(tool: .withStories)
    for name in names {
      let bytes = try NoteSigningTests.bytes(name.contains(".") ? "proofs/" + name : "checkpoints/" + name)
      try bench.disk.setContents(bytes, of: name)
    }
    return bench
  }

  private static func json(_ run: CommandLineRun) throws -> JSONValue { try JSONValue(parsing: Array(run.output.utf8)) }

  @Test func aProofPrintsWhatItProves() async throws {
    let bench = try Self.bench("line-3.tlog-proof")
    let proof = try LineProof(parsing: try bench.disk.contents(of: "line-3.tlog-proof"))
    let record = try proof.record()
    let run = await bench.run("verify", "--proof", "line-3.tlog-proof")
    #expect(run.status == 0, "\(run.messages)")
    let origin = proof.checkpoint.checkpoint.origin
    #expect(run.output.hasPrefix("line-3.tlog-proof: line 3 is one of the 18 lines of '\(origin)'\n"), "\(run.output)")
    #expect(run.output.contains("  revision \(record.revision)  "))
    #expect(run.output.contains("\n  " + String(decoding: record.dataBytes, as: UTF8.self) + "\n"))
    #expect(!run.output.contains("not proved"))
    #expect(run.messages.contains("No signature was checked."), "\(run.messages)")
    let answer = try Self.json(await bench.run("verify", "--proof", "line-3.tlog-proof", "--json"))
    #expect(answer["verdict"]?.text == "proved")
    #expect(answer["line"]?.integer == 3)
    #expect(answer["lines"]?.integer == 18)
    #expect(answer["root"]?.text == Base64.text(proof.checkpoint.checkpoint.root))
    #expect(answer["record"]?["seq"]?.integer == record.revision)
    #expect(answer["record"]?["type"]?.text == record.type)
    #expect(answer["notProved"] == .array([]))
    #expect(answer["signatures"] == .array([]))
  }

  @Test func hiddenValuesAreNamed() async throws {
    let bench = try Self.bench("line-3-disclosed.tlog-proof")
    let run = await bench.run("verify", "--proof", "line-3-disclosed.tlog-proof")
    #expect(run.status == 0)
    #expect(
      run.output.contains("not proved, because it was removed or hidden: /data/name, /data/email, /meta\n"),
      "\(run.output)")
    let answer = try Self.json(await bench.run("verify", "--proof", "line-3-disclosed.tlog-proof", "--json"))
    #expect(answer["notProved"] == .array([.string("/data/name"), .string("/data/email"), .string("/meta")]))
  }

  @Test(arguments: [
    ("line", "notProved", "the line is not line 3 of the tree that the checkpoint names"),
    ("crc", "notProved", "the line of the proof is not a record: checksum mismatch"),
    ("kept-part", "notProved", "what a redaction kept is not what the line was committed to"),
    ("index", "notProved", "the line is not line 4 of the tree that the checkpoint names"),
    ("index-beyond", "notProved", "of the tree that the checkpoint names"),
    ("index-zeros", "malformed", "the proof does not name the index of its line, in digits without leading zeros"),
    ("path-short", "notProved", "the line is not line 3"), ("path-long", "notProved", "the line is not line 3"),
    ("base64", "malformed", "is not base64"),
    ("no-extra", "malformed", "the proof does not contain its line"),
    ("version", "malformed", "the file is no proof: it does not begin with c2sp.org/tlog-proof@v1"),
    ("other-tree", "notProved", "the line is not line 3"),
  ])
  func aBadProofIsRefused(name: String, verdict: String, message: String) async throws {
    let file = "bad-\(name).tlog-proof"
    let bench = try Self.bench(file)
    let run = await bench.run("verify", "--proof", file)
    #expect(run.status == 1)
    #expect(run.output.contains(message), "\(run.output)\(run.messages)")
    let answer = try Self.json(await bench.run("verify", "--proof", file, "--json"))
    #expect(answer["verdict"]?.text == verdict)
  }

  @Test func convertedAndTruncatedProofsAreRefused() async throws {
    let bench = try Self.bench("line-3.tlog-proof", "plain-12")
    let text = String(decoding: try bench.disk.contents(of: "line-3.tlog-proof"), as: UTF8.self)
    let head = try #require(text.range(of: "index 3\n"))
    for (changed, message) in [
      (text.replacing("\n", with: "\r\n"), "the lines of the file end with CR LF"), ("", "the file is empty"),
      (String(text[..<head.upperBound]), "the proof has no empty line before its checkpoint"),
    ] {
      try bench.disk.setContents(Array(changed.utf8), of: "changed")
      let run = await bench.run("verify", "--proof", "changed")
      #expect(run.status == 1)
      #expect(run.output.contains(message), "\(run.output)")
    }
    let other = await bench.run("verify", "--proof", "line-3.tlog-proof", "--old", "plain-12")
    #expect(other.status == 1)
    #expect(other.output.contains("it does not begin with 'old' and a size"), "\(other.output)")
  }

  @Test func aTreeLeadsToAnother() async throws {
    let bench = try Self.bench(
      "12-18.consistency", "18-22.consistency", "bad-hash.consistency", "plain-12", "signed-18")
    let good = await bench.run("verify", "--proof", "12-18.consistency", "--old", "plain-12")
    #expect(good.status == 0, "\(good.messages)")
    #expect(good.output.contains("begin with the 12 of the older checkpoint"), "\(good.output)")
    let answer = try Self.json(
      await bench.run("verify", "--proof", "18-22.consistency", "--old", "signed-18", "--json"))
    #expect(answer["verdict"]?.text == "proved")
    #expect(answer["old"]?.integer == 18)
    #expect(answer["lines"]?.integer == 22)
    for (file, old, message) in [
      ("12-18.consistency", "signed-18", "the proof begins at 12 lines, and the older checkpoint is of 18"),
      ("bad-hash.consistency", "signed-18", "does not lead to"),
    ] {
      let run = await bench.run("verify", "--proof", file, "--old", old)
      #expect(run.status == 1, "\(file)")
      #expect(run.output.contains(message), "\(run.output)")
    }
  }

  @Test(.enabled(if: NoteSigningTests.hasPrograms, "ssh-keygen or openssl is not installed"))
  func trustedKeysMustHaveSigned() async throws {
    let bench = try Self.bench("line-3.tlog-proof", "line-0.tlog-proof", "12-18.consistency", "plain-12")
    let signers = NoteSigningTests.vectors + "/keys/allowed_signers"
    let key = try #require(
      String(decoding: try NoteSigningTests.bytes("keys/log.vkey"), as: UTF8.self).split(separator: "\n").first)
    let other = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
    let both = await bench.run(
      "verify", "--proof", "line-3.tlog-proof", "--allowed-signers", signers, "--key", String(key))
    #expect(both.status == 0, "\(both.output)\(both.messages)")
    #expect(both.output.contains("; signed by ann@example.com, example.com/guestbook\n"), "\(both.output)")
    #expect(!both.messages.contains("No signature was checked."))
    for words in [["line-3.tlog-proof"], ["12-18.consistency", "--old", "plain-12"]] {
      let unsigned = await bench.run(["verify", "--key", other, "--json", "--proof"] + words)
      #expect(unsigned.status == 1)
      #expect(try Self.json(unsigned)["verdict"]?.text == "unsigned")
    }
    // The older checkpoint need not be signed.
    let grown = await bench.run(
      "verify", "--proof", "12-18.consistency", "--old", "plain-12", "--allowed-signers", signers)
    #expect(grown.status == 0, "\(grown.output)\(grown.messages)")
    // Another size under the same signature.
    let proof = try LineProof(parsing: try bench.disk.contents(of: "line-0.tlog-proof"))
    let text = String(decoding: proof.encoded, as: UTF8.self).replacing("\n18\n", with: "\n19\n")
    try bench.disk.setContents(Array(text.utf8), of: "forged")
    let forged = await bench.run("verify", "--proof", "forged", "--allowed-signers", signers, "--json")
    #expect(forged.status == 1)
    #expect(try Self.json(forged)["verdict"]?.text == "badSignature")
    #expect(try Self.json(forged)["message"]?.text == "the signature of 'ann@example.com' is bad")
  }

  @Test(arguments: [
    (["verify"], "'verify' needs LOG, or --proof FILE"),
    (["verify", "my-log", "--proof", "line-0.tlog-proof"], "a proof is checked without a log: leave LOG out"),
    (["verify", "--old", "plain-12"], "--old needs --proof FILE"),
    (["verify", "my-log", "--old", "plain-12"], "--old needs --proof FILE"),
    (["verify", "my-log", "--key", "x"], "--key needs --checkpoint FILE or --proof FILE"),
    (["verify", "--proof", "line-0.tlog-proof", "--origin", "x"], "--origin needs --checkpoint FILE"),
    (["verify", "--proof", "line-0.tlog-proof", "--checkpoint", "plain-12", "--origin", "x"], "cannot be combined"),
    (["verify", "--proof", "line-0.tlog-proof", "--key", "x"], "a verifier key has the form NAME+KEYID+BASE64"),
    (["verify", "--proof", "12-18.consistency"], "the file proves that an older tree leads to a newer one"),
    (["verify", "--proof", "12-18.consistency", "--old", "line-0.tlog-proof"], "checkpoint"),
  ])
  func wrongCallsAreRefused(words: [String], message: String) async throws {
    let bench = try Self.bench("line-0.tlog-proof", "12-18.consistency", "plain-12")
    let run = await bench.run(words)
    #expect(run.status == 2)
    #expect(run.output.isEmpty)
    #expect(run.messages.contains(message), "\(run.messages)")
  }

  @Test func aProofThatCannotBeReadIsReported() async throws {
    let bench = try Self.bench()
    let missing = await bench.run("verify", "--proof", "none")
    #expect(missing.status == 3)
    #expect(missing.messages.contains("the file does not exist: none"), "\(missing.messages)")
    #expect(!missing.messages.contains("record"), "\(missing.messages)")
    try bench.disk.setContents([UInt8](repeating: 0x61, count: LineProof.limitBytes + 1), of: "long")
    let long = await bench.run("verify", "--proof", "long")
    #expect(long.status == 5)
    #expect(long.messages.contains("the file is larger than 23.3 MiB"), "\(long.messages)")
  }
}
