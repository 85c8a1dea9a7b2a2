import ImmutableData

/// What a recorder's task and its callers share.
///
/// Everything is counted in revisions: the store's actions that the recorder has seen lead to ``acceptedRevision``,
/// those that are acknowledged to ``revision``. So a number keeps its meaning when one store follows another.
struct RecorderContents<M: Model>: Sendable {
  /// A caller of `flush()`.
  struct Flush: Sendable {
    var target: Int
    var continuation: CheckedContinuation<Void, any Error>
  }

  var phase = RecorderStatus.Phase.idle
  /// The last revision that is acknowledged.
  private(set) var revision: Int
  /// The state there.
  private(set) var last: LastState<M>

  /// Counts the streams that were listened to: what comes of an earlier one is not taken for the present one's.
  private(set) var attachment = 0
  var task: Task<Void, Never>?
  private var store = WeakReference()
  private var counts: @Sendable () -> StreamCounts = { StreamCounts() }
  /// The revision at which the present stream began.
  private var streamStart: Int

  private var flushes: [Flush] = []
  var resumption: CheckedContinuation<Void, Never>?

  init(at restored: Replayed<M.State>) {
    revision = restored.revision
    streamStart = restored.revision
    last = .restored(restored.state)
  }
}

extension RecorderContents {
  /// The revision that everything accepted so far leads to.
  var acceptedRevision: Int { streamStart + counts().yielded }

  /// Accepted actions that are not acknowledged.
  var waiting: Int { acceptedRevision - revision }

  /// Whether the recorder records what `object` accepts.
  func isListening(to object: AnyObject) -> Bool {
    if case .recording = phase { store.object === object } else { false }
  }

  /// Whether the stream with a number is the one that is recorded.
  func isPresent(_ attachment: Int) -> Bool { self.attachment == attachment }

  /// Goes over to a stream. Nothing may be waiting.
  mutating func attach(_ store: any AnyObject & Sendable, counts: @escaping @Sendable () -> StreamCounts) {
    attachment += 1
    self.store = WeakReference(store)
    self.counts = counts
    streamStart = revision
    phase = .recording
  }

  /// Lets the stream go, so that its store does not fill it any more. What was waiting stays counted.
  mutating func detach() {
    streamStart = acceptedRevision
    counts = { StreamCounts() }
    store = WeakReference()
    attachment += 1
    task = nil
  }

  /// Notes that actions are in the log.
  ///
  /// - Returns: The flushes that waited for them.
  mutating func acknowledge(_ count: Int, last: LastState<M>) -> [Flush] {
    revision += count
    self.last = last
    let done = flushes.filter { flush in flush.target <= revision }
    flushes.removeAll { flush in flush.target <= revision }
    return done
  }

  /// Registers a flush that has to wait.
  mutating func wait(_ flush: Flush) {
    flushes.append(flush)
  }

  /// Takes out every flush that waits.
  mutating func takeFlushes() -> [Flush] {
    defer { flushes = [] }
    return flushes
  }
}
