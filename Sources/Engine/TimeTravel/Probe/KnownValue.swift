import JSONCoding
import Platform

/// A value read from a state. Its JSON is made only when it is needed.
///
/// The value is kept as a copy, which keeps everything alive that it refers to. Types with value semantics copy shared storage before
/// they write to it. So a later value with the same bytes is the same value, and need not be encoded. A value with other bytes can
/// still be equal.
final class KnownValue: @unchecked Sendable {
  // The copy is part of a state, which is `Sendable`, and is never written. The JSON is behind a lock.

  private let type: ObjectIdentifier?
  /// The bytes of the value in memory, padding included. Where only padding differs, the values are compared.
  private let bytes: [UInt8]
  /// The value; `nil` if only its JSON is known.
  private let kept: (any KeptEncodable)?
  private let encoded: Locked<Encoded?>

  private struct Encoded {
    var json: JSONValue
    var size: Int
  }

  /// Values of up to this many bytes of JSON are compared by their JSON: finding what two values share costs more than that.
  private static let smallBytes = 1_024

  /// Keeps the value at an address.
  init<Value: Encodable>(_ place: UnsafePointer<Value>) {
    type = ObjectIdentifier(Value.self)
    bytes = Array(UnsafeRawBufferPointer(start: place, count: MemoryLayout<Value>.size))
    kept = KeptValue(place.pointee)
    encoded = Locked(Self.plainJSON(of: place.pointee).map { json in Encoded(json: json, size: 0) })
  }

  /// Keeps only the JSON of a value.
  init(_ json: JSONValue) {
    (type, bytes, kept) = (nil, [], nil)
    encoded = Locked(Encoded(json: json, size: 0))
  }

  /// Whether a value has the bytes of this one.
  func isSame<Value>(_ place: UnsafePointer<Value>) -> Bool {
    guard type == ObjectIdentifier(Value.self) else { return false }
    return bytes.withUnsafeBytes { known in
      known.elementsEqual(UnsafeRawBufferPointer(start: place, count: known.count))
    }
  }

  /// The JSON of a string, an integer or a Boolean, which needs no encoder.
  private static func plainJSON<Value>(of value: Value) -> JSONValue? {
    if Value.self == String.self, let value = value as? String { return .string(value) }
    if Value.self == Int.self, let value = value as? Int { return .number(JSONNumber(value)) }
    if Value.self == Bool.self, let value = value as? Bool { return .bool(value) }
    return nil
  }
}

extension KnownValue {
  /// The value as JSON.
  ///
  /// - Parameter work: Counts the bytes that had to be encoded.
  /// - Throws: The errors of the value's own coding.
  /// - Complexity: O(size of the value) at the first call.
  func json(counting work: inout Int) throws -> JSONValue {
    if let encoded = encoded.withLock({ encoded in encoded }) { return encoded.json }
    guard let kept else { preconditionFailure("a value without JSON is kept") }
    let bytes = try kept.canonicalBytes()
    work += bytes.count
    let new = Encoded(json: StateTree(try JSONValue(parsing: bytes)).root, size: bytes.count)
    encoded.withLock { encoded in encoded = new }
    return new.json
  }

  /// The value as JSON, or `other` if it cannot be encoded.
  func json(orElse other: JSONValue?) -> JSONValue? {
    var work = 0
    do { return try json(counting: &work) } catch { return other }
  }

  /// What a test can know without the value's JSON: its kind.
  ///
  /// - Complexity: O(number of its members) for a struct; O(1) for the collections that ``ProbedCount`` names.
  func kinds(counting work: inout Int) throws -> ValueKinds {
    if let encoded = encoded.withLock({ encoded in encoded }) { return ValueKinds(encoded.json) }
    if let shape = try kept?.shape() { return shape.kinds }
    return ValueKinds(try json(counting: &work))
  }

  /// How many elements, members or characters the value has; `nil` if it has none.
  ///
  /// - Complexity: That of ``kinds(counting:)``; O(size) for a string.
  func count(counting work: inout Int) throws -> Int? {
    if let encoded = encoded.withLock({ encoded in encoded }) { return encoded.json.elementCount }
    return try kept?.shape()?.count ?? json(counting: &work).elementCount
  }

  /// Whether the object has a member of a name; `nil` if only the JSON tells.
  func hasMember(named name: String) throws -> Bool? {
    try kept?.shape(lookingFor: name)?.hasMember
  }

  /// What differs from an older value; `nil` if the two are equal.
  ///
  /// - Parameter work: Counts the bytes that had to be encoded.
  /// - Throws: What the coding of the values throws.
  /// - Complexity: O(size of what the two do not share).
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

  /// Whether the JSON is known, and short enough to be compared as a whole.
  private var isSmall: Bool {
    encoded.withLock { encoded in encoded.map { encoded in encoded.size <= Self.smallBytes } ?? false }
  }

  /// Whether the value and its JSON are the same small thing, so that comparing costs nothing.
  var isPlain: Bool { encoded.withLock { encoded in encoded?.size == 0 } }
}

/// A value behind a reference.
final class KeptValue<Value> {
  fileprivate let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// It is not inlined: so the type is found in the object, where callers that know a part of it would look it up anew.
  @inline(never)
  func copy() -> Value { value }
}

/// A kept value whose type is not known any more.
private protocol KeptEncodable: AnyObject {
  func canonicalBytes() throws -> [UInt8]
  /// The bytes that an older value of the same type and this one do not share.
  func unshared(with old: any KeptEncodable) throws -> UnsharedBytes
  func shape(lookingFor name: String?) throws -> ValueShape?
}

extension KeptEncodable {
  fileprivate func shape() throws -> ValueShape? { try shape(lookingFor: nil) }
}

extension KeptValue: KeptEncodable where Value: Encodable {
  fileprivate func canonicalBytes() throws -> [UInt8] { try StrictJSONEncoder(form: .canonical).encode(value) }

  fileprivate func unshared(with old: any KeptEncodable) throws -> UnsharedBytes {
    guard let old = old as? KeptValue<Value> else { preconditionFailure("the values are of one type") }
    return try UnsharedBytes(encoding: old.value, value)
  }

  fileprivate func shape(lookingFor name: String?) throws -> ValueShape? {
    try ValueShape(of: value, lookingFor: name)
  }
}
