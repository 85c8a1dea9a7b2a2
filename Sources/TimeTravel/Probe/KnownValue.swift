import JSONCoding

/// A value that was read from a state, and what it is as JSON.
///
/// It holds a copy, and so keeps alive whatever the value refers to. What is referred to twice is copied before it is written, in
/// every type with the semantics of a value. So what has the same bytes later is the same value, and need not be encoded to be
/// compared; what has other bytes may be equal all the same.
final class KnownValue {
  let json: JSONValue

  private let type: ObjectIdentifier
  /// The bytes where the value lay. Those between its members are whatever they were, which is why a value is known again only
  /// where it stays in its place or is moved as a whole.
  private let bytes: [UInt8]
  private let copy: AnyObject

  init<Value>(_ place: UnsafePointer<Value>, _ json: JSONValue) {
    self.json = json
    type = ObjectIdentifier(Value.self)
    bytes = Array(UnsafeRawBufferPointer(start: place, count: MemoryLayout<Value>.size))
    copy = KeptValue(place.pointee)
  }

  /// Whether a value has the bytes of the one that was read.
  func isSame<Value>(_ place: UnsafePointer<Value>) -> Bool {
    guard type == ObjectIdentifier(Value.self) else { return false }
    return bytes.withUnsafeBytes { known in
      known.elementsEqual(UnsafeRawBufferPointer(start: place, count: known.count))
    }
  }
}

/// A value behind a reference.
final class KeptValue<Value> {
  private let value: Value

  init(_ value: Value) {
    self.value = value
  }

  /// It is not inlined: so the type is found in the object, where callers that know a part of it would look it up anew.
  @inline(never)
  func copy() -> Value { value }
}
