import ActionLog
import ActionLogMaintenance
import ActionLogTesting
import ActionLogTool
import JSONCoding
import Testing

/// Checkpoints as files that a user keeps.
@Suite("Kept checkpoints")
struct KeptCheckpointTests {
  /// A log with a checkpoint in the file `kept`.
  private func bench() async throws -> Bench {
    let bench = Bench(tool: .withStories)
    try await bench.recordCounter()
    let run = await bench.run("checkpoint", "my-log")
    try #require(run.status == 0, "\(run.messages)")
    try bench.disk.setContents(Array(run.output.utf8), of: "kept")
    return bench
  }

  private func save(_ words: [String], as name: String, _ bench: Bench) async throws {
    let run = await bench.run(words)
    try #require(run.status == 0, "\(run.messages)")
    try bench.disk.setContents(Array(run.output.utf8), of: name)
  }

  @Test func aProofIsComparedWithIt() async throws {
    let bench = try await bench()
    try await save(["prove", "my-log", "3"], as: "proof", bench)
    let verify = ["verify", "--proof", "proof", "--checkpoint", "kept"]
    let run = await bench.run(verify)
    #expect(run.status == 0 && run.output.contains(", whose checkpoint is the one that was kept\n"), "\(run)")
    #expect(!run.messages.contains("No signature was checked"), "\(run)")
    #expect(await bench.run(verify + ["--json"]).output.contains(#""isKeptCheckpoint":true"#))
    // Of a larger tree.
    try await bench.recordCounter()
    try await save(["checkpoint", "my-log"], as: "newer", bench)
    try await save(["prove", "my-log", "3"], as: "proof", bench)
    let other = await bench.run(verify + ["--json"])
    #expect(other.status == 1 && other.output.contains(#""verdict":"otherCheckpoint""#), "\(other)")
    #expect(await bench.run(verify).output.contains("A proof can be made for that one, too"))
    #expect(await bench.run("verify", "--proof", "proof", "--checkpoint", "newer").status == 0)
    // The checkpoint of a forged tree.
    let signed = try SignedCheckpoint(parsing: try bench.disk.contents(of: "newer")).checkpoint
    let forged = try Checkpoint(origin: signed.origin, size: signed.size, root: MerkleHash.emptyRoot)
    try bench.disk.setContents(Array(forged.text.utf8), of: "forged")
    let forgery = await bench.run("verify", "--proof", "proof", "--checkpoint", "forged")
    #expect(forgery.status == 1 && forgery.output.contains("with another root"), "\(forgery)")
    for words in [["--origin", "x"], ["--proofs", "my-log/proofs"]] {
      let wrong = await bench.run(verify + words)
      #expect(wrong.status == 2 && wrong.messages.contains("cannot be combined"), "\(wrong)")
    }
  }

  @Test func aProofOfGrowthIsComparedWithIt() async throws {
    let bench = try await bench()
    try await bench.recordCounter()
    try await save(["checkpoint", "my-log"], as: "newer", bench)
    try await save(["prove", "my-log", "--consistency", "kept"], as: "growth", bench)
    let verify = ["verify", "--proof", "growth", "--old", "kept", "--checkpoint"]
    #expect(await bench.run(verify + ["newer"]).status == 0)
    #expect(await bench.run(verify + ["kept"]).status == 1)
  }

  @Test func convertedLineEndsAreNamed() async throws {
    let bench = try await bench()
    let text = String(decoding: try bench.disk.contents(of: "kept"), as: UTF8.self)
    try bench.disk.setContents(Array(text.replacing("\n", with: "\r\n").utf8), of: "kept")
    let message = "the lines of the file end with CR LF: a program has converted the checkpoint"
    for words in [
      ["verify", "my-log", "--checkpoint", "kept"], ["prove", "my-log", "3", "--checkpoint", "kept"],
    ] {
      let run = await bench.run(words)
      #expect(run.status == 2 && run.messages.contains(message), "\(words): \(run)")
    }
  }

  /// Without `proofs`, nothing says whether the log had checkpoints with another origin.
  @Test func theFirstOneStatesItsOrigin() async throws {
    let bench = Bench(tool: .withStories)
    try await bench.recordCounter()
    let note = "the first checkpoint of the log: its origin is"
    let first = await bench.run("checkpoint", "my-log", "--origin", "shelter.example")
    #expect(first.status == 0 && !first.messages.contains(note), "\(first)")
    #expect(!(await bench.run("checkpoint", "my-log").messages.contains(note)))
    for path in bench.disk.filePaths where path.contains("my-log/proofs/") { try bench.disk.remove(path) }
    let lost = await bench.run("checkpoint", "my-log", "--json")
    #expect(lost.output.contains(#""isFirst":true"#), "\(lost)")
    for path in bench.disk.filePaths where path.contains("my-log/proofs/checkpoint") { try bench.disk.remove(path) }
    let run = await bench.run("checkpoint", "my-log")
    #expect(run.status == 0 && run.messages.contains(note + " 'actionlog/"), "\(run)")
    // As the help says.
    for path in bench.disk.filePaths where path.contains("my-log/proofs/checkpoint") { try bench.disk.remove(path) }
    #expect(
      await bench.run("checkpoint", "my-log", "--origin", "shelter.example").output.hasPrefix("shelter.example\n"))
    #expect(await bench.run("checkpoint", "my-log", "--json").output.contains(#""isFirst":false"#))
  }
}
