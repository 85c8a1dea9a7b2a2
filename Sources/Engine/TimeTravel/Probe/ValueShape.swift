/// The kind and size of an array or an object, found without encoding its parts.
struct ValueShape {
  enum Kind { case object, array }

  let kind: Kind
  let count: Int
  let hasMember: Bool
}

extension ValueShape {
  /// Reads a value; `nil` for a scalar, and for a coding that cannot be followed.
  init?<Value: Encodable>(of value: Value, lookingFor name: String?) throws {
    if let counted = value as? any ProbedCount {
      self.init(
        kind: counted.isEncodedAsObject ? .object : .array, count: counted.encodedCount,
        hasMember: name.map(counted.hasMember) ?? false)
    } else {
      guard let shape = try ShapeReader(value)?.shape(lookingFor: name) else { return nil }
      self = shape
    }
  }
}

/// Collects what a value encodes on its outermost level.
private final class ShapeReader: EncodingVisitor {
  private var names: [String] = []
  private var elementCount = 0
  private var kind: ValueShape.Kind?
  /// Reads the value that is encoded instead.
  private var inner: ((_ name: String?) throws -> ValueShape?)?
  var isLost = false

  /// Reads a value; `nil` for a coding that cannot be followed.
  init?<Value: Encodable>(_ value: Value) throws {
    guard ProbeStep(Value.self).isPlain else { return nil }
    try value.encode(to: VisitingEncoder(visitor: self, depth: 0))
    if isLost { return nil }
  }

  func begin(_ kind: ValueShape.Kind, at depth: Int) {
    // A value with two kinds of containers has no single shape.
    if self.kind != nil, self.kind != kind { isLost = true }
    self.kind = kind
  }

  func visit<Value: Encodable>(_ value: Value, named name: String, at depth: Int) { names.append(name) }

  func visit<Value: Encodable>(_ value: Value, index: Int, at depth: Int) { elementCount += 1 }

  func visit<Value: Encodable>(replacement value: Value, at depth: Int) {
    inner = { name in try ValueShape(of: value, lookingFor: name) }
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type, at depth: Int) -> KeyedEncodingContainer<Key> {
    KeptMemberContainer.container(keyedBy: type, of: self, at: depth)
  }

  func shape(lookingFor wanted: String?) throws -> ValueShape? {
    if let inner { return try inner(wanted) }
    return kind.map { kind in
      ValueShape(
        kind: kind, count: kind == .object ? names.count : elementCount,
        hasMember: wanted.map { wanted in names.contains { name in name.utf8.elementsEqual(wanted.utf8) } } ?? false)
    }
  }
}
