public import ActionLog
public import EventSourcing
public import JSONCoding
import Platform

extension History {
  /// Finds every action that changed a value, oldest first. A change and its reversal are two changes.
  ///
  /// - Parameters:
  ///   - range: The revisions to search, including the action that leads to the first one. No action leads to revision 0.
  ///   - body: Receives each change, and returns whether to continue. An action that changes several values is received once
  ///     for each, in the order of `pointers`.
  /// - Throws: ``TimeTravelError/Code/revisionOutOfRange``; the errors of reading and folding, and of `body`.
  /// - Complexity: O(distance from the snapshot before the range to its end), divided among the processors if there are snapshots in a
  ///   long range; with an index of changes, O(distance from the snapshot before each block of 4 096 actions that may have changed a
  ///   value to its end).
  @discardableResult
  public func changes(
    of pointers: [JSONPointer], in range: ClosedRange<Int>, options: ReplayOptions = ReplayOptions(),
    _ body: (ValueChange) throws -> Bool
  ) throws -> QuestionWork {
    try check(range)
    // The first action is compared with the state before it.
    let first = max(firstRevision, range.lowerBound - 1)
    let plan = try changePlan(from: first, to: range.upperBound, of: pointers, options: options)
    let watched = pointers.map { pointer in WatchedValue<M.State>(pointer) }
    let visited = try visit(plan, options: options) { state in
      for value in watched { try value.read(state) }
    } _: { state, batch, index in
      for value in watched {
        guard let change = try value.change(state) else { continue }
        guard try body(ValueChange(change, at: value.probe.pointer, by: batch.record(at: index))) else { return false }
      }
      return true
    }
    var work = visited.work
    work.bytesEncoded = watched.reduce(0) { sum, value in sum + value.bytesEncoded }
    work.note(
      missing: watched.filter { value in !value.wasThere }.map(\.probe.pointer), in: VisitedState(visited.state))
    return work
  }
}

/// A change of one value of a state by one action.
public struct ValueChange: Sendable {
  /// The location of the value.
  public let pointer: JSONPointer
  /// The action that changed it; its revision is the first one with the new value.
  public let record: LogRecord

  private let oldValue: KnownValue?
  private let newValue: KnownValue?
  /// The differing parts; `nil` if the value was added or removed.
  private let parts: UnsharedParts?

  /// The value before; `nil` if there was none.
  ///
  /// If an unchanged part of the value cannot be encoded, this is only the changed part.
  public var old: JSONValue? { oldValue?.json(orElse: parts?.old.root) }

  /// The value after; `nil` if there is none. See ``old``.
  public var new: JSONValue? { newValue?.json(orElse: parts?.new.root) }

  /// Whether the action added the value, removed it, or changed it.
  public var kind: StateChange.Kind { oldValue == nil ? .added : newValue == nil ? .removed : .changed }

  /// The differences inside the value, with locations below it; `nil` if ``old`` and ``new`` are as short.
  ///
  /// Values with dictionaries that share storage have one. Such values can be much larger than their change.
  public var difference: StateDiff? {
    guard let parts, !parts.areWhole else { return nil }
    let (old, new) = (oldValue, newValue)
    return StateDiff(
      comparing: parts.old, parts.new, visited: parts.visited,
      old: { StateTree(old?.json(orElse: nil) ?? parts.old.root) },
      new: { StateTree(new?.json(orElse: nil) ?? parts.new.root) })
  }

  init(_ change: KnownChange, at pointer: JSONPointer, by record: LogRecord) {
    self.pointer = pointer
    self.record = record
    (oldValue, newValue, parts) = (change.old, change.new, change.parts)
  }
}

/// A value before and after an action that changed it.
struct KnownChange: Sendable {
  let old: KnownValue?
  let new: KnownValue?
  /// The differing parts; `nil` if one of the values is missing.
  let parts: UnsharedParts?

  init?(from old: KnownValue?, to new: KnownValue?, counting work: inout Int) throws {
    if old === new { return nil }
    (self.old, self.new) = (old, new)
    guard let old, let new else {
      // A value that cannot be encoded fails here, not where the change is shown.
      _ = try (old ?? new)?.json(counting: &work)
      parts = nil
      return
    }
    guard let parts = try new.difference(from: old, counting: &work) else { return nil }
    self.parts = parts
  }
}

/// A value that is read in one state after another.
final class WatchedValue<State: Encodable> {
  let probe: StateProbe<State>
  private(set) var value: KnownValue?
  private(set) var wasThere = false
  private var bytesCompared = 0

  init(_ pointer: JSONPointer) {
    probe = StateProbe(pointer)
  }

  var bytesEncoded: Int { probe.bytesEncoded + bytesCompared }

  /// Reads the value in a state. An identical object means an equal value; a different one can be equal, too.
  @discardableResult func read(_ state: State) throws -> KnownValue? {
    value = try probe.known(in: state)
    if value != nil { wasThere = true }
    return value
  }

  func change(_ state: State) throws -> KnownChange? {
    try change(from: value, to: read(state))
  }

  func change(from old: KnownValue?, to new: KnownValue?) throws -> KnownChange? {
    try KnownChange(from: old, to: new, counting: &bytesCompared)
  }
}
