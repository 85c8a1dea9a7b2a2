import ActionLog
import JSONCoding

/// Looks whether a condition holds, for one state after the other.
final class ConditionEvaluator<State: Encodable & SendableMetatype> {
  private let condition: Condition
  private let places: [Place]
  private let members: [ActionMember]
  private let tests: [ConditionTest]
  private let asksForAction: Bool
  /// What each of the tests has met, by its number.
  private var sightings: [TestSightings]
  /// The values that are asked to be missing.
  private let absences: Set<ConditionTerm>

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
    let uses = condition.uses
    self.condition = condition
    places = uses.pointers.map(Place.init)
    members = uses.actionMembers.map(ActionMember.init)
    tests = uses.tests
    sightings = uses.tests.map(TestSightings.init)
    absences = uses.absences
    asksForAction = uses.asksForAction
    markCompared()
  }

  /// The places at which something was looked for, and at which no state had anything, but for those that are asked to be empty.
  var emptyPlaces: [JSONPointer] {
    places.filter { place in place.wasRead && !place.wasThere && !absences.contains(.state(place.probe.pointer)) }
      .map(\.probe.pointer)
  }

  /// What may be wrong with the condition, as what was looked at shows.
  var hints: [QuestionHint] {
    members.compactMap { member in absences.contains(member.term) ? nil : member.absence }
      + tests.compactMap { test in test.hint(on: sightings[test.number], in: condition.text) }
  }

  /// Takes a state that was not come to by one action: nothing has changed in it.
  func holds(at state: State) throws -> Bool {
    for place in places { (place.valueBefore, place.countBefore) = (.unread, .unread) }
    return try evaluate(state, after: nil)
  }

  /// Takes the state that follows the one before.
  ///
  /// - Parameter record: The action that led to it; asked for when the condition looks at the action.
  func holds(at state: State, after record: @autoclosure () -> LogRecord) throws -> Bool {
    try evaluate(state, after: asksForAction ? RecordValues(record()) : nil)
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
    case .and(let left, let right): try evaluate(left, state) && evaluate(right, state)
    case .or(let left, let right): try evaluate(left, state) || evaluate(right, state)
    case .not(let node): try !evaluate(node, state)
    case .test(let test): try evaluate(test, state)
    }
  }

  private func evaluate(_ test: ConditionTest, _ state: State) throws -> Bool {
    switch test.kind {
    case .comparison(let left, let comparison, let right):
      guard let (left, right) = try values(left, right, of: test, state) else { return comparison == .notEqual }
      let order = ValueOrder.of(left.value, right.value)
      sightings[test.number].note(isMatch: order == .same, left.isLiteral ? right.value : left.value)
      return comparison.holds(order)
    case .time(let comparison, let time):
      guard let recorded = record?.record.time else { return false }
      return comparison.holds(recorded == time ? .same : recorded < time ? .before : .after)
    case .contains(let whole, let part):
      guard let (whole, part) = try values(whole, part, of: test, state) else { return false }
      let isMatch = whole.value.contains(part.value)
      sightings[test.number].note(isMatch: isMatch, whole.value)
      return isMatch
    case .like(let term, let pattern):
      guard let value = try sighted(term, of: test, state) else { return false }
      guard case .string(let text) = value else { return false }
      let isMatch = pattern.matches(text)
      sightings[test.number].note(isMatch: isMatch, value)
      return isMatch
    case .exists(let term): return try value(term, state) != nil
    case .changed(let term): return try isChanged(term, state)
    case .isTrue(let term): return try sighted(term, of: test, state) == true
    }
  }

  /// The two values of a test, if both are there, and whether they were written down as such.
  private func values(
    _ left: ConditionTerm, _ right: ConditionTerm, of test: ConditionTest, _ state: State
  ) throws -> ((value: JSONValue, isLiteral: Bool), (value: JSONValue, isLiteral: Bool))? {
    let leftValue = try sighted(left, of: test, state)
    let rightValue = try sighted(right, of: test, state, isRight: true)
    guard let leftValue, let rightValue else { return nil }
    return ((leftValue, left.literal != nil), (rightValue, right.literal != nil))
  }

  /// The value of one of a test's terms, of which note is taken.
  private func sighted(
    _ term: ConditionTerm, of test: ConditionTest, _ state: State, isRight: Bool = false
  ) throws -> JSONValue? {
    let found = try value(term, state)
    // Where there is no action, its values are not missing.
    guard found != nil || record != nil || term.isOfState else { return nil }
    sightings[test.number].note(found, isRight: isRight)
    // Once is enough: it is told only where nothing could be counted at all.
    if found == nil, case .count(let counted) = term, !sightings[test.number].knowsUncountable(isRight: isRight),
      let other = try value(counted, state)
    {
      sightings[test.number].note(uncountable: other, isRight: isRight)
    }
    return found
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

  /// Finds the places of which the value in the state before is needed.
  private func markCompared() {
    for test in tests {
      guard case .changed(let term) = test.kind, let (place, isCount) = place(of: term) else { continue }
      if isCount { place.isComparedByCount = true } else { place.isComparedByValue = true }
    }
  }
}
