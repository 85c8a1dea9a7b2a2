import ActionLog
import Platform

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

// Folds the ranges of a history side by side, each on a thread of its own.
//
// A range begins with the state of a snapshot, and its last state is compared with the snapshot that begins the next range. The
// results are consumed in order, so by induction each consumed range began with the state that the fold from the first range
// leads to, whatever code took the snapshots. From the first range on that does not lead to the next snapshot, the caller folds
// as if there were no snapshots.

/// The end of the ranges that were folded side by side.
package enum RangeEnding: Equatable, Sendable {
  /// All ranges were folded, or `consume` ended the fold.
  case complete
  /// The ranges from this revision on were not consumed: the snapshot there does not have the state of the fold.
  case unproved(at: Int)
  /// The system provides no thread. Nothing was consumed.
  case noThread
}

/// A range to fold, and its surroundings.
package struct FoldRange<State: Sendable, Item: Sendable> {
  package let first: Int
  package let last: Int
  /// The state at ``first``, to be taken once, so that the fold is its only owner; `nil` for the first range.
  package var state: State?
  package let options: ReplayOptions
  /// Passes a result to the consumer. Its weight is the share that it takes of `OrderedJobs.bufferLimit`.
  package let pass: (_ item: Item, _ weight: Int) throws -> Void
}

extension History {
  /// Divides a part of the history into ranges of similar size that end at snapshots of the present code.
  ///
  /// - Parameters:
  ///   - rangesPerThread: More ranges than threads, because later ranges have larger states, and the threads end at the same time only
  ///     by chance.
  ///   - bytesPerAction: The bytes of a snapshot that are loaded in the time that an action takes; `nil` if loading takes little of the
  ///     time.
  package func rangeBounds(
    from first: Int, to last: Int, options: ReplayOptions, rangesPerThread: Int = 4, bytesPerAction: Int? = nil
  ) -> [Int] {
    let count = min(rangesPerThread * options.foldLimit, (last - first) / max(1, options.shortestRange))
    guard options.foldLimit > 1, count > 1, let snapshots else { return [first, last] }
    // The number of actions whose fold takes as long as loading a snapshot. A range that ends at it takes twice as long in addition, for
    // the comparison.
    func loading(_ revision: Int) -> Int { (snapshots.sizeBytes(at: revision) ?? 0) / (bytesPerAction ?? .max) }
    var candidates = snapshotRevisions(options).filter { revision in revision > first && revision < last }
    var boundaries = [first]
    for index in 1..<count {
      // The sizes are those of the rest, so that one unusable snapshot does not make the ranges after it small.
      let begin = boundaries[boundaries.count - 1]
      let rest = count - index
      let beginning = begin == first ? 0 : loading(begin)
      candidates.removeAll { revision in revision <= begin }
      let boundary = firstUsable(of: &candidates, in: snapshots) { revision in
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
  private func firstUsable(
    of candidates: inout [Int], in snapshots: SnapshotStore, by distance: (Int) -> Int
  ) -> Int? {
    var byDistance = candidates.map { revision in (revision: revision, distance: distance(revision)) }
      .sorted { one, other in (one.distance, one.revision) < (other.distance, other.revision) }[...]
    while let (nearest, _) = byDistance.popFirst() {
      do throws(SnapshotRefusal) {
        try checkUse(of: snapshots.file(at: nearest).snapshot)
        return nearest
      } catch {
        candidates.removeAll { candidate in candidate == nearest }
      }
    }
    return nil
  }

  /// Folds ranges side by side. At most `options.foldLimit` are in progress, and each holds one state, and a second one while it is
  /// compared with a snapshot.
  package func foldRanges<Item: Sendable>(
    _ bounds: [Int], options: ReplayOptions, trustsSnapshots: Bool = false,
    fold: @escaping @Sendable (_ range: inout FoldRange<M.State, Item>) throws -> M.State?,
    consume: (Item) throws -> Bool
  ) throws -> RangeEnding {
    let count = bounds.count - 1
    let progress = options.progress.map { report in RangeProgress(bounds, report) }
    var ending = RangeEnding.complete
    let run = try OrderedJobs<RangeOutput<Item>>.run(
      count, width: options.foldLimit, isCancelled: options.isCancelled,
      { number, output in
        var options = options
        options.decodesAhead = false
        options.progress = progress?.progress(ofRange: number)
        options.isCancelled = { [asked = options.isCancelled] in output.isStopped || asked() }
        let (first, last) = (bounds[number], bounds[number + 1])
        var range = FoldRange<M.State, Item>(
          first: first, last: last, state: nil, options: options,
          pass: { item, weight in try output.pass(.item(item), weight: weight) })
        do throws(SnapshotRefusal) {
          if number > 0 { range.state = try load(first) }
        } catch {
          return try output.pass(.unproved(at: first))
        }
        guard let end = try fold(&range) else { return try output.pass(.stopped) }
        guard number < count - 1, !trustsSnapshots else { return BlockingWork.release(consume end) }
        guard isSame(end, asSnapshotAt: last) else { return try output.pass(.unproved(at: last)) }
      },
      consume: { output in
        switch output {
        case .item(let item): return try consume(item)
        case .stopped: return false
        case .unproved(let revision):
          ending = .unproved(at: revision)
          return false
        }
      })
    switch run {
    case .complete: return ending
    case .failed(let error): throw error
    case .noThread: return .noThread
    }
  }

  private func isSame(_ state: M.State, asSnapshotAt revision: Int) -> Bool {
    do throws(SnapshotRefusal) {
      return areSame(try load(revision), state)
    } catch {
      return false
    }
  }
}

/// An output of a range.
private enum RangeOutput<Item: Sendable>: Sendable {
  case item(Item)
  /// The range ended the fold.
  case stopped
  /// The snapshot at the revision cannot be read, or does not have the state of the fold.
  case unproved(at: Int)
}

/// Adds the progress of ranges that are folded side by side.
private final class RangeProgress: Sendable {
  private struct Contents: Sendable {
    var folded: [Int]
    /// The number of actions of all ranges; `nil` until the first range has found its beginning.
    var limit: Int?
    var hasBegun = false
  }

  private let contents: Locked<Contents>
  private let report: @Sendable (ReplayProgress) -> Void
  private let bounds: [Int]

  init(_ bounds: [Int], _ report: @escaping @Sendable (ReplayProgress) -> Void) {
    self.bounds = bounds
    self.report = report
    contents = Locked(Contents(folded: Array(repeating: 0, count: bounds.count - 1)))
  }

  func progress(ofRange number: Int) -> @Sendable (ReplayProgress) -> Void {
    { [self] step in
      // Reporting under the lock keeps the numbers in order.
      contents.withLock { contents in
        contents.folded[number] = max(contents.folded[number], step.actionsFolded)
        if number == 0 {
          contents.limit = (step.actionsLimit ?? bounds[1] - bounds[0]) + bounds[bounds.count - 1] - bounds[1]
        }
        guard let limit = contents.limit else { return }
        let folded = contents.hasBegun ? contents.folded.reduce(0, +) : 0
        // Only the first report is that of the beginning.
        guard !contents.hasBegun || folded > 0 else { return }
        contents.hasBegun = true
        let last = bounds[bounds.count - 1]
        report(
          ReplayProgress(
            revision: last - limit + folded, target: last, actionsFolded: folded, actionsLimit: limit,
            bytesRead: step.bytesRead))
      }
    }
  }
}

/// The number of processors to use.
package enum ProcessorCount {
  /// The number of processors that this process may use: those of its control group and its processor mask.
  ///
  /// Read once: on Linux, Foundation opens two files of the control group for each request, and ignores the mask.
  package static let current = min(
    max(1, ProcessInfo.processInfo.activeProcessorCount), SystemThread.processorCount ?? .max)

  /// The number of ranges to fold at a time: one for each processor, at most 8, because each holds a state of its own that it changes.
  package static let forFolds = min(current, 8)
}
