import JSONCoding

/// One look for a value, from the root of a state down to the place.
final class ProbeVisit {
  let tokens: [String]

  private let pointer: JSONPointer
  /// The steps through the types that were met, found once: a cast at every step would take longer than the step.
  private var steps: [ObjectIdentifier: ProbeStep] = [:]
  private var found: Found?
  private var wants = Wants.value
  /// Whether a value encoded itself in a way that cannot be followed.
  var isLost = false

  private enum Wants { case value, count }

  fileprivate enum Found {
    case value(JSONValue)
    case count(Int)
  }

  init(_ pointer: JSONPointer) {
    self.pointer = pointer
    self.tokens = pointer.tokens
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

  private func look<State: Encodable>(for wanted: Wants, in state: State) throws -> Found? {
    found = nil
    isLost = false
    wants = wanted
    try enter(state, at: 0)
    return isLost ? try StateTree(encoding: state)[pointer].map(Found.value) : found
  }

  /// Looks into a value that lies `depth` tokens below the root.
  func enter<Value: Encodable>(_ value: Value, at depth: Int) throws {
    guard depth < tokens.count else {
      found =
        try wants == .count
        ? step(Value.self).count(value).map(Found.count) ?? .value(read(value)) : .value(read(value))
      return
    }
    switch step(Value.self).way {
    case .leaf: break
    case .plain: try value.encode(to: ProbeEncoder(visit: self, depth: depth))
    case .keyed(let look): try withUnsafePointer(to: value) { value in try look(value, self, depth) }
    case .whole: found = try StateTree(encoding: value)[JSONPointer(Array(tokens[depth...]))].map(Found.value)
    }
  }

  /// Notes a null that was encoded without a value.
  func enterNull(at depth: Int) {
    if depth == tokens.count { found = .value(.null) }
  }

  /// Whether a name is the token at a depth, byte by byte.
  func isNext(_ name: String, at depth: Int) -> Bool {
    // Strings are equal when they are canonically equivalent, too; names of JSON are not.
    tokens[depth] == name && tokens[depth].utf8.elementsEqual(name.utf8)
  }

  private func step<Value: Encodable>(_ type: Value.Type) -> ProbeStep {
    if let step = steps[ObjectIdentifier(type)] { return step }
    let step = ProbeStep(type)
    steps[ObjectIdentifier(type)] = step
    return step
  }

  private func read<Value: Encodable>(_ value: Value) throws -> JSONValue {
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
