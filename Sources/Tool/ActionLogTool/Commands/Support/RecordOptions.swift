import ActionLog
import EventSourcing

/// The options of `record`, checked.
struct RecordOptions: Sendable {
  static let durabilityOption = CommandOption.choice(
    "durability", letter: "d", of: ["flush", "interval", "commit", "full"],
    "answer when it is written, written and synced soon, synced (default), or in the drive for good")
  static let intervalOption = CommandOption.value(
    "interval", "SECONDS", "how often to sync with --durability interval (default 1)")
  static let segmentSizeOption = CommandOption.value(
    "segment-size", "SIZE", "begin a new segment at this size, for instance 4M (default 32M)")
  static let snapshotEveryOption = CommandOption.value(
    "snapshot-every", "COUNT", "take a snapshot after every so many actions")
  static let workloadOption = CommandOption.value(
    "workload", "COUNT", "record so many made-up actions instead of standard input")
  static let seedOption = CommandOption.value("seed", "N", "the seed of --workload (default 1)")

  static let onDivergenceOption = CommandOption.choice(
    "on-divergence", of: ["fail", "use-fold", "freeze"],
    "what to do when the reducer was changed: refuse, go on with its state (default), or with the state of then")
  static let freezeIntoOption = CommandOption.value(
    "freeze-into", "NEW", "the new log that --on-divergence freeze goes on in")

  static let all = [
    durabilityOption, intervalOption, segmentSizeOption, snapshotEveryOption, workloadOption, seedOption,
    onDivergenceOption, freezeIntoOption,
  ]

  let durability: Durability
  let segmentLimitBytes: Int
  let snapshotEvery: Int?
  let workload: WorkloadPlan?
  let onDivergence: RecordingDivergencePolicy

  init(_ context: CommandContext) throws(ToolFailure) {
    let arguments = context.arguments
    durability = try Self.durability(arguments)
    segmentLimitBytes =
      try arguments.value(of: Self.segmentSizeOption).map(Self.size) ?? LogConfiguration.defaultSegmentLimitBytes
    snapshotEvery = try arguments.integer(of: Self.snapshotEveryOption, in: 1 ... .max)
    let count = try arguments.integer(of: Self.workloadOption, in: 0 ... .max)
    let seed = try arguments.integer(of: Self.seedOption, in: 0 ... .max)
    guard seed == nil || count != nil else { throw .usage("--seed belongs to --workload") }
    onDivergence = try Self.onDivergence(arguments)
    workload = count.map { count in WorkloadPlan(seed: UInt64(seed ?? 1), count: count) }
  }

  func settings(_ context: CommandContext) -> RecordingSettings {
    RecordingSettings(
      configuration: LogConfiguration(
        durability: durability, segmentLimitBytes: segmentLimitBytes, environment: context.environment.logEnvironment),
      fileSystem: context.files,
      snapshotEvery: snapshotEvery,
      remarks: LogRemarks(context),
      onDivergence: onDivergence)
  }

  private static func onDivergence(_ arguments: ParsedArguments) throws(ToolFailure) -> RecordingDivergencePolicy {
    let name = arguments.value(of: onDivergenceOption)
    let path = arguments.value(of: freezeIntoOption)
    switch (name, path) {
    case ("freeze", let path?): return .freezeBase(into: path)
    case ("freeze", nil): throw .usage("--on-divergence freeze needs --freeze-into NEW, the log to go on in")
    case (_, .some): throw .usage("--freeze-into belongs to --on-divergence freeze")
    case ("fail", nil): return .fail
    case (_, nil): return .useFold
    }
  }

  private static func durability(_ arguments: ParsedArguments) throws(ToolFailure) -> Durability {
    let seconds = try arguments.value(of: intervalOption).map { text throws(ToolFailure) in try self.seconds(text) }
    let name = arguments.value(of: durabilityOption) ?? "commit"
    guard seconds == nil || name == "interval" else { throw .usage("--interval belongs to --durability interval") }
    switch name {
    case "flush": return .flush
    case "interval": return .interval(.seconds(seconds ?? 1))
    case "full": return .full
    default: return .commit
    }
  }

  private static func seconds(_ text: String) throws(ToolFailure) -> Double {
    // A day is longer than anybody can mean, and far from the range of a duration.
    let isPlain = text.allSatisfy { character in character.isASCIIDigit || character == "." }
    guard isPlain, let seconds = Double(text), seconds > 0, seconds <= 86_400 else {
      throw .usage("--interval takes a number of seconds (more than 0, at most 86400), not '\(text)'")
    }
    return seconds
  }

  /// Reads a size such as `4M`, `512K`, `1000`.
  private static func size(_ text: String) throws(ToolFailure) -> Int {
    let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
    let unit = text.uppercased().last.flatMap { letter in units[letter] }
    let (size, isOverflow) = (Int(unit == nil ? text : String(text.dropLast())) ?? 0)
      .multipliedReportingOverflow(by: unit ?? 1)
    guard !isOverflow, size > 0 else {
      throw .usage("--segment-size takes a size such as 4M, 512K or 1000 (bytes), not '\(text)'")
    }
    return size
  }
}
