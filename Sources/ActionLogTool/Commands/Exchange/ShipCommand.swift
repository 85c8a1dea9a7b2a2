import ActionLog
import EventSourcing
import JSONCoding
import TextDisplay

extension Command {
  static let ship = Command(
    "ship",
    group: .exchange,
    summary: "hand the sealed segments on to a directory that SQL engines and copying programs read",
    details: """
      A segment is sealed when the next one has begun: it never changes again. Each is checked, copied to
      DEST/model=NAME/log=IDENTIFIER/date=DAY/ under its own name, compared with the copy, and made durable; what lies there
      already stays. So the command can be run at any time, also while the log is written to, and again after it was
      interrupted. The segment that is still written to is not shipped; 'tail -f --format' hands its actions on.
      Each file can be verified by itself, and the files of one log in one directory are that log. What rsync, rclone and the
      like copy from there is whole: leave out *.unfinished.
      """,
    examples: [
      .init("ship my-log lake", "what was sealed since the last time"),
      .init("ship my-log lake --dry-run --json", "what would be shipped, for a program that does it itself"),
      .init("verify - < <(find lake -name '*.jsonl')", "is everything there whole?"),
    ],
    arguments: [
      .wholeLog, CommandArgument("DEST", "the directory to ship to; made when there is none, and shared by many logs"),
    ],
    options: [ShipCommand.dryRun],
    blocking: { context in try ShipCommand(context: context).run() }
  )
}

/// `ship`: one segment after the other, oldest first.
private struct ShipCommand {
  static let dryRun = CommandOption.flag("dry-run", "say what would be shipped, and ship nothing")

  private enum Outcome: String {
    case shipped, present, missing
  }

  let context: CommandContext

  func run() throws -> ExitStatus {
    let target = context.arguments.positionals[1]
    guard !target.isEmpty else { throw ToolFailure.usage("the path of the directory is empty") }
    let isDry = context.arguments.has(Self.dryRun)
    let shipping = try LogShipping(context.logPath(), to: target, fileSystem: context.files)
    var counts: [Outcome: Int] = [:]
    let progress = context.progress(isDry ? "looking" : "shipping", unit: .bytes)
    let totalBytes = shipping.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    var doneBytes = 0
    for segment in shipping.segments {
      let outcome: Outcome
      if try shipping.isShipped(segment) {
        outcome = .present
      } else {
        if !isDry { try shipping.ship(segment) }
        outcome = isDry ? .missing : .shipped
      }
      counts[outcome, default: 0] += 1
      doneBytes += segment.sizeBytes
      try tell(segment, outcome)
      try progress.update(done: doneBytes, total: totalBytes)
    }
    try progress.finish()
    try conclude(counts, of: shipping)
    return .success
  }

  private func tell(_ segment: ShippedSegment, _ outcome: Outcome) throws {
    if context.isJSON {
      try context.output.json([
        "outcome": .string(outcome.rawValue), "segment": .string(segment.source), "path": .string(segment.target),
        "first": .integer(segment.first), "bytes": .integer(segment.sizeBytes),
        "sha256": .string(try digest(of: segment.source)),
      ])
    } else if outcome != .present {
      try context.output.line(
        "\(TerminalText.escaping(segment.target)): \(HumanText.bytes(segment.sizeBytes)), \(outcome.rawValue)")
    }
  }

  private func conclude(_ counts: [Outcome: Int], of shipping: LogShipping) throws {
    let new = counts[.shipped, default: 0] + counts[.missing, default: 0]
    let rest = counts[.present, default: 0]
    guard new + rest > 0 else {
      return try context.remark("no segment is sealed yet: the last one can still be written to")
    }
    let verb = context.arguments.has(Self.dryRun) ? "to be shipped" : "shipped"
    try context.remark("\(HumanText.count(new, "segment")) \(verb), \(HumanText.count(rest)) there already")
  }

  /// What `sha256sum` says of a file.
  private func digest(of path: String) throws -> String {
    let input = try FileInput(path, context.files)
    var hash = SHA256()
    while true {
      let bytes = try input.read(limit: 1 << 20)
      guard !bytes.isEmpty else { break }
      hash.update(bytes)
    }
    return hash.finalize().map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }
}
