import ActionLog
import EventSourcing
public import JSONCoding

// Questions that begin from the states which a cursor keeps. The cursor stays where it is, and yields nothing.
extension HistoryCursor {
  /// Finds the first revision at which a condition holds, by halving: `History.bisect(_:in:options:)` with the states that the
  /// cursor keeps.
  ///
  /// - Parameters:
  ///   - condition: A condition over the state alone.
  ///   - range: The revisions to look at; `nil` is all of them.
  /// - Throws: As `History.bisect(_:in:options:)`.
  /// - Complexity: O(log *n*) states, each at the distance to the nearest state that is kept: 255 actions at most where the
  ///   history was folded before; O(*n*) when every state is looked at. Benchmark "bisect".
  public func bisect(_ condition: Condition, in range: ClosedRange<Int>? = nil) throws -> BisectAnswer {
    var search = try BisectSearch<M>(condition, walker)
    defer {
      walker = search.walker
      walker.settle(at: revision)
    }
    return try search.run(range, options: ReplayOptions())
  }

  /// Finds the last action that changed a value: `History.blame(_:at:options:)` with the states that the cursor keeps.
  ///
  /// - Parameters:
  ///   - pointer: The place of the value in the state as JSON.
  ///   - revision: The revision to ask at; `nil` is the one that the cursor is at.
  /// - Throws: As `History.blame(_:at:options:)`.
  /// - Complexity: O(distance from the revision to the change); benchmark "blame".
  public func blame(_ pointer: JSONPointer, at revision: Int? = nil) throws -> BlameAnswer {
    let revision = try RevisionRange(last: walker.lastRevision).checking(revision ?? self.revision)
    defer { walker.settle(at: self.revision) }
    var search = BlameSearch<M>(pointer)
    var length = Self.firstStretch
    var folded = 0
    var answer = try search.run(at: revision) { last, visitor in
      // Stretches double, so that a change nearby is found soon and one far away without many beginnings.
      let first = max(0, last - length)
      let start = first - first % Self.firstStretch
      length = min(2 * length, Self.longestStretch)
      let before = walker.work.actionsFolded
      let state = try walker.state(at: start)
      folded += walker.work.actionsFolded - before
      return try walker.history.walk(state, from: start, to: last, visitor: visitor)
    }
    answer.work.actionsFolded += folded
    return answer
  }

  /// The distance of the states that a cursor keeps of a history of 10⁶ actions.
  private static var firstStretch: Int { 256 }
  private static var longestStretch: Int { 1 << 16 }
}
