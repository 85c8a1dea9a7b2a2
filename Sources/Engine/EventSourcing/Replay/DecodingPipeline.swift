import ActionLog
import Dispatch
import Platform

/// What the decoding of a log gives, one piece after the other, in the order of the log.
enum DecodedPiece<Action: Sendable>: Sendable {
  /// Some records.
  case records(DecodedRecords<Action>)
  /// The end of what there is to read, with the bytes that were read until then.
  case end(bytesRead: Int)
  /// The log cannot be read any further.
  case unreadable(LogError, bytesRead: Int)
}

/// Records of a log with their actions.
struct DecodedRecords<Action: Sendable>: Sendable {
  /// The records.
  var batch: RecordBatch
  /// The actions of those records that are wanted, in their order; up to the first that does not decode.
  var actions: [Action]
  /// The records that are not one action, in order; nearly always empty.
  var exceptions: [DecodedException] = []
  /// Why the action behind the last of `actions` cannot be had.
  var failure: (any Error)?
  /// Bytes that were read until the records were known.
  var bytesRead: Int
}

/// A record that became no action, or several.
struct DecodedException: Sendable {
  /// The record's place in its batch.
  var record: Int
  /// How many actions it became.
  var count: Int
  /// Whether its type is unknown and kept.
  var isOpaque: Bool
}

/// Which records of a log a fold looks at.
struct FoldBounds: Sendable {
  /// The revision that the fold begins at. Reading may begin at its action, for the sake of the digest behind it.
  var start: Int
  /// The revision that it ends at; `nil` is the end of the log.
  var target: Int?
  /// Whether control records behind the action at `target` matter: digests, and what stands at revision 0.
  var looksBehindTarget: Bool

  /// The actions that are folded, by their numbers.
  var folded: Range<Int> {
    // No action has a number near the largest of all.
    let first = min(start, .max - 1) + 1
    return first..<max(first, target.map { target in min(target, .max - 1) + 1 } ?? .max)
  }

  /// Whether an action is folded.
  func isFolded(_ entry: RecordEntry) -> Bool {
    !entry.isControl && entry.seq > start && entry.seq <= target ?? .max
  }

  /// Whether nothing behind a batch is looked at.
  func isLast(_ batch: RecordBatch) -> Bool {
    guard let target, let seq = batch.entries.last?.seq else { return false }
    return looksBehindTarget ? seq > target : seq >= target
  }
}

/// Reads a log and decodes its actions, by itself or ahead of the fold on a second thread.
///
/// Reading is done by one thread at a time and numbers the pieces; decoding them is done by whoever read them, at the same
/// time. So the pieces have an order, which is that of the log, and the fold takes them in this order, whoever decoded them:
/// an error comes exactly where it would come without a second thread. Memory is that of ``lookahead`` pieces.
final class DecodingPipeline<M: Model>: Sendable {
  private struct Source: Sendable {
    var batches: ActionBatchIterator<M.Action>
    /// The number of the next piece.
    var next = 0
    /// Whether there is no next piece.
    var isExhausted = false
  }

  private let source: Locked<Source>
  private let finished = Locked<[Int: DecodedPiece<M.Action>]>([:])
  /// Signalled for each piece that the second thread finished.
  private let isFinished = DispatchSemaphore(value: 0)
  private let meaning: RecordMeaning<M>
  private let bounds: FoldBounds

  /// How many pieces are decoded ahead of the fold at most: enough that a slow one does not stop the other thread.
  static var lookahead: Int { 4 }

  init(_ batches: RecordBatchIterator, meaning: RecordMeaning<M>, bounds: FoldBounds) {
    source = Locked(Source(batches: meaning.actions(of: batches, within: bounds)))
    self.meaning = meaning
    self.bounds = bounds
  }
}

extension DecodingPipeline {
  /// Decodes one more piece on the second thread.
  func decodeAhead(by executor: DecodingExecutor) {
    executor { [self] in
      guard let (number, piece) = read(before: .max) else { return }
      let decoded = decode(piece)
      finished.withLock { finished in finished[number] = decoded }
      isFinished.signal()
    }
  }

  /// Waits for a piece. While the other thread is at it, the caller decodes those that come behind it.
  ///
  /// - Parameter number: The number of the piece; all before it were taken.
  func take(_ number: Int) -> DecodedPiece<M.Action> {
    while true {
      if let piece = finished.withLock({ finished in finished.removeValue(forKey: number) }) { return piece }
      guard let (read, piece) = read(before: number + Self.lookahead) else {
        if let end = end(before: number) { return end }
        isFinished.wait()
        continue
      }
      let decoded = decode(piece)
      if read == number { return decoded }
      finished.withLock { finished in finished[read] = decoded }
    }
  }

  /// Takes back memory that is not needed any more.
  func recycle(_ batch: consuming RecordBatch) {
    let batch = batch
    source.withLock { source in source.batches.recycle(batch) }
  }

  /// Ends the work of the other thread after the piece that it is at.
  func stop() {
    source.withLock { source in source.isExhausted = true }
  }
}

extension DecodingPipeline {
  /// A piece that is read but not decoded.
  private enum Piece: Sendable {
    case batch(ActionBatchIterator<M.Action>.Batch, bytesRead: Int)
    case end(bytesRead: Int)
    case unreadable(LogError, bytesRead: Int)
  }

  /// Reads the next piece, if there is one and its number is below `limit`.
  private func read(before limit: Int) -> (number: Int, piece: Piece)? {
    source.withLock { source in
      guard !source.isExhausted, source.next < limit else { return nil }
      defer { source.next += 1 }
      do throws(LogError) {
        let batch = try source.batches.next()
        let bytesRead = source.batches.bytesRead
        source.isExhausted = batch.map { batch in bounds.isLast(batch.records) } ?? true
        return (source.next, batch.map { batch in .batch(batch, bytesRead: bytesRead) } ?? .end(bytesRead: bytesRead))
      } catch {
        source.isExhausted = true
        return (source.next, .unreadable(error, bytesRead: source.batches.bytesRead))
      }
    }
  }

  /// The end, if no piece with the number was or will be read.
  private func end(before number: Int) -> DecodedPiece<M.Action>? {
    source.withLock { source in
      source.isExhausted && source.next <= number ? .end(bytesRead: source.batches.bytesRead) : nil
    }
  }

  private func decode(_ piece: Piece) -> DecodedPiece<M.Action> {
    switch piece {
    case .end(let bytesRead): return .end(bytesRead: bytesRead)
    case .unreadable(let error, let bytesRead): return .unreadable(error, bytesRead: bytesRead)
    case .batch(let batch, let bytesRead):
      let decoded = meaning.decode(batch, within: bounds)
      let records = DecodedRecords(
        batch: batch.records, actions: decoded.actions, exceptions: decoded.exceptions, failure: decoded.failure,
        bytesRead: bytesRead)
      return .records(records)
    }
  }
}

/// The fold's end of a ``DecodingPipeline``: one piece after the other.
///
/// The caller's thread does everything until there is much to do; only then a second thread joins it. So opening a small
/// log starts none.
struct DecodedPieces<M: Model> {
  private let pipeline: DecodingPipeline<M>
  /// What makes the second thread; `nil` when there is to be none.
  private let makeExecutor: (@Sendable () -> DecodingExecutor)?
  private var executor: DecodingExecutor?
  private var number = 0
  private var recordCount = 0

  /// So many records are decoded before a second thread is worth its start, which costs as much as some hundred of them.
  private static var soloLimit: Int { 1_024 }

  init(
    _ batches: RecordBatchIterator, meaning: RecordMeaning<M>, bounds: FoldBounds,
    executor: (@Sendable () -> DecodingExecutor)?
  ) {
    pipeline = DecodingPipeline(batches, meaning: meaning, bounds: bounds)
    makeExecutor = executor
  }

  /// The next piece; nothing follows an end, or what cannot be read.
  mutating func next() -> DecodedPiece<M.Action> {
    defer { number += 1 }
    if let executor {
      pipeline.decodeAhead(by: executor)
    } else if recordCount > Self.soloLimit, let executor = makeExecutor?() {
      self.executor = executor
      for _ in 0..<DecodingPipeline<M>.lookahead { pipeline.decodeAhead(by: executor) }
    }
    let piece = pipeline.take(number)
    if case .records(let records) = piece { recordCount += records.batch.entries.count }
    return piece
  }

  /// Takes back the memory of a piece.
  func recycle(_ records: consuming DecodedRecords<M.Action>) {
    pipeline.recycle(records.batch)
  }

  /// Ends the second thread's work.
  func stop() {
    pipeline.stop()
  }
}

/// Runs work on another thread, soon. That it never runs costs time only.
package struct DecodingExecutor: Sendable {
  private let run: @Sendable (_ work: @escaping @Sendable () -> Void) -> Void

  /// An executor of the caller's own, for instance one that runs everything at once.
  package init(_ run: @escaping @Sendable (_ work: @escaping @Sendable () -> Void) -> Void) {
    self.run = run
  }

  /// A thread for one replay: never one of the cooperative pool, whose threads must not wait for a disk.
  ///
  /// Where the system gives no thread, the caller's does the work. A queue of Dispatch would wait for one, for ever.
  package static func thread() -> DecodingExecutor {
    let thread = SerialThread()
    return DecodingExecutor { work in thread.async(work) }
  }

  /// Runs work.
  func callAsFunction(_ work: @escaping @Sendable () -> Void) { run(work) }
}
