import ImmutableData

/// State shared by the recorder's task and its callers.
///
/// All counts are revisions: the actions accepted since the recorder first listened lead to ``acceptedRevision``, the acknowledged
/// ones to ``revision``. The actions in between are either waiting in the attached store's stream, or lost: another recorder's store
/// accepted them after it was detached from this one, or the recorder ended before it recorded them.
struct RecorderContents<M: Model>: Sendable {
  /// A caller of `receipt()` or `sync()`.
  struct Waiter: Sendable {
    var target: Int
    var lost: Int
    var continuation: CheckedContinuation<Int, any Error>
  }

  /// The attached store's counter, with its count and the revision at the time of attaching.
  struct Attachment: Sendable {
    var counter: ActionCounter
    var count: Int
    var revision: Int

    func recordedCount(at revision: Int) -> Int { count + revision - self.revision }
  }

  /// A store that the recorder listens to or has listened to.
  private struct Source: Sendable {
    var counter: ActionCounter
    /// The count when the recorder first listened to the store.
    var start: Int

    var accepted: Int { counter.count - start }
  }

  var phase = RecorderStatus.Phase.idle
  private(set) var revision: Int
  private(set) var last: LastState<M>

  /// The number of the attached stream, which distinguishes its elements from those of earlier streams.
  private(set) var attachment = 0
  var task: Task<Void, Never>?
  private var store = WeakReference()
  private(set) var attached: Attachment?
  /// The stores whose counters can still be incremented.
  private var sources: [Source] = []
  /// The revision at opening plus the actions of released stores.
  private var settledRevision: Int

  private var waiters: [Waiter] = []
  var resumption: CheckedContinuation<Void, Never>?
  var noticedStop: Int?

  init(at revision: Int, _ state: M.State) {
    self.revision = revision
    settledRevision = revision
    last = .restored(state)
  }
}

extension RecorderContents {
  private var acceptedRevision: Int {
    sources.reduce(settledRevision) { sum, source in sum + source.accepted }
  }

  var unrecorded: Int { acceptedRevision - revision }

  var waiting: Int {
    attached.map { attached in attached.counter.count - attached.recordedCount(at: revision) } ?? 0
  }

  /// The number of accepted actions that will never be recorded.
  var lost: Int { unrecorded - waiting }

  /// The number in the attached store of the first action that is not acknowledged; `nil` without a store.
  var nextNumber: Int? { attached.map { attached in attached.recordedCount(at: revision) + 1 } }

  func isListening(to object: AnyObject) -> Bool {
    if case .recording = phase { store.object === object } else { false }
  }

  /// Whether a store is attached. A released store is detached by the end of its stream.

  func isPresent(_ attachment: Int) -> Bool { self.attachment == attachment }

  /// Attaches a store. No action may be waiting.
  mutating func attach(_ store: any AnyObject & Sendable, counter: ActionCounter) {
    attachment += 1
    self.store = WeakReference(object: store)
    attached = nil
    settleSources()
    let count = counter.count
    if !sources.contains(where: { source in source.counter === counter }) {
      sources.append(Source(counter: counter, start: count))
    }
    attached = Attachment(counter: counter, count: count, revision: revision)
    phase = .recording
  }

  /// Detaches the store, so that its stream receives nothing more.
  mutating func detach() -> Attachment? {
    defer {
      attached = nil
      store = WeakReference()
      attachment += 1
      task = nil
    }
    return attached
  }

  /// Removes the released stores, whose counts cannot change any more.
  private mutating func settleSources() {
    for index in sources.indices.reversed() where isKnownUniquelyReferenced(&sources[index].counter) {
      settledRevision += sources.remove(at: index).accepted
    }
  }

  mutating func acknowledge(_ count: Int, last: LastState<M>) -> [Waiter] {
    revision += count
    self.last = last
    let done = waiters.filter { waiter in waiter.target <= revision }
    waiters.removeAll { waiter in waiter.target <= revision }
    return done
  }

  /// Adds a caller that waits for all actions that are waiting now.
  mutating func wait(_ continuation: CheckedContinuation<Int, any Error>) {
    waiters.append(Waiter(target: revision + waiting, lost: lost, continuation: continuation))
  }

  mutating func takeWaiters() -> [Waiter] {
    defer { waiters = [] }
    return waiters
  }
}

/// The state after the last recorded action. A stream delivers the state *before* an action, so the state may have to be computed.
enum LastState<M: Model>: Sendable {
  /// A known state.
  case restored(M.State)
  /// The state after an accepted action.
  case after(M.State, M.Action)

  /// Returns the state; calls the reducer if necessary.
  func state() throws -> M.State {
    switch self {
    case .restored(let state): state
    case .after(let state, let action): try M.reducer(state, action)
    }
  }

  /// The state, for a policy that is called after the store accepted the action with the same reducer.
  ///
  /// If an impure reducer refuses the action now, this is the state before it; nothing is written from it.
  var stateOfAcceptedAction: M.State {
    switch self {
    case .restored(let state): return state
    case .after(let state, let action):
      do { return try M.reducer(state, action) } catch { return state }
    }
  }
}

/// A weak reference to a store, to compare its identity.
struct WeakReference: Sendable {
  // Safe: the reference is to a Sendable class, and only its identity is used.
  weak var object: (any AnyObject & Sendable)?
}
