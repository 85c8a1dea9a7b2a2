internal import Platform

/// The settings of a writer.
public struct LogConfiguration: Sendable {
  /// The durability level of appends.
  public var durability: Durability
  /// The length at which the next action begins a new segment. A segment can exceed it by one unit of drafts.
  public var segmentLimitBytes: Int
  /// The age at which the next action begins a new segment, whatever the length; `nil` for no limit.
  ///
  /// Only a finished segment can be shipped, so an age bounds the time until an action is in the table of a lake.
  public var segmentAge: SegmentAge?
  /// The limit of unwritten bytes, beyond which ``LogWriter/enqueue(_:)`` refuses drafts. A larger unit is accepted
  /// when the queue is empty.
  public var bufferLimitBytes: Int
  /// The clock, the identifiers and the names that the writer uses.
  public var environment: LogEnvironment
  /// The key of a new log in a set of logs, recorded in its header; ignored if the log exists.
  public var key: String?
  /// Whether each line gets a salt, so that single values can be erased later without breaking the checksum chain or a
  /// proof. It costs 32 bytes a line.
  ///
  /// A new log has salts from its first segment on, an existing one from the opening with the option on. A log with salts keeps
  /// them when it is opened without the option.
  public var redactable: Bool
  /// Receives what happens to the log.
  public var observer: (any LogObserver)?

  /// 32 MiB: opening a log scans its last segment, which takes a few hundredths of a second at this length.
  public static let defaultSegmentLimitBytes = 32 << 20

  /// 8 MiB: what arrives at full speed during a sync of 5 ms. 3 MiB proved too small in the benchmarks.
  public static let defaultBufferLimitBytes = 8 << 20

  /// Creates a configuration. The defaults suit most programs.
  public init(
    durability: Durability = .synced,
    segmentLimitBytes: Int = LogConfiguration.defaultSegmentLimitBytes,
    bufferLimitBytes: Int = LogConfiguration.defaultBufferLimitBytes,
    environment: LogEnvironment = .live,
    key: String? = nil,
    redactable: Bool = false,
    segmentAge: SegmentAge? = nil,
    observer: (any LogObserver)? = nil
  ) {
    self.durability = durability
    self.segmentLimitBytes = segmentLimitBytes
    self.segmentAge = segmentAge
    self.bufferLimitBytes = bufferLimitBytes
    self.environment = environment
    self.key = key
    self.redactable = redactable
    self.observer = observer
  }
}

extension LogConfiguration {
  /// The age of a segment at which the next action begins a new one. Time alone begins no segment, so an idle log has none without an
  /// action.
  public enum SegmentAge: Sendable, Hashable {
    /// This time after the segment was begun.
    case duration(Duration)
    /// Midnight UTC, so that each segment has the actions of one day.
    case day

    /// Whether a segment is too old for an action. A clock that was set back makes no segment too old.
    func hasPassed(from created: LogTime, to time: LogTime) -> Bool {
      switch self {
      case .duration(let duration):
        let (seconds, attoseconds) = duration.components
        let (age, isOverflow) = time.microseconds.subtractingReportingOverflow(created.microseconds)
        let (whole, rest) = age.quotientAndRemainder(dividingBy: 1_000_000)
        return !isOverflow && (whole, rest) >= (seconds, attoseconds / 1_000_000_000_000)
      case .day:
        return Self.day(time) > Self.day(created)
      }
    }

    /// The number of the day (UTC). Times before 1970 round down, too.
    private static func day(_ time: LogTime) -> Int64 {
      let (day, rest) = time.microseconds.quotientAndRemainder(dividingBy: 86_400_000_000)
      return rest < 0 ? day - 1 : day
    }
  }
}

/// The durability level of an append: when it is acknowledged, and which failures it survives.
public enum Durability: Sendable, Hashable {
  /// Acknowledged when it is in the queue. Survives nothing.
  case queued
  /// Acknowledged when the operating system has the bytes. Survives the end of the process.
  case written
  /// Acknowledged when the operating system has the bytes. A background sync begins after this duration at the
  /// latest.
  ///
  /// Survives the end of the process. A power cut loses at most what was written within the interval and during the
  /// last sync. ``LogEnvironment/timerSchedule`` describes the thread that waits.
  case interval(Duration)
  /// Acknowledged when the device has the bytes; one sync covers everything that was waiting. Survives a power cut on
  /// Linux. On Apple platforms it survives the end of the process and of the kernel, with the order of writes
  /// preserved.
  case synced
  /// Like ``synced``, and flushes the drive's cache as well. Survives a power cut.
  case full

  /// Whether an append is acknowledged only after a sync.
  package var waitsForSync: Bool {
    switch self {
    case .synced, .full: true
    case .queued, .written, .interval: false
    }
  }

  var strength: SyncStrength { self == .full ? .full : .data }
}

extension Durability: CustomStringConvertible {
  /// The name of the level, for example `synced` or `interval(0.1 seconds)`.
  public var description: String {
    switch self {
    case .queued: "queued"
    case .written: "written"
    case .interval(let duration): "interval(\(duration))"
    case .synced: "synced"
    case .full: "full"
    }
  }
}

/// The clock, identifiers and names that a writer records. Tests inject fixed ones to produce identical bytes.
public struct LogEnvironment: Sendable {
  /// The clock for records that have no time of their own.
  public var now: @Sendable () -> LogTime
  /// Creates the identifier of a new log: a UUID in lower case.
  public var makeLogID: @Sendable () -> String
  /// The process ID that `@open` records.
  public var processID: Int
  /// The host name that `@open` records.
  public var hostName: String
  /// The program name that `@open` records.
  public var program: String
  /// The timer of the level ``Durability/interval(_:)``, and of checkpoints.
  public var schedule: Schedule
  /// The threads and descriptors that writers share.
  public var resources: LogResources
  /// Fills memory with random bytes for the salts of a redactable log. Called for 64 KiB at a time, usually on the thread
  /// that writes. The default asks the system.
  ///
  /// Salts keep erased values secret, so only tests may use bytes that can be predicted.
  public var makeSalts: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  /// Calls a closure once after a delay, on any thread that may block. A timer that cannot wait calls it at once.
  ///
  /// - Returns: A closure that cancels the call and releases the scheduled closure. It has no effect after the call.
  public typealias Schedule =
    @Sendable (_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// The time since some point in the past, to measure how long the opening of a log takes, and for its observer.
  package var uptime: @Sendable () -> Duration = { ContinuousClock.now - Self.origin }

  private static let origin = ContinuousClock.now

  /// Creates an environment.
  ///
  /// - Parameters:
  ///   - now: The clock for records that have no time of their own.
  ///   - makeLogID: Creates the identifier of a new log: a UUID in lower case.
  ///   - processID: The process ID that `@open` records.
  ///   - hostName: The host name that `@open` records.
  ///   - program: The program name that `@open` records.
  ///   - schedule: The timer of the level ``Durability/interval(_:)``; `nil` for that of the resources.
  ///   - resources: The threads and descriptors that writers share.
  ///   - makeSalts: Fills memory with random bytes for the salts of a redactable log; `nil` for those of the system.
  public init(
    now: @escaping @Sendable () -> LogTime,
    makeLogID: @escaping @Sendable () -> String,
    processID: Int,
    hostName: String,
    program: String,
    schedule: Schedule? = nil,
    resources: LogResources = .shared,
    makeSalts: (@Sendable (UnsafeMutableRawBufferPointer) -> Void)? = nil
  ) {
    self.now = now
    self.makeLogID = makeLogID
    self.processID = processID
    self.hostName = hostName
    self.program = program
    self.schedule = schedule ?? resources.schedule
    self.resources = resources
    self.makeSalts = makeSalts ?? { bytes in SaltSupply.fillFromSystem(bytes) }
  }

  /// The system clock, random identifiers, and the current process.
  public static let live = LogEnvironment(
    now: { LogTime.now() },
    makeLogID: { randomLogID() },
    processID: SystemHost.processID,
    hostName: SystemHost.name,
    program: SystemHost.program
  )

  /// A timer with one thread for the entire process, which exists only while calls are pending.
  ///
  /// The calls run on the threads of ``LogResources/shared``. If the system provides no thread, the closure is called
  /// before this function returns.
  ///
  /// - Complexity: O(n) for *n* pending calls of the process; without a thread, that of the closure.
  public static let timerSchedule: Schedule = LogResources.shared.schedule

  static func randomLogID() -> String {
    var generator = SystemRandomNumberGenerator()
    let high = generator.next() & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    let low = generator.next() & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    let digits = [high, low].map { half in
      let text = String(half, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }.joined()
    var id = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { id.append("-") }
      id.append(digit)
    }
    return id
  }
}
