import ActionLog
import JSONCoding
import TerminalUI

// `verify --checkpoint` and `verify --proof`.

/// Verifies the signatures of a note by the keys that the options name.
struct NoteTrust {
  static let allowedSigners = CommandOption.value(
    "allowed-signers", "FILE", "trust these keys of SSH, in the form of ssh-keygen")
  static let key = CommandOption.value("key", "VKEY", isRepeatable: true, "trust this key of a log or a witness")

  static let options = [allowedSigners, key]

  /// What the signatures are worth.
  enum Outcome {
    /// A verdict that refuses the note: its name and a message.
    case refused(verdict: String, message: String)
    /// Trusted keys have signed; none if no key was named.
    case accepted(names: [String])
  }

  let context: CommandContext

  /// Whether the user has said whom to trust.
  var isNamed: Bool { context.arguments.has(Self.allowedSigners) || context.arguments.has(Self.key) }

  /// Verifies the signatures of a note.
  ///
  /// - Parameter mayBeUnsigned: Whether a note without a signature of a trusted key is accepted, too.
  func outcome(of note: SignedNote, mayBeUnsigned: Bool = false) throws -> Outcome {
    let (verifiers, refusedNames) = try verifiers(for: note)
    switch try note.verdict(trusting: verifiers) {
    case .badSignature(let name):
      return .refused(verdict: "badSignature", message: "the signature of '\(name)' is bad")
    case .unsigned where isNamed && !mayBeUnsigned:
      let signers = note.signatures.map { signature in "'\(signature.name)'" }.joined(separator: ", ")
      var message = "no trusted key has signed the checkpoint"
      message += signers.isEmpty ? ": it has no signature" : ": it has signatures of \(signers)"
      if !refusedNames.isEmpty {
        message +=
          ". The key of '\(refusedNames.joined(separator: "', '"))' is listed, but not for '\(SSHSignature.namespace)' at "
          + "this time"
      }
      return .refused(verdict: "unsigned", message: message)
    case .unsigned:
      return .accepted(names: [])
    case .signed(let names):
      return .accepted(names: names)
    }
  }

  /// Returns the verifiers of the trusted keys, and the names of listed keys that may not sign checkpoints.
  private func verifiers(for note: SignedNote) throws -> (verifiers: [NoteVerifier], refusedNames: [String]) {
    var verifiers: [NoteVerifier] = []
    var refusedNames: [String] = []
    for text in context.arguments.values(of: Self.key) {
      do throws(EvidenceFault) {
        verifiers.append(NoteSigning.verifier(try NoteKey(verifierKey: text)))
      } catch {
        throw ToolFailure.usage(error.message)
      }
    }
    if let path = context.arguments.value(of: Self.allowedSigners) {
      let found = try NoteSigning.verifiers(allowedSigners: path, for: note)
      verifiers += found.verifiers
      refusedNames = found.refusedNames
    }
    return (verifiers, refusedNames)
  }
}

/// `verify --checkpoint`: compares a log with a checkpoint that was kept elsewhere.
struct CheckpointVerification {
  static let checkpoint = CommandOption.value(
    "checkpoint", "FILE", "check that the log begins with the lines of this checkpoint, or that a proof ends with it")
  static let origin = CommandOption.value(
    "origin", "TEXT", "the origin of the log's checkpoints, if its owner has chosen one")
  static let proofs = CommandOption.value("proofs", "DIR", "a copy of proofs/, which names the first line that differs")

  static let options = [checkpoint, origin, proofs]

  let context: CommandContext

  func run(_ file: String) throws -> ExitStatus {
    guard context.arguments.positionals.count == 1, !context.isForManyLogs else {
      throw ToolFailure.usage("--checkpoint compares one log")
    }
    let signed = try context.checkpoint(at: file)
    let names: [String]
    switch try NoteTrust(context: context).outcome(of: signed.note) {
    case .refused(let verdict, let message): return try answer(signed, verdict, message, isGood: false)
    case .accepted(let trusted): names = trusted
    }
    context.showBytes("verifying")
    let path = try context.logPath()
    _ = try context.openCompleteLog(path, toRead: "the lines of a checkpoint")
    let comparison = CheckpointComparison(
      log: path, proofs: context.arguments.value(of: Self.proofs), fileSystem: context.files)
    let verdict = try comparison.verdict(
      on: signed.checkpoint, origin: context.arguments.value(of: Self.origin))
    var message = verdict.message
    if verdict.isGood, let problem = try problem(path) {
      // The tree has commitments in place of values, so replaced values and a replaced base do not change it.
      return try answer(
        signed, "altered", "\(message), but the log is not intact: \(problem)", isGood: false, verdict.members)
    }
    if !names.isEmpty { message += "; signed by \(names.joined(separator: ", "))" }
    let status = try answer(signed, verdict.name, message, isGood: verdict.isGood, verdict.members)
    if case .otherLog(let origin) = verdict, !origin.hasPrefix("actionlog/") {
      try context.note("If the owner of the log has chosen this origin, name it with --origin.")
    }
    return status
  }

  /// The kinds of problems that have nothing to do with the lines before the checkpoint.
  private static let unrelated: Set<LogProblem.Kind> = [
    .tornTail, .wrongCheckpoint, .unusableCheckpoint, .inaccessibleHead,
  ]

  /// Returns the first problem that the tree does not show: redactions without a record, or a base that no record names.
  private func problem(_ path: String) throws(LogError) -> String? {
    let report = try LogVerifier.verify(at: path, fileSystem: context.files)
    return report.problems.first { problem in !Self.unrelated.contains(problem.kind) }?.description
  }

  private func answer(
    _ signed: SignedCheckpoint, _ verdict: String, _ message: String, isGood: Bool, _ members: [String: JSONValue] = [:]
  ) throws -> ExitStatus {
    if context.isJSON {
      var object: JSONObject = [
        "path": .string(try context.logPath()), "verdict": .string(verdict), "lines": .integer(signed.checkpoint.size),
        "origin": .string(signed.checkpoint.origin), "message": .string(message),
      ]
      for (name, value) in members.sorted(by: { one, other in one.key < other.key }) { object[name] = value }
      try context.output.json(.object(object))
    } else {
      let path = TerminalText.escaping(try context.logPath())
      try context.output.line("\(path): \(TerminalText.escaping(message))")
    }
    return isGood ? .success : .negative
  }
}

extension CheckpointVerdict {
  /// The stable name for programs.
  fileprivate var name: String {
    switch self {
    case .otherLog: "otherLog"
    case .shorter: "shorter"
    case .pruned: "pruned"
    case .extends: "extends"
    case .differs: "differs"
    }
  }

  /// What else a program needs.
  fileprivate var members: [String: JSONValue] {
    switch self {
    case .otherLog, .pruned: [:]
    case .shorter(let missing): ["missing": .integer(missing)]
    case .extends(let more): ["more": .integer(more)]
    case .differs(.line(let index)): ["line": .integer(index)]
    case .differs(.within(let range)): ["from": .integer(range.lowerBound), "before": .integer(range.upperBound)]
    }
  }
}

/// `verify --proof`: verifies a proof without the log; with `--checkpoint`, also whether it ends with a checkpoint that was kept.
struct ProofVerification {
  static let proof = CommandOption.value("proof", "FILE", "check this proof, without a log")
  static let old = CommandOption.value(
    "old", "FILE", "the older checkpoint, with which a proof of 'prove --consistency' begins")

  static let options = [proof, old]

  let context: CommandContext

  /// The result, ready to print.
  private struct Answer {
    var verdict: String
    var isGood: Bool
    var message: String
    /// More lines of text.
    var lines: [String] = []
    /// More members of JSON.
    var members: JSONObject = [:]
  }

  func run(_ file: String) throws -> ExitStatus {
    guard context.arguments.positionals.isEmpty else {
      throw ToolFailure.usage("a proof is checked without a log: leave LOG out")
    }
    let bytes = try context.noteBytes(at: file, "proof", limitBytes: LineProof.limitBytes)
    let kept = try context.arguments.value(of: CheckpointVerification.checkpoint).map(context.checkpoint)
    if let old = context.arguments.value(of: Self.old) {
      let older = try context.checkpoint(at: old)
      let proof: ConsistencyProof
      do throws(EvidenceFault) { proof = try ConsistencyProof(parsing: bytes) } catch {
        return try print(malformed(error, bytes), nil, file)
      }
      return try print(compared(try answer(proof, from: older), proof.checkpoint, kept), proof.checkpoint, file)
    }
    guard !bytes.starts(with: "old ".utf8) else {
      throw ToolFailure.usage(
        "the file proves that an older tree leads to a newer one",
        advice: "Name the older checkpoint with '--old FILE'.")
    }
    let proof: LineProof
    do throws(EvidenceFault) { proof = try LineProof(parsing: bytes) } catch {
      return try print(malformed(error, bytes), nil, file)
    }
    return try print(compared(try answer(proof), proof.checkpoint, kept), proof.checkpoint, file)
  }

  /// Compares the checkpoint of a proof that holds with one that was kept.
  private func compared(_ answer: Answer, _ signed: SignedCheckpoint, _ kept: SignedCheckpoint?) -> Answer {
    guard answer.isGood, let kept = kept?.checkpoint else { return answer }
    let found = signed.checkpoint
    guard found != kept else {
      var answer = answer
      answer.message += ", whose checkpoint is the one that was kept"
      answer.members["isKeptCheckpoint"] = true
      return answer
    }
    let names = { (checkpoint: Checkpoint) in
      "\(HumanText.count(checkpoint.size, "line")) of '\(checkpoint.origin)'"
    }
    var message = "the proof ends with a checkpoint of \(names(found)), and the one that was kept is of \(names(kept))"
    if found.size == kept.size, found.origin == kept.origin { message += ", with another root" }
    if found.size != kept.size, found.origin == kept.origin {
      message += ". 'prove LOG POINT --checkpoint FILE' makes a proof for that one"
    }
    return Answer(verdict: "otherCheckpoint", isGood: false, message: message)
  }

  /// The answer for a file that is no proof, or not any more.
  private func malformed(_ fault: EvidenceFault, _ bytes: [UInt8]) -> Answer {
    var message = fault.message
    if bytes.isEmpty { message = "the file is empty" }
    if let conversion = CommandContext.conversion(of: bytes, "proof") { message = conversion }
    return Answer(verdict: "malformed", isGood: false, message: message)
  }

  private func answer(_ proof: LineProof) throws -> Answer {
    let trust = NoteTrust(context: context)
    let names: [String]
    switch try trust.outcome(of: proof.checkpoint.note) {
    case .refused(let verdict, let message): return Answer(verdict: verdict, isGood: false, message: message)
    case .accepted(let trusted): names = trusted
    }
    let (record, notProved): (LogRecord, [String])
    do throws(EvidenceFault) { (notProved, record) = (try proof.verify(), try proof.record()) } catch {
      return Answer(verdict: "notProved", isGood: false, message: error.message)
    }
    let lineCount = HumanText.count(proof.checkpoint.checkpoint.size, "line")
    var answer = Answer(
      verdict: "proved", isGood: true,
      message: "line \(proof.index) is one of the \(lineCount) of '\(proof.checkpoint.checkpoint.origin)'"
        + signers(names))
    answer.lines = [
      (record.isControl ? "control record" : "revision \(record.revision)")
        + "  \(RecordText.time(record.time))  \(record.type)",
      String(decoding: record.dataBytes, as: UTF8.self),
    ]
    if let meta = record.meta { answer.lines.append(String(decoding: meta, as: UTF8.self)) }
    if !notProved.isEmpty {
      answer.lines.append("not proved, because it was removed or hidden: \(notProved.joined(separator: ", "))")
    }
    answer.members = [
      "line": .integer(proof.index), "record": try AnswerShape.action.json(record),
      "notProved": .array(notProved.map(JSONValue.string)), "signatures": .array(names.map(JSONValue.string)),
    ]
    return answer
  }

  private func answer(_ proof: ConsistencyProof, from old: SignedCheckpoint) throws -> Answer {
    let trust = NoteTrust(context: context)
    var names: [String] = []
    // The older checkpoint was kept by the user, perhaps before it was signed.
    for (note, mayBeUnsigned) in [(old.note, true), (proof.checkpoint.note, false)] {
      switch try trust.outcome(of: note, mayBeUnsigned: mayBeUnsigned) {
      case .refused(let verdict, let message): return Answer(verdict: verdict, isGood: false, message: message)
      case .accepted(let trusted): names = trusted
      }
    }
    do throws(EvidenceFault) { try proof.verify(from: old.checkpoint) } catch {
      return Answer(verdict: "notProved", isGood: false, message: error.message)
    }
    let checkpoint = proof.checkpoint.checkpoint
    return Answer(
      verdict: "proved", isGood: true,
      message: "the \(HumanText.count(checkpoint.size, "line")) of '\(checkpoint.origin)' begin with the "
        + "\(HumanText.count(old.checkpoint.size)) of the older checkpoint" + signers(names),
      members: ["old": .integer(proof.oldSize), "signatures": .array(names.map(JSONValue.string))])
  }

  private func signers(_ names: [String]) -> String {
    names.isEmpty ? "" : "; signed by \(names.joined(separator: ", "))"
  }

  private func print(_ answer: Answer, _ signed: SignedCheckpoint?, _ file: String) throws -> ExitStatus {
    if context.isJSON {
      var object: JSONObject = ["path": .string(file), "verdict": .string(answer.verdict)]
      if let checkpoint = signed?.checkpoint {
        object["lines"] = .integer(checkpoint.size)
        object["origin"] = .string(checkpoint.origin)
        object["root"] = .string(Base64.text(checkpoint.root))
      }
      object["message"] = .string(answer.message)
      for (name, value) in answer.members { object[name] = value }
      try context.output.json(.object(object))
      return answer.isGood ? .success : .negative
    }
    try context.output.line(TerminalText.escaping("\(file): \(answer.message)"))
    try context.output.lines(answer.lines.map { line in "  " + TerminalText.escaping(line) })
    let isKept = context.arguments.has(CheckpointVerification.checkpoint)
    if answer.isGood, let checkpoint = signed?.checkpoint, !NoteTrust(context: context).isNamed, !isKept {
      try context.note(
        "No signature was checked. The proof is as good as its checkpoint, whose root is "
          + "\(Base64.text(checkpoint.root)): compare it with one that you kept by --checkpoint FILE, or name a key with --key or "
          + "--allowed-signers.")
    }
    return answer.isGood ? .success : .negative
  }
}
