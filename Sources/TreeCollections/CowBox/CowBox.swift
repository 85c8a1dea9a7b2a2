/// A value in a box that copies share until one of them changes it.
///
/// Copying a large struct copies, and counts, each of its fields; copying a box counts one reference. And two boxes that were never
/// changed are equal without a look at what is in them. So a box suits elements of many fields that are kept in many versions and
/// compared often:
///
/// ```swift
/// struct Order: Codable, Hashable, Sendable {
///   @CowBox var details: Details          // a struct of twenty fields
///   var status: Status
/// }
/// ```
///
/// It codes, compares and hashes as its value does, so that putting a value into a box changes no bytes. A box costs an allocation
/// when it is made and when a shared one is changed; for small values it is a loss. Elements of a ``TreeDictionary``
/// need none for their copies' sake: they are in boxes already.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 18.
@frozen
@propertyWrapper
@dynamicMemberLookup
public struct CowBox<Value> {
  @usableFromInline var storage: CowStorage<Value>

  /// Puts a value into a box.
  ///
  /// - Complexity: O(1).
  @inlinable
  public init(wrappedValue: Value) {
    storage = CowStorage(wrappedValue)
  }

  /// Puts a value into a box.
  ///
  /// - Complexity: O(1).
  @inlinable
  public init(_ value: Value) {
    self.init(wrappedValue: value)
  }

  /// The value.
  ///
  /// It is changed in place when no other copy of the box shares it.
  ///
  /// - Complexity: O(1) to read; to change, a copy of the value if it is shared.
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

  /// A part of the value.
  @inlinable
  public subscript<Part>(dynamicMember part: KeyPath<Value, Part>) -> Part { storage.value[keyPath: part] }

  /// A part of the value that can be changed.
  @inlinable
  public subscript<Part>(dynamicMember part: WritableKeyPath<Value, Part>) -> Part {
    get { storage.value[keyPath: part] }
    _modify { yield &wrappedValue[keyPath: part] }
  }

  /// Whether two boxes are known to be equal, because one is a copy of the other and neither was changed since.
  ///
  /// - Returns: `true` if they share their value. `false` says nothing about equality.
  /// - Complexity: O(1).
  @inlinable
  public func isTriviallyIdentical(to other: Self) -> Bool { storage === other.storage }
}

/// What copies of a box share.
@usableFromInline
final class CowStorage<Value> {
  // Changed only through a box that alone refers to it and is itself under exclusive access.
  @usableFromInline
  @exclusivity(unchecked)
  var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }
}

// A storage is written by a box that alone refers to it, and otherwise only read.
extension CowBox: @unchecked Sendable where Value: Sendable {}
