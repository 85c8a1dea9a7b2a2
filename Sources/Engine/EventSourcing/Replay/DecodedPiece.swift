import ActionLog

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
