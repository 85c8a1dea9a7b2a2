public import JSONCoding

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
    // The log may have been pruned since the revisions were chosen.
    guard digests.count == revisions.count else { throw try outOfRange(revisions[0]) }
    return (digests, replayed.report)
  }
}

/// The first difference between two states, in the order of the canonical form.
public struct StateDifference: Equatable, Sendable {
  /// The location: a pointer into the state as JSON.
  public var pointer: JSONPointer
  /// The value in the first state; `nil` if there is none.
  public var first: JSONValue?
  /// The value in the second state; `nil` if there is none.
  public var second: JSONValue?

  /// Compares two states in canonical form.
  ///
  /// - Returns: `nil` if they are equal.
  /// - Throws: `JSONError` if one of them is not JSON.
  /// - Complexity: O(size of both).
  init?(between first: [UInt8], _ second: [UInt8]) throws {
    if first == second { return nil }
    let place = Self.find(try JSONValue(parsing: first), try JSONValue(parsing: second), at: .root)
    guard let place else { return nil }
    self = place
  }

  private init(_ pointer: JSONPointer, _ first: JSONValue?, _ second: JSONValue?) {
    self.pointer = pointer
    self.first = first
    self.second = second
  }

  private static func find(_ first: JSONValue, _ second: JSONValue, at pointer: JSONPointer) -> StateDifference? {
    switch (first, second) {
    case (.object(let left), .object(let right)):
      for name in Set(left.names).union(right.names).sorted() where left[name] != right[name] {
        guard let old = left[name], let new = right[name] else {
          return StateDifference(pointer.appending(name), left[name], right[name])
        }
        return find(old, new, at: pointer.appending(name))
      }
      return nil
    case (.array(let left), .array(let right)):
      for index in 0..<max(left.count, right.count) {
        let old: JSONValue? = index < left.count ? left[index] : nil
        let new: JSONValue? = index < right.count ? right[index] : nil
        if old == new { continue }
        guard let old, let new else { return StateDifference(pointer.appending(index), old, new) }
        return find(old, new, at: pointer.appending(index))
      }
      return nil
    default:
      return first == second ? nil : StateDifference(pointer, first, second)
    }
  }
}
