public import JSONCoding

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the value at one place of a state, without encoding the rest of the state.
///
/// The result is that of ``StateTree``: the value that the pointer has in the canonical form. A probe follows the pointer through the
/// state's own coding. It skips members that lie elsewhere, and asks arrays and dictionaries for the one element or key. A part that
/// has no order of its own (a `Set`, or an index into a dictionary that is encoded as an array), and a part that encodes itself in an
/// unusual way (nested containers, `superEncoder`), is encoded as a whole, again only after it was written.
///
/// A state is a value. A probe does not notice that an object in it was written while the reference to it stayed the same, unless the
/// object is the very value at the place.
///
/// A probe keeps what it learned of the types on the way, so one that is asked often is to be kept. It is a class of its own
/// and is not shared between threads.
public final class StateProbe<State: Encodable> {
  /// The place.
  public let pointer: JSONPointer

  private let visit: ProbeVisit

  /// Makes a probe for a place, which a state need not have.
  public init(_ pointer: JSONPointer) {
    self.pointer = pointer
    self.visit = ProbeVisit(pointer)
  }

  deinit { visit.end() }

  /// The value at the place; `nil` if the state has nothing there. The same object as before means the same value.
  func known(in state: State) throws -> KnownValue? {
    try visit.value(in: state)
  }

  /// Bytes that had to be encoded to find values, without those that comparing them takes.
  var bytesEncoded: Int { visit.bytesEncoded }

  /// The value at the place; `nil` if the state has nothing there.
  ///
  /// - Throws: The errors of the state's own coding, or `JSONError` when the value breaks a rule of the format.
  /// - Complexity: O(members on the way + size of the value), without the members of dictionaries whose keys are strings;
  ///   benchmark `blame: who changed a value last`.
  public func value(in state: State) throws -> JSONValue? {
    var work = 0
    return try known(in: state)?.json(counting: &work)
  }

  /// How many elements, members or characters the value at the place has; `nil` if there is nothing, or something that has none.
  ///
  /// - Throws: As ``value(in:)``.
  /// - Complexity: O(members on the way and of the value itself); what they hold is not encoded.
  public func count(in state: State) throws -> Int? {
    try visit.count(in: state)
  }

  /// Whether there is a value at the place.
  func isThere(in state: State) throws -> Bool { try visit.isThere(in: state) }
}

/// Finds the value at one place of one state after the other.
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
  /// The collections on the way that had to be encoded as a whole, one for each depth.
  private var wholes: [EncodedWhole?]
  /// The keys that tokens were decoded as, one for each depth.
  private var keys: [AnyObject?]
  private var found: KnownValue?
  /// What the last visit that wanted the value found.
  private var before: KnownValue?
  private var wants = Wants.value
  private var count: Int?
  /// Whether a value encoded itself in a way that cannot be followed.
  var isLost = false
  /// Bytes that had to be encoded to find values.
  private(set) var bytesEncoded = 0

  /// What a visit is for. Only a value is kept: what is kept is copied when it is written.
  private enum Wants { case value, count, presence }

  private typealias KeptContainer = (key: ObjectIdentifier, container: AnyObject)
  private typealias EncodedWhole = (collection: KnownValue, part: KnownValue?)

  init(_ pointer: JSONPointer) {
    self.pointer = pointer
    self.tokens = pointer.tokens
    self.names = pointer.tokens.map { token in Array(token.utf8) }
    self.containers = Array(repeating: nil, count: pointer.tokens.count)
    wholes = Array(repeating: nil, count: pointer.tokens.count)
    keys = Array(repeating: nil, count: pointer.tokens.count)
  }

  /// Lets go of the containers, which hold the visit.
  func end() {
    containers = nil
  }

  /// The value at the place. The same object as before means the same value.
  func value<State: Encodable>(in state: State) throws -> KnownValue? {
    do { try visit(state, for: .value) } catch {
      // No caller has seen what was read.
      before = nil
      throw error
    }
    before = found
    return found
  }

  /// How many elements, members or characters the value at the place has.
  func count<State: Encodable>(in state: State) throws -> Int? {
    try visit(state, for: .count)
    return try count ?? found?.count(counting: &bytesEncoded)
  }

  /// Whether there is a value at the place.
  func isThere<State: Encodable>(in state: State) throws -> Bool {
    try visit(state, for: .presence)
    return found != nil
  }

  private func visit<State: Encodable>(_ state: State, for wanted: Wants) throws {
    (wants, found, count, isLost) = (wanted, nil, nil, false)
    try enter(state, at: 0)
    guard isLost else { return }
    count = nil
    found = StateTree(try JSONValue(parsing: encode(state)))[pointer].map { json in KnownValue(json) }
  }

  /// Visits a value that lies `depth` tokens below the root.
  func enter<Value: Encodable>(_ value: Value, at depth: Int) throws {
    guard depth < tokens.count else { return try withUnsafePointer(to: value) { value in try find(value) } }
    switch step(Value.self).way {
    case .leaf: break
    case .plain: try value.encode(to: ProbeEncoder(visit: self, depth: depth))
    case .keyed(let look): try withUnsafePointer(to: value) { value in try look(value, self, depth) }
    case .token(let look):
      let isSettled = try withUnsafePointer(to: value) { value in try look(value, self, depth) }
      if !isSettled { try enterWhole(value, at: depth) }
    case .whole: try enterWhole(value, at: depth)
    }
  }

  /// Encodes a collection, unless it is the one that was encoded before, and finds the value below it.
  private func enterWhole<Value: Encodable>(_ value: Value, at depth: Int) throws {
    if let whole = wholes[depth], withUnsafePointer(to: value, { value in whole.collection.isSame(value) }) {
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

  /// Visits a value that stays in its place from one state to the next unless it is changed.
  func enter<Value: Encodable>(_ place: UnsafePointer<Value>, at depth: Int) throws {
    if depth == tokens.count { try find(place) } else { try enter(place.pointee, at: depth) }
  }

  /// Notes a null that was encoded without a value.
  func enterNull(at depth: Int) {
    if depth == tokens.count { found = KnownValue(.null) }
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

  /// Takes the value that was looked for.
  private func find<Value: Encodable>(_ place: UnsafePointer<Value>) throws {
    if wants == .presence {
      found = something
    } else if wants == .count, let shape = try ValueShape(of: place.pointee, lookingFor: nil) {
      (found, count) = (something, shape.count)
    } else if let before, before.isSame(place) {
      found = before
    } else if wants == .count || Value.self is AnyClass {
      // What an object holds can change while the reference to it stays the same.
      found = KnownValue(StateTree(try JSONValue(parsing: encode(place.pointee))).root)
    } else {
      found = KnownValue(place)
    }
  }
}

/// What is found where only the presence of a value matters.
private let something = KnownValue(.null)

// MARK: - Keys

extension ProbeVisit {
  /// The key of a dictionary that a token stands for.
  ///
  /// - Returns: `nil` if no key of the type is coded as the token, or if the token is the index of an element.
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
    // A token that is no key of the type is no error: the caller reads the encoded dictionary instead.
    do {
      let key = try StrictJSONDecoder().decode(type, from: text)
      return try StrictJSONEncoder(form: .canonical).encode(key) == text ? key : nil
    } catch { return nil }
  }

  private static func named<Key: CodingKeyRepresentable>(_ type: Key.Type, _ token: String) -> Key? {
    guard let key = type.init(codingKey: NameKey(stringValue: token)) else { return nil }
    return key.codingKey.stringValue.utf8.elementsEqual(token.utf8) ? key : nil
  }

  /// Whether what was found at or below the value of a key is what the encoded dictionary has there.
  ///
  /// Dictionaries whose keys are no names are encoded as arrays, and an array of nothing but strings is taken for a list.
  func isSettled<Key, Value: Encodable>(_ key: Key.Type, _ value: Value, at depth: Int) throws -> Bool {
    if key is any CodingKeyRepresentable.Type || depth + 1 < tokens.count { return true }
    return try ValueShape(of: value, lookingFor: nil) != nil || encode(value).first != UInt8(ascii: "\"")
  }
}

/// The name of a member.
private struct NameKey: CodingKey {
  let stringValue: String
  var intValue: Int? { Int(stringValue) }

  init(stringValue: String) { self.stringValue = stringValue }
  init(intValue: Int) { stringValue = String(intValue) }
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

/// What a probe knows of a type that it met.
struct ProbeStep {
  /// How to get from a value of a type to one of its parts.
  enum Way {
    /// By the way in which the type encodes itself.
    case plain
    /// By asking for a key; takes the address of the value.
    case keyed((_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Void)
    /// By asking for the member that the token names, or as ``whole`` if that returns `false`; takes the address of the value.
    case token((_ value: UnsafeRawPointer, _ visit: ProbeVisit, _ depth: Int) throws -> Bool)
    /// By encoding the value as a whole: its parts have other places than its own coding tells, or no places below it at all.
    case whole
    /// Not at all: nothing lies below a number, a string or a Boolean.
    case leaf
  }

  let way: Way

  /// What the engine's encoder writes in a form of its own.
  private static let ownForms: [any Any.Type] = [
    Date.self, Data.self, URL.self, UUID.self, Decimal.self, JSONValue.self,
  ]

  private static let leaves: [any Any.Type] = [
    String.self, Bool.self, Double.self, Float.self, Int.self, Int8.self, Int16.self, Int32.self, Int64.self, UInt.self,
    UInt8.self, UInt16.self, UInt32.self, UInt64.self,
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

  /// Whether the type encodes itself, and pointers follow what it encodes.
  var isPlain: Bool { if case .plain = way { true } else { false } }

  // The closures are only called with values of the type that they were looked up for.

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
