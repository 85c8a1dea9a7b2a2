import ActionLog
public import EventSourcing
public import JSONCoding

extension History {
  /// Finds the last action that changed a value.
  ///
  /// The last change is not the last difference between two snapshots: a value may change and come back. So every state is looked
  /// at, from the end backward in stretches that begin at snapshots, until a stretch holds a change.
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
    return try search.run(at: revision) { last in
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
            for value in watched { try value.begin(state) }
            return true
          },
          visit: { state, batch, index in
            work.statesVisited += 1
            try check.pass()
            for value in watched {
              guard let (old, new) = try value.change(state) else { continue }
              let change = ValueChange(
                pointer: value.probe.pointer, record: batch.record(at: index), old: old, new: new)
              guard try body(change) else { return false }
            }
            return true
          }))
      work.add(replayed.report)
    }
    work.emptyPlaces = watched.filter { value in !value.wasThere }.map(\.probe.pointer)
    return work
  }
}

/// A value that is looked at in one state after the other.
final class WatchedValue<State: Encodable> {
  let probe: StateProbe<State>
  private(set) var value: JSONValue?
  /// Whether any of the states had a value there.
  private(set) var wasThere = false

  init(_ pointer: JSONPointer) {
    probe = StateProbe(pointer)
  }

  func begin(_ state: State) throws {
    value = try probe.value(in: state)
    if value != nil { wasThere = true }
  }

  /// The value before and now, if they differ.
  func change(_ state: State) throws -> (old: JSONValue?, new: JSONValue?)? {
    let new = try probe.value(in: state)
    guard !probe.isRepeated, new != value else { return nil }
    defer { value = new }
    if new != nil { wasThere = true }
    return (value, new)
  }
}
