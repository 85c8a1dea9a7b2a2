import ActionLog

// Divides a history into ranges that begin with the state of a snapshot, and are folded side by side.

extension History {
  /// Divides a part of the history into ranges of similar size that end at snapshots.
  ///
  /// - Parameter loading: The number of actions whose fold takes as long as loading the snapshot at a revision. A range that ends at it takes
  ///   twice as long in addition, for the comparison.
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
