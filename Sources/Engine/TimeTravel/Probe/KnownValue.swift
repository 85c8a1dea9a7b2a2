import JSONCoding
import Platform

/// A value that was read from a state. Its JSON is made on demand.
///
/// The value is kept as a copy, which keeps the storage it refers to alive. Types with value semantics copy shared storage
/// before they write to it. So a later value with the same bytes is the same value, and is not encoded again. A value with
/// other bytes can still be equal.
final class KnownValue: @unchecked Sendable {
  // The copy is part of a `Sendable` state and is never written. A lock protects the JSON.

  private let type: ObjectIdentifier?
  /// The bytes of the value in memory, including padding. Values with different padding are compared by content.
  private let bytes: [UInt8]
  /// The value; `nil` if only its JSON is known.
  let kept: (any KeptEncodable)?
  private let encoded: Locked<Encoded?>

  private struct Encoded {
    var json: JSONValue
    var size: Int
  }

  /// Values of up to this many bytes of JSON are compared by their JSON, which costs less than finding what they share.
  private static let smallBytes = 1_024

  init<Value: Encodable>(_ place: UnsafePointer<Value>) {
    type = ObjectIdentifier(Value.self)
    bytes = Array(UnsafeRawBufferPointer(start: place, count: MemoryLayout<Value>.size))
    kept = KeptValue(place.pointee)
    encoded = Locked(Self.plainJSON(of: place.pointee).map { json in Encoded(json: json, size: 0) })
  }

  init(_ json: JSONValue) {
    (type, bytes, kept) = (nil, [], nil)
    encoded = Locked(Encoded(json: json, size: 0))
  }

  func isSame<Value>(_ place: UnsafePointer<Value>) -> Bool {
    guard type == ObjectIdentifier(Value.self) else { return false }
    return bytes.withUnsafeBytes { known in
      known.elementsEqual(UnsafeRawBufferPointer(start: place, count: known.count))
    }
  }

  /// The JSON of a string, an integer or a Boolean, made without an encoder.
  private static func plainJSON<Value>(of value: Value) -> JSONValue? {
    if Value.self == String.self, let value = value as? String { return .string(value) }
    if Value.self == Int.self, let value = value as? Int { return .number(JSONNumber(value)) }
    if Value.self == Bool.self, let value = value as? Bool { return .bool(value) }
    if Value.self == EncodedNull.self { return .null }
    return nil
  }
}

extension KnownValue {
  func json(counting work: inout Int) throws -> JSONValue {
    if let encoded = encoded.withLock({ encoded in encoded }) { return encoded.json }
    guard let kept else { preconditionFailure("a value without JSON is kept") }
    let bytes = try kept.canonicalBytes()
    work += bytes.count
    let new = Encoded(json: StateTree(try JSONValue(parsing: bytes)).root, size: bytes.count)
    encoded.withLock { encoded in encoded = new }
    return new.json
  }

  func json(orElse other: JSONValue?) -> JSONValue? {
    var work = 0
    do { return try json(counting: &work) } catch { return other }
  }

  /// The kinds of the value, without its JSON if possible.
  func kinds(counting work: inout Int) throws -> ValueKinds {
    if let encoded = encoded.withLock({ encoded in encoded }) { return ValueKinds(encoded.json) }
    if let shape = try kept?.shape() { return shape.kind == .object ? .object : .array }
    return ValueKinds(try json(counting: &work))
  }

  /// The number of elements, members or characters of the value; `nil` for other values.
  func count(counting work: inout Int) throws -> Int? {
    if let encoded = encoded.withLock({ encoded in encoded }) { return encoded.json.elementCount }
    return try kept?.shape()?.count ?? json(counting: &work).elementCount
  }

  /// Whether the object has a member of a name; `nil` if only the JSON shows it.
  func hasMember(named name: String) throws -> Bool? {
    try kept?.shape(lookingFor: name)?.hasMember
  }

  /// The parts that differ from an older value; `nil` if the two are equal.
  func difference(from old: KnownValue, counting work: inout Int) throws -> UnsharedParts? {
    if !old.isSmall, let kept, let keptOld = old.kept, type == old.type {
      let parts = try kept.unshared(with: keptOld)
      work += parts.old.count + parts.new.count
      if parts.areWhole, parts.new.count <= Self.smallBytes {
        let json = StateTree(try JSONValue(parsing: parts.new)).root
        encoded.withLock { encoded in encoded = Encoded(json: json, size: parts.new.count) }
      }
      return parts.areEqual ? nil : try UnsharedParts(parts)
    }
    let (oldJSON, json) = (try old.json(counting: &work), try json(counting: &work))
    return oldJSON == json
      ? nil : UnsharedParts(old: StateTree(oldJSON), new: StateTree(json), areWhole: true, visited: 0)
  }

  /// Whether the JSON is known and short enough to be compared directly.
  private var isSmall: Bool {
    encoded.withLock { encoded in encoded.map { encoded in encoded.size <= Self.smallBytes } ?? false }
  }

  /// Whether the value is small and its JSON known, so that a comparison costs nothing.
  var isPlain: Bool { encoded.withLock { encoded in encoded?.size == 0 } }
}

/// A value behind a reference, for a type-erased copy.
final class KeptValue<Value> {
  fileprivate let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// Not inlined, so that the type is found in the object instead of being looked up by callers that know a part of it.
  @inline(never)
  func copy() -> Value { value }
}

/// A copied value without its type.
protocol KeptEncodable: AnyObject {
  func canonicalBytes() throws -> [UInt8]
  /// The bytes that this value and an older one of the same type do not share.
  func unshared(with old: any KeptEncodable) throws -> UnsharedBytes
  func shape(lookingFor name: String?) throws -> ValueShape?
}

extension KeptEncodable {
  fileprivate func shape() throws -> ValueShape? { try shape(lookingFor: nil) }
}

extension KeptValue: KeptEncodable where Value: Encodable {
  func canonicalBytes() throws -> [UInt8] { try StrictJSONEncoder(form: .canonical).encode(value) }

  func unshared(with old: any KeptEncodable) throws -> UnsharedBytes {
    guard let old = old as? KeptValue<Value> else { preconditionFailure("the values are of one type") }
    return try UnsharedBytes(encoding: old.value, value)
  }

  func shape(lookingFor name: String?) throws -> ValueShape? {
    try ValueShape(of: value, lookingFor: name)
  }
}
