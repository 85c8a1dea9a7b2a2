public import JSONCoding

/// A second fold of the same log, to compare the first one with.
///
/// A reducer that depends on more than its arguments folds to another state at another time, in another process or on another
/// machine. A witness folds there.
public protocol ReplayWitness: Sendable {
  /// The location of the fold for a report, such as `in another process`.
  var place: String { get }

  /// Folds the log from its first action, without snapshots, and takes digests.
  func digests(at revisions: [Int]) throws -> [StateDigest]

  /// Folds the log from its first action, without snapshots.
  func canonicalState(at revision: Int) throws -> [UInt8]
}

/// A second fold in the same process. It detects clocks and random values, but not the order of a `Set`, which is the same within a
/// process.
struct SameProcessWitness<M: Model>: ReplayWitness {
  private let history: History<M>
  private var options: ReplayOptions

  /// - Parameter options: The threads and the cancellation. Progress is that of the first fold.
  init(_ history: History<M>, _ options: ReplayOptions) {
    self.history = history
    self.options = options
    self.options.progress = nil
  }

  var place: String { "in this process" }

  func digests(at revisions: [Int]) throws -> [StateDigest] { try history.digests(at: revisions, options: options) }

  func canonicalState(at revision: Int) throws -> [UInt8] {
    try history.canonicalState(at: revision, options: options)
  }
}

/// The digests of some states of a fold, and the report of the fold.
typealias DigestedFold = (digests: [StateDigest], report: ReplayReport)

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
  package func canonicalState(at revision: Int, options: ReplayOptions = ReplayOptions()) throws -> [UInt8] {
    var options = options
    options.usesSnapshots = false
    return try decoder.states.canonicalBytes(of: state(at: revision, options: options))
  }

  /// Folds from the first action and takes digests: in ranges side by side if they prove the same, otherwise in one fold.
  ///
  /// A range proves the snapshot that begins the next one, so no digest depends on a snapshot. Whenever a range fails, leads to
  /// another state than the next snapshot or to another digest than the log, one fold finds out where.
  func fold(
    takingDigestsAt revisions: [Int], options: ReplayOptions
  ) throws -> DigestedFold {
    guard let last = revisions.last else { return ([], ReplayReport()) }
    var options = options
    options.usesSnapshots = false
    let folded: DigestedFold
    if let inRanges = try foldRanges(takingDigestsAt: revisions, options: options) {
      folded = inRanges
    } else {
      folded = try digests(at: revisions[...], options: options) { keeping in
        try fold(FoldRequest(at: last, to: last, keeping: keeping), options: options)
      }
    }
    // The log may have been pruned since the revisions were chosen.
    guard folded.digests.count == revisions.count else { throw try outOfRange(revisions[0]) }
    return folded
  }

  /// Folds in ranges side by side and takes digests; `nil` if there is one range, or if one proves nothing.
  private func foldRanges(
    takingDigestsAt revisions: [Int], options: ReplayOptions
  ) throws -> DigestedFold? {
    guard let last = revisions.last else { return nil }
    let bounds = options.decodesAhead ? rangeBounds(from: firstRevision, to: last, options: options) : []
    guard bounds.count > 2 else { return nil }
    var digests: [StateDigest] = []
    var report: ReplayReport?
    let ending: RangeEnding
    do {
      ending = try foldRanges(bounds, options: options) {
        (range: inout FoldRange<M.State, DigestedFold>) throws -> M.State? in
        let (first, last) = (range.first, range.last)
        let within = revisions.drop { revision in range.state != nil && revision <= first }
          .prefix { revision in revision <= last }
        var end: M.State?
        let options = range.options
        let folded = try self.digests(at: within, options: options) { keeping in
          // The first range begins with what the log begins with: snapshots are not used.
          let start = range.state == nil ? last : first
          let replayed = try fold(
            FoldRequest(range.state.take(), at: start, to: last, keeping: keeping), options: options)
          end = replayed.state
          return replayed
        }
        try range.pass(folded, 1)
        return end
      } consume: { folded in
        digests += folded.digests
        report = report.map { report in report.adding(folded.report) } ?? folded.report
        return folded.report.divergences.isEmpty
      }
    } catch let error as CancellationError {
      throw error
    } catch {
      return nil
    }
    guard ending == .complete, let report, report.divergences.isEmpty else { return nil }
    return (digests, report)
  }

  private func digests(
    at revisions: ArraySlice<Int>, options: ReplayOptions,
    _ replay: (StateKeeping<M.State>) throws -> Replayed<M.State>
  ) throws -> DigestedFold {
    var digests: [StateDigest] = []
    var failure: (any Error)?
    var rest = revisions
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
    let replayed = try replay(
      StateKeeping(
        next: { _ in rest.first },
        keep: { state, _ in
          rest.removeFirst()
          take(state)
        }))
    if let failure { throw failure }
    return (digests, replayed.report)
  }
}

extension ReplayReport {
  package func adding(_ next: ReplayReport) -> ReplayReport {
    var sum = self
    sum.snapshotsLoaded += next.snapshotsLoaded
    sum.snapshotsRefused += next.snapshotsRefused
    sum.actionsFolded += next.actionsFolded
    sum.opaqueRecords += next.opaqueRecords
    sum.skippedActions += next.skippedActions
    sum.bytesRead += next.bytesRead
    sum.digestsChecked += next.digestsChecked
    sum.digestsOfOtherSchemas += next.digestsOfOtherSchemas
    sum.divergences += next.divergences
    sum.lastAgreement = next.lastAgreement ?? lastAgreement
    return sum
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
