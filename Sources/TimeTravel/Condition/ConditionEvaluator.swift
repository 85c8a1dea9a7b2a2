import ActionLog
import JSONCoding

/// Looks whether a condition holds, for one state after the other.
final class ConditionEvaluator<State: Encodable & SendableMetatype> {
  private let condition: Condition
  private let places: [Place]
  private let members: [ActionMember]

  /// A value of the state that the condition looks at, read when it is asked for, once for each state.
  private final class Place {
    let probe: StateProbe<State>
    var value: Lookup = .unread
    var count: Lookup = .unread
    /// The value in the state before, which `changed` is asked of.
    var valueBefore: Lookup = .unread
    var countBefore: Lookup = .unread
    var isComparedByValue = false
    var isComparedByCount = false
    /// Whether it was looked at in any state, and whether any had something there.
    var wasRead = false
    var wasThere = false

    init(_ pointer: JSONPointer) { probe = StateProbe(pointer) }
  }

  private enum Lookup {
    case unread
    case read(JSONValue?)
  }

  private var record: RecordValues?

  init(_ condition: Condition) {
    self.condition = condition
    self.places = condition.pointers.map(Place.init)
    self.members = condition.actionMembers.map(ActionMember.init)
    markCompared(condition.root)
  }

  /// The places at which something was looked for, and at which no state had anything.
  var emptyPlaces: [JSONPointer] {
    places.filter { place in place.wasRead && !place.wasThere }.map(\.probe.pointer)
  }

  /// The values of actions that were looked for, and that no action had.
  var absentMembers: [AbsentMember] { members.compactMap(\.absence) }

  /// Whether some state had something at a place.
  func hasSeenValue(at pointer: JSONPointer) -> Bool { place(pointer)?.wasThere ?? false }

  /// Takes a state that was not come to by one action: nothing has changed in it.
  func holds(at state: State) throws -> Bool {
    for place in places { (place.valueBefore, place.countBefore) = (.unread, .unread) }
    return try evaluate(state, after: nil)
  }

  /// Takes the state that follows the one before.
  ///
  /// - Parameter record: The action that led to it; asked for when the condition looks at the action.
  func holds(at state: State, after record: @autoclosure () -> LogRecord) throws -> Bool {
    try evaluate(state, after: condition.asksForAction ? RecordValues(record()) : nil)
  }

  private func evaluate(_ state: State, after record: RecordValues?) throws -> Bool {
    self.record = record
    let holds = try evaluate(condition.root, state)
    for place in places {
      // What may be compared next time is read now, if it was not.
      if place.isComparedByValue { place.valueBefore = .read(try value(place, state)) }
      if place.isComparedByCount { place.countBefore = .read(try count(place, state)) }
      (place.value, place.count) = (.unread, .unread)
    }
    return holds
  }

  private func evaluate(_ node: ConditionNode, _ state: State) throws -> Bool {
    switch node {
    case .and(let left, let right): return try evaluate(left, state) && evaluate(right, state)
    case .or(let left, let right): return try evaluate(left, state) || evaluate(right, state)
    case .not(let node): return try !evaluate(node, state)
    case .comparison(let left, let comparison, let right):
      guard let left = try value(left, state), let right = try value(right, state) else {
        return comparison == .notEqual
      }
      return comparison.holds(ValueOrder.of(left, right))
    case .time(let comparison, let time):
      guard let recorded = record?.record.time else { return false }
      return comparison.holds(recorded == time ? .same : recorded < time ? .before : .after)
    case .contains(let whole, let part):
      guard let whole = try value(whole, state), let part = try value(part, state) else { return false }
      return whole.contains(part)
    case .like(let term, let pattern):
      guard case .string(let text)? = try value(term, state) else { return false }
      return pattern.matches(text)
    case .exists(let term): return try value(term, state) != nil
    case .changed(let term): return try isChanged(term, state)
    case .isTrue(let term): return try value(term, state) == true
    }
  }

  private func isChanged(_ term: ConditionTerm, _ state: State) throws -> Bool {
    guard let (place, isCount) = place(of: term) else { return false }
    guard case .read(let before) = isCount ? place.countBefore : place.valueBefore else { return false }
    return try before != (isCount ? count(place, state) : value(place, state))
  }

  private func value(_ term: ConditionTerm, _ state: State) throws -> JSONValue? {
    switch term {
    case .literal(let value): return value
    case .state(let pointer): return try place(pointer).flatMap { place in try value(place, state) }
    case .count(.state(let pointer)): return try place(pointer).flatMap { place in try count(place, state) }
    case .count(let term): return try value(term, state)?.elementCount.map { count in .number(JSONNumber(count)) }
    case .type: return record.map { record in .string(record.record.type) }
    case .seq: return record.map { record in .number(JSONNumber(record.record.seq)) }
    case .time: return record.map { record in .string(record.record.time.description) }
    case .data(let pointer): return try record.flatMap { record in member(term, pointer, try record.data()) }
    case .meta(let pointer): return try record.flatMap { record in member(term, pointer, try record.meta()) }
    }
  }

  private func member(_ term: ConditionTerm, _ pointer: JSONPointer, _ root: JSONValue?) -> JSONValue? {
    let value = root?[pointer]
    members.first { member in member.term == term }?.note(value, at: pointer, in: root)
    return value
  }

  private func value(_ place: Place, _ state: State) throws -> JSONValue? {
    if case .read(let value) = place.value { return value }
    let value = try place.probe.value(in: state)
    place.value = .read(value)
    place.wasRead = true
    if value != nil { place.wasThere = true }
    return value
  }

  private func count(_ place: Place, _ state: State) throws -> JSONValue? {
    if case .read(let count) = place.count { return count }
    let count = try place.probe.count(in: state).map { count in JSONValue.number(JSONNumber(count)) }
    place.count = .read(count)
    // What has no elements is something, too.
    if !place.wasThere { _ = try value(place, state) }
    return count
  }

  private func place(_ pointer: JSONPointer) -> Place? { places.first { place in place.probe.pointer == pointer } }

  /// The place that a term of the state looks at, and whether it counts what is there.
  private func place(of term: ConditionTerm) -> (place: Place, isCount: Bool)? {
    switch term {
    case .state(let pointer): place(pointer).map { place in (place, false) }
    case .count(let term): place(of: term).map { found in (found.place, true) }
    default: nil
    }
  }

  private func markCompared(_ node: ConditionNode) {
    switch node {
    case .and(let left, let right), .or(let left, let right):
      markCompared(left)
      markCompared(right)
    case .not(let node): markCompared(node)
    case .changed(let term):
      guard let (place, isCount) = place(of: term) else { return }
      if isCount { place.isComparedByCount = true } else { place.isComparedByValue = true }
    case .comparison, .time, .contains, .like, .exists, .isTrue: break
    }
  }
}

/// What a condition asks of a record, read when it is asked for.
private final class RecordValues {
  let record: LogRecord
  private var parsedData: JSONValue?
  private var parsedMeta: JSONValue?

  init(_ record: LogRecord) { self.record = record }

  func data() throws -> JSONValue {
    if let parsedData { return parsedData }
    let value = try JSONValue(parsing: record.dataBytes)
    parsedData = value
    return value
  }

  func meta() throws -> JSONValue? {
    if let parsedMeta { return parsedMeta }
    parsedMeta = try record.meta.map { meta throws(JSONError) in try JSONValue(parsing: meta) }
    return parsedMeta
  }
}

extension JSONValue {
  /// Whether a string has a part, an array an element, an object a member of a name.
  fileprivate func contains(_ part: JSONValue) -> Bool {
    switch (self, part) {
    case (.string(let text), .string(let part)): text.utf8.contains(part.utf8)
    case (.array(let elements), _): elements.contains { element in NumericEquality.areEqual(element, part) }
    case (.object(let object), .string(let name)): object[name] != nil
    default: false
    }
  }
}

extension String.UTF8View {
  /// Whether the bytes of another text stand in this one.
  fileprivate func contains(_ part: String.UTF8View) -> Bool {
    let (whole, part) = (Array(self), Array(part))
    guard part.count <= whole.count else { return false }
    return (0...(whole.count - part.count)).contains { start in whole[start..<start + part.count].elementsEqual(part) }
  }
}
