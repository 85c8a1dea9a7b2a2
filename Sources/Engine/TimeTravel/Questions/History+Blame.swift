import ActionLog
public import EventSourcing
public import JSONCoding

extension History {
  /// Finds the last action that changed a value.
  ///
  /// The last change is not the last difference between two snapshots: a value may change and come back. So every state is visited,
  /// in ranges that begin at snapshots, the newest range first, until a range holds a change. Values are compared from the newest
  /// on, and without the parts that they share.
  ///
  /// - Parameters:
  ///   - pointer: The place of the value in the state as JSON; see ``StateTree`` for the form.
  ///   - revision: The revision to ask at; `nil` is the end.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what the state's coding throws.
  /// - Complexity: O(distance from the revision to the last snapshot before the change). A cursor asks faster, the benchmark
  ///   `blame: who changed a value last`.
  public func blame(
    _ pointer: JSONPointer, at revision: Int? = nil, options: ReplayOptions = ReplayOptions()
  ) throws -> BlameAnswer {
    let last = try lastRevision()
    let revision = try RevisionRange(last: last).checking(revision ?? last)
    var search = BlameSearch<M>(pointer)
    let options = options.countingFolds(upTo: revision)
    return try search.run(at: revision, in: self) { last in
      let look = try BlameSearch<M>.look(at: pointer, to: last, isCancelled: options.isCancelled) { last, visitor in
        try walk(fromSnapshotAtOrBefore: max(0, last - 1), to: last, options: options, visitor: visitor)
      }
      return [look]
    }
  }

  /// Finds every action that changed a value, oldest first; one that changed it and one that changed it back are two.
  ///
  /// - Parameters:
  ///   - pointers: The places of the values.
  ///   - range: The revisions to look at: an action that leads to one of them counts, the first one's too. No action leads to
  ///     revision 0.
  ///   - options: Whether snapshots are used, and whom to tell of the progress.
  ///   - body: Takes each change; an action that changes several values comes once for each, in order of `pointers`. What it
  ///     returns says whether to go on.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; what reading and folding throw, and what `body` throws.
  /// - Complexity: O(distance from the snapshot before the range to its end).
  @discardableResult
  public func changes(
    of pointers: [JSONPointer], in range: ClosedRange<Int>, options: ReplayOptions = ReplayOptions(),
    _ body: (ValueChange) throws -> Bool
  ) throws -> QuestionWork {
    let known = RevisionRange(last: try lastRevision())
    _ = try known.checking(range.lowerBound)
    _ = try known.checking(range.upperBound)
    var work = QuestionWork()
    let watched = pointers.map { pointer in WatchedValue<M.State>(pointer) }
    // What the first action changed shows beside the state before it.
    let first = max(0, range.lowerBound - 1)
    var check = CancellationCheck(options.isCancelled)
    // The visitor is done with `body` when `walk` returns.
    try withoutActuallyEscaping(body) { body in
      let replayed = try walk(
        fromSnapshotAtOrBefore: first, to: range.upperBound, options: options,
        visitor: StateVisitor(
          from: first,
          begin: { state, _ in
            work.statesVisited += 1
            for value in watched { try value.read(state) }
            return true
          },
          visit: { state, batch, index in
            work.statesVisited += 1
            try check.pass()
            for value in watched {
              guard let change = try value.change(state) else { continue }
              guard try body(ValueChange(change, at: value.probe.pointer, by: batch.record(at: index))) else {
                return false
              }
            }
            return true
          }))
      work.add(replayed.report)
    }
    work.bytesEncoded = watched.reduce(0) { sum, value in sum + value.bytesEncoded }
    work.emptyPlaces = watched.filter { value in !value.wasThere }.map(\.probe.pointer)
    return work
  }
}

/// A value that is read in one state after the other.
final class WatchedValue<State: Encodable> {
  let probe: StateProbe<State>
  private(set) var value: KnownValue?
  /// Whether any of the states had a value there.
  private(set) var wasThere = false
  private var bytesCompared = 0

  init(_ pointer: JSONPointer) {
    probe = StateProbe(pointer)
  }

  /// Bytes of JSON that were encoded to find and to compare values.
  var bytesEncoded: Int { probe.bytesEncoded + bytesCompared }

  /// Reads the value in a state. The same object as before means the same value; another one can be equal.
  @discardableResult func read(_ state: State) throws -> KnownValue? {
    value = try probe.known(in: state)
    if value != nil { wasThere = true }
    return value
  }

  /// Reads the value in the next state, and compares it with the one before.
  ///
  /// - Returns: What changed; `nil` if nothing did.
  func change(_ state: State) throws -> KnownChange? {
    try change(from: value, to: read(state))
  }

  /// Compares two values that were read.
  func change(from old: KnownValue?, to new: KnownValue?) throws -> KnownChange? {
    try KnownChange(from: old, to: new, counting: &bytesCompared)
  }
}
