package import JSONCoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads one value of a state without encoding the rest of the state.
///
/// The result is the value that the pointer has in a ``StateTree``. A probe follows the pointer through the state's own
/// coding: it skips other members, and finds the element or key in arrays and dictionaries. Two kinds of values are encoded
/// completely, and again only after a change: those without an order of their own (a `Set`, or an index into a dictionary that
/// is encoded as an array), and those with an unusual coding (nested containers, as an enum with associated values has,
/// `superEncoder`).
///
/// A state is a value. A probe does not notice changes of an object inside it, unless the object is the value itself.
///
/// A probe caches what it learns about types, so keep it for many states. Do not share an instance between threads.
package final class StateProbe<State: Encodable> {
  package let pointer: JSONPointer

  private let visit: ProbeVisit

  package init(_ pointer: JSONPointer) {
    self.pointer = pointer
    self.visit = ProbeVisit(pointer)
  }

  deinit { visit.end() }

  /// The value at the location; `nil` if there is none. An identical object means an equal value.
  func known(in state: State) throws -> KnownValue? {
    try visit.value(in: state)
  }

  /// Bytes that were encoded to find values. Comparisons count separately.
  package var bytesEncoded: Int { visit.bytesEncoded }

  /// Returns the value at the location; `nil` if there is none.
  package func value(in state: State) throws -> JSONValue? {
    var work = 0
    return try known(in: state)?.json(counting: &work)
  }

  /// Returns the number of elements, members or characters of the value; `nil` for other values, and if there is none.
  package func count(in state: State) throws -> Int? {
    try visit.count(in: state)
  }

  func isThere(in state: State) throws -> Bool { try visit.isThere(in: state) }
}

/// Finds a value in one state after another.
final class ProbeVisit {
  let tokens: [String]

  /// The tokens as bytes: names in JSON are equal if their bytes are.
  private let names: [[UInt8]]
  /// The steps through the types on the path, cached because a cast takes longer than a step.
  private var steps: [ObjectIdentifier: ProbeStep] = [:]
  /// The containers for values on the path, one for each depth; none at the end, when an encoder that a type has kept may still
  /// request one.
  private var containers: [KeptMemberContainer]
  private let indices: [Int?]
  private var wholes: [EncodedWhole?]
  private var keys: [AnyObject?]
  private var found: KnownValue?
  private var before: KnownValue?
  private var wants = Wants.value
  private var count: Int?
  /// Whether the value that is being followed has a coding that a probe cannot follow.
  var isLost = false
  private(set) var bytesEncoded = 0

  /// The purpose of a visit. Only a visit for the value keeps it, because a kept value is copied by its next write.
  private enum Wants { case value, count, presence }

  private typealias EncodedWhole = (value: KnownValue, part: KnownValue?)

  init(_ pointer: JSONPointer) {
    self.tokens = pointer.tokens
    self.names = pointer.tokens.map { token in Array(token.utf8) }
    indices = pointer.tokens.map(JSONPointer.index)
    containers = Array(repeating: KeptMemberContainer(), count: pointer.tokens.count)
    wholes = Array(repeating: nil, count: pointer.tokens.count)
    keys = Array(repeating: nil, count: pointer.tokens.count)
  }

  /// Releases the containers, which retain the visit.
  func end() {
    containers = []
  }

  /// The value at the location. An identical object means an equal value.
  func value<State: Encodable>(in state: State) throws -> KnownValue? {
    do { try visit(state, for: .value) } catch {
      // The caller has not seen what was read.
      before = nil
      throw error
    }
    before = found
    return found
  }

  func count<State: Encodable>(in state: State) throws -> Int? {
    try visit(state, for: .count)
    return try count ?? found?.count(counting: &bytesEncoded)
  }

  func isThere<State: Encodable>(in state: State) throws -> Bool {
    try visit(state, for: .presence)
    return found != nil
  }

  private func visit<State: Encodable>(_ state: State, for wanted: Wants) throws {
    (wants, found, count, isLost) = (wanted, nil, nil, false)
    try enter(state, at: 0)
  }

  /// Visits a value `depth` tokens below the root.
  func enter<Value: Encodable>(_ value: Value, at depth: Int) throws {
    guard depth < tokens.count else { return try withUnsafePointer(to: value) { value in try find(value) } }
    switch step(Value.self).way {
    case .leaf: break
    case .plain: try follow(value, at: depth)
    case .keyed(let look): try withUnsafePointer(to: value) { value in try look(value, self, depth) }
    case .token(let look):
      let isSettled = try withUnsafePointer(to: value) { value in try look(value, self, depth) }
      if !isSettled { try enterWhole(value, at: depth) }
    case .whole: try enterWhole(value, at: depth)
    }
  }

  private func follow<Value: Encodable>(_ value: Value, at depth: Int) throws {
    let wasLost = isLost
    isLost = false
    try value.encode(to: VisitingEncoder(visitor: self, depth: depth))
    let isUnusual = isLost
    isLost = wasLost
    guard isUnusual else { return }
    count = nil
    try enterWhole(value, at: depth)
  }

  /// Encodes a value, unless it is the one that was encoded before, and finds the requested one in it.
  private func enterWhole<Value: Encodable>(_ value: Value, at depth: Int) throws {
    if let whole = wholes[depth], withUnsafePointer(to: value, { value in whole.value.isSame(value) }) {
      found = whole.part
      return
    }
    let json = StateTree(try JSONValue(parsing: encode(value)))
    found = json[JSONPointer(Array(tokens[depth...]))].map { json in KnownValue(json) }
    guard !(Value.self is AnyClass) else { return }
    wholes[depth] = (withUnsafePointer(to: value) { value in KnownValue(value) }, found)
  }

  private func encode(_ value: some Encodable) throws -> [UInt8] {
    let bytes = try StrictJSONEncoder(form: .canonical).encode(value)
    bytesEncoded += bytes.count
    return bytes
  }

  /// Visits a value that keeps its address from one state to the next unless it changes.
  func enter<Value: Encodable>(_ place: UnsafePointer<Value>, at depth: Int) throws {
    if depth == tokens.count { try find(place) } else { try enter(place.pointee, at: depth) }
  }

  func isNext(_ name: String, at depth: Int) -> Bool {
    let wanted = names[depth]
    guard name.utf8.count == wanted.count else { return false }
    var name = name
    return name.withUTF8 { name in wanted.withUnsafeBufferPointer { wanted in name.elementsEqual(wanted) } }
  }

  private func step<Value: Encodable>(_ type: Value.Type) -> ProbeStep {
    if let step = steps[ObjectIdentifier(type)] { return step }
    let step = ProbeStep(type)
    steps[ObjectIdentifier(type)] = step
    return step
  }

  private func find<Value: Encodable>(_ place: UnsafePointer<Value>) throws {
    if wants == .presence {
      found = something
    } else if wants == .count, let shape = try ValueShape(of: place.pointee, lookingFor: nil) {
      (found, count) = (something, shape.count)
    } else if let before, before.isSame(place) {
      found = before
    } else if wants == .count || Value.self is AnyClass {
      // An object can change while the reference to it stays the same.
      found = KnownValue(StateTree(try JSONValue(parsing: encode(place.pointee))).root)
    } else {
      found = KnownValue(place)
    }
  }
}

extension ProbeVisit: EncodingVisitor {
  func begin(_ kind: ValueShape.Kind, at depth: Int) {}

  func visit<Value: Encodable>(_ value: Value, named name: String, at depth: Int) throws {
    if isNext(name, at: depth) { try enter(value, at: depth + 1) }
  }

  func visit<Value: Encodable>(_ value: Value, index: Int, at depth: Int) throws {
    if index == indices[depth] { try enter(value, at: depth + 1) }
  }

  func visit<Value: Encodable>(replacement value: Value, at depth: Int) throws { try enter(value, at: depth) }

  func container<Key: CodingKey>(keyedBy type: Key.Type, at depth: Int) -> KeyedEncodingContainer<Key> {
    guard depth < containers.count else { return KeptMemberContainer.container(keyedBy: type, of: self, at: depth) }
    return containers[depth].container(keyedBy: type, of: self, at: depth)
  }
}

/// The result of a visit that only checks for presence.
private let something = KnownValue(.null)

// MARK: - Keys

extension ProbeVisit {
  func key<Key: Codable>(_ type: Key.Type, _ token: String, at depth: Int) throws -> Key? {
    if let known = keys[depth] as? KeptValue<Key?> { return known.copy() }
    let key = Self.key(type, token)
    keys[depth] = KeptValue(key)
    return key
  }

  private static func key<Key: Codable>(_ type: Key.Type, _ token: String) -> Key? {
    if let name = type as? any CodingKeyRepresentable.Type { return named(name, token) as? Key }
    guard JSONPointer.index(of: token) == nil else { return nil }
    let text = JSONValue.string(token).bytes()
    // A token that is not a key of the type is not an error: the caller reads the encoded dictionary instead.
    do {
      let key = try StrictJSONDecoder().decode(type, from: text)
      return try StrictJSONEncoder(form: .canonical).encode(key) == text ? key : nil
    } catch { return nil }
  }

  private static func named<Key: CodingKeyRepresentable>(_ type: Key.Type, _ token: String) -> Key? {
    guard let key = type.init(codingKey: NameKey(stringValue: token)) else { return nil }
    return key.codingKey.stringValue.utf8.elementsEqual(token.utf8) ? key : nil
  }

  /// Whether the result below the value of a key is also that of the encoded dictionary.
  ///
  /// Dictionaries whose keys are not strings are encoded as arrays, and an array of only strings is a list.
  func isSettled<Key, Value: Encodable>(_ key: Key.Type, _ value: Value, at depth: Int) throws -> Bool {
    if key is any CodingKeyRepresentable.Type || depth + 1 < tokens.count { return true }
    return try ValueShape(of: value, lookingFor: nil) != nil || encode(value).first != UInt8(ascii: "\"")
  }
}

/// A name as a key.
struct NameKey: CodingKey {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { stringValue = String(intValue) }
}

extension JSONValue {
  /// The number of elements, members or characters; `nil` for other values.
  var elementCount: Int? {
    switch self {
    case .array(let elements): elements.count
    case .object(let object): object.count
    case .string(let string): string.count
    case .null, .bool, .number: nil
    }
  }
}

/// The cached facts about a type on the path.
struct ProbeStep {
  /// The way from a value to one of its parts.
  enum Way {
    /// Through the coding of the type.
    case plain
    /// By key; takes the address of the value.
    case keyed((_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Void)
    /// By the member that the token names, or as ``whole`` if that returns `false`; takes the address of the value.
    case token((_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Bool)
    /// By encoding the complete value: its coding does not show the locations of its parts.
    case whole
    /// None: a number, a string, a Boolean or null has no parts.
    case leaf
  }

  let way: Way

  /// The types that the engine's encoder writes in a special form.
  private static let ownForms: [any Any.Type] = [
    Date.self, Data.self, URL.self, UUID.self, Decimal.self, JSONValue.self,
  ]

  private static let leaves: [any Any.Type] = [
    String.self, Bool.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self,
    UInt8.self, UInt16.self, UInt32.self, UInt64.self, EncodedNull.self,
  ]

  init<Value: Encodable>(_ type: Value.Type) {
    if Self.leaves.contains(where: { leaf in leaf == type }) {
      way = .leaf
    } else if let keyed = type as? any ProbedByKey.Type {
      way = .keyed(Self.look(keyed))
    } else if let keyed = type as? any ProbedByToken.Type {
      way = .token(Self.lookToken(keyed))
    } else if type is any UnorderedEncodable.Type || Self.ownForms.contains(where: { form in form == type }) {
      way = .whole
    } else {
      way = .plain
    }
  }

  /// Whether the type encodes itself in a way that pointers follow.
  var isPlain: Bool { if case .plain = way { true } else { false } }

  // Each closure is called only with values of its type.

  private static func look<Value: ProbedByKey>(
    _ type: Value.Type
  ) -> (_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Void {
    { value, visit, depth in
      try value.assumingMemoryBound(to: Value.self).pointee.enter(visit.tokens[depth], with: visit, at: depth)
    }
  }

  private static func lookToken<Value: ProbedByToken>(
    _ type: Value.Type
  ) -> (_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Bool {
    { value, visit, depth in
      try value.assumingMemoryBound(to: Value.self).pointee.enter(token: visit.tokens[depth], with: visit, at: depth)
    }
  }
}
