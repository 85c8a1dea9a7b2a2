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
