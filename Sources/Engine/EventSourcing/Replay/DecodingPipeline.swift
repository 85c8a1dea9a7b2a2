import ActionLog
import Dispatch
import Platform

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
