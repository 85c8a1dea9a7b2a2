/// Which units were rejected, and why: tickets are asked about after the fact.
struct RejectionHistory: Sendable {
  private struct Entry: Sendable {
    var ordinals: ClosedRange<Int>
    var error: LogError
  }

  /// How many stretches of rejected units are remembered. A full disk makes one stretch, however long it lasts; each
  /// entry takes a few hundred bytes.
  private static let limit = 1_000

  private var entries: [Entry] = []
  /// Units up to this one may have been rejected without our knowing any more.
  private var forgottenThrough = 0

  /// Remembers that units were rejected, whose numbers are higher than those before.
  mutating func add(_ ordinals: ClosedRange<Int>, _ error: LogError) {
    if let last = entries.last, last.ordinals.upperBound + 1 == ordinals.lowerBound {
      entries[entries.count - 1] = Entry(
        ordinals: last.ordinals.lowerBound...ordinals.upperBound, error: error)
      return
    }
    entries.append(Entry(ordinals: ordinals, error: error))
    if entries.count > RejectionHistory.limit {
      forgottenThrough = entries.removeFirst().ordinals.upperBound
    }
  }

  /// Why a unit was rejected; `nil` when it was not.
  ///
  /// - Complexity: O(log *n*) for *n* stretches.
  func error(for ordinal: Int) -> LogError? {
    if ordinal <= forgottenThrough {
      return LogError(.invalidArgument, "the ticket is older than what the writer remembers of its rejections")
    }
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].ordinals.upperBound < ordinal { low = middle + 1 } else { high = middle }
    }
    guard low < entries.count, entries[low].ordinals.contains(ordinal) else { return nil }
    return entries[low].error
  }
}
