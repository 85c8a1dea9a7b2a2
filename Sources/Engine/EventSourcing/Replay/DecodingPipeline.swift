import ActionLog
import Dispatch
import Platform

// Reading, decoding and folding overlap: while the caller's thread folds, a second thread reads and decodes the next batches.
//
// One thread at a time reads and numbers the batches. Each thread decodes the batches that it has read, at the same time as the
// other. The fold takes the batches in the order of their numbers, which is the order of the log, so an error appears exactly where
// it would without a second thread.

/// A reader of a log that returns batches with decoded actions, in the order of the log.
///
/// The caller's thread does all the work until ``soloLimit`` records were decoded. Only then a second thread starts, so opening a
/// small log starts none.
struct DecodingPipeline<M: Model> {
  private let shared: SharedReader<M>
  /// Makes the executor of the second thread; `nil` if there must not be one.
  private let makeExecutor: (@Sendable () -> DecodingExecutor)?
  private var executor: DecodingExecutor?
  private var number = 0
  private var recordCount = 0

  /// The number of records to decode before starting a second thread, which costs as much as decoding several hundred records.
  private static var soloLimit: Int { 1_024 }

  init(
    _ batches: RecordCursor, decoder: RecordDecoder<M>, bounds: FoldBounds,
    executor: (@Sendable () -> DecodingExecutor)?
  ) {
    shared = SharedReader(batches, decoder: decoder, bounds: bounds)
    makeExecutor = executor
  }

  var bytesRead: Int { shared.bytesRead }

  /// Returns the next batch; `nil` at the end of what is to be read.
  mutating func next() throws(LogError) -> ActionBatch<M.Action>? {
    defer { number += 1 }
    if let executor {
      shared.decodeAhead(on: executor)
    } else if recordCount > Self.soloLimit, let executor = makeExecutor?() {
      self.executor = executor
      for _ in 0..<SharedReader<M>.lookahead { shared.decodeAhead(on: executor) }
    }
    let batch = try shared.take(number)
    recordCount += batch?.records.entries.count ?? 0
    return batch
  }

  /// Reuses the memory of a batch that was folded.
  func recycle(_ batch: consuming ActionBatch<M.Action>) {
    // The actions of a projection may share the memory of their records.
    batch.actions = []
    shared.recycle(batch.records)
  }

  /// Stops the second thread after its current batch.
  func stop() { shared.stop() }
}

/// The part of a ``DecodingPipeline`` that both threads use. It holds at most ``lookahead`` decoded batches.
private final class SharedReader<M: Model>: Sendable {
  private struct Source: Sendable {
    var batches: ActionBatchIterator<M.Action>
    var next = 0
    var isExhausted = false
    /// Why the batch numbered `next` cannot be read.
    var failure: LogError?
  }

  private let source: Locked<Source>
  private let decoded = Locked<[Int: ActionBatch<M.Action>]>([:])
  /// Signaled for each batch that the second thread decoded.
  private let isDecoded = DispatchSemaphore(value: 0)
  private let decoder: RecordDecoder<M>
  private let bounds: FoldBounds

  /// The number of batches decoded ahead of the fold: enough that one slow batch does not stall the other thread.
  static var lookahead: Int { 4 }

  init(_ batches: RecordCursor, decoder: RecordDecoder<M>, bounds: FoldBounds) {
    source = Locked(Source(batches: decoder.actionBatches(batches, within: bounds)))
    self.decoder = decoder
    self.bounds = bounds
  }

  var bytesRead: Int { source.withLock { source in source.batches.bytesRead } }

  /// Reads and decodes one more batch on the second thread.
  func decodeAhead(on executor: DecodingExecutor) {
    executor { [self] in
      guard var read = read(before: .max) else { return }
      decoder.decode(&read.batch, within: bounds)
      decoded.withLock { [read] decoded in decoded[read.number] = read.batch }
      isDecoded.signal()
    }
  }

  /// Returns the batch with a number. While the other thread decodes it, the caller's thread decodes later batches.
  func take(_ number: Int) throws(LogError) -> ActionBatch<M.Action>? {
    while true {
      if let batch = decoded.withLock({ decoded in decoded.removeValue(forKey: number) }) { return batch }
      // Decoded in place: of a copy, the actions of a projection would be copied before they are stamped.
      guard var read = read(before: number + Self.lookahead) else {
        if try isAtEnd(number) { return nil }
        isDecoded.wait()
        continue
      }
      decoder.decode(&read.batch, within: bounds)
      if read.number == number { return read.batch }
      decoded.withLock { [read] decoded in decoded[read.number] = read.batch }
    }
  }

  func recycle(_ batch: consuming RecordBatch) {
    let batch = batch
    source.withLock { source in source.batches.recycle(batch) }
  }

  func stop() {
    source.withLock { source in source.isExhausted = true }
  }

  private func read(before limit: Int) -> (number: Int, batch: ActionBatch<M.Action>)? {
    source.withLock { source in
      guard !source.isExhausted, source.next < limit else { return nil }
      do throws(LogError) {
        guard let batch = try source.batches.next() else {
          source.isExhausted = true
          return nil
        }
        source.isExhausted = bounds.isLast(batch.records)
        defer { source.next += 1 }
        return (source.next, batch)
      } catch {
        source.isExhausted = true
        source.failure = error
        return nil
      }
    }
  }

  private func isAtEnd(_ number: Int) throws(LogError) -> Bool {
    try source.withLock { (source) throws(LogError) in
      guard source.isExhausted, source.next <= number else { return false }
      if let failure = source.failure { throw failure }
      return true
    }
  }
}

/// Runs closures on another thread. Work that never runs costs only time.
package struct DecodingExecutor: Sendable {
  private let run: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  /// Makes an executor from a closure, for instance one that runs all work immediately.
  package init(_ run: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
    self.run = run
  }

  /// Makes an executor with a thread of those that writers share, because threads of the cooperative pool must not wait for a disk.
  ///
  /// While none is available, the caller's thread does all the work. A Dispatch queue would wait for a thread forever.
  package static func thread() -> DecodingExecutor {
    let queue = SerialQueue(on: LogResources.shared.threads, priority: .utility)
    return DecodingExecutor { work in queue.async(work) }
  }

  func callAsFunction(_ work: @escaping @Sendable () -> Void) { run(work) }
}

/// The records of a log that a fold needs.
struct FoldBounds: Sendable {
  var start: Int
  /// The revision at which the fold ends; `nil` is the end of the log.
  var target: Int?
  /// Whether the control records after the action at `target` are needed: digests, and the initial records at revision 0.
  var readsPastTarget: Bool

  var folded: Range<Int> {
    // Revisions are far below `Int.max`.
    let first = min(start, .max - 1) + 1
    return first..<max(first, target.map { target in min(target, .max - 1) + 1 } ?? .max)
  }

  func isFolded(_ entry: RecordEntry) -> Bool {
    !entry.isControl && entry.revision > start && entry.revision <= target ?? .max
  }

  /// Whether no record after a batch is needed.
  func isLast(_ batch: RecordBatch) -> Bool {
    guard let target, let revision = batch.entries.last?.revision else { return false }
    return readsPastTarget ? revision > target : revision >= target
  }
}
