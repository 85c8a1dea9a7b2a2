internal import Platform

/// How a writer works.
public struct LogConfiguration: Sendable {
  /// When appends are acknowledged.
  public var durability: Durability
  /// The length from which the next action begins a new segment. Segments can be longer by one unit of drafts.
  public var segmentLimitBytes: Int
  /// How many bytes may wait for the disk before ``LogWriter/enqueue(_:)`` refuses more. One unit that is larger is taken
  /// when nothing else waits.
  public var bufferLimitBytes: Int
  /// What opening does with a torn tail.
  public var recovery: RecoveryPolicy
  /// Clock, identifiers and names.
  public var environment: LogEnvironment

  /// 32 MiB: a segment is scanned in a few hundredths of a second when a log is opened.
  public static let defaultSegmentLimitBytes = 32 << 20

  /// 8 MiB: what arrives during a sync of 5 ms at full speed; 3 MiB were measured to be too few.
  public static let defaultBufferLimitBytes = 8 << 20

  /// Makes a configuration; what is not named is as most programs want it.
  public init(
    durability: Durability = .commit,
    segmentLimitBytes: Int = LogConfiguration.defaultSegmentLimitBytes,
    bufferLimitBytes: Int = LogConfiguration.defaultBufferLimitBytes,
    recovery: RecoveryPolicy = .standard,
    environment: LogEnvironment = .live
  ) {
    self.durability = durability
    self.segmentLimitBytes = segmentLimitBytes
    self.bufferLimitBytes = bufferLimitBytes
    self.recovery = recovery
    self.environment = environment
  }
}

/// What a writer does with a torn tail when it opens a log.
public enum RecoveryPolicy: Sendable, Hashable, CaseIterable {
  /// Moves the torn bytes to the quarantine and goes on. Damage is refused.
  case standard
  /// Refuses a torn tail as well, and changes nothing.
  case strict
}

/// When an append is acknowledged, and so what it survives.
public enum Durability: Sendable, Hashable {
  /// When it is in the queue. Survives nothing.
  case memory
  /// When the system has the bytes. Survives the death of the process.
  case flush
  /// When the system has the bytes; a sync in the background begins at most this long after.
  ///
  /// Survives the death of the process; a power cut loses at most what was written within the interval, and while the last
  /// sync was under way. See ``LogEnvironment/timerSchedule`` for what waits meanwhile.
  case interval(Duration)
  /// When the device has the bytes, with one sync for all that waited. Survives a power cut on Linux; on Apple
  /// platforms the death of the process and of the kernel, with the order of writes kept.
  case commit
  /// As ``commit``, the drive's own cache included. Survives a power cut.
  case full

  /// Whether an append is acknowledged only after a sync.
  var waitsForSync: Bool {
    switch self {
    case .commit, .full: true
    case .memory, .flush, .interval: false
    }
  }

  /// What a sync waits for.
  var strength: SyncStrength { self == .full ? .full : .data }
}

extension Durability: CustomStringConvertible {
  /// The name of the level, for instance `commit` or `interval(0.1 seconds)`.
  public var description: String {
    switch self {
    case .memory: "memory"
    case .flush: "flush"
    case .interval(let duration): "interval(\(duration))"
    case .commit: "commit"
    case .full: "full"
    }
  }
}

/// What a writer asks the world for: injected, so that a recording can be made again byte for byte.
public struct LogEnvironment: Sendable {
  /// The clock that records without a time of their own are stamped with.
  public var now: @Sendable () -> LogTime
  /// Makes the identifier of a new log: a UUID in lower case.
  public var makeLogID: @Sendable () -> String
  /// The process that `@open` names.
  public var processID: Int
  /// The machine that `@open` names.
  public var hostName: String
  /// The program that `@open` names.
  public var program: String
  /// Calls closures later. The level ``Durability/interval(_:)`` lives by it.
  public var schedule: Schedule

  /// Calls a closure once, a duration later or, where it cannot wait, at once, on any thread that may block.
  ///
  /// - Returns: Takes it back; the closure is then let go of. When it has been called already, this does nothing.
  public typealias Schedule =
    @Sendable (_ delay: Duration, _ body: @escaping @Sendable () -> Void) -> @Sendable () -> Void

  /// Makes an environment from its parts.
  public init(
    now: @escaping @Sendable () -> LogTime,
    makeLogID: @escaping @Sendable () -> String,
    processID: Int,
    hostName: String,
    program: String,
    schedule: @escaping Schedule = LogEnvironment.timerSchedule
  ) {
    self.now = now
    self.makeLogID = makeLogID
    self.processID = processID
    self.hostName = hostName
    self.program = program
    self.schedule = schedule
  }

  /// The machine's clock, random identifiers, and the process as it is.
  public static let live = LogEnvironment(
    now: { LogTime.now() },
    makeLogID: { randomLogID() },
    processID: SystemHost.processID,
    hostName: SystemHost.name,
    program: SystemHost.program
  )

  /// Leaves the waiting to one thread for the whole process, which there is only while something waits.
  ///
  /// A closure that is due gets a thread for as long as it takes, so that none waits for another one's disk. Where the system gives
  /// no thread to wait, it is called at once, before this returns.
  ///
  /// - Complexity: O(n) for the n closures of the process that wait; where there is no thread, that of the closure.
  public static let timerSchedule: Schedule = { delay, body in TimerThread.shared.schedule(after: delay, body) }

  /// A random UUID (version 4, RFC 9562) in lower case.
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
