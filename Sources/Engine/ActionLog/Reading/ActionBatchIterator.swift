internal import JSONCoding
internal import Platform

/// Records of a log with their actions: the unit in which a replay reads, decodes and folds.
package struct ActionBatch<Action: Sendable>: Sendable {
  /// A record that does not decode to exactly one action.
  package struct Exception: Sendable {
    /// The index of the record in the batch.
    package var record: Int
    /// The number of actions that it decodes to.
    package var count: Int
    /// Whether the model has no action of its type.
    package var isOpaque: Bool

    /// Describes a record.
    package init(record: Int, count: Int, isOpaque: Bool) {
      self.record = record
      self.count = count
      self.isOpaque = isOpaque
    }
  }

  /// The records.
  package let records: RecordBatch
  /// The actions, in the order of their records. The iterator returns those of the entries with ``RecordEntry/isActionRead``; a
  /// replay adds the others.
  package var actions: [Action]
  /// Whether `actions` holds every requested action.
  package let isComplete: Bool
  /// The number of bytes read from the log up to the end of the batch.
  package let bytesRead: Int
  /// The records that do not decode to exactly one action, in order; nearly always empty.
  package var exceptions: [Exception] = []
  /// The error of the first record that cannot be decoded; `actions` ends before it.
  package var failure: (any Error)?

  init(_ records: RecordBatch, _ actions: [Action] = [], isComplete: Bool, bytesRead: Int) {
    self.records = records
    self.actions = actions
    self.isComplete = isComplete
    self.bytesRead = bytesRead
  }
}

/// Goes through the records of a log in batches, as ``RecordBatchIterator`` does, and has the actions that generated code reads
/// with them: such a line is looked at once, not to be checked first and decoded afterwards.
///
/// The records, their end and every error are those of ``RecordBatchIterator``, whatever is decoded. It may be handed from one
/// thread to another.
package struct ActionBatchIterator<Action: Codable & Sendable>: Sendable {
  private var batches: RecordBatchIterator
  private let coder: ActionCoder<Action>
  private let sink: ActionSink?
  /// How many actions the next batch probably has, and some more.
  private var expected = 64

  /// Prepares to read what an iterator reads.
  ///
  /// - Parameters:
  ///   - batches: The iterator.
  ///   - coder: What turns lines into actions.
  ///   - wanted: The actions that are to be had, by their numbers.
  ///   - schemas: The schemas whose actions the model reads as they stand; those of others are not read.
  package init(
    _ batches: RecordBatchIterator, _ coder: ActionCoder<Action>, wanted: Range<Int> = 1..<Int.max,
    schemas: ClosedRange<Int> = 0...Int.max
  ) {
    self.batches = batches
    self.coder = coder
    sink = coder.sink(wanted: wanted, schemas: schemas)
  }

  /// How many bytes were read from files, those of finding the first record included.
  package var bytesRead: Int { batches.bytesRead }

  /// The next records.
  ///
  /// - Returns: As ``RecordBatchIterator/next()``.
  /// - Throws: As ``RecordBatchIterator/next()``.
  /// - Complexity: O(bytes).
  package mutating func next() throws(LogError) -> ActionBatch<Action>? {
    guard let sink else {
      return try batches.next().map { records in ActionBatch(records, isComplete: false, bytesRead: bytesRead) }
    }
    // Copies of the iterator share the sink.
    return try sink.turn.withLock { (_) throws(LogError) in try next(sink) }
  }

  private mutating func next(_ sink: ActionSink) throws(LogError) -> ActionBatch<Action>? {
    var read = Result<RecordBatch?, LogError>.success(nil)
    var outcome = ActionSink.Outcome(isComplete: true)
    var actions = [Action](unsafeUninitializedCapacity: expected) { buffer, count in
      // A capacity of more than no actions has an address.
      sink.begin(in: UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped), capacity: buffer.count)
      read = Result { () throws(LogError) in try batches.next(sink) }
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

  /// Takes back the memory of a batch that nobody needs any more, to read into it next.
  package mutating func recycle(_ records: consuming RecordBatch) { batches.recycle(records) }
}

extension ActionCoder {
  /// What takes actions in while lines are checked; `nil` if there is no generated code that fits.
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

/// Takes the actions of a log in while its lines are checked: generated code that reads an action from its line has checked
/// the JSON of its values, so that nobody else needs to (the benchmarks `decode line, direct` and
/// `replay, direct, one core`).
///
/// It knows the type of the actions only by what was given to it, so that reading lines is not generic.
// It may be sent although the compiler cannot see why: all but `state` and `strings` are constants made before anybody else has
// it, and those two are touched only between `begin` and `end`, which hold the lock `turn`.
final class ActionSink: @unchecked Sendable {
  /// Held by whoever uses the sink, from ``begin(in:capacity:)`` to ``end()``.
  let turn = Locked(())

  // What changes lies behind this address, belongs to the sink alone, and is touched by the holder of `turn` only. A property that
  // changes would cost a check at every access.
  private let state: UnsafeMutablePointer<State>
  private let calls: DirectCalls
  private let layout: Layout
  private let strings = DirectStrings()
  /// The actions that are wanted, by their numbers.
  private let first: Int
  private let limit: Int
  /// Actions of earlier and of later schemas are not read: they do not mean what they say.
  private let oldest: Int
  private let newest: Int

  /// What is to be known of a type to keep its values in raw memory.
  struct Layout {
    var stride: Int
    var alignment: Int
    /// Moves values to memory that holds none.
    var move: (_ source: UnsafeMutableRawPointer, _ target: UnsafeMutableRawPointer, _ count: Int) -> Void
    /// Ends values.
    var destroy: (_ start: UnsafeMutableRawPointer, _ count: Int) -> Void
  }

  private struct State {
    /// Memory of whoever reads, or of the sink, once that was too small.
    var start: UnsafeMutableRawPointer?
    var isLent = false
    var capacity = 0
    var count = 0
    /// How many wanted actions were not read.
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
    // Nobody is between the beginning and the end of a turn, so that there are no actions.
    state.deallocate()
  }
}

extension ActionSink {
  /// What a turn gave.
  struct Outcome {
    /// How many actions lie in the memory that was lent.
    var count = 0
    /// Other memory that they lie in because there were too many, to be emptied and freed by the caller.
    var grown: (start: UnsafeMutableRawPointer, count: Int)?
    /// Whether no wanted action was missed.
    var isComplete: Bool
  }

  /// Begins to take actions in.
  ///
  /// - Parameters:
  ///   - memory: Memory that holds no actions, and that nobody else touches until ``end()``.
  ///   - capacity: How many it has room for.
  func begin(in memory: UnsafeMutableRawPointer, capacity: Int) {
    state.pointee = State(start: memory, isLent: true, capacity: capacity)
  }

  /// Ends what ``begin(in:capacity:)`` began.
  func end() -> Outcome {
    let state = state.pointee
    self.state.pointee = State()
    let isComplete = state.missed == 0
    guard !state.isLent, let start = state.start else { return Outcome(count: state.count, isComplete: isComplete) }
    return Outcome(grown: (start, state.count), isComplete: isComplete)
  }
}

extension ActionSink {
  /// Whether an action is wanted.
  @inline(__always)
  func wants(_ parsed: ParsedLine) -> Bool {
    !parsed.isControl && parsed.seq >= first && parsed.seq < limit
  }

  /// Reads an action that is wanted.
  ///
  /// - Parameters:
  ///   - type: The type as it stands in the line, without quotes. It holds no escape.
  ///   - data: The bytes from the beginning of the values on; behind them stands the commit mark, which is longer than what
  ///     generated code looks at.
  ///   - schema: The schema in force.
  /// - Returns: How many bytes the values take, which are then strict JSON; 0 if the action was not read.
  @inline(__always)
  func read(type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, schema: Int) -> Int {
    guard schema >= oldest, schema <= newest else { return 0 }
    if state.pointee.count == state.pointee.capacity { grow() }
    // Between beginning and end there is memory.
    let place = state.pointee.start.unsafelyUnwrapped + state.pointee.count &* layout.stride
    let size = calls.read(type, data, strings, place)
    if size > 0 { state.pointee.count &+= 1 }
    return size
  }

  /// Notes that a wanted action was not read, and has to be decoded in another way.
  func miss() {
    state.pointee.missed &+= 1
  }

  /// Forgets the action that was read last: its line is no record.
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
