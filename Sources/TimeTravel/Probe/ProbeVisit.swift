import JSONCoding

/// One look for a value, from the root of a state down to the place.
final class ProbeVisit {
  let tokens: [String]

  private let pointer: JSONPointer
  /// The tokens as bytes: names of JSON are equal when their bytes are.
  private let names: [[UInt8]]
  /// The steps through the types that were met, found once: a cast at every step would take longer than the step.
  private var steps: [ObjectIdentifier: ProbeStep] = [:]
  /// The containers that values on the way are given, one for each depth; `nil` at the end, when an encoder that a type has kept may
  /// still ask for one.
  private var containers: [KeptContainer?]?
  private var found: Found?
  private var wants = Wants.value
  /// What the look before this one read.
  private var before: KnownValue?
  /// What this look has read.
  private var known: KnownValue?
  /// Whether a value encoded itself in a way that cannot be followed.
  var isLost = false

  private typealias KeptContainer = (key: ObjectIdentifier, container: AnyObject)

  private enum Wants { case value, count }

  fileprivate enum Found {
    case value(JSONValue)
    case count(Int)
  }

  init(_ pointer: JSONPointer) {
    self.pointer = pointer
    self.tokens = pointer.tokens
    self.names = pointer.tokens.map { token in Array(token.utf8) }
    self.containers = Array(repeating: nil, count: pointer.tokens.count)
  }

  /// Lets go of the containers, which hold the visit.
  func end() {
    containers = nil
  }

  /// The value at the place.
  func value<State: Encodable>(in state: State) throws -> JSONValue? {
    try look(for: .value, in: state)?.value
  }

  /// How many elements, members or characters the value at the place has.
  func count<State: Encodable>(in state: State) throws -> Int? {
    switch try look(for: .count, in: state) {
    case .count(let count): count
    case .value(let value): value.elementCount
    case nil: nil
    }
  }

  /// Whether the last look has found the very value that the look before it found. `false` says nothing.
  var isRepeated: Bool { known != nil && known === before }

  private func look<State: Encodable>(for wanted: Wants, in state: State) throws -> Found? {
    found = nil
    isLost = false
    wants = wanted
    before = known
    known = nil
    do { try enter(state, at: 0) } catch {
      // Nobody has seen what was read.
      known = nil
      throw error
    }
    guard isLost else { return found }
    known = nil
    return try StateTree(encoding: state)[pointer].map(Found.value)
  }

  /// Looks into a value that lies `depth` tokens below the root.
  func enter<Value: Encodable>(_ value: Value, at depth: Int) throws {
    guard depth < tokens.count else { return try withUnsafePointer(to: value) { value in try find(value) } }
    switch step(Value.self).way {
    case .leaf: break
    case .plain: try value.encode(to: ProbeEncoder(visit: self, depth: depth))
    case .keyed(let look): try withUnsafePointer(to: value) { value in try look(value, self, depth) }
    case .whole:
      known = nil
      found = try StateTree(encoding: value)[JSONPointer(Array(tokens[depth...]))].map(Found.value)
    }
  }

  /// Looks into a value that stays in its place from one state to the next unless it is changed.
  func enter<Value: Encodable>(_ place: UnsafePointer<Value>, at depth: Int) throws {
    if depth == tokens.count { try find(place) } else { try enter(place.pointee, at: depth) }
  }

  /// Notes a null that was encoded without a value.
  func enterNull(at depth: Int) {
    guard depth == tokens.count else { return }
    known = nil
    found = .value(.null)
  }

  /// Whether a name is the token at a depth, byte by byte.
  func isNext(_ name: String, at depth: Int) -> Bool {
    let wanted = names[depth]
    guard name.utf8.count == wanted.count else { return false }
    var name = name
    return name.withUTF8 { name in wanted.withUnsafeBufferPointer { wanted in name.elementsEqual(wanted) } }
  }

  /// The container that a value is given at a depth. Making one takes longer than all that it is asked.
  func container<Key: CodingKey>(keyedBy type: Key.Type, at depth: Int) -> KeyedEncodingContainer<Key> {
    if let kept = containers?[depth], kept.key == ObjectIdentifier(type) {
      // It was kept for this type of key.
      return unsafeDowncast(kept.container, to: KeptValue<KeyedEncodingContainer<Key>>.self).copy()
    }
    let container = KeyedEncodingContainer(ProbeKeyedContainer<Key>(visit: self, depth: depth))
    containers?[depth] = (key: ObjectIdentifier(type), container: KeptValue(container))
    return container
  }

  private func step<Value: Encodable>(_ type: Value.Type) -> ProbeStep {
    if let step = steps[ObjectIdentifier(type)] { return step }
    let step = ProbeStep(type)
    steps[ObjectIdentifier(type)] = step
    return step
  }

  /// Reads the value that was looked for.
  private func find<Value: Encodable>(_ place: UnsafePointer<Value>) throws {
    if wants == .count, let count = step(Value.self).count(place.pointee) {
      found = .count(count)
    } else if let before, before.isSame(place) {
      known = before
      found = .value(before.json)
    } else {
      let json = try encode(place.pointee)
      // What an object holds may change while a reference to it stays the same.
      known = Value.self is AnyClass ? nil : KnownValue(place, json)
      found = .value(json)
    }
  }

  private func encode<Value: Encodable>(_ value: Value) throws -> JSONValue {
    // The usual ends of pointers, without an encoder.
    if Value.self == String.self, let value = value as? String { return .string(value) }
    if Value.self == Int.self, let value = value as? Int { return .number(JSONNumber(value)) }
    if Value.self == Bool.self, let value = value as? Bool { return .bool(value) }
    return try StateTree(encoding: value).root
  }
}

extension ProbeVisit.Found {
  fileprivate var value: JSONValue? {
    if case .value(let value) = self { return value }
    return nil
  }
}

extension JSONValue {
  /// How many elements, members or characters there are; `nil` for what has none.
  var elementCount: Int? {
    switch self {
    case .array(let elements): elements.count
    case .object(let object): object.count
    case .string(let string): string.count
    case .null, .bool, .number: nil
    }
  }
}
