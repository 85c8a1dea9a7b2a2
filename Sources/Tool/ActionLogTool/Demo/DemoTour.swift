import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TimeTravel

/// A tour of the engine's features with one story.
///
/// Each stop prints a sentence and then an example. The output does not depend on the machine or the date.
struct DemoTour: Sendable {
  let context: CommandContext
  let model: any ModelHandle
  let story: StoredStory
  /// The path at which the log is recorded.
  let path: String
  /// The final path; `nil` if the log is temporary.
  let keptPath: String?

  private let clock: StoryClock
  private let printer: DemoPrinter

  /// The result of a tour.
  struct Outcome: Sendable {
    /// The digest of the application's last state.
    fileprivate let digest: StateDigest
    /// The work of reopening the log.
    fileprivate let restored: ReplayReport
  }

  /// The interval of snapshots: short enough that a short story has some.
  private static let snapshotInterval = 10
  /// The number of actions to step back through.
  private static let stepCount = 3

  init(context: CommandContext, model: any ModelHandle, story: StoredStory, path: String, keptPath: String?) {
    self.context = context
    self.model = model
    self.story = story
    self.path = path
    self.keptPath = keptPath
    clock = StoryClock(log: ([model.name] + (story.name.map { name in [name] } ?? [])).joined(separator: "-"))
    printer = DemoPrinter(context: context)
  }

  /// Runs all stops.
  ///
  /// - Returns: The result, for ``conclude(_:)``.
  func run() async throws -> Outcome {
    try await printer.opening(model: model.name, count: story.steps.count)
    let live = try await record()
    try await onDisk()
    let report = try await rebuild(live: live)
    try await travel()
    try await verify()
    return Outcome(digest: live, restored: report)
  }

  /// Prints the result and the next commands to try, after the log has its final path.
  func conclude(_ outcome: Outcome) async throws {
    try await printer.ending(path: keptPath, turningPoint: story.turningPoint)
    if context.isJSON { try await tellResult(outcome.digest, outcome.restored) }
  }
}

// MARK: - The stops

extension DemoTour {
  /// Runs the application, and kills it while its log is open.
  ///
  /// - Returns: The digest of the application's last state.
  private func record() async throws -> StateDigest {
    try await printer.stop(
      "Record", "The app runs. A recorder listens to its store and appends every action to a log.")
    let session =
      if let startChild = context.environment.startChild {
        try await recordInChild(startChild)
      } else {
        try await recordHere()
      }
    let count = try await BlockingWork.run {
      var records = try LogReader.open(at: path, fileSystem: context.files).records(from: 1)
      var actions: [LogRecord] = []
      while let record = try records.next() {
        if !record.isControl { actions.append(record) }
      }
      try printer.actions(actions)
      return actions.count
    }
    guard count >= session.acknowledgedCount else {
      throw ToolFailure(
        "lost", .negative, "\(session.acknowledgedCount) actions were acknowledged, and the log has \(count)",
        path: path)
    }
    try await printer.say(session.ending)
    try await printer.say(
      "\(session.acknowledgedCount) actions were acknowledged, each after it was synced to disk. All are in the log.")
    return session.digest
  }

  /// A finished recording.
  private struct Session {
    var acknowledgedCount: Int
    /// The digest of the last state.
    var digest: StateDigest
    /// A sentence about how it ended.
    var ending: String
  }

  /// Records in a child process, and kills it after it has acknowledged the last action.
  private func recordInChild(_ startChild: @escaping @Sendable ([String]) throws -> any ToolChild) async throws
    -> Session
  {
    let last = try await BlockingWork.run {
      let child = try startChild(
        [
          "demo", "--\(DemoCommand.act.name)=\(path)", "--model=\(model.name)", "--json",
        ] + (story.name.map { name in ["--\(DemoCommand.story.name)=\(name)"] } ?? []))
      var last = (revision: 0, digest: "")
      while last.revision < story.steps.count, let line = try child.nextLine() {
        guard case .object(let answer) = try JSONValue(parsing: line), case .number(let revision)? = answer["revision"],
          case .string(let digest)? = answer["sha256"]
        else { break }
        last = (revision: revision.int ?? 0, digest: digest)
      }
      return (revision: last.revision, digest: last.digest, signal: child.kill())
    }
    // Later records continue at the story's last time.
    for step in story.steps { clock.advance(by: step.pause) }
    guard last.revision == story.steps.count, let signal = last.signal else {
      throw ToolFailure(
        "noRecording", .environment, "the process that records ended after \(last.revision) actions",
        advice: "Its messages are above.")
    }
    return Session(
      acknowledgedCount: last.revision, digest: StateDigest(hexadecimal: last.digest),
      ending: "The app ran in a process of its own. Signal \(signal) (SIGKILL) has ended it, with its log still open.")
  }

  /// Records in this process if no child process can be started, and abandons the log as a killed process would.
  private func recordHere() async throws -> Session {
    let recording = try await model.record(path, settings: settings)
    try await play(into: recording) { _ in }
    let digest = try await recording.stateDigest()
    await recording.abandon()
    return Session(
      acknowledgedCount: story.steps.count, digest: digest,
      ending: "The recorder has dropped the log without closing it, as the death of its process would.")
  }

  /// Records the story in the child process, and prints each acknowledged revision and its digest.
  func act() async throws {
    let recording = try await model.record(path, settings: settings)
    try await play(into: recording) { revision in
      // The list of snapshots must not depend on the time of the kill.
      if revision == story.steps.count { await recording.settleSnapshots() }
      let digest = try await recording.stateDigest()
      try await BlockingWork.run {
        try context.output.json(ReplayCommand.digest.json((revision, digest.hexadecimal, nil)))
        try context.flush()
      }
    }
    // The log stays open until this process is killed or its parent ends.
    try await BlockingWork.run { while try !context.environment.standardInput.read(limit: 1).isEmpty {} }
    await recording.abandon()
  }

  /// Dispatches the story's actions, and waits for each receipt.
  private func play(
    into recording: any RecordingHandle, didAcknowledge: (_ revision: Int) async throws -> Void
  ) async throws {
    for (index, step) in story.steps.enumerated() {
      clock.advance(by: step.pause)
      let meta = RecordMeta(actor: "ann", cause: step.stepsSinceCause.map { distance in index + 1 - distance })
      let line = ActionLine(number: index + 1, form: step.form, meta: meta.object)
      var outcomes: [LineOutcome] = []
      try await recording.submit([line], outcomes: &outcomes)
      if case .refused(let refusal)? = outcomes.first { throw refusal }
      _ = try await recording.receipt()
      try await didAcknowledge(index + 1)
    }
  }

  private func onDisk() async throws {
    try await printer.stop("Look", "What is left is a directory of JSON lines that any tool can read:")
    try await BlockingWork.run {
      let fileSystem = context.files
      let reader = try LogReader.open(at: path, fileSystem: fileSystem)
      var files = reader.segments.map { segment in (segment.path, "actions from \(segment.first) on") }
      let snapshots = SnapshotStore(at: path, fileSystem: fileSystem)
      for revision in try snapshots.revisions() {
        files.append((snapshots.path(at: revision), "the state at revision \(revision), to start from"))
      }
      try printer.files(files, below: path)
      try printer.example(try reader.record(at: story.turningPoint))
    }
  }

  /// Reopens the log with and without its snapshots.
  ///
  /// - Returns: The work of reopening it with snapshots.
  private func rebuild(live: StateDigest) async throws -> ReplayReport {
    try await printer.stop("Rebuild", "The app starts again: its state is folded from the log.")
    let recording = try await model.record(path, settings: settings)
    let report = recording.restored
    let reopened = try await recording.stateDigest()
    try await recording.close()
    let full = try await BlockingWork.run {
      var options = ReplayOptions()
      options.usesSnapshots = false
      options.checksDigests = true
      let rebuilt = try history().rebuiltState(at: nil, options: options)
      return (report: rebuilt.report, digest: try rebuilt.digest)
    }
    try await printer.digests([
      ("before it died", live.hexadecimal),
      (
        "from the snapshot at \(report.startRevision) and \(HumanText.count(report.actionsFolded, "action"))",
        reopened.hexadecimal
      ),
      ("from all \(HumanText.count(full.report.actionsFolded, "action")), without snapshots", full.digest.hexadecimal),
    ])
    guard live == reopened, live == full.digest, full.report.divergences.isEmpty else {
      throw ToolFailure("divergence", .negative, "the rebuilt states differ from the one that was recorded", path: path)
    }
    try await printer.say("All three are the same state. (SHA-256 of its canonical JSON.)")
    return report
  }

  private func travel() async throws {
    let last = story.steps.count
    try await printer.stop("Step", "Walk back from the end: what did each action change?")
    try await BlockingWork.run {
      for revision in stride(from: last, to: max(0, last - Self.stepCount), by: -1) {
        try printer.change(
          try history().difference(from: revision - 1, to: revision, options: ReplayOptions()),
          by: try history().reader.record(at: revision))
      }
    }
    let point = story.turningPoint
    try await printer.stop("Ask", "What happened at revision \(point), when, who did it, and what did it change?")
    try await BlockingWork.run {
      let record = try history().reader.record(at: point)
      let difference = try history().difference(from: point - 1, to: point, options: ReplayOptions())
      try printer.facts(of: record)
      try printer.changes(difference)
      try printer.sentence("The same as a patch for any JSON tool (RFC 6902):")
      try printer.patch(difference.jsonPatch())
    }
  }

  private func verify() async throws {
    try await printer.stop("Verify", "Every line carries a checksum and that of the line before.")
    let report = try await BlockingWork.run {
      try LogVerifier.verify(at: path, fileSystem: context.files)
    }
    guard report.verdict == .clean else {
      throw ToolFailure("damaged", .negative, "the log that was just written does not verify", path: path)
    }
    let lines = HumanText.count(report.recordCount, "line")
    try await printer.say(
      "\(lines), \(HumanText.bytes(report.sizeBytes)): every checksum agrees, none is missing, none was changed.")
  }

  /// Prints the result as JSON.
  private func tellResult(_ digest: StateDigest, _ report: ReplayReport) async throws {
    let result = try Self.shape.json((self, digest, report))
    try await BlockingWork.run { try context.output.json(result) }
  }

  static let shape = AnswerShape<(tour: DemoTour, digest: StateDigest, report: ReplayReport)>.object(
    nil,
    [
      .member("model", .text, \.tour.model.name), .member("actions", .count, \.tour.story.steps.count),
      .member("sha256", .sha256, \.digest.hexadecimal), .member("fromRevision", .revision, \.report.startRevision),
      .member("actionsFolded", .count, \.report.actionsFolded), .member("verdict", .text) { _ in "clean" },
      .nullable("path", .file, \.tour.keptPath),
    ])

  private var settings: RecordingSettings {
    RecordingSettings(
      configuration: LogConfiguration(environment: clock.environment),
      fileSystem: context.files,
      snapshotEvery: Self.snapshotInterval,
      notices: RecordingNotices(context))
  }

  private func history() throws -> any HistoryHandle {
    try model.history(
      of: LogReader.open(at: path, fileSystem: context.files), fileSystem: context.files, unknownTypes: nil)
  }
}

/// A story with encoded actions, independent of the model's type.
struct StoredStory: Sendable {
  struct Step: Sendable {
    var pause: Duration
    var form: ActionForm
    var stepsSinceCause: Int?
  }

  var name: String?
  var steps: [Step]
  var turningPoint: Int

  init(_ story: Story<some Encodable & Sendable>) throws {
    name = story.name
    steps = try story.steps.map { step in
      Step(pause: step.pause, form: try ActionCoding.encode(step.action), stepsSinceCause: step.stepsSinceCause)
    }
    turningPoint = story.turningPoint
  }
}

/// A clock that the story advances. Together with a fixed log identifier it makes recordings reproducible.
final class StoryClock: Sendable {
  /// The time at which every story begins: 2026-11-21 09:00:00 UTC.
  private static let beginning = LogTime(microseconds: 1_795_251_600_000_000)
  private let time = Locked(StoryClock.beginning)
  /// The identifier of the demo's log, which depends only on the log's name.
  private let logID: String

  /// Creates a clock at the beginning of a story.
  ///
  /// - Parameter name: The name of the log: that of its model, and of the story unless it is the model's first.
  init(log name: String) {
    logID = Self.logID(of: name)
  }

  /// A UUID derived from a name (version 8 of RFC 9562, with SHA-256).
  private static func logID(of name: String) -> String {
    var digits = Array(SHA256.hexadecimal(name.utf8).prefix(32))
    digits[12] = "8"
    digits[16] = "a"
    let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return groups.map { group in String(digits[group]) }.joined(separator: "-")
  }

  /// The current time of the story.
  var now: LogTime { time.withLock { time in time } }

  /// Advances the time.
  func advance(by pause: Duration) {
    time.withLock { time in time = time.advanced(by: pause) }
  }

  /// The environment of a writer in the story.
  var environment: LogEnvironment {
    LogEnvironment(
      now: { self.now },
      makeLogID: { self.logID },
      processID: 4_711,
      hostName: "demo",
      program: "action-log demo")
  }
}
