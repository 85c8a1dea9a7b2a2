internal import JSONCoding
internal import Platform

/// Records of a log with their actions: the unit in which a replay reads, decodes and folds.
package struct ActionBatch<Action: Sendable>: Sendable {
  package let records: RecordBatch
  /// The actions, in the order of their records. The iterator returns those of the entries with ``RecordEntry/isActionRead``; a
  /// replay adds the others.
  package var actions: [Action]
  /// Whether `actions` holds every requested action.
  package let isComplete: Bool
  package let bytesRead: Int
  /// The records that do not decode to exactly one action, in order; nearly always empty.
  package var exceptions: [BatchException] = []
  /// The error of the first record that cannot be decoded; `actions` ends before it.
  package var failure: (any Error)?

  init(_ records: RecordBatch, _ actions: [Action] = [], isComplete: Bool, bytesRead: Int) {
    self.records = records
    self.actions = actions
    self.isComplete = isComplete
    self.bytesRead = bytesRead
  }
}

/// A record that does not decode to exactly one action.
///
/// It is not nested in ``ActionBatch``, so that an array of it costs a replay nothing (benchmark R1).
package struct BatchException: Sendable {
  package var record: Int
  package var count: Int
  /// Whether the model has no action of its type.
  package var isOpaque: Bool

  package init(record: Int, count: Int, isOpaque: Bool) {
    self.record = record
    self.count = count
    self.isOpaque = isOpaque
  }
}

/// An iterator over batches of records and their actions. Generated code decodes an action while its line is checked,
/// so each line is read once.
///
/// Records, ending and errors are those of the ``RecordCursor``, no matter what is decoded. The iterator may be used on
/// different threads, one at a time.
package struct ActionBatchIterator<Action: Codable & Sendable>: Sendable {
  private var batches: RecordCursor
  private let coder: ActionCoder<Action>
  private let sink: ActionSink?
  /// The capacity for the actions of the next batch, with some reserve.
  private var expected = 64

  package init(
    _ batches: RecordCursor, _ coder: ActionCoder<Action>, wanted: Range<Int> = 1..<Int.max,
    schemas: ClosedRange<Int> = 0...Int.max
  ) {
    self.batches = batches
    self.coder = coder
    sink = coder.sink(wanted: wanted, schemas: schemas)
  }

  package var bytesRead: Int { batches.bytesRead }

  /// Returns the next records and their actions.
  ///
  /// - Returns: As ``RecordCursor/nextBatch()``.
  package mutating func next() throws(LogError) -> ActionBatch<Action>? {
    guard let sink else {
      return try batches.nextBatch().map { records in ActionBatch(records, isComplete: false, bytesRead: bytesRead) }
    }
    // Copies of the iterator share the sink.
    return try sink.turn.withLock { (_) throws(LogError) in try next(sink) }
  }

  private mutating func next(_ sink: ActionSink) throws(LogError) -> ActionBatch<Action>? {
    var read = Result<RecordBatch?, LogError>.success(nil)
    var outcome = ActionSink.Outcome(isComplete: true)
    var actions = [Action](unsafeUninitializedCapacity: expected) { buffer, count in
      // The capacity is greater than zero, so the buffer has an address.
      sink.begin(in: UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped), capacity: buffer.count)
      read = Result { () throws(LogError) in try batches.nextBatch(sink) }
      outcome = sink.end()
      count = outcome.count
    }
    if let (start, count) = outcome.grown {
      actions = Array(unsafeUninitializedCapacity: count) { buffer, initialized in
        buffer.baseAddress?.moveInitialize(from: start.assumingMemoryBound(to: Action.self), count: count)
        initialized = count
      }
      start.deallocate()
    }
    guard let records = try read.get() else { return nil }
    // The first chunks double in size.
    expected = max(64, actions.count * (outcome.grown == nil ? 5 : 9) / 4)
    return ActionBatch(records, actions, isComplete: outcome.isComplete, bytesRead: bytesRead)
  }

  /// Reuses the memory of a batch that is no longer needed.
  package mutating func recycle(_ records: consuming RecordBatch) { batches.recycle(records) }
}

extension ActionCoder {
  fileprivate func sink(wanted: Range<Int>, schemas: ClosedRange<Int>) -> ActionSink? {
    calls.map { calls in
      let layout = ActionSink.Layout(
        stride: MemoryLayout<Action>.stride, alignment: MemoryLayout<Action>.alignment,
        move: { source, target, count in
          target.moveInitializeMemory(as: Action.self, from: source.assumingMemoryBound(to: Action.self), count: count)
        },
        destroy: { start, count in start.assumingMemoryBound(to: Action.self).deinitialize(count: count) })
      return ActionSink(calls, layout, wanted: wanted, schemas: schemas)
    }
  }
}

/// A destination for the actions of a log while its lines are checked. Generated code that decodes an action has
/// checked the JSON of its data, so no other parser does (benchmarks `decode line, direct` and `replay, direct, one
/// core`).
///
/// The type of the actions is erased, so that reading lines is not generic.
// Unchecked because of `state` and `strings`, which are used only between `begin` and `end`, while the caller holds the
// lock `turn`. All other properties are constants.
final class ActionSink: @unchecked Sendable {
  /// Held by the caller from ``begin(in:capacity:)`` to ``end()``.
  let turn = Locked(())

  // The mutable state, which only the holder of `turn` uses. A stored `var` would cost an exclusivity check at every
  // access.
  private let state: UnsafeMutablePointer<State>
  private let calls: DirectCalls
  private let layout: Layout
  private let strings = DirectStrings()
  /// The range of requested revisions.
  private let first: Int
  private let limit: Int
  /// The range of schemas to decode. Actions of other schemas may have another meaning.
  private let oldest: Int
  private let newest: Int

  /// The operations on a type that are needed to keep its values in raw memory.
  struct Layout {
    var stride: Int
    var alignment: Int
    /// Moves values to uninitialized memory.
    var move: (_ source: UnsafeMutableRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int) -> Void
    /// Deinitializes values.
    var destroy: (_ start: UnsafeMutableRawPointer, _ count: Int) -> Void
  }

  private struct State {
    /// The caller's memory, or the sink's own after that was too small.
    var start: UnsafeMutableRawPointer?
    var isLent = false
    var capacity = 0
    var count = 0
    /// The number of requested actions that were not decoded.
    var missed = 0
  }

  init(_ calls: DirectCalls, _ layout: Layout, wanted: Range<Int>, schemas: ClosedRange<Int>) {
    self.calls = calls
    self.layout = layout
    (first, limit) = (wanted.lowerBound, wanted.upperBound)
    (oldest, newest) = (schemas.lowerBound, schemas.upperBound)
    state = .allocate(capacity: 1)
    state.initialize(to: State())
  }

  deinit {
    // No caller is between `begin` and `end`, so there are no actions.
    state.deallocate()
  }
}

extension ActionSink {
  struct Outcome {
    var count = 0
    /// The memory with the actions, if the caller's was too small. The caller must empty and free it.
    var grown: (start: UnsafeMutableRawPointer, count: Int)?
    var isComplete: Bool
  }

  /// Starts to collect actions.
  ///
  /// - Parameter memory: Uninitialized memory that no other code uses until ``end()``.
  func begin(in memory: UnsafeMutableRawPointer, capacity: Int) {
    state.pointee = State(start: memory, isLent: true, capacity: capacity)
  }

  /// Ends the turn that ``begin(in:capacity:)`` started.
  func end() -> Outcome {
    let state = state.pointee
    self.state.pointee = State()
    let isComplete = state.missed == 0
    guard !state.isLent, let start = state.start else { return Outcome(count: state.count, isComplete: isComplete) }
    return Outcome(grown: (start, state.count), isComplete: isComplete)
  }
}

extension ActionSink {
  @inline(__always)
  func accepts(_ parsed: ParsedLine) -> Bool {
    !parsed.isControl && parsed.revision >= first && parsed.revision < limit
  }

  /// Decodes a requested action.
  ///
  /// - Returns: The length of the values, which are then strict JSON; 0 if the action was not decoded.
  @inline(__always)
  func read(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, schema: Int) -> Int {
    guard schema >= oldest, schema <= newest else { return 0 }
    if state.pointee.count == state.pointee.capacity { grow() }
    // There is memory between `begin` and `end`.
    let place = state.pointee.start.unsafelyUnwrapped + state.pointee.count &* layout.stride
    let size = calls.read(type, data, strings, place)
    if size > 0 { state.pointee.count &+= 1 }
    return size
  }

  /// Counts a requested action that was not decoded and must be decoded by the caller.
  func countMissed() {
    state.pointee.missed &+= 1
  }

  /// Removes the last action. Its line is not a valid record.
  func removeLast() {
    state.pointee.count -= 1
    layout.destroy(state.pointee.start.unsafelyUnwrapped + state.pointee.count * layout.stride, 1)
  }

  @inline(never)
  private func grow() {
    let old = state.pointee
    let capacity = max(16, old.capacity * 2)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * layout.stride, alignment: layout.alignment)
    if let start = old.start {
      layout.move(start, larger, old.count)
      if !old.isLent { start.deallocate() }
    }
    state.pointee.start = larger
    state.pointee.isLent = false
    state.pointee.capacity = capacity
  }
}
