/// An encoder of `Encodable` values. The JSON bytes depend only on the value.
///
/// Members of structs and enums are in the order in which the type encodes them, those of dictionaries are sorted, and
/// so are the elements of sets; see ``UnorderedEncodable``. Numbers, strings, dates and similar values have one form
/// each, as described on the format page. Equal values therefore have equal bytes in any process.
///
/// A type fills each nested container before it uses the one around it again; using a closed container throws
/// ``JSONError/Code/invalidEncoding``.
public struct StrictJSONEncoder: Sendable {
  /// The order of members.
  public var form: JSONForm
  /// The deepest nesting of objects and arrays; at most ``JSONTape/depthLimit``.
  public var maximumDepth: Int
  /// The contents of `userInfo` in the encoder that types receive.
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]

  /// Creates an encoder.
  public init(form: JSONForm = .declared, maximumDepth: Int = JSONTape.defaultMaximumDepth) {
    self.form = form
    self.maximumDepth = maximumDepth
  }

  /// Encodes a value.
  ///
  /// - Returns: JSON text without white space.
  /// - Throws: The errors of the type's own coding, even if the type catches them; `EncodingError` if it encodes nothing;
  ///   ``JSONError`` if it encodes two members with the same name, nests too deeply, or misuses a container.
  /// - Complexity: O(size), and O(*m* log *m*) in the members of sorted objects.
  public func encode<Value: Encodable>(_ value: Value) throws -> [UInt8] {
    try EncodingOwner.encode(value, form, maximumDepth: maximumDepth, userInfo: userInfo) { storage in
      storage.pointee.output.bytes
    }
  }

  /// Encodes a value, and calls a closure with its bytes and the enum cases in which it is nested.
  ///
  /// If a value is encoded as a keyed container whose only key is opened as a nested keyed container, as synthesized
  /// enums do, that key is a step. If the nested container has exactly the one member `_0`, the search continues with
  /// its value. Structs, dictionaries and every ``ActionPayload`` never make a step.
  package func withEncoded<Value: Encodable, Result>(
    _ value: Value, _ body: (UnsafeBufferPointer<UInt8>, EncodedCases) throws -> Result
  ) throws -> Result {
    try EncodingOwner.encode(value, form, maximumDepth: maximumDepth, userInfo: userInfo) { storage in
      let bytes = storage.pointee.output.text
      return try body(bytes, EncodedCases(bytes: bytes, names: storage.pointee.cases))
    }
  }
}

/// A type whose encoded elements or members have no inherent order.
///
/// ``StrictJSONEncoder`` sorts the output of such a value, so that equal values have equal bytes in any process: the
/// elements of an unkeyed container by their encoded bytes, the members of a keyed container by the bytes of their
/// names. `Set` and `Dictionary` conform. A collection of your own that stores its elements in hash order should
/// conform, too.
///
/// The value must be encoded through a container (`container.encode(set)`): if a type calls `set.encode(to: encoder)`
/// itself, the encoder sees only the elements.
public protocol UnorderedEncodable: Encodable {
  /// The number of consecutive elements of an unkeyed container that are moved as one: 2 for alternating keys and
  /// values.
  static var elementsPerUnit: Int { get }
}

extension UnorderedEncodable {
  /// Each element is sorted alone.
  public static var elementsPerUnit: Int { 1 }
}

extension Set: UnorderedEncodable where Element: Encodable {}

extension Dictionary: UnorderedEncodable where Key: Encodable, Value: Encodable {
  /// Dictionaries whose keys are not names encode alternating keys and values.
  public static var elementsPerUnit: Int { 2 }
}

/// An enum that is a value of an action, and not a part of the action's type.
///
/// The type of an action is the path of its enum cases: `.ui(.list(.onTap))` is recorded as `ui.list.onTap`. The path
/// ends before a payload that conforms to this protocol, so the payload is recorded in the action's data:
///
/// ```swift
/// enum Action: Codable { case rule(Rule) }
///
/// indirect enum Rule: Codable, ActionPayload {
///   case always
///   case not(Rule)
/// }
/// // .rule(.not(.always)) is recorded with the type `rule` and the data {"_0":{"not":{"_0":{"always":{}}}}}.
/// // Without the conformance it has the type `rule.not.always` and the data {}.
/// ```
///
/// Add the conformance to every enum that contains itself; otherwise each of its values would be a type of its own.
/// Both forms decode to the same value, with and without the conformance, so you can add it to a model that already has
/// logs.
public protocol ActionPayload: Encodable {}

/// The owner of one encoding. Encoders and containers retain it.
///
/// If no encoder or container retains the owner after an encoding, the next encoding of the thread reuses it.
final class EncodingOwner {
  let state: EncodingState
  private(set) var userInfo: [CodingUserInfoKey: Any] = [:]

  private static let slot = ThreadSlot<EncodingOwner>()

  /// The storage is allocated separately, because every access to a stored property of a class is checked for
  /// exclusivity.
  init() {
    state = EncodingState(storage: .allocate(capacity: 1))
    state.storage.initialize(to: EncodingStorage(owner: .passUnretained(self)))
  }

  deinit {
    state.storage.pointee.deallocate()
    state.storage.deinitialize(count: 1)
    state.storage.deallocate()
  }

  @inline(__always)
  static func encode<Value: Encodable, Result>(
    _ value: Value, _ form: JSONForm, maximumDepth: Int, userInfo: [CodingUserInfoKey: any Sendable],
    _ body: (UnsafeMutablePointer<EncodingStorage>) throws -> Result
  ) throws -> Result {
    var owner = slot.take() ?? EncodingOwner()
    defer { end(&owner) }
    let storage = owner.state.storage
    storage.pointee.begin(form, maximumDepth: maximumDepth)
    if !userInfo.isEmpty { owner.userInfo = userInfo }
    try owner.state.encodeRoot(value)
    try storage.pointee.finish()
    return try body(storage)
  }

  /// Keeps an owner for the next encoding, unless an encoder or container still retains it.
  @inline(__always)
  private static func end(_ owner: inout EncodingOwner) {
    let storage = owner.state.storage
    storage.pointee.containers.endUse(owner)
    guard isKnownUniquelyReferenced(&owner) else { return storage.pointee.abandon() }
    storage.pointee.reset()
    if !owner.userInfo.isEmpty { owner.userInfo = [:] }
    slot.put(owner)
  }
}
