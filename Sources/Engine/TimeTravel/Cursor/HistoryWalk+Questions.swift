package import EventSourcing
package import JSONCoding

// Questions that begin from the states which a walk keeps, and keep more on the way. The walk stays where it is.
extension HistoryWalk {
  /// The first revision behind another at which a condition holds: as `HistoryCursor.firstRevision(where:after:upTo:options:)`.
  package mutating func firstRevision(
    where condition: Condition, after revision: Int?, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try settling { walker in
      try walker.firstRevision(where: condition, after: revision, upTo: nil, options: options)
    }
  }

  /// The last revision before another at which a condition holds: as `HistoryCursor.lastRevision(where:before:options:)`.
  package mutating func lastRevision(
    where condition: Condition, before revision: Int?, options: ReplayOptions
  ) throws -> ConditionAnswer {
    try settling { walker in try walker.lastRevision(where: condition, before: revision, options: options) }
  }

  /// The first revision at which a condition holds, by halving: as `HistoryCursor.bisect(_:in:options:)`.
  package mutating func bisect(_ condition: Condition, options: ReplayOptions) throws -> BisectAnswer {
    try settling { walker in try walker.bisect(condition, in: nil, options: options) }
  }

  /// The last action that changed a value: as `HistoryCursor.blame(_:at:options:)`.
  package mutating func blame(
    _ pointer: JSONPointer, at revision: Int, options: ReplayOptions
  ) throws -> BlameAnswer {
    try settling { walker in try walker.blame(pointer, at: revision, options: options) }
  }

  /// The state at a revision.
  ///
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  package mutating func tree(at target: Int, options: ReplayOptions) throws -> StateTree {
    try settling { walker in
      let usual = walker.options
      walker.options = options
      defer { walker.options = usual }
      return try StateTree(encoding: walker.state(at: RevisionRange(last: walker.lastRevision).checking(target)))
    }
  }
}
