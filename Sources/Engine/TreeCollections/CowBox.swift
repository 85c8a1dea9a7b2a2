/// A copy-on-write box around a value.
///
/// Copying a box retains one reference, and comparing two copies of an unmodified box takes constant time. A box therefore suits
/// elements with many fields that are kept in many versions and compared often:
///
/// ```swift
/// struct Order: Codable, Hashable, Sendable {
///   @CowBox var details: Details          // a struct of twenty fields
///   var status: Status
/// }
/// ```
///
/// A box encodes, compares and hashes like its value, so boxing a property does not change its coded form. A box costs one
/// allocation when it is created and when a shared one is modified, so it does not pay for small values. The elements of a
/// ``TreeDictionary`` do not need it to be copied cheaply: the dictionary shares them already.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 18.
@frozen
@propertyWrapper
@dynamicMemberLookup
public struct CowBox<Value> {
  @usableFromInline var storage: CowStorage<Value>

  /// Creates a box.
  @inlinable
  public init(wrappedValue: Value) {
    storage = CowStorage(wrappedValue)
  }

  /// Creates a box.
  @inlinable
  public init(_ value: Value) {
    self.init(wrappedValue: value)
  }

  /// The value.
  ///
  /// It is modified in place if no other copy of the box shares it.
  ///
  /// - Complexity: O(1) to read. A modification copies the value if it is shared.
  @inlinable
  public var wrappedValue: Value {
    get { storage.value }
    set {
      if isKnownUniquelyReferenced(&storage) {
        storage.value = newValue
      } else {
        storage = CowStorage(newValue)
      }
    }
    _modify {
      if !isKnownUniquelyReferenced(&storage) { storage = CowStorage(storage.value) }
      yield &storage.value
    }
  }

  /// The box itself.
  @inlinable
  public var projectedValue: Self { self }

  /// A property of the value.
  @inlinable
  public subscript<Member>(dynamicMember member: KeyPath<Value, Member>) -> Member { storage.value[keyPath: member] }

  /// A mutable property of the value.
  @inlinable
  public subscript<Member>(dynamicMember member: WritableKeyPath<Value, Member>) -> Member {
    get { storage.value[keyPath: member] }
    _modify { yield &wrappedValue[keyPath: member] }
  }

  /// Whether two boxes share their storage: one is a copy of the other, and neither has been modified since.
  ///
  /// - Returns: `true` if they share their value, and are therefore equal. If `false`, they may still be equal.
  @inlinable
  public func isTriviallyIdentical(to other: Self) -> Bool { storage === other.storage }
}

/// The storage that copies of a box share.
@usableFromInline
final class CowStorage<Value> {
  // Modified only through a box that holds the only reference and is itself under exclusive access.
  @usableFromInline
  @exclusivity(unchecked)
  var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}

// Storage is written only by a box that holds the only reference to it; shared storage is only read.
extension CowBox: @unchecked Sendable where Value: Sendable {}

extension CowBox: Equatable where Value: Equatable {
  /// Whether two boxes contain equal values.
  ///
  /// Boxes that share their storage are equal even if the value is not equal to itself, as with `Double.nan`.
  ///
  /// - Complexity: O(1) for copies of one box, otherwise that of comparing the values.
  @inlinable
  public static func == (left: Self, right: Self) -> Bool {
    left.isTriviallyIdentical(to: right) || left.storage.value == right.storage.value
  }
}

extension CowBox: Hashable where Value: Hashable {
  /// Hashes the value.
  @inlinable
  public func hash(into hasher: inout Hasher) { storage.value.hash(into: &hasher) }
}

extension CowBox: Encodable where Value: Encodable {
  /// Encodes the value as if it were not boxed.
  @inlinable
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(storage.value)
  }
}

extension CowBox: Decodable where Value: Decodable {
  /// Decodes the value as if it were not boxed.
  @inlinable
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Value.self))
  }
}

extension CowBox: CustomStringConvertible {
  /// The description of the value.
  public var description: String { String(describing: storage.value) }
}

extension CowBox: CustomReflectable {
  /// The mirror of the value.
  public var customMirror: Mirror { Mirror(reflecting: storage.value) }
}
