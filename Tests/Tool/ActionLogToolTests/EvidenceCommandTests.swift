import ActionLog
import ActionLogTesting
import ActionLogTool
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

  @Test func signaturesOfAWitnessAreAdded() async throws {
    let bench = try await Self.bench()
    let line = NoteSignature(name: "witness.example", keyID: 7, bytes: [1, 2, 3]).line
    try bench.disk.setContents(Array("\(line)\n".utf8), of: "answer")
    let run = await bench.run("checkpoint", "my-log", "--add", "answer")
    #expect(run.status == 0, "\(run.messages)")
    #expect(run.output.hasSuffix("\n\n\(line)\n"))
    // A signed checkpoint keeps its signatures.
    #expect(await bench.run("checkpoint", "my-log").output == run.output)
    try bench.disk.setContents(Array("no signature\n".utf8), of: "answer")
    #expect(await bench.run("checkpoint", "my-log", "--add", "answer").status == 2)
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
    let hidden = await bench.run("prove", "my-log", "3", "--hide", "/data")
    #expect(hidden.messages.contains("the log was not made with 'redactable'"), "\(hidden.messages)")
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
