import ActionLog
import JSONCoding

/// A value of the state that a condition reads: at most once for each state. Inside the generic class, each use would look up its type.
private final class Place {
  let pointer: JSONPointer
  let probe: ProbeVisit
  var value: Lookup<KnownValue> = .unread
  var count: Lookup<Int> = .unread
  var valueBefore: Lookup<KnownValue> = .unread
  var countBefore: Lookup<Int> = .unread
  var (isComparedByValue, isComparedByCount) = (false, false)
  /// Whether the value was read in any state, and whether any state had it.
  var (wasRead, wasThere) = (false, false)

  init(_ pointer: JSONPointer) { (self.pointer, probe) = (pointer, ProbeVisit(pointer)) }

  deinit { probe.end() }
}

private enum Lookup<Value> {
  case unread
  case read(Value?)
}

/// The value of a term. A value of the state is encoded only if a test needs more than its kind.
private enum TermValue {
  case json(JSONValue)
  case known(KnownValue)
}

/// Evaluates a condition for one state after another.
final class ConditionEvaluator<State: Encodable & SendableMetatype> {
  private let condition: Condition
  private let places: [Place]
  private var members: [ActionMember]
  private let tests: [ConditionTest]
  private let readsAction: Bool
  private var types: CheckedTypes
  private let absences: Set<ConditionTerm>

  private var record: RecordValues?
  private var bytesCompared = 0

  init(_ condition: Condition) {
    let uses = condition.uses
    self.condition = condition
    places = uses.pointers.map(Place.init)
    members = uses.actionMembers.map(ActionMember.init)
    tests = uses.tests
    types = CheckedTypes(uses.tests)
    absences = uses.absences
    readsAction = uses.readsAction
    markCompared()
  }

  /// The locations of the values that decide the condition; empty if it also reads actions or consecutive states.
  var decidingPointers: [JSONPointer] { condition.readsAction || condition.readsChange ? [] : condition.pointers }

  /// The pointers at which no state had a value, except those that are tested for absence.
  var missingPointers: [JSONPointer] {
    places.filter { place in place.wasRead && !place.wasThere && !absences.contains(.state(place.pointer)) }
      .map(\.pointer)
  }

  var bytesEncoded: Int { places.reduce(bytesCompared) { sum, place in sum + place.probe.bytesEncoded } }

  var hints: [QuestionHint] {
    members.compactMap { member in absences.contains(member.term) ? nil : member.absence } + types.absences
  }

  /// Whether a hint on one of some values of actions, or on a type, is no longer possible.
  func needsNoHint(on terms: [ConditionTerm]) -> Bool {
    types.areKnown
      && members.allSatisfy { member in
        member.wasThere || absences.contains(member.term) || !terms.contains(member.term)
      }
  }

  /// Evaluates the condition for a state without an action: `changed` is false.
  func holds(at state: State) throws -> Bool {
    for place in places { (place.valueBefore, place.countBefore) = (.unread, .unread) }
    return try evaluate(state, after: nil)
  }

  /// Evaluates the condition for the state that follows the previous one.
  func holds(at state: State, after record: @autoclosure () -> LogRecord) throws -> Bool {
    try evaluate(state, after: readsAction ? RecordValues(record()) : nil)
  }

  private func evaluate(_ state: State, after record: RecordValues?) throws -> Bool {
    self.record = record
    let holds = try evaluate(condition.root, state)
    try readBefore(state)
    return holds
  }

  private func readBefore(_ state: State) throws {
    for place in places {
      if place.isComparedByValue { place.valueBefore = .read(try value(place, state)) }
      if place.isComparedByCount { place.countBefore = .read(try count(place, state)) }
      (place.value, place.count) = (.unread, .unread)
    }
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
    switch test {
    case .comparison(let left, let comparison, let right):
      guard let (left, right) = try values(left, right, state) else { return comparison == .notEqual }
      return comparison.holds(try order(left, right))
    case .time(let comparison, let time):
      guard let recorded = record?.record.time else { return false }
      return comparison.holds(recorded == time ? .same : recorded < time ? .before : .after)
    case .contains(let whole, let part):
      guard let (whole, part) = try values(whole, part, state) else { return false }
      return try contains(whole, part)
    case .like(let term, let pattern):
      guard case .string(let text)? = try value(term, state).flatMap(scalar) else { return false }
      return pattern.matches(text)
    case .exists(let term): return try exists(term, state)
    case .changed(let term): return try isChanged(term, state)
    case .isTrue(let term): return try value(term, state).flatMap(scalar) == true
    }
  }

  /// The operands of a test; `nil` if one is missing.
  private func values(
    _ left: ConditionTerm, _ right: ConditionTerm, _ state: State
  ) throws -> (left: TermValue, right: TermValue)? {
    let (left, right) = (try value(left, state), try value(right, state))
    guard let left, let right else { return nil }
    return (left, right)
  }

  private func isChanged(_ term: ConditionTerm, _ state: State) throws -> Bool {
    guard let (place, isCount) = place(of: term) else { return false }
    if isCount {
      guard case .read(let before) = place.countBefore else { return false }
      return try before != count(place, state)
    }
    guard case .read(let before) = place.valueBefore else { return false }
    return try KnownChange(from: before, to: value(place, state), counting: &bytesCompared) != nil
  }

  private func exists(_ term: ConditionTerm, _ state: State) throws -> Bool {
    guard case .state(let pointer) = term, let place = place(pointer) else { return try value(term, state) != nil }
    if case .read(let value) = place.value { return value != nil }
    place.wasRead = true
    let isThere = try place.probe.isThere(in: state)
    if isThere { place.wasThere = true }
    return isThere
  }

  private func value(_ term: ConditionTerm, _ state: State) throws -> TermValue? {
    switch term {
    case .literal(let value): return .json(value)
    case .state(let pointer):
      return try place(pointer).flatMap { place in try value(place, state).map(TermValue.known) }
    case .count(.state(let pointer)):
      return try place(pointer).flatMap { place in try count(place, state).map(Self.number) }
    case .count(let term):
      return try value(term, state).flatMap { value in try json(value).elementCount.map(Self.number) }
    case .type:
      guard let type = record?.record.type else { return nil }
      types.note(type)
      return .json(.string(type))
    case .revision: return record.map { record in Self.number(record.record.revision) }
    case .time: return record.map { record in .json(.string(record.record.time.description)) }
    case .data(let pointer):
      return try record.flatMap { record in member(term, pointer, try record.data.get()).map(TermValue.json) }
    case .meta(let pointer):
      return try record.flatMap { record in member(term, pointer, try record.meta.get()).map(TermValue.json) }
    }
  }

  private static func number(_ value: Int) -> TermValue { .json(.number(JSONNumber(value))) }

  private func member(_ term: ConditionTerm, _ pointer: JSONPointer, _ tape: JSONTape?) -> JSONValue? {
    let value = tape.flatMap { tape in PointerLookup.find(pointer, in: tape.root) }
    if let index = members.firstIndex(where: { member in !member.wasThere && member.term == term }) {
      members[index].note(value, at: pointer, in: tape.map { tape in JSONValue(tape.root) })
    }
    return value
  }

  private func value(_ place: Place, _ state: State) throws -> KnownValue? {
    if case .read(let value) = place.value { return value }
    let value = try place.probe.value(in: state)
    place.value = .read(value)
    place.wasRead = true
    if value != nil { place.wasThere = true }
    return value
  }

  private func count(_ place: Place, _ state: State) throws -> Int? {
    if case .read(let count) = place.count { return count }
    let count = try place.probe.count(in: state)
    place.count = .read(count)
    place.wasRead = true
    // A value that cannot be counted exists, too.
    if !place.wasThere { place.wasThere = try place.probe.isThere(in: state) }
    return count
  }

  private func place(_ pointer: JSONPointer) -> Place? { places.first { place in place.pointer == pointer } }

  /// The value of the state that a term reads, and whether the term counts it.
  private func place(of term: ConditionTerm) -> (place: Place, isCount: Bool)? {
    switch term {
    case .state(let pointer): place(pointer).map { place in (place, false) }
    case .count(let term): place(of: term).map { found in (found.place, true) }
    default: nil
    }
  }

  private func markCompared() {
    for test in tests {
      guard case .changed(let term) = test, let (place, isCount) = place(of: term) else { continue }
      if isCount { place.isComparedByCount = true } else { place.isComparedByValue = true }
    }
  }
}

// MARK: - Values of terms

extension ConditionEvaluator {
  private func kinds(_ value: TermValue) throws -> ValueKinds {
    switch value {
    case .json(let json): return ValueKinds(comparing: json)
    case .known(let known):
      let kinds = try known.kinds(counting: &bytesCompared)
      return kinds == .string ? ValueKinds(comparing: try json(value)) : kinds
    }
  }

  private func json(_ value: TermValue) throws -> JSONValue {
    switch value {
    case .json(let json): json
    case .known(let known): try known.json(counting: &bytesCompared)
    }
  }

  /// The value, unless it is an array or an object, which can be large.
  private func scalar(_ value: TermValue) throws -> JSONValue? {
    guard try kinds(value).isDisjoint(with: [.array, .object]) else { return nil }
    return try json(value)
  }

  private func order(_ left: TermValue, _ right: TermValue) throws -> ValueOrder? {
    // Values of different kinds have no order. They need not be encoded to know that.
    let (leftKinds, rightKinds) = try (kinds(left), kinds(right))
    guard !leftKinds.isDisjoint(with: rightKinds) else { return nil }
    return try ValueOrder.of(json(left), json(right))
  }

  private func contains(_ whole: TermValue, _ part: TermValue) throws -> Bool {
    if case .known(let known) = whole, case .json(.string(let name)) = part,
      try known.kinds(counting: &bytesCompared) == .object, let isMember = try known.hasMember(named: name)
    {
      return isMember
    }
    return try json(whole).contains(json(part))
  }
}

/// The values that a condition reads of a record, parsed on first use.
final class RecordValues {
  let record: LogRecord
  private(set) lazy var data = Result { try JSONTape(parsing: record.dataBytes) }
  private(set) lazy var meta = Result { try record.meta.map { meta in try JSONTape(parsing: meta) } }

  init(_ record: LogRecord) { self.record = record }
}
