import ActionLog

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
