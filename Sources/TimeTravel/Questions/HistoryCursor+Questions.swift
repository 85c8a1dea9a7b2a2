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
  /// - Complexity: O(log *n*) states, each at the distance to the nearest state that is kept: 127 actions at most where the
  ///   history was folded before; O(*n*) when every state is looked at. Benchmark
  ///   `bisect: since when a condition holds`.
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
  /// - Complexity: O(distance from the revision to the change), which is looked at by as many threads as there are processors;
  ///   benchmark `blame: who changed a value last`.
  public func blame(_ pointer: JSONPointer, at revision: Int? = nil) throws -> BlameAnswer {
    let revision = try RevisionRange(last: walker.lastRevision).checking(revision ?? self.revision)
    defer { walker.settle(at: self.revision) }
    var search = BlameSearch<M>(pointer)
    var length = Self.firstStretch
    var folded = 0
    var answer = try search.run(at: revision) { last in
      // Stretches double, so that a change nearby is found soon and one far away without many beginnings.
      let first = max(0, last - length)
      let start = first - first % Self.firstStretch
      length = min(2 * length, Self.longestStretch)
      let before = walker.work.actionsFolded
      let parts = try parts(from: start, to: last)
      folded += walker.work.actionsFolded - before
      return try Self.looks(at: pointer, parts, in: walker.history)
    }
    answer.work.actionsFolded += folded
    return answer
  }

  /// A part of a history, from a state on.
  private struct Part: Sendable {
    var state: M.State
    var first: Int
    var last: Int
  }

  /// Parts a long stretch where states are kept, so that no action is folded twice.
  private func parts(from start: Int, to last: Int) throws -> [Part] {
    let count = max(1, min(UsefulParts.count, (last - start) / Self.shortestPart))
    var bounds = [start]
    for number in 1..<count {
      let place = start + (last - start) * number / count
      let bound = place - place % Self.firstStretch
      if bound > start, walker.isKept(at: bound) { bounds.append(bound) }
    }
    return try zip(bounds, bounds.dropFirst() + [last]).map { first, last in
      Part(state: try walker.state(at: first), first: first, last: last)
    }
  }

  /// Looks at several parts at once. What is wrong with the earliest is what is thrown, as if one was looked at after the other.
  private nonisolated static func looks(
    at pointer: JSONPointer, _ parts: [Part], in history: History<M>
  ) throws -> [BlameSearch<M>.Look] {
    var options = ReplayOptions()
    // Where there are several parts, the other processors have theirs.
    options.decodesAhead = parts.count == 1
    let chosen = options
    let looks = SideBySide.map(parts) { part in
      Result {
        try BlameSearch<M>.look(at: pointer, to: part.last) { last, visitor in
          try history.walk(part.state, from: part.first, to: last, options: chosen, visitor: visitor)
        }
      }
    }
    return try looks.map { look in try look.get() }
  }

  /// So many actions take longer to fold than another thread takes to begin.
  private static var shortestPart: Int { 2_048 }

  /// A multiple of the distance of the states that a cursor keeps of a history of 10⁶ actions.
  private static var firstStretch: Int { 256 }
  private static var longestStretch: Int { 1 << 16 }
}
