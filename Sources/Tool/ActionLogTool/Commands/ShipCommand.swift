import ActionLog
import ActionLogMaintenance
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
      with it and synced. Existing copies are kept; a segment whose values were redacted replaces its copy, after the lake has the
      record of the redaction. The command can run at any time, also while the log is being written, and
      again after an interruption. Two processes cannot ship the same log at once; different logs are independent.
      DEST/_logs/IDENTIFIER has everything that changes: manifest.jsonl lists the segments, with digests and both ends of their
      checksum chains; tail.jsonl is the durable beginning of the last segment of a log that is not closed; snapshots and
      checkpoints are those of the log. DEST/model=NAME/log=IDENTIFIER is a log to every command that reads, and 'restore' makes
      a log of it. A segment that does not continue the shipped history is refused.
      A segment is sealed when the next one begins: it never changes again. The last segment of a closed log is shipped, too; when
      the log is opened again, that segment grows, and the next 'ship' replaces the copy by the longer one. With --seal the log
      begins a new segment first, so that no copy with an action is replaced by a longer one. A last segment without an action is
      shipped only if it records a redaction or a pruning.
      --follow keeps running: a segment is shipped when the next one begins, and the tail every --interval, so that at most one
      interval is lost with the machine. A full disk, or another error that can pass, is a warning, and the next attempt follows an
      interval later. SIGTERM and SIGINT ship once more and end with status 0.
      --with runs a command for each segment, through the shell, instead of copying it; DEST then has _logs only. The command gets
      the environment variables ACTIONLOG_FILE (the file), ACTIONLOG_NAME (the path within the lake), ACTIONLOG_SHA256 and
      ACTIONLOG_REPLACE (1 if an earlier form of the segment was stored, because it has grown or values of it were redacted;
      otherwise 0). With status 0, the segment counts as stored.
      Programs that copy from DEST have to skip *.unfinished.
      """,
    examples: [
      .init("ship my-log lake", "segments finished since the last time"),
      .init("ship my-log lake --seal", "all actions, in segments that never change"),
      .init("ship my-log lake --follow --interval 30s", "keep the lake up to date"),
      .init("ship my-log lake --with ./store.sh", "to an object store, by a command for each file"),
      .init("ship my-log lake --dry-run --json", "the segments to ship, for a program that copies them itself"),
      .init("verify lake/model=counter/log=…", "verify the copies and the manifest"),
    ],
    arguments: [
      .wholeLog, CommandArgument("DEST", "the directory to ship to; created if missing, and shared by many logs"),
    ],
    options: [
      .dryRun, ShipCommand.seal, ShipCommand.follow, ShipCommand.interval, ShipCommand.with,
    ],
    rules: [
      .oneOf([.dryRun, ShipCommand.seal, ShipCommand.follow]),
      .needs([ShipCommand.interval], [ShipCommand.follow]),
    ],
    schema: ShipCommand.shape.schema,
    blocking: { context in try ShipCommand(context: context).run() }
  )
}

private struct ShipCommand {
  static let seal = CommandOption.flag("seal", "begin a new segment first; no writer may hold the log")
  static let follow = CommandOption.flag("follow", letter: "f", "keep shipping, until SIGTERM or SIGINT")
  static let interval = CommandOption.value(
    "interval", "DURATION", "with --follow, the time between two replacements of the tail (default: 10s)")
  static let with = CommandOption.value("with", "COMMAND", "store each segment with this command instead of a copy")

  /// The time between two checks whether a segment was finished.
  private static let step = Duration.seconds(1)

  let context: CommandContext
  private var isDry: Bool { context.isDryRun }

  /// A shipped segment, or one that is there.
  struct Row {
    var outcome: String
    var segment: String
    var path: String
    var first: Int
    var sizeBytes: Int
    var isSealed = false
    var sha256: String?
  }

  static let shape = AnswerShape<Row>.object(
    "A line for each segment, and for the tail if it was replaced.",
    [
      .member("outcome", .text, \.outcome), .member("segment", .file, \.segment), .member("path", .file, \.path),
      .member("first", .revision, \.first), .member("bytes", .count, \.sizeBytes), .member("sealed", .flag, \.isSealed),
      .nullable("sha256", .sha256, \.sha256),
    ])

  struct Pass {
    var presentCount = 0
    var newCount = 0
    var newBytes = 0
    var tail: ShippedTail?
    var openSegment: LogSegment?
    /// Whether files were left out that a lake cannot do without.
    var isIncomplete = false

    var status: ExitStatus { isIncomplete ? .negative : .success }
  }

  private var target: String { context.arguments.positionals[1] }

  func run() throws -> ExitStatus {
    let arguments = context.arguments
    guard !target.isEmpty else { throw ToolFailure.usage("the path of the directory is empty") }
    let isFollowing = arguments.has(Self.follow)
    // A year: longer intervals are typing errors.
    let interval = try arguments.duration(of: Self.interval, in: .seconds(1) ... .seconds(366 * 86_400)) ?? .seconds(10)
    if !isDry {
      let logs = arguments.has(Self.seal) ? "Every log is intact" : "No log was changed"
      context.onInterruption("\(logs), and DEST has only complete segments. The same command ships the rest.")
    }
    let path = try context.logPath()
    if isFollowing { return try follow(path, every: interval) }
    let pass = try pass(path) { row in try report(row) }
    try conclude(pass)
    return pass.status
  }

  // MARK: One pass

  private func pass(_ path: String, showsPresent: Bool = true, _ report: (Row) throws -> Void) throws -> Pass {
    let files = context.rawFiles
    if context.arguments.has(Self.seal) {
      // Checks the directory before anything is changed.
      _ = try LogShipping(at: path, to: target, fileSystem: files)
      try LogShipping.seal(at: path, fileSystem: files, environment: context.environment.logEnvironment)
    }
    let shipping = try LogShipping(at: path, to: target, fileSystem: files)
    let progress = context.progress(isDry ? "checking" : "shipping", unit: .bytes)
    let totalBytes = shipping.segments.reduce(0) { sum, segment in sum + segment.sizeBytes }
    var doneBytes = 0
    func show() throws(ToolStreamError) { try progress.update(done: doneBytes, total: totalBytes) }
    var run = try ShippingPass(
      shipping, isDry: isDry,
      storing: storing {
        // A closed terminal is noticed when the result is printed.
        do { try show() } catch {}
      },
      now: context.environment.logEnvironment.now)
    var pass = Pass(openSegment: shipping.openSegment)
    for segment in shipping.segments {
      let (outcome, sha256) = try run.ship(segment)
      if outcome == .present {
        pass.presentCount += 1
      } else {
        (pass.newCount, pass.newBytes) = (pass.newCount + 1, pass.newBytes + segment.sizeBytes)
      }
      doneBytes += segment.sizeBytes
      if outcome != .present || showsPresent {
        try report(
          Row(
            outcome: outcome.rawValue, segment: segment.source, path: segment.target, first: segment.first,
            sizeBytes: segment.sizeBytes, isSealed: segment.isSealed, sha256: sha256))
      }
      try show()
    }
    pass.tail = try run.finish()
    try progress.finish()
    // Once with --follow.
    if showsPresent { try context.warn(of: run.leftOut, in: path) }
    pass.isIncomplete = run.leftOut.contains(where: \.isNeeded)
    if let tail = pass.tail, tail.isNew {
      try report(
        Row(
          outcome: "tail", segment: tail.source, path: tail.path, first: tail.first, sizeBytes: tail.sizeBytes))
    }
    return pass
  }

  private func report(_ row: Row) throws {
    try context.answer(row, Self.shape) {
      guard row.outcome != ShippingPass.Outcome.present.rawValue else { return }
      try context.output.line(of: row.path, "\(HumanText.bytes(row.sizeBytes)), \(row.outcome)")
    }
  }

  private func conclude(_ pass: Pass) throws {
    if pass.newCount + pass.presentCount > 0 {
      try context.note(
        "\(HumanText.count(pass.newCount, "segment")) \(isDry ? "to be shipped" : "shipped"), "
          + "\(HumanText.count(pass.presentCount)) already present")
    }
    guard let open = pass.openSegment else { return }
    if let tail = pass.tail {
      try context.note(
        "the log is not closed: its last segment is shipped as the tail, up to revision \(tail.lastRevision). "
          + "--follow keeps the tail up to date.")
    } else if isDry {
      try context.note(
        "the log is not closed: its last segment (\(HumanText.bytes(open.sizeBytes)), from revision \(open.first) on) would be shipped "
          + "as the tail, as far as HEAD records it as durable.")
    } else {
      try context.note(
        "not shipped: the last segment (\(HumanText.bytes(open.sizeBytes)), from revision \(open.first) on), because the log is "
          + "not closed. Close the log, or give --seal if no writer holds it.")
    }
  }

  // MARK: Following

  /// The state of a log that decides whether there is something to ship.
  private struct Position: Equatable {
    var segments: [String]
    var head: [UInt8]

    /// A log is replaced and pruned while it is followed, so a missing file is no error here.
    init(_ path: String, _ files: any LogFileSystem) throws(LogError) {
      do throws(FileSystemError) {
        segments = try files.names(in: path).filter { name in SegmentName.first(of: name) != nil }
      } catch {
        throw LogError.files(error, "the log cannot be read", path: path)
      }
      do throws(FileSystemError) {
        head = try files.contents(of: path + "/" + LogFormat.headName, limitBytes: 4_096)
      } catch {
        head = []
      }
    }
  }

  private func follow(_ path: String, every interval: Duration) throws -> ExitStatus {
    let (stop, uptime, files) = (context.environment.stop, context.environment.uptime, context.rawFiles)
    stop.accept()
    var shipped: Position?
    var hasFailed = false
    var last = uptime()
    while true {
      let isLast = stop.isRequested
      let isIntervalOver = uptime() - last >= interval
      do {
        // After a failure, the next attempt is an interval later.
        if isLast || isIntervalOver || !hasFailed {
          let position = try Position(path, files)
          let isDue =
            isLast || hasFailed || position.segments != shipped?.segments || (isIntervalOver && position != shipped)
          if isDue {
            _ = try pass(path, showsPresent: shipped == nil) { row in try report(row) }
            (shipped, hasFailed, last) = (position, false, uptime())
          }
        }
      } catch {
        // What passes by itself must not end a process that is meant to run for months.
        let failure = ToolFailure(any: error)
        guard shipped != nil, !isLast, !(error is ToolStreamError),
          failure.status == .environment || failure.status == .locked
        else { throw error }
        try context.warn("\(failure.headline); trying again")
        (hasFailed, last) = (true, uptime())
      }
      try context.flush()
      guard !isLast else { return .success }
      _ = context.environment.pause(min(Self.step, interval))
    }
  }

  // MARK: Storing by a command

  /// - Parameter waiting: Called periodically while the command runs.
  private func storing(_ waiting: @escaping () -> Void) throws -> ShippingPass.Storing? {
    guard let command = context.arguments.value(of: Self.with) else { return nil }
    guard !command.isEmpty else { throw ToolFailure.usage("--with needs a command") }
    let start = try context.startCommand()
    return { segment, name, sha256, replaces in
      // Its output must not be taken for an answer of this program.
      let words = ["/bin/sh", "-c", "exec 1>&2\n" + command]
      let variables = [
        "ACTIONLOG_FILE": segment.source, "ACTIONLOG_NAME": name, "ACTIONLOG_SHA256": sha256,
        "ACTIONLOG_REPLACE": replaces ? "1" : "0",
      ]
      let process = try start(ToolCommandLine(words, variables: variables, readsOutput: false))
      process.closeInput()
      // A stop request does not end it: the segment would be stored again.
      let ending = process.wait { _ in
        waiting()
        return true
      }
      guard ending != .status(0) else { return }
      let how =
        switch ending {
        case .status(let status)?: "exited with status \(status)"
        case .killed(let signal)?: "was ended by signal \(signal)"
        case nil: "did not end"
        }
      throw ToolFailure(
        "notStored", .environment, "the command \(how), and the segment was not stored", path: segment.source,
        intact: "The segments before it are stored.", advice: "Ship again when the cause is mended.")
    }
  }
}
