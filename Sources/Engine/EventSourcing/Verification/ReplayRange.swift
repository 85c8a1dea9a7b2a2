import ActionLog

// Proves the replay of one long log in ranges, which processes fold independently. Each range begins with the state of a snapshot,
// and proves the state at its end. If the first range begins with the initial state, and each other one begins with the digest with
// which the one before it ends, then by induction they are the replay of the complete log.

/// The replay of a range of a log.
package struct ReplayedRange<State: Sendable>: Sendable {
  /// The state at the end, and the work.
  package var replayed: Replayed<State>
  /// The digest of the state with which the fold began.
  package var beginning: StateDigest
  /// The digest of the state at the end.
  package var end: StateDigest
  /// Whether the snapshot at the end, whatever code took it, has the folded state; `nil` if there is none.
  package var isSnapshotEqual: Bool?
}

extension History {
  /// Folds from the state of exactly one snapshot, or from the beginning of the log, to a later revision.
  ///
  /// A snapshot may have been taken by any code: the range that ends with it proves its state.
  ///
  /// - Parameters:
  ///   - first: The revision of the snapshot, or the first revision of the log.
  ///   - last: The revision to end at; `nil` is the last one.
  ///   - options: Progress, cancellation and digests; no other snapshot is used.
  /// - Returns: The state at the end with the digests of both ends.
  /// - Throws: ``SnapshotRefusal`` if the snapshot does not exist, is damaged, or belongs to another log, model, schema or history;
  ///   `LogError` and ``EventSourcingError`` as `replay(to:options:)`.
  /// - Complexity: O(`last` − `first` + size of the states).
  package func replay(
    range first: Int, to last: Int?, options: ReplayOptions = ReplayOptions()
  ) throws -> ReplayedRange<M.State> {
    var options = options
    options.usesSnapshots = false
    let last = try last ?? lastRevision()
    guard first >= 0, last >= first else {
      throw LogError(
        .invalidArgument, "the range ends at revision \(last), before its beginning at \(first)", path: path)
    }
    let start = try first == firstRevision ? replay(to: first, options: options).state : state(ofExactSnapshot: first)
    let beginning = try StateDigest(of: start)
    var replayed = try advance(start, from: first, to: last, options: options)
    if first != firstRevision { replayed.report.snapshotsLoaded = 1 }
    let end = try first == last ? beginning : StateDigest(of: replayed.state)
    var range = ReplayedRange(replayed: replayed, beginning: beginning, end: end)
    guard last != first, let snapshots, try snapshots.revisions().contains(last) else { return range }
    do throws(SnapshotRefusal) {
      range.isSnapshotEqual = areSame(try state(ofExactSnapshot: last), replayed.state)
    } catch {
      range.isSnapshotEqual = false
      range.replayed.report.snapshotsRefused.append(error)
    }
    return range
  }

  /// Divides the log into consecutive ranges of similar size that end at snapshots.
  ///
  /// - Parameter count: The number of ranges, at least 1: that of the workers, because each range decodes a state and encodes one.
  /// - Returns: The first and last revision of each range, in order; fewer than `count` if there are not enough usable snapshots. The
  ///   first range begins with the log, and the last one ends with it.
  /// - Throws: `LogError` if the log or the list of snapshots cannot be read.
  /// - Complexity: O(number of snapshots + `count` × size of a snapshot).
  package func ranges(_ count: Int) throws -> [(first: Int, last: Int)] {
    precondition(count > 0, "a log has at least one range")
    let boundaries = try bounds(
      count, from: firstRevision, to: lastRevision(), among: snapshots?.revisions() ?? []
    ) { revision throws(SnapshotRefusal) in
      guard let snapshots else { return }
      try checkBelonging(of: snapshots.file(at: revision).snapshot)
    }
    return zip(boundaries, boundaries.dropFirst()).map { first, last in (first, last) }
  }

  /// Divides a part of the history into ranges of similar size that end at snapshots.
  ///
  /// - Parameters:
  ///   - count: The number of ranges, at least 1.
  ///   - first: The first revision.
  ///   - last: The last revision.
  ///   - revisions: The revisions with a snapshot, ascending.
  ///   - loading: The number of actions whose fold takes as long as loading the snapshot at a revision. A range that ends at it takes
  ///     twice as long in addition, for the comparison.
  ///   - check: Throws if the snapshot at a revision cannot be used.
  /// - Returns: The bounds of at most `count` ranges, ascending.
  func bounds(
    _ count: Int, from first: Int, to last: Int, among revisions: [Int], loading: (Int) -> Int = { _ in 0 },
    _ check: (Int) throws(SnapshotRefusal) -> Void
  ) -> [Int] {
    var candidates = revisions.filter { revision in revision > first && revision < last }
    var boundaries = [first]
    for index in stride(from: 1, to: count, by: 1) {
      // The sizes are those of the rest, so that one unusable snapshot does not make the ranges after it small.
      let begin = boundaries[boundaries.count - 1]
      let rest = count - index
      let beginning = begin == first ? 0 : loading(begin)
      candidates.removeAll { revision in revision <= begin }
      let boundary = Self.firstUsable(of: &candidates, check) { revision in
        let loading = loading(revision)
        let share = (beginning + last - begin + 3 * rest * loading) / (rest + 1)
        return abs(beginning + revision - begin + 2 * loading - share)
      }
      guard let boundary else { break }
      boundaries.append(boundary)
    }
    return boundaries + [last]
  }

  /// Returns the usable snapshot with the least distance, and removes the unusable ones before it from the candidates.
  private static func firstUsable(
    of candidates: inout [Int], _ check: (Int) throws(SnapshotRefusal) -> Void, by distance: (Int) -> Int
  ) -> Int? {
    var byDistance = candidates.map { revision in (revision: revision, distance: distance(revision)) }
      .sorted { one, other in (one.distance, one.revision) < (other.distance, other.revision) }[...]
    while let (nearest, _) = byDistance.popFirst() {
      do throws(SnapshotRefusal) {
        try check(nearest)
        return nearest
      } catch {
        candidates.removeAll { candidate in candidate == nearest }
      }
    }
    return nil
  }

  /// Returns the state of a snapshot that belongs to this log and schema, whatever code took it.
  func state(ofExactSnapshot revision: Int) throws(SnapshotRefusal) -> M.State {
    guard let snapshots else {
      throw SnapshotRefusal(.unreadable, "one segment alone has no snapshots", path: path, revision: revision)
    }
    let file = try snapshots.file(at: revision)
    try checkBelonging(of: file.snapshot)
    return try file.decodeState(by: decoder.states)
  }
}
