/// A second fold of the same log, to compare the first one with.
///
/// A reducer that depends on more than its arguments folds to another state at another time, in another process or on another
/// machine. A witness folds there.
public protocol ReplayWitness: Sendable {
  /// The location of the fold for a report, such as `in another process`.
  var place: String { get }

  /// Folds the log from its first action, without snapshots, and takes digests.
  ///
  /// - Parameter revisions: The revisions of the digests, ascending.
  /// - Returns: One digest for each revision.
  func digests(at revisions: [Int]) throws -> [StateDigest]

  /// Folds the log from its first action, without snapshots.
  ///
  /// - Returns: The state in canonical form.
  func canonicalState(at revision: Int) throws -> [UInt8]
}

/// A second fold in the same process. It detects clocks and random values, but not the order of a `Set`, which is the same within a
/// process.
struct SameProcessWitness<M: Model>: ReplayWitness {
  let history: History<M>

  var place: String { "in this process" }

  func digests(at revisions: [Int]) throws -> [StateDigest] { try history.digests(at: revisions) }
  func canonicalState(at revision: Int) throws -> [UInt8] { try history.canonicalState(at: revision) }
}

extension History {
  /// Folds the log from its first action, without snapshots, and takes the digests of some states.
  ///
  /// The result can be compared with that of another build, machine or process.
  ///
  /// - Parameters:
  ///   - revisions: Ascending, each within the log.
  ///   - options: Progress and cancellation; snapshots are not used.
  /// - Returns: One digest for each revision.
  /// - Throws: As `state(at:options:)`.
  /// - Complexity: O(last of the revisions), and O(size of the state) for each.
  public func digests(at revisions: [Int], options: ReplayOptions = ReplayOptions()) throws -> [StateDigest] {
    try fold(takingDigestsAt: revisions, options: options).digests
  }

  /// Folds the log from its first action, without snapshots.
  ///
  /// - Parameters:
  ///   - revision: A revision within the log.
  ///   - options: Progress and cancellation; snapshots are not used.
  /// - Returns: The state in canonical form.
  /// - Throws: As `state(at:options:)`.
  /// - Complexity: O(revision), and O(size of the state).
  public func canonicalState(at revision: Int, options: ReplayOptions = ReplayOptions()) throws -> [UInt8] {
    var options = options
    options.usesSnapshots = false
    return try decoder.states.canonicalBytes(of: state(at: revision, options: options))
  }

  /// Folds without snapshots and takes digests.
  func fold(
    takingDigestsAt revisions: [Int], options: ReplayOptions
  ) throws -> (digests: [StateDigest], report: ReplayReport) {
    guard let last = revisions.last else { return ([], ReplayReport()) }
    var options = options
    options.usesSnapshots = false
    var digests: [StateDigest] = []
    var failure: (any Error)?
    var rest = revisions[...]
    func take(_ state: M.State) {
      do {
        digests.append(StateDigest(canonicalBytes: try decoder.states.canonicalBytes(of: state)))
      } catch {
        failure = failure ?? error
      }
    }
    // A fold passes on the states after its first one.
    if let first = rest.first, first == firstRevision {
      rest.removeFirst()
      take(try state(at: first, options: options))
    }
    let wanted = Array(rest)
    var next = 0
    let replayed = try replay(
      to: last, options: options,
      keeping: StateKeeping(
        next: { _ in next < wanted.count ? wanted[next] : nil },
        keep: { state, _ in
          next += 1
          take(state)
        }))
    if let failure { throw failure }
    return (digests, replayed.report)
  }
}
