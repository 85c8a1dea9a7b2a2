import ActionLog
import ActionLogMaintenance
import JSONCoding
import TerminalUI

// `verify --checkpoint` and `verify --proof`.

/// Verifies the signatures of a note by the keys that the options name.
struct NoteTrust {
  static let allowedSigners = CommandOption.value(
    "allowed-signers", "FILE", "trust these keys of SSH, in the form of ssh-keygen")
  static let key = CommandOption.value("key", "VKEY", isRepeatable: true, "trust this key of a log or a witness")

  static let options = [allowedSigners, key]

  /// A verdict that refuses a note, or a proof that ends with it.
  struct Refusal: Error {
    let verdict: String
    let message: String
  }

  let context: CommandContext

  var isNamed: Bool { context.arguments.has(Self.allowedSigners) || context.arguments.has(Self.key) }

  /// - Parameter mayBeUnsigned: Whether a note without a signature of a trusted key is accepted, too.
  /// - Returns: The names of the trusted keys that have signed; none if no key was named.
  func signers(of note: SignedNote, mayBeUnsigned: Bool = false) throws -> [String] {
    let (verifiers, refusedNames) = try verifiers(for: note)
    switch try note.verdict(trusting: verifiers) {
    case .badSignature(let name):
      throw Refusal(verdict: "badSignature", message: "the signature of '\(name)' is bad")
    case .unsigned where isNamed && !mayBeUnsigned:
      let signers = note.signatures.map { signature in "'\(signature.name)'" }.joined(separator: ", ")
      var message = "no trusted key has signed the checkpoint"
      message += signers.isEmpty ? ": it has no signature" : ": it has signatures of \(signers)"
      if !refusedNames.isEmpty {
        message +=
          ". The key of '\(refusedNames.joined(separator: "', '"))' is listed, but not for this name, for "
          + "'\(SSHSignature.namespace)' and at this time"
      }
      throw Refusal(verdict: "unsigned", message: message)
    case .unsigned: return []
    case .signed(let names): return names
    }
  }

  static func text(_ names: [String]) -> String {
    names.isEmpty ? "" : "; signed by \(names.joined(separator: ", "))"
  }

  /// Returns the verifiers of the trusted keys, and the names of listed keys that may not sign checkpoints.
  private func verifiers(for note: SignedNote) throws -> (verifiers: [NoteVerifier], refusedNames: [String]) {
    var verifiers: [NoteVerifier] = []
    var refusedNames: [String] = []
    for text in context.arguments.values(of: Self.key) {
      do throws(EvidenceFault) {
        verifiers.append(NoteSigning.verifier(try NoteKey(verifierKey: text)))
      } catch {
        throw ToolFailure.usage("\(error.message)")
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
    var answer = EvidenceAnswer(path: try context.logPath(), checkpoint: signed.checkpoint)
    do { try compare(signed, &answer) } catch let refusal as NoteTrust.Refusal { answer.take(refusal) }
    try context.answer(answer, EvidenceAnswer.shape) {
      try context.output.line(of: answer.path, TerminalText.escaping(answer.message))
    }
    if answer.verdict == "otherLog", signed.checkpoint.hasChosenOrigin {
      try context.note("If the owner of the log has chosen this origin, name it with --origin.")
    }
    return answer.isGood ? .success : .negative
  }

  private func compare(_ signed: SignedCheckpoint, _ answer: inout EvidenceAnswer) throws {
    let names = try NoteTrust(context: context).signers(of: signed.note)
    context.begin("verifying")
    _ = try context.openCompleteLog(answer.path, toRead: "the lines of a checkpoint")
    let comparison = CheckpointComparison(
      log: answer.path, proofs: context.arguments.value(of: Self.proofs), fileSystem: context.files)
    let verdict = try comparison.verdict(on: signed.checkpoint, origin: context.arguments.value(of: Self.origin))
    switch verdict {
    case .otherLog, .pruned: break
    case .shorter(let missing): answer.missingCount = missing
    case .extends(let more): answer.moreCount = more
    case .differs(.line(let index)): answer.line = index
    case .differs(.within(let range)): answer.difference = range
    }
    if verdict.isGood, let problem = try problem(answer.path) {
      // The tree has commitments in place of values, so replaced values and a replaced base do not change it.
      throw NoteTrust.Refusal(
        verdict: "altered", message: "\(verdict.message), but the log is not intact: \(problem)")
    }
    (answer.verdict, answer.isGood, answer.message) =
      (verdict.name, verdict.isGood, verdict.message + NoteTrust.text(names))
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
}

extension CheckpointVerdict {
  fileprivate var name: String {
    switch self {
    case .otherLog: "otherLog"
    case .shorter: "shorter"
    case .pruned: "pruned"
    case .extends: "extends"
    case .differs: "differs"
    }
  }
}

struct EvidenceAnswer {
  let path: String
  /// `nil` for a file that is no proof.
  var checkpoint: Checkpoint?
  var verdict = ""
  var isGood = false
  var message = ""
  /// The line that is proved, or the first one that differs.
  var line: Int?
  var record: LogRecord?
  var notProved: [String]?
  var oldCount: Int?
  var signers: [String]?
  var isKept = false
  /// The number of lines that the log lacks, or has in addition to those of the checkpoint.
  var missingCount: Int?
  var moreCount: Int?
  /// The lines among which the first one differs.
  var difference: Range<Int>?
  var isProof = false

  mutating func take(_ refusal: NoteTrust.Refusal) {
    self = EvidenceAnswer(
      path: path, checkpoint: checkpoint, verdict: refusal.verdict, message: refusal.message, isProof: isProof)
  }

  static let shape = AnswerShape<EvidenceAnswer>.object(
    "With --checkpoint or --proof.",
    [
      .member("path", .file, \.path), .member("verdict", .text, \.verdict),
      .optional("lines", .count, \.checkpoint?.size), .optional("origin", .text, \.checkpoint?.origin),
      .optional("root", .root) { answer in
        answer.isProof ? answer.checkpoint.map { checkpoint in Base64.text(checkpoint.root) } : nil
      },
      .member("message", .text, \.message), .optional("line", .count, \.line),
      .optional("record", .action, \.record), .optional("notProved", .texts, \.notProved),
      .optional("old", .count, \.oldCount), .optional("signatures", .texts, \.signers),
      .optional("isKeptCheckpoint", .always, { answer in answer.isKept ? true : nil }),
      .optional("before", .count, \.difference?.upperBound), .optional("from", .count, \.difference?.lowerBound),
      .optional("missing", .count, \.missingCount), .optional("more", .count, \.moreCount),
    ])
}

/// `verify --proof`: verifies a proof without the log; with `--checkpoint`, also whether it ends with a checkpoint that was kept.
struct ProofVerification {
  static let proof = CommandOption.value("proof", "FILE", "check this proof, without a log")
  static let old = CommandOption.value(
    "old", "FILE", "the older checkpoint, with which a proof of 'prove --consistency' begins")

  static let options = [proof, old]

  let context: CommandContext

  func run(_ file: String) throws -> ExitStatus {
    guard context.arguments.positionals.isEmpty else {
      throw ToolFailure.usage("a proof is checked without a log: leave LOG out")
    }
    let bytes = try context.contents(of: file, limitBytes: LineProof.limitBytes)
    var answer = EvidenceAnswer(path: file, verdict: "proved", isGood: true, isProof: true)
    do { try verify(bytes, &answer) } catch let refusal as NoteTrust.Refusal { answer.take(refusal) }
    try context.answer(answer, EvidenceAnswer.shape) { try print(answer) }
    return answer.isGood ? .success : .negative
  }

  private func verify(_ bytes: [UInt8], _ answer: inout EvidenceAnswer) throws {
    let (arguments, trust) = (context.arguments, NoteTrust(context: context))
    let kept = try arguments.value(of: CheckpointVerification.checkpoint).map(context.checkpoint)
    let names: [String]
    if let file = arguments.value(of: Self.old) {
      let old = try context.checkpoint(at: file)
      let proof = try parse(bytes) { () throws(EvidenceFault) in try ConsistencyProof(parsing: bytes) }
      let checkpoint = proof.checkpoint.checkpoint
      answer.checkpoint = checkpoint
      // The older checkpoint was kept by the user, perhaps before it was signed.
      _ = try trust.signers(of: old.note, mayBeUnsigned: true)
      names = try trust.signers(of: proof.checkpoint.note)
      try Self.check("notProved") { () throws(EvidenceFault) in try proof.verify(from: old.checkpoint) }
      answer.oldCount = proof.oldSize
      answer.message =
        "the \(HumanText.count(checkpoint.size, "line")) of '\(checkpoint.origin)' begin with the "
        + "\(HumanText.count(old.checkpoint.size)) of the older checkpoint"
    } else {
      guard !bytes.starts(with: "old ".utf8) else {
        throw ToolFailure.usage(
          "the file proves that an older tree leads to a newer one",
          advice: "Name the older checkpoint with '--old FILE'.")
      }
      let proof = try parse(bytes) { () throws(EvidenceFault) in try LineProof(parsing: bytes) }
      let checkpoint = proof.checkpoint.checkpoint
      answer.checkpoint = checkpoint
      names = try trust.signers(of: proof.checkpoint.note)
      let (notProved, record) = try Self.check("notProved") { () throws(EvidenceFault) in
        (try proof.verify(), try proof.record())
      }
      (answer.line, answer.record, answer.notProved) = (proof.index, record, notProved.map(\.description))
      answer.message =
        "line \(proof.index) is one of the \(HumanText.count(checkpoint.size, "line")) of '\(checkpoint.origin)'"
    }
    answer.signers = names
    answer.message += NoteTrust.text(names)
    guard let kept = kept?.checkpoint, let found = answer.checkpoint else { return }
    try Self.check("otherCheckpoint") { () throws(EvidenceFault) in try found.requireSame(as: kept) }
    answer.message += ", whose checkpoint is the one that was kept"
    answer.isKept = true
  }

  private func parse<Proof>(_ bytes: [UInt8], _ parse: () throws(EvidenceFault) -> Proof) throws -> Proof {
    let message = bytes.isEmpty ? "the file is empty" : CommandContext.conversion(of: bytes, "proof")
    return try Self.check("malformed", message, parse)
  }

  /// - Parameter message: The message on a failure; `nil` for that of the fault.
  private static func check<Result>(
    _ verdict: String, _ message: String? = nil, _ body: () throws(EvidenceFault) -> Result
  ) throws(NoteTrust.Refusal) -> Result {
    do throws(EvidenceFault) { return try body() } catch {
      throw NoteTrust.Refusal(verdict: verdict, message: message ?? error.message)
    }
  }

  private func print(_ answer: EvidenceAnswer) throws {
    try context.output.line(of: answer.path, TerminalText.escaping(answer.message))
    if let record = answer.record, let notProved = answer.notProved {
      var lines = [
        (record.isControl ? "control record" : "revision \(record.revision)")
          + "  \(RecordText.time(record.time))  \(record.type)",
        String(decoding: record.dataBytes, as: UTF8.self),
      ]
      if let meta = record.meta { lines.append(String(decoding: meta, as: UTF8.self)) }
      if !notProved.isEmpty {
        lines.append("not proved, because it was removed or hidden: \(notProved.joined(separator: ", "))")
      }
      try context.output.lines(lines.map { line in "  " + TerminalText.escaping(line) })
    }
    guard answer.isGood, let checkpoint = answer.checkpoint, !answer.isKept, !NoteTrust(context: context).isNamed
    else { return }
    try context.note(
      "No signature was checked. The proof is as good as its checkpoint, whose root is "
        + "\(Base64.text(checkpoint.root)): compare it with one that you kept by --checkpoint FILE, or name a key with --key or "
        + "--allowed-signers.")
  }
}
