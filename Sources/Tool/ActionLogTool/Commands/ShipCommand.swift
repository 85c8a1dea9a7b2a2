import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI

extension Command {
  static let ship = Command(
    "ship",
    group: .exchange,
    summary: "copy finished segments to a directory for SQL engines and sync programs",
    details: """
      Each segment is verified and copied to DEST/model=NAME/log=IDENTIFIER/date=DAY/ under its own name; the copy is compared
      with it and synced. Existing copies are kept. The command can run at any time, also while the log is being written, and
      again after an interruption. Two processes cannot ship the same log at once; different logs are independent.
      A segment is sealed when the next one begins: it never changes again. The last segment of a closed log is shipped, too; when
      the log is opened again, that segment grows, and the next 'ship' replaces the copy by the longer one. With --seal the log
      begins a new segment first, so that no copy is ever replaced. The last segment of a log that is not closed is not shipped;
      'tail -f --format' prints its actions.
      Each copy can be verified separately, and the files of a log in one directory are a complete log.
      DEST/_logs/IDENTIFIER/manifest.jsonl stores the SHA-256 of each copy, so that --json reads no copy twice. Programs that
      copy from DEST have to skip *.unfinished.
      """,
    examples: [
      .init("ship my-log lake", "segments finished since the last time"),
      .init("ship my-log lake --seal", "all actions, in segments that never change"),
      .init("ship my-log lake --dry-run --json", "the segments to ship, for a program that copies them itself"),
      .init("verify - < <(find lake -name '0*.jsonl')", "verify each copy"),
    ],
    arguments: [
      .wholeLog, CommandArgument("DEST", "the directory to ship to; created if missing, and shared by many logs"),
    ],
    options: [ShipCommand.dryRun, ShipCommand.seal],
    blocking: { context in try ShipCommand(context: context).run() }
  )
}

/// `ship`: copies the segments, oldest first.
private struct ShipCommand {
  static let dryRun = CommandOption.flag("dry-run", "print what would be shipped, and ship nothing")
  static let seal = CommandOption.flag("seal", "begin a new segment first; no writer may hold the log")

  private enum Outcome: String {
    case shipped, present, missing, redacted
  }

  let context: CommandContext

  func run() throws -> ExitStatus {
    let target = context.arguments.positionals[1]
    guard !target.isEmpty else { throw ToolFailure.usage("the path of the directory is empty") }
    let isDry = context.arguments.has(Self.dryRun)
    if context.arguments.has(Self.seal) {
      guard !isDry else { throw ToolFailure.usage("--seal changes the log and --dry-run changes nothing: give one") }
      // Checks the directory before anything is changed.
      _ = try LogShipping(at: context.logPath(), to: target, fileSystem: context.files)
      try LogShipping.seal(
        at: context.logPath(), fileSystem: context.files, environment: context.environment.logEnvironment)
    }
    let shipping = try LogShipping(at: context.logPath(), to: target, fileSystem: context.files)
    var saved = try shipping.manifest()
    var manifest = saved
    var counts: [Outcome: Int] = [:]
    let progress = context.progress(isDry ? "checking" : "shipping", unit: .bytes)
    let totalBytes = shipping.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    var doneBytes = 0
    for segment in shipping.segments {
      let outcome = try ship(segment, of: shipping, isDry: isDry, &manifest, saved: &saved)
      counts[outcome, default: 0] += 1
      doneBytes += segment.sizeBytes
      try report(segment, outcome, of: shipping, &manifest)
      try progress.update(done: doneBytes, total: totalBytes)
    }
    try progress.finish()
    if !isDry, manifest != saved { try shipping.save(manifest) }
    try conclude(counts, of: shipping)
    return .success
  }

  /// Ships a segment that the directory does not have.
  private func ship(
    _ segment: ShippedSegment, of shipping: LogShipping, isDry: Bool, _ manifest: inout ShippingManifest,
    saved: inout ShippingManifest
  ) throws -> Outcome {
    let copy = try shipping.copy(of: segment)
    if case .current(let sha256) = copy {
      if let sha256 { try shipping.note(sha256, of: segment, in: &manifest) }
      return .present
    }
    // The digest of an older copy must not outlive it: a redacted segment can have the same length and checksum.
    let hadEntry = manifest.remove(segment)
    if isDry { return copy == .unredacted ? .redacted : .missing }
    if hadEntry {
      try shipping.save(manifest)
      saved = manifest
    }
    var hash = SHA256()
    try shipping.ship(segment) { bytes in hash.update(bytes) }
    try shipping.note(Self.hexadecimal(hash), of: segment, in: &manifest)
    return copy == .unredacted ? .redacted : .shipped
  }

  private func report(
    _ segment: ShippedSegment, _ outcome: Outcome, of shipping: LogShipping, _ manifest: inout ShippingManifest
  ) throws {
    if context.isJSON {
      var digest = try shipping.digest(of: segment, in: manifest)
      if digest == nil {
        let found = try self.digest(of: segment)
        try shipping.note(found, of: segment, in: &manifest)
        digest = found
      }
      try context.output.json([
        "outcome": .string(outcome.rawValue), "segment": .string(segment.source), "path": .string(segment.target),
        "first": .integer(segment.first), "bytes": .integer(segment.sizeBytes), "sealed": .bool(segment.isSealed),
        "sha256": digest.map(JSONValue.string) ?? .null,
      ])
    } else if outcome != .present {
      try context.output.line(
        "\(TerminalText.escaping(segment.target)): \(HumanText.bytes(segment.sizeBytes)), \(outcome.rawValue)")
    }
  }

  private func conclude(_ counts: [Outcome: Int], of shipping: LogShipping) throws {
    let new = counts[.shipped, default: 0] + counts[.missing, default: 0] + counts[.redacted, default: 0]
    let rest = counts[.present, default: 0]
    if new + rest > 0 {
      let verb = context.arguments.has(Self.dryRun) ? "to be shipped" : "shipped"
      try context.note("\(HumanText.count(new, "segment")) \(verb), \(HumanText.count(rest)) already present")
    }
    guard let open = shipping.openSegment else { return }
    try context.note(
      "not shipped: the last segment (\(HumanText.bytes(open.sizeBytes)), from revision \(open.first) on), because the log is "
        + "not closed. Close the log, or give --seal if no writer holds it.")
  }

  /// The digest of a segment, as `sha256sum` prints it.
  private func digest(of segment: ShippedSegment) throws -> String {
    let input = try FileInput(segment.source, context.files)
    var hash = SHA256()
    var restBytes = segment.sizeBytes
    while restBytes > 0 {
      let bytes = try input.read(limit: min(restBytes, 1 << 20))
      guard !bytes.isEmpty else { break }
      hash.update(bytes)
      restBytes -= bytes.count
    }
    return Self.hexadecimal(hash)
  }

  private static func hexadecimal(_ hash: SHA256) -> String {
    hash.finalize().map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
  }
}
