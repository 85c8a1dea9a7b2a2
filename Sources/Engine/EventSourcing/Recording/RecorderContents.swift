import ImmutableData

/// State shared by the recorder's task and its callers.
///
/// Everything is counted in revisions: what stores have accepted since the recorder first listened to them leads to
/// ``acceptedRevision``, what is acknowledged to ``revision``. The difference is either waiting in the attached store's stream or
/// lost, because its store was detached.
struct RecorderContents<M: Model>: Sendable {
  /// A caller of `flush()`.
  struct Flush: Sendable {
    /// The revision that it waits for.
    var target: Int
    /// How many actions were lost when it was called.
    var lost: Int
    var continuation: CheckedContinuation<Int, any Error>
  }

  /// The attached store's counter, with its count and the revision at the moment of attaching.
  struct Attachment: Sendable {
    var counter: ActionCounter
    var count: Int
    var revision: Int

    /// The count up to which everything is recorded when the log has reached a revision.
    func recordedCount(at revision: Int) -> Int { count + revision - self.revision }
  }

  /// A store that the recorder listens to or has listened to.
  private struct Source: Sendable {
    var counter: ActionCounter
    /// Its count when the recorder first listened to it.
    var start: Int

    var accepted: Int { counter.count - start }
  }

  var phase = RecorderStatus.Phase.idle
  /// The last revision that is acknowledged.
  private(set) var revision: Int
  /// The state there.
  private(set) var last: LastState<M>

  /// Numbers the streams, so that elements of an earlier stream are not taken for elements of the attached one.
  private(set) var attachment = 0
  var task: Task<Void, Never>?
  private var store = WeakReference()
  private var attached: Attachment?
  /// Every store whose counter somebody else can still increment.
  private var sources: [Source] = []
  /// The opening revision and the actions of stores that are gone.
  private var settledRevision: Int

  private var flushes: [Flush] = []
  var resumption: CheckedContinuation<Void, Never>?

  init(at restored: Replayed<M.State>) {
    revision = restored.revision
    settledRevision = restored.revision
    last = .restored(restored.state)
  }
}

extension RecorderContents {
  /// The revision that everything accepted so far would lead to.
  private var acceptedRevision: Int {
    sources.reduce(settledRevision) { sum, source in sum + source.accepted }
  }

  /// Accepted actions that are not acknowledged, lost ones included.
  var unrecorded: Int { acceptedRevision - revision }

  /// Accepted actions of the attached store that are not acknowledged.
  var waiting: Int {
    attached.map { attached in attached.counter.count - attached.recordedCount(at: revision) } ?? 0
  }

  /// Accepted actions that will never be recorded.
  var lost: Int { unrecorded - waiting }

  /// Whether the recorder records what `object` accepts.
  func isListening(to object: AnyObject) -> Bool {
    if case .recording = phase { store.object === object } else { false }
  }

  /// Whether the stream with a number is the one that is recorded.
  func isPresent(_ attachment: Int) -> Bool { self.attachment == attachment }

  /// Attaches a store. Nothing may be waiting.
  mutating func attach(_ store: any AnyObject & Sendable, counter: ActionCounter) {
    attachment += 1
    self.store = WeakReference(store)
    attached = nil
    settleSources()
    let count = counter.count
    if !sources.contains(where: { source in source.counter === counter }) {
      sources.append(Source(counter: counter, start: count))
    }
    attached = Attachment(counter: counter, count: count, revision: revision)
    phase = .recording
  }

  /// Detaches the store, so that it does not fill the stream any more.
  ///
  /// - Returns: Its attachment; `nil` if no store was attached.
  mutating func detach() -> Attachment? {
    defer {
      attached = nil
      store = WeakReference()
      attachment += 1
      task = nil
    }
    return attached
  }

  /// Forgets the stores that are gone; their counts cannot change any more.
  private mutating func settleSources() {
    for index in sources.indices.reversed() where isKnownUniquelyReferenced(&sources[index].counter) {
      settledRevision += sources.remove(at: index).accepted
    }
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

  /// Registers a flush that has to wait for everything that is waiting now.
  mutating func wait(_ continuation: CheckedContinuation<Int, any Error>) {
    flushes.append(Flush(target: revision + waiting, lost: lost, continuation: continuation))
  }

  /// Takes out every pending flush.
  mutating func takeFlushes() -> [Flush] {
    defer { flushes = [] }
    return flushes
  }
}

/// The state at the end of what was recorded, as a recorder knows it: a stream carries the state *before* an action.
enum LastState<M: Model>: Sendable {
  /// A state that is known.
  case restored(M.State)
  /// The state that an accepted action led to.
  case after(M.State, M.Action)

  /// The state; reduces when it has to.
  ///
  /// - Throws: The reducer's error, which an accepted action does not meet again unless the reducer is impure.
  func state() throws -> M.State {
    switch self {
    case .restored(let state): state
    case .after(let state, let action): try M.reducer(state, action)
    }
  }

  /// The state, for a policy that is asked about an action that the store has accepted with the same reducer.
  ///
  /// Should an impure reducer refuse it all the same, this is the state before; nothing is written from it.
  var stateOfAcceptedAction: M.State {
    switch self {
    case .restored(let state): return state
    case .after(let state, let action):
      do { return try M.reducer(state, action) } catch { return state }
    }
  }
}

/// A weak reference to a store, to know it again.
struct WeakReference: Sendable {
  // A weak reference to a Sendable class; only its identity is compared.
  weak var object: (any AnyObject & Sendable)?

  init(_ object: (any AnyObject & Sendable)? = nil) {
    self.object = object
  }
}
