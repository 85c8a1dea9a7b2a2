import ActionLog
import ActionLogMaintenance
import ActionLogTool
import Foundation
import JSONCoding
import Platform
import TestSupport
import Testing

/// The verifier in Python on checkpoints, proofs, redactions and pruned logs: it agrees with the engine, and refuses what is wrong.
@Suite("The verifier in Python on evidence", .enabled(if: Executable.find("python3") != nil, "needs python3"))
struct EvidenceVerifierTests {
  private static let vectors = "\(ReadersTests.root)/Tests/Engine/ActionLogTests/Fixtures/Evidence"

  /// The status and the last answer of a run of the verifier.
  private struct Answer {
    var status: Int
    var last: JSONValue

    var verdict: String { last["verdict"]?.text ?? "" }
  }

  /// Runs the verifier once for each list of arguments, in one process. An exception of any kind fails the test.
  private static func run(_ calls: [[String]]) throws -> [Answer] {
    let script = """
      import contextlib, io, json, sys
      sys.dont_write_bytecode = True
      sys.path.insert(0, sys.argv[1])
      import verify
      for call in json.load(open(sys.argv[2])):
          sys.argv[1:], output = call, io.StringIO()
          with contextlib.redirect_stdout(output):
              status = verify.main()
          print(json.dumps({"status": status, "last": json.loads(output.getvalue().splitlines()[-1])}))
      """
    let directory = try TemporaryDirectory()
    let list = JSONValue.array(calls.map { call in .array(call.map(JSONValue.string)) })
    try Data(list.bytes()).write(to: URL(fileURLWithPath: directory.path("calls.json")))
    let run = try ProgramRun([
      "python3", "-c", script, "\(ReadersTests.root)/logs/readers", directory.path("calls.json"),
    ])
    #expect(run.status == 0, "\(run.messages)")
    let answers = try run.output.split(separator: "\n").map { line in
      let answer = try JSONValue(parsing: Array(line.utf8))
      return Answer(status: try #require(answer["status"]?.integer), last: try #require(answer["last"]))
    }
    try #require(answers.count == calls.count, "\(run.messages)")
    return answers
  }

  // MARK: Vectors

  @Test func checkpointsOfTheVectorsGetTheirVerdicts() throws {
    let expected: [(log: String, checkpoint: String, verdict: String)] = [
      ("redactable/before", "plain-7", "extends"), ("redactable/before", "plain-12", "extends"),
      ("redactable/before", "signed-18", "extends"), ("redactable/before", "signed-22", "shorter"),
      ("redactable/after", "plain-12", "extends"), ("redactable/after", "signed-18", "extends"),
      ("redactable/after", "signed-22", "extends"), ("redactable/interrupted", "signed-18", "extends"),
      ("redactable/before", "named-22", "otherLog"), ("redactable/before", "bad-control", "refused"),
      ("redactable/before", "bad-no-line-feed", "refused"), ("redactable/before", "bad-root", "refused"),
      ("redactable/before", "bad-size", "refused"), ("redactable/before", "bad-two-lines", "refused"),
      ("Pruned", "plain-7", "extends"), ("Pruned", "plain-12", "extends"), ("Pruned", "signed-18", "extends"),
      ("forged/changed-line-5", "signed-18", "differs"), ("forged/cut", "signed-18", "shorter"),
      ("forged/cut", "plain-12", "extends"), ("forged/unrecorded-redaction", "signed-18", "altered"),
      ("forged/changed-replacement", "signed-18", "altered"), ("forged/changed-kept-part", "signed-18", "damaged"),
      ("redactable/after", "none", "error"), ("none", "plain-7", "error"),
    ]
    let answers = try Self.run(
      expected.map { row in
        ["\(Self.vectors)/\(row.log)", "--checkpoint", "\(Self.vectors)/checkpoints/\(row.checkpoint)"]
      })
    for (row, answer) in zip(expected, answers) {
      #expect(answer.verdict == row.verdict, "\(row): \(answer.last)")
      let isGood = row.verdict == "extends"
      #expect(answer.status == (isGood ? 0 : row.verdict == "error" ? 3 : 1), "\(row): \(answer.last)")
    }
    let named = try Self.run([
      [
        "\(Self.vectors)/redactable/after", "--checkpoint", "\(Self.vectors)/checkpoints/named-22", "--origin",
        "example.com/guestbook",
      ],
      [
        "\(Self.vectors)/forged/changed-line-5", "--checkpoint", "\(Self.vectors)/checkpoints/signed-18", "--proofs",
        "\(Self.vectors)/Pruned/proofs",
      ],
    ])
    #expect(named[0].verdict == "extends" && named[0].last["more"]?.integer == 0)
    #expect(named[1].verdict == "differs" && named[1].last["line"]?.integer == 5, "\(named[1].last)")
  }

  @Test func proofsOfTheVectorsAreAcceptedOrRefused() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(Self.vectors)/proofs").sorted()
    #expect(names.count > 20)
    let answers = try Self.run(
      names.map { name in
        let old = name == "12-18.consistency" ? "plain-12" : "signed-18"
        return ["--proof", "\(Self.vectors)/proofs/\(name)"]
          + (name.hasSuffix(".consistency") ? ["--old", "\(Self.vectors)/checkpoints/\(old)"] : [])
      })
    for (name, answer) in zip(names, answers) {
      let isGood = !name.hasPrefix("bad-")
      #expect(answer.verdict == (isGood ? "proved" : "refused"), "\(name): \(answer.last)")
      #expect(answer.status == (isGood ? 0 : 1), "\(name)")
    }
    let redacted = try #require(zip(names, answers).first { name, _ in name == "line-3-redacted.tlog-proof" })
    #expect(redacted.1.last["notProved"] == ["/data/name", "/data/email"])
  }

  // MARK: Signatures

  private static func arguments(_ keys: [String]) throws -> [String] {
    try keys.flatMap { key in
      guard key.hasSuffix(".vkey") else { return ["--allowed-signers", "\(vectors)/keys/\(key)"] }
      let text = String(decoding: try NoteSigningTests.bytes("keys/" + key), as: UTF8.self)
      return ["--key", text.trimmingCharacters(in: .newlines)]
    }
  }

  @Test(.enabled(if: NoteSigningTests.hasPrograms, "ssh-keygen or openssl is not installed"))
  func signaturesOfTheVectorsGetTheirVerdicts() throws {
    let (ann, log, witness) = ("ann@example.com", "example.com/guestbook", "witness.example/w1")
    let expected: [(checkpoint: String, keys: [String], verdict: String, signers: [String])] = [
      ("signed-18", ["allowed_signers"], "extends", [ann]), ("signed-18", ["log.vkey"], "extends", [log]),
      ("signed-18", ["witness.vkey"], "extends", [witness]),
      ("signed-18", ["allowed_signers", "log.vkey", "witness.vkey"], "extends", [ann, log, witness]),
      ("plain-12", ["allowed_signers"], "unsigned", []), ("plain-12", ["log.vkey"], "unsigned", []),
      ("bad-signature", ["allowed_signers"], "badSignature", []), ("bad-signature", ["log.vkey"], "unsigned", []),
      ("bad-unknown-key", ["allowed_signers"], "unsigned", []),
    ]
    let answers = try Self.run(
      expected.map { row in
        [
          "\(Self.vectors)/redactable/before", "--checkpoint", "\(Self.vectors)/checkpoints/\(row.checkpoint)",
        ] + (try Self.arguments(row.keys))
      })
    for (row, answer) in zip(expected, answers) {
      #expect(answer.verdict == row.verdict, "\(row): \(answer.last)")
      #expect(answer.status == (row.verdict == "extends" ? 0 : 1), "\(row)")
      let signers = answer.last["signatures"]?.elements.compactMap(\.text)
      #expect(signers == (row.verdict == "extends" ? row.signers : nil), "\(row): \(answer.last)")
    }
    #expect(answers[6].last["message"]?.text == "the signature of 'ann@example.com' is bad")
    #expect(
      answers[8].last["message"]?.text
        == "no trusted key has signed the checkpoint: it has signatures of 'ann@example.com'")
  }

  /// A changed signature or text is refused, and a key with another name or another key ID is passed over.
  @Test(.enabled(if: NoteSigningTests.hasPrograms, "ssh-keygen or openssl is not installed"))
  func changedSignaturesAreRefused() throws {
    let directory = try TemporaryDirectory()
    let note = try SignedCheckpoint(parsing: try NoteSigningTests.bytes("checkpoints/signed-18")).note
    let keys = ["allowed_signers", "log.vkey", "witness.vkey"]
    var calls: [[String]] = []
    func add(_ note: SignedNote, _ arguments: [String]) throws {
      let path = directory.path("\(calls.count)")
      try Data(note.encoded).write(to: URL(filePath: path))
      calls.append(["\(Self.vectors)/redactable/before", "--checkpoint", path] + arguments)
    }
    for (index, key) in keys.enumerated() {
      let arguments = try Self.arguments([key])
      for offset in [0, 9, note.signatures[index].bytes.count - 1] {
        var signatures = note.signatures
        var bytes = signatures[index].bytes
        bytes[offset] ^= 1
        signatures[index] = NoteSignature(name: signatures[index].name, keyID: signatures[index].keyID, bytes: bytes)
        try add(SignedNote(text: note.text, signatures: signatures), arguments)
      }
      try add(SignedNote(text: note.text.replacing("\n18\n", with: "\n17\n"), signatures: note.signatures), arguments)
    }
    for (answer, call) in zip(try Self.run(calls), calls) {
      #expect(answer.verdict == "badSignature" && answer.status == 1, "\(call): \(answer.last)")
    }
    calls = []
    let log = try NoteKey(verifierKey: try Self.arguments(["log.vkey"])[1])
    var other = log.key
    other[31] ^= 1
    for key in [
      NoteKey(name: log.name, kind: .ed25519, key: other), NoteKey(name: log.name, kind: .witness, key: log.key),
      NoteKey(name: "example.com/other", kind: .ed25519, key: log.key),
    ] {
      try add(note, ["--key", try #require(key.verifierKey)])
    }
    // Keys that may sign other files only, or that other names have.
    let signers = String(decoding: try NoteSigningTests.bytes("keys/allowed_signers"), as: UTF8.self)
    for (number, text) in [
      signers.replacing("action-log-checkpoint", with: "file"), signers.replacing("ann@", with: "bob@"),
      signers.replacing("ann@example.com", with: "!ann@*,*@example.com"),
    ].enumerated() {
      try Data(text.utf8).write(to: URL(filePath: directory.path("signers-\(number)")))
      try add(note, ["--allowed-signers", directory.path("signers-\(number)")])
    }
    let answers = try Self.run(calls)
    for (answer, call) in zip(answers, calls) {
      #expect(answer.verdict == "unsigned" && answer.status == 1, "\(call): \(answer.last)")
    }
    let message = answers[3].last["message"]?.text ?? ""
    #expect(message.hasSuffix("is listed, but not for 'action-log-checkpoint' at this time"), "\(message)")
  }

  /// A proof is as good as its checkpoint, which is compared with one that was kept, or signed.
  @Test(.enabled(if: NoteSigningTests.hasPrograms, "ssh-keygen or openssl is not installed"))
  func proofsEndWithTrustedCheckpoints() throws {
    let (proof, grown) = ("\(Self.vectors)/proofs/line-3.tlog-proof", "\(Self.vectors)/proofs/12-18.consistency")
    let (old, kept) = ("\(Self.vectors)/checkpoints/plain-12", "\(Self.vectors)/checkpoints/signed-18")
    let unknown = try NoteKey(verifierKey: try Self.arguments(["log.vkey"])[1])
    let other = try #require(NoteKey(name: "other", kind: .ed25519, key: unknown.key).verifierKey)
    let signed = try Self.arguments(["allowed_signers", "log.vkey"])
    let expected: [(arguments: [String], verdict: String)] = [
      (["--proof", proof, "--checkpoint", kept], "proved"),
      (["--proof", proof, "--checkpoint", old], "otherCheckpoint"),
      (["--proof", proof] + signed, "proved"), (["--proof", proof, "--key", other], "unsigned"),
      (["--proof", proof, "--checkpoint", kept] + signed, "proved"),
      (["--proof", grown, "--old", old, "--checkpoint", kept] + signed, "proved"),
      (["--proof", grown, "--old", old, "--checkpoint", old], "otherCheckpoint"),
      (["--proof", grown, "--old", old, "--key", other], "unsigned"),
    ]
    for (row, answer) in zip(expected, try Self.run(expected.map(\.arguments))) {
      #expect(answer.verdict == row.verdict, "\(row): \(answer.last)")
      #expect(answer.status == (row.verdict == "proved" ? 0 : 1), "\(row)")
      let isCompared = row.verdict == "proved" && row.arguments.contains("--checkpoint")
      #expect((answer.last["isKeptCheckpoint"] == true) == isCompared, "\(row)")
    }
  }

  // MARK: Logs of the engine

  /// A redactable log in short segments, with checkpoints from before and after.
  private struct Story {
    let directory: TemporaryDirectory
    let path: String
    let store: EvidenceStore

    init() throws {
      directory = try TemporaryDirectory()
      path = directory.path("log")
      store = EvidenceStore(log: path)
      try append(1...40)
    }

    func append(_ numbers: ClosedRange<Int>) throws {
      let writer = try LogWriter.open(
        at: path, model: "guests", schema: 1,
        configuration: LogConfiguration(durability: .written, segmentLimitBytes: 2_000, redactable: true))
      for number in numbers {
        let data =
          #"{"id":\#(number),"na\"me":"Ann \u0041ö \#(number)","of":{"a/b":[1,[],{"~":null}],"":{}},"x":[\#(number),true,-1.5e3]}"#
        let meta = number % 3 == 0 ? Array(#"{"actor":"u\#(number)"}"#.utf8) : nil
        _ = try writer.writeNow([LogDraft(type: "guest.on\"Add", data: Array(data.utf8), meta: meta)])
      }
      try writer.closeNow()
    }

    /// Stores a checkpoint, and keeps it in a file.
    func checkpoint(_ name: String) throws -> SignedCheckpoint {
      let tree = try store.update()
      let log = try LogReader.open(at: path).header.log
      let signed = SignedCheckpoint(
        try Checkpoint(origin: Checkpoint.origin(ofLog: log), size: tree.size, root: tree.root))
      try Data(signed.encoded).write(to: URL(fileURLWithPath: directory.path(name)))
      return try store.store(signed)
    }

    func lines() throws -> [[UInt8]] {
      var records = try LogReader.open(at: path).records()
      var lines: [[UInt8]] = []
      while let record = try records.next() { lines.append(record.rawLine) }
      return lines
    }

    /// Redacts values of the first actions.
    func redact() throws {
      let lines = try lines()
      let actions = lines.indices.filter { index in
        !lines[index].contains(text: #""type":"@"#)
      }
      let pointers = [["/data/na\"me"], ["/data/of/a~1b/2/~0", "/data/x/1"], ["/data"], ["/meta"], [], ["/data/of"]]
      _ = try LogRedaction.redact(
        at: path, reason: "test", fileSystem: POSIXFileSystem(), environment: .live
      ) { _ in
        try pointers.enumerated().map { number, pointers in
          RedactionTarget(
            // Action 3 and every third one have metadata.
            index: actions[number == 3 ? 5 : number == 5 ? 6 : number],
            replacements: try pointers.map { text in ValueReplacement(try #require(JSONPointer(text))) },
            skips: number == 4)
        }
      }
    }

    func prune(before revision: Int) throws {
      let pruning = try LogPruning(at: path, before: revision)
      _ = try pruning.run(reason: "test", actor: nil, archive: nil, environment: .live) { _ in
        let state = Array(#"{"a":[1,2]}"#.utf8)
        return LogPruning.State(
          bytes: state, digest: SHA256.hexadecimal(state), model: "guests", schema: 1, reducer: "test")
      }
    }

    /// Expects that the engine and the verifier agree on the log and on checkpoints.
    func expectAgreement(_ names: [String], _ comment: Comment) throws {
      let report = try LogVerifier.verify(at: path)
      #expect(report.verdict == .clean, "\(comment): \(report.problems)")
      let answers = try EvidenceVerifierTests.run(
        [[path]] + names.map { name in [path, "--checkpoint", directory.path(name)] })
      #expect(answers[0].verdict == "clean", "\(comment): \(answers[0].last)")
      #expect(answers[0].last["actions"]?.integer == report.actionCount, comment)
      for (name, answer) in zip(names, answers.dropFirst()) {
        let signed = try SignedCheckpoint(parsing: Data(contentsOf: URL(fileURLWithPath: directory.path(name))))
        let verdict = try CheckpointComparison(log: path).verdict(on: signed.checkpoint)
        #expect((answer.status == 0) == verdict.isGood, "\(comment), \(name): \(answer.last), \(verdict)")
        if case .extends(let more) = verdict { #expect(answer.last["more"]?.integer == more, comment) }
      }
    }
  }

  @Test func redactedAndPrunedLogsLeadOn() throws {
    let story = try Story()
    _ = try story.checkpoint("old")
    try story.append(41...60)
    _ = try story.checkpoint("middle")
    try story.expectAgreement(["old", "middle"], "salted")
    try story.redact()
    _ = try story.checkpoint("redacted")
    try story.expectAgreement(["old", "middle", "redacted"], "redacted")
    try story.prune(before: 50)
    _ = try story.checkpoint("pruned")
    try story.expectAgreement(["old", "middle", "redacted", "pruned"], "pruned")
    _ = try LogSalvage.salvage(at: story.path, to: story.directory.path("saved"))
    let saved = try Self.run([[story.directory.path("saved")]])
    #expect(saved[0].verdict == "clean", "\(saved[0].last)")
    // Without tiles nothing leads from before the base.
    try FileManager.default.removeItem(atPath: story.path + "/proofs")
    let gone = try Self.run(
      ["old", "pruned"].map { name in [story.path, "--checkpoint", story.directory.path(name)] })
    #expect(gone.map(\.verdict) == ["pruned", "extends"])
    #expect(try Self.run([[story.path]])[0].verdict == "damaged")
    #expect(try LogVerifier.verify(at: story.path).problems.map(\.kind) == [.missingTiles])
  }

  /// Checkpoints in `proofs/`, and the end of its tiles, are compared by both programs.
  @Test func storedCheckpointsAreComparedAlike() throws {
    let story = try Story()
    let signed = try story.checkpoint("kept")
    try story.append(41...45)
    _ = try story.checkpoint("newest")
    let copy = URL(fileURLWithPath: story.path + "/proofs/checkpoint")
    let folder = story.path + "/proofs/checkpoints"
    let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder).min())
    let stored = URL(fileURLWithPath: folder + "/" + name)
    let last = try #require(LogReader.open(at: story.path).segments.last).path
    let other = try Checkpoint(
      origin: signed.checkpoint.origin, size: signed.checkpoint.size, root: MerkleHash.emptyRoot)
    let named = try Checkpoint(origin: "example.com/x", size: other.size, root: signed.checkpoint.root)
    let changes: [(name: String, url: URL, bytes: [UInt8])] = [
      ("nothing", copy, Array(try Data(contentsOf: copy))), ("an older copy", copy, signed.encoded),
      ("a forged copy", copy, Array(other.text.utf8)), ("a forged checkpoint", stored, Array(other.text.utf8)),
      ("another origin", copy, Array(named.text.utf8)), ("no checkpoint", stored, Array("x\n".utf8)),
      ("another size", stored, Array(try Data(contentsOf: copy))),
    ]
    var verdicts: [LogReport.Verdict] = []
    func expectSame(_ name: String) throws {
      let report = try LogVerifier.verify(at: story.path)
      let answer = try #require(try Self.run([[story.path]]).first)
      #expect(answer.verdict == report.verdict.rawValue, "\(name): \(answer.last) \(report.problems)")
      verdicts.append(report.verdict)
    }
    for (name, url, bytes) in changes {
      let old = try Data(contentsOf: url)
      try Data(bytes).write(to: url)
      try expectSame(name)
      try old.write(to: url)
    }
    #expect(verdicts == [.clean, .clean, .damaged, .damaged, .damaged, .damaged, .damaged])
    // Lines are missing at the end, and nothing but the checkpoints or the tiles shows it.
    let lines = try Data(contentsOf: URL(fileURLWithPath: last)).split(separator: UInt8(ascii: "\n"))
    var cutBytes: [UInt8] = []
    for line in lines.dropLast(2) { cutBytes += Array(line) + [UInt8(ascii: "\n")] }
    try Data(cutBytes).write(to: URL(fileURLWithPath: last))
    // While HEAD is there, the verdict on a checkpoint is that lines are missing.
    let cut = try Self.run([[story.path, "--checkpoint", story.directory.path("newest")]])
    #expect(cut[0].verdict == "shorter" && cut[0].last["missing"]?.integer == 2, "\(cut[0].last)")
    try FileManager.default.removeItem(atPath: story.path + "/HEAD")
    try expectSame("a shorter log")
    try FileManager.default.removeItem(atPath: story.path + "/proofs/checkpoints")
    try FileManager.default.removeItem(at: copy)
    try expectSame("a shorter log than its tiles")
    #expect(verdicts.suffix(2) == [.damaged, .damaged])
  }

  @Test func notesAndTornTailsAreReadAlike() throws {
    let story = try Story()
    let text = try story.checkpoint("kept").checkpoint.text
    let signature = "AAAAAAAA"
    let endings: [String] = [
      "", "\n", "\n\n", "\n— ann \(signature)\n", "\n— ann \(signature)\n\n", "\n— a\u{A0}b \(signature)\n",
      "\n— a\u{85}b \(signature)\n", "\n— a\u{2003}b \(signature)\n", "\n— a+b \(signature)\n", "\n— ann AAAA\n",
    ]
    let notes = endings.map { ending in text + ending }
    var calls: [[String]] = []
    for (number, note) in notes.enumerated() {
      try Data(note.utf8).write(to: URL(fileURLWithPath: story.directory.path("note-\(number)")))
      calls.append([story.path, "--checkpoint", story.directory.path("note-\(number)")])
    }
    var goodCount = 0
    for (note, answer) in zip(notes, try Self.run(calls)) {
      var isGood = true
      do throws(EvidenceFault) { _ = try SignedCheckpoint(parsing: Array(note.utf8)) } catch { isGood = false }
      #expect((answer.verdict != "refused") == isGood, "\(note.debugDescription): \(answer.last)")
      goodCount += isGood ? 1 : 0
    }
    #expect(goodCount == 2)
    // A torn tail was never acknowledged, so no checkpoint covers it.
    let last = try #require(LogReader.open(at: story.path).segments.last).path
    let file = URL(fileURLWithPath: last)
    try (Data(contentsOf: file) + Data(#"{"seq":"#.utf8)).write(to: file)
    let torn = try Self.run([[story.path], calls[0]])
    #expect(torn.map(\.verdict) == ["torn", "extends"] && torn.map(\.status) == [1, 0])
  }

  @Test func everyLineIsProvedAndWrongProofsAreRefused() throws {
    let story = try Story()
    try story.redact()
    let checkpoint = try story.checkpoint("kept")
    var calls: [[String]] = []
    var proofs: [[UInt8]] = []
    func add(_ bytes: [UInt8]) throws {
      let path = story.directory.path("\(calls.count).tlog-proof")
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      calls.append(["--proof", path])
      proofs.append(bytes)
    }
    for (index, line) in try story.lines().enumerated() where index < checkpoint.checkpoint.size {
      try add(try story.store.proof(ofLine: line, index: index, checkpoint: checkpoint).encoded)
    }
    let good = proofs.count
    #expect(good > 40)
    for answer in try Self.run(calls) { #expect(answer.verdict == "proved", "\(answer.last)") }
    // Wrong ones: both programs accept the same.
    (calls, proofs) = ([], Array(proofs.prefix(good)))
    let originals = proofs
    proofs = []
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<400 {
      guard var bytes = originals.randomElement(using: &generator) else { continue }
      let place = Int.random(in: bytes.indices, using: &generator)
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(bytes[place], at: place)
      default: bytes.removeLast(bytes.count - place)
      }
      try add(bytes)
    }
    for (bytes, answer) in zip(proofs, try Self.run(calls)) {
      var isProved = true
      do throws(EvidenceFault) { _ = try LineProof(parsing: bytes).verify() } catch { isProved = false }
      #expect((answer.verdict == "proved") == isProved, "\(answer.last): \(String(decoding: bytes, as: UTF8.self))")
      #expect(answer.status == (isProved ? 0 : 1))
    }
  }

  @Test func wrongUseIsRefused() throws {
    let script = "\(ReadersTests.root)/logs/readers/verify.py"
    for words in [
      ["--checkpoint", "x"], ["--old", "x"], ["log", "--origin", "x"], ["log", "--proof", "x"], ["--what"],
      ["log", "--proofs", "x"], ["log", "--key", "x"], ["--key", "x"], ["--allowed-signers", "x"],
      ["--proof", "x", "--origin", "y"], ["--proof", "x", "--key", "no key"],
      ["--proof", "x", "--key", "a+00000000+AAAA"],
    ] {
      let run = try ProgramRun(["python3", "-B", script] + words)
      #expect(run.status == 2, "\(words)")
      #expect(!run.messages.contains("Traceback"), "\(run.messages)")
    }
  }
}
