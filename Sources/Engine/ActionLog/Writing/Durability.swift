/// When an append is acknowledged, and so what it survives.
public enum Durability: Sendable, Hashable {
  /// When it is in the queue. Survives nothing.
  case memory
  /// When the system has the bytes. Survives the death of the process.
  case flush
  /// When the system has the bytes; a synchronisation in the background begins at most this long after.
  ///
  /// Survives the death of the process; a power cut loses at most what was written within the interval, and while the last
  /// synchronisation was under way. See ``LogEnvironment/timerSchedule`` for what waits meanwhile.
  case interval(Duration)
  /// When the device has the bytes, with one synchronisation for all that waited. Survives a power cut on Linux; on Apple
  /// platforms the death of the process and of the kernel, with the order of writes kept.
  case commit
  /// As ``commit``, the drive's own cache included. Survives a power cut.
  case full

  /// Whether an append is acknowledged only after a synchronisation.
  var waitsForSync: Bool {
    switch self {
    case .commit, .full: true
    case .memory, .flush, .interval: false
    }
  }

  /// What a synchronisation waits for.
  var strength: SynchronizationStrength { self == .full ? .full : .data }
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
