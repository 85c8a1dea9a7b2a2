import ActionLog
import ActionLogMaintenance
import JSONCoding
import Platform
import TerminalUI

extension Command {
  static let checkpoint = Command(
    "checkpoint",
    group: .care,
    summary: "print a checkpoint of a log, to be kept elsewhere",
    details: """
      A checkpoint is three lines: the log's origin, its number of lines, and the root of their Merkle tree. Kept in a commit, a
      ticket or a mail, it later proves whether the log still begins with the same lines: 'verify LOG --checkpoint FILE'.
      It covers only lines that no writer rolls back. The tree's tiles and the checkpoint are stored in the log's directory, in
      proofs/, in the form of C2SP tlog-tiles. The log must lead to its newest stored checkpoint; if it does not, nothing is
      written.
      The origin is stored in proofs/ alone. If the directory was lost, restore it from a copy. Without one, give the origin of the
      kept checkpoints with --origin; if a checkpoint with another one was made since, remove proofs/checkpoint and
      proofs/checkpoints before.
      --ssh-key signs with ssh-keygen, --sign with any command of the shell, which reads the text and prints signature lines, for
      example one that asks a witness.
      """,
    examples: [
      .init("checkpoint my-log", "print a checkpoint"),
      .init("checkpoint my-log --ssh-key ~/.ssh/id_ed25519 --as ann@example.com", "sign it"),
      .init("checkpoint my-log --rebuild", "make damaged tiles again"),
    ],
    arguments: [.wholeLog],
    options: [
      CheckpointCommand.origin, CheckpointCommand.sshKey, CheckpointCommand.sign,
      CheckpointCommand.name, CheckpointCommand.rebuild,
    ],
    rules: [
      .needs([CheckpointCommand.name], [CheckpointCommand.sshKey]),
      .needs([CheckpointCommand.sshKey], [CheckpointCommand.name]),
    ],
    schema: CheckpointCommand.shape.schema,
    blocking: { context in try CheckpointCommand(context: context).run() }
  )

  static let prove = Command(
    "prove",
    group: .care,
    summary: "print a proof that a line is in a log, or that the log only grew",
    details: """
      The proof of a line contains the line, its path in the Merkle tree, and a checkpoint. It is verified without the log. --hide
      leaves a value out of the line of a redactable log; what is left is proved as before.
      --consistency proves that the tree of an older checkpoint leads to that of a newer one. It is also what a witness takes as a
      request.
      The checkpoint is the newest stored one, or that of --checkpoint. A proof is verified before it is printed.
      """,
    examples: [
      .init("prove my-log 12 > 12.tlog-proof", "prove action 12"),
      .init("prove my-log --line 0", "prove the first line"),
      .init("prove my-log --consistency old.checkpoint", "prove that nothing below was changed"),
    ],
    arguments: [.wholeLog, CommandArgument("POINT", arity: .optional, "the action that led to this point")],
    options: [ProveCommand.line, ProveCommand.checkpoint, ProveCommand.hide, ProveCommand.consistency],
    rules: [.excludes(ProveCommand.consistency, [ProveCommand.line, ProveCommand.hide])],
    schema: ProveCommand.shape.schema,
    blocking: { context in try ProveCommand(context: context).run() }
  )
}

extension CommandContext {
  func checkpoint(at path: String) throws -> SignedCheckpoint {
    let bytes = try contents(of: path, limitBytes: SignedNote.limitBytes)
    do throws(EvidenceFault) { return try SignedCheckpoint(parsing: bytes) } catch {
      throw ToolFailure(
        "invalidArgument", .usage, "\(CommandContext.conversion(of: bytes, "checkpoint") ?? error.message)", path: path)
    }
  }

  /// A message if the lines of a file end with CR LF; `nil` if they do not. The bytes of such a file are no longer those that were
  /// signed or hashed.
  static func conversion(of bytes: [UInt8], _ kind: String) -> String? {
    let crlf = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
    guard zip(bytes, bytes.dropFirst()).contains(where: { pair in pair == crlf }) else { return nil }
    return "the lines of the file end with CR LF: a program has converted the \(kind), which must be kept byte for byte"
  }
}

/// `checkpoint`: updates the tiles, and stores and prints a checkpoint.
private struct CheckpointCommand {
  static let origin = CommandOption.value(
    "origin", "TEXT", "the name of the log in its first checkpoint (default: actionlog/ and its UUID)")
  static let sshKey = CommandOption.value("ssh-key", "FILE", "sign with this key, by ssh-keygen")
  static let sign = CommandOption.value("sign", "COMMAND", "sign with a command of the shell")
  static let name = CommandOption.value("as", "NAME", "the name of the signature")
  static let rebuild = CommandOption.flag("rebuild", "compare all tiles with the lines, and make wrong ones again")

  struct Answer {
    let path: String
    let signed: SignedCheckpoint
    /// The tree that it is of; `nil` if signatures were added.
    let tree: EvidenceTree
    let isFirst: Bool
  }

  static let shape = AnswerShape<Answer>.object(
    "One object: the checkpoint, and its text to be kept.",
    [
      .member("isFirst", .flag, \.isFirst, "Whether the log had no stored checkpoint."),
      .member("lines", .count, \.signed.checkpoint.size), .member("linesRead", .count, \.tree.linesRead),
      .member("origin", .text, \.signed.checkpoint.origin), .member("path", .file, \.path),
      .member("root", .root) { answer in Base64.text(answer.signed.checkpoint.root) },
      .member("signatures", .texts) { answer in answer.signed.note.signatures.map(\.name) },
      .member("tilesWritten", .count, \.tree.tilesWritten),
      .member("text", .text) { answer in String(decoding: answer.signed.encoded, as: UTF8.self) },
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    context.begin("reading")
    let path = try context.logPath()
    _ = try context.openCompleteLog(path, toRead: "checkpoints")
    let store = EvidenceStore(log: path, fileSystem: context.files)
    context.onInterruption(
      "The log was not changed. The tiles in proofs/ are at most older than the log; the same command brings them up to date."
    )
    let isFirst = try store.newestCheckpoint() == nil
    let origin = try origin(store)
    guard let (unsigned, tree) = try store.newCheckpoint(origin: origin, rebuilds: context.arguments.has(Self.rebuild))
    else { throw store.nothingSynced }
    var signed = unsigned
    let added = try signatures(of: signed.checkpoint)
    for signature in added { try checkText(signature.name, "the name of the signature") }
    signed.add(added)
    let answer = Answer(path: path, signed: try store.store(signed), tree: tree, isFirst: isFirst)
    if isFirst, !context.arguments.has(Self.origin) {
      try context.note(
        "the first checkpoint of the log: its origin is '\(origin)' from now on. If proofs/ was lost, "
          + "'\(context.tool.name) checkpoint --help' says what to do")
    }
    try context.answer(answer, Self.shape) { try context.output.write(answer.signed.encoded) }
    return .success
  }

  /// The origin, which never changes after the first checkpoint.
  private func origin(_ store: EvidenceStore) throws -> String {
    let known = try store.origin()
    guard let named = context.arguments.value(of: Self.origin) else { return known }
    guard try store.newestCheckpoint() != nil else {
      try checkText(named, "the origin")
      return named
    }
    guard named.utf8.elementsEqual(known.utf8) else {
      throw ToolFailure.usage(
        "the log's checkpoints have the origin '\(known)', which never changes",
        advice: "Leave --origin out.")
    }
    return known
  }

  /// Throws if a text that a checkpoint would contain could mislead a reader of the checkpoint, or control a terminal.
  private func checkText(_ text: String, _ what: String) throws {
    guard EscapedText.escaping(text) == text else {
      throw ToolFailure(
        "invalidArgument", .usage,
        "\(what) \(EscapedText.quoting(text)) has a control character, or one that changes the writing direction",
        intact: "No checkpoint was stored.")
    }
  }

  private func signatures(of checkpoint: Checkpoint) throws -> [NoteSignature] {
    let text = checkpoint.text
    var signatures: [NoteSignature] = []
    if let key = context.arguments.value(of: Self.sshKey), let name = context.arguments.value(of: Self.name) {
      signatures.append(try NoteSigning.signature(of: text, sshKey: key, name: name))
    }
    if let command = context.arguments.value(of: Self.sign) {
      signatures += try NoteSigning.signatures(of: text, command: command)
    }
    return signatures
  }
}

private struct ProveCommand {
  static let line = CommandOption.value(
    "line", "INDEX", "prove this line of the log, counted from 0, also a control record")
  static let checkpoint = CommandOption.value("checkpoint", "FILE", "the checkpoint (default: the newest stored one)")
  static let hide = CommandOption.value(
    "hide", "POINTER", isRepeatable: true, "leave this value out of the line, such as /data/name")
  static let consistency = CommandOption.value(
    "consistency", "FILE", "prove that the tree of this older checkpoint leads to the newer one")

  struct Answer {
    let path: String
    let checkpoint: Checkpoint
    var line: Int?
    var oldCount: Int?
    let encoded: [UInt8]
  }

  static let shape = AnswerShape<Answer>.object(
    "One object: the proof, and its text to be kept.",
    [
      .optional("line", .count, \.line), .member("lines", .count, \.checkpoint.size),
      .optional("old", .count, \.oldCount), .member("origin", .text, \.checkpoint.origin),
      .member("path", .file, \.path),
      .member("text", .text) { answer in String(decoding: answer.encoded, as: UTF8.self) },
    ])

  let context: CommandContext

  func run() throws -> ExitStatus {
    context.begin("reading")
    let answer = try answer()
    try context.answer(answer, Self.shape) { try context.output.write(answer.encoded) }
    return .success
  }

  private func answer() throws -> Answer {
    let arguments = context.arguments
    let reader = try context.openCompleteLog(try context.logPath(), toRead: "proofs")
    let store = EvidenceStore(log: reader.path, fileSystem: context.files)
    let (point, line) = (arguments.positional(1), arguments.value(of: Self.line))
    if let old = arguments.value(of: Self.consistency) {
      guard point == nil else { throw ToolFailure.usage("--consistency proves no line: leave POINT out") }
      let older = try context.checkpoint(at: old).checkpoint
      try store.requireOrigin(of: older, file: old)
      let checkpoint = try checkpoint(store)
      let proof = try store.consistencyProof(from: older, to: checkpoint)
      return Answer(
        path: store.log, checkpoint: checkpoint.checkpoint, oldCount: older.size, encoded: proof.encoded)
    }
    guard (point == nil) != (line == nil) else {
      throw ToolFailure.usage("name one line: a POINT, or --line INDEX")
    }
    let checkpoint = try checkpoint(store)
    let found: (index: Int, bytes: [UInt8])
    if let line {
      guard let index = Int(line), index >= 0 else {
        throw ToolFailure.usage("--line takes the index of a line: 0 or a positive number")
      }
      guard let bytes = try CheckpointComparison(log: reader.path, fileSystem: context.files).line(at: index) else {
        throw LogError(.invalidArgument, "the log has no line at index \(index)", path: reader.path)
      }
      found = (index, bytes)
    } else {
      let revision = try PointResolver(context, reader: reader).revision(point ?? "")
      found = try store.line(ofAction: revision, in: reader)
    }
    let hidden = try arguments.values(of: Self.hide).map(context.pointer)
    let proof = try store.proof(ofLine: found.bytes, index: found.index, hiding: hidden, checkpoint: checkpoint)
    return Answer(
      path: reader.path, checkpoint: checkpoint.checkpoint, line: found.index, encoded: proof.encoded)
  }

  private func checkpoint(_ store: EvidenceStore) throws -> SignedCheckpoint {
    if let path = context.arguments.value(of: Self.checkpoint) {
      let signed = try context.checkpoint(at: path)
      try store.requireOrigin(of: signed.checkpoint, file: path)
      return signed
    }
    guard let newest = try store.newestCheckpoint() else {
      throw ToolFailure.usage(
        "the log has no checkpoint that proofs could end with",
        advice: "'\(context.tool.name) checkpoint LOG' makes one.")
    }
    return newest
  }
}
