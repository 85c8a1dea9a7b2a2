import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI

/// A tour of the engine's features with one story: commands and what they print, whatever the machine and the date.
struct DemoTour: Sendable {
  let context: CommandContext
  let model: RegisteredModel
  let story: StoredStory
  let directory: DemoDirectory
  /// The path that the user gave; `nil` if the log is temporary.
  let keptPath: String?

  private let clock: StoryClock
  private var path: String { directory.path }

  /// The interval of snapshots: short enough that a short story has some.
  private static let snapshotInterval = 10
  private static let margin = "   "
  private static let columns = "97"

  init(
    context: CommandContext, model: RegisteredModel, story: StoredStory, directory: DemoDirectory, keptPath: String?
  ) {
    (self.context, self.model, self.story) = (context, model, story)
    (self.directory, self.keptPath) = (directory, keptPath)
    clock = StoryClock(log: ([model.name] + (story.name.map { name in [name] } ?? [])).joined(separator: "-"))
  }

  /// Records the story, gives the log its final path, and shows what commands print about it.
  func run() async throws {
    let (point, last) = (String(story.turningPoint), story.steps.count)
    // A path that begins with a dash would be an option, or standard input.
    let name = keptPath.map { path in path.hasPrefix("-") ? "./" + path : path } ?? "my-log"
    try await say([
      context.output.style.bold("An app's whole past: record it, kill it, rebuild it, ask it."),
      "The app is the sample '\(model.name)'. It dispatches \(HumanText.count(last, "action")), and a recorder appends each to a log.",
    ])
    let session = try await record()
    try await stop("Kill", session.ending)
    try await say([check("All \(session.acknowledgedCount) actions that were acknowledged are in the log.")])
    let (report, reopened) = try await rebuild(live: session.digest)
    try await BlockingWork.run { try directory.finish() }
    try await show(["list", name, "--last", "5"])
    try await stop(
      "Rebuild",
      "The app starts again, from the snapshot at \(report.startRevision) and \(HumanText.count(report.actionsFolded, "action")) of the log."
    )
    try await say([
      check(
        "\(session.digest.hexadecimal.prefix(8)) before it died, \(reopened.hexadecimal.prefix(8)) now: the same state."
      )
    ])
    try await stop("Ask", "What happened at revision \(point), when, and what did it change?")
    try await show(["diff", name, point])
    try await stop("Trust", "Every line carries a checksum and that of the line before.")
    try await show(["verify", name], lineLimit: 1)
    let kept = keptPath == nil ? [context.commandLine(["demo", "--keep", "my-log"])] : []
    let bug =
      context.tool.models.contains { model in model.bug != nil }
      ? [context.commandLine(["demo", "--bug", "--keep", "bug-log"])] : []
    try await say(
      ["", context.output.style.bold("Now you")]
        + (kept + bug + [context.commandLine(["inspect", name, "--open"])])
        .map { line in Self.margin + TerminalText.escaping(line) })
    if context.isJSON {
      try await BlockingWork.run { try context.output.json(Self.shape.json((self, session.digest, report))) }
    } else {
      try await BlockingWork.run { try context.flush() }
    }
  }

  static let shape = AnswerShape<(tour: DemoTour, digest: StateDigest, report: ReplayReport)>.object([
    .member("model", .text, \.tour.model.name), .member("actions", .count, \.tour.story.steps.count),
    .member("sha256", .sha256, \.digest.hexadecimal), .member("fromRevision", .revision, \.report.startRevision),
    .member("actionsFolded", .count, \.report.actionsFolded), .member("verdict", .text) { _ in "clean" },
    .nullable("path", .file, \.tour.keptPath),
  ])
}

// MARK: - Output

extension DemoTour {
  /// Prints lines of the tour. With `--json` and `--quiet`, only the result is printed.
  private func say(_ lines: [String]) async throws {
    guard !context.isJSON, !context.isQuiet else { return }
    try await BlockingWork.run { try context.output.lines(lines) }
  }

  /// Begins a part. Somebody who watches has a moment for the one before.
  private func stop(_ title: String, _ sentence: String) async throws {
    if context.output.isTerminal { try await Task.sleep(for: .milliseconds(700)) }
    try await say(["", context.output.style.bold(title), Self.margin + sentence])
  }

  private func check(_ sentence: String) -> String { Self.margin + context.output.style.green("✓ ") + sentence }

  private func show(_ words: [String], lineLimit: Int = .max) async throws {
    let output = CollectedText()
    var environment = context.environment
    (environment.standardInput, environment.standardOutput) = (NoInput(), output)
    environment.showsScreens = false
    environment.variables["COLUMNS"] = Self.columns
    // A temporary log is named as if the user were in its parent directory.
    if keptPath == nil { environment.currentDirectory = directory.parent }
    let status = await context.tool.run(words + Self.colors(context), environment: environment)
    // Two states that differ are an answer.
    guard status == 0 || status == 1 && words[0] == "diff" else {
      throw ToolFailure(
        "demo", .negative, "'\(words[0])' has failed on the log that was just written", path: keptPath ?? path)
    }
    let lines = output.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      .prefix(lineLimit)
    try await say(
      [Self.margin + context.output.style.dim("$ " + TerminalText.escaping(context.commandLine(words)))]
        + lines.map { line in line.isEmpty ? "" : Self.margin + line })
  }

  private static func colors(_ context: CommandContext) -> [String] {
    context.output.style.isColored ? ["--color=always"] : ["--no-color"]
  }
}

private final class CollectedText: ToolOutput {
  private let bytes = Locked([UInt8]())

  var text: String { bytes.withLock { bytes in String(decoding: bytes, as: UTF8.self) } }

  func write(_ more: [UInt8]) { bytes.withLock { bytes in bytes += more } }
}

// MARK: - Recording

extension DemoTour {
  /// Runs the application, and kills it while its log is open.
  private func record() async throws -> Session {
    let session =
      if let startChild = context.environment.startChild {
        try await recordInChild(startChild)
      } else {
        try await recordHere()
      }
    let count = try await BlockingWork.run {
      try LogReader.open(at: path, fileSystem: context.files).extent().lastRevision
    }
    guard count >= session.acknowledgedCount else {
      throw ToolFailure(
        "lost", .negative, "\(session.acknowledgedCount) actions were acknowledged, and the log has \(count)",
        path: path)
    }
    return session
  }

  private struct Session {
    var acknowledgedCount: Int
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
    let recording = try await model.record(path, settings)
    try await play(into: recording) { _ in }
    let digest = try await recording.stateDigest()
    await recording.abandon()
    return Session(
      acknowledgedCount: story.steps.count, digest: digest,
      ending: "The recorder has dropped the log without closing it, as the death of its process would.")
  }

  /// Records the story in the child process, and prints each acknowledged revision and its digest.
  func act() async throws {
    let recording = try await model.record(path, settings)
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

  /// Reopens the log as the application would, and closes it.
  private func rebuild(live: StateDigest) async throws -> (ReplayReport, StateDigest) {
    let recording = try await model.record(path, settings)
    let reopened = try await recording.stateDigest()
    try await recording.close()
    guard live == reopened else { throw divergence }
    return (recording.restored, reopened)
  }

  private var divergence: ToolFailure {
    ToolFailure(
      "divergence", .negative, "the rebuilt state differs from the one that was recorded", path: keptPath ?? path)
  }

  private var settings: RecordingSettings {
    RecordingSettings(
      configuration: LogConfiguration(environment: clock.environment),
      fileSystem: context.files,
      snapshotEvery: Self.snapshotInterval,
      notices: RecordingNotices(context))
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

  /// Creates a clock at the beginning of a story. The log has the name of its model, and of the story unless it is the first.
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

  var now: LogTime { time.withLock { time in time } }

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
