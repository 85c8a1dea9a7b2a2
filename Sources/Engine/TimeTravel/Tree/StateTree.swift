public import JSONCoding

/// A state as a tree of JSON values: what pointers address, what is compared, what the user reads.
///
/// The tree is the canonical form of the state: the members of all objects are sorted, a `Set` is a sorted array, a dictionary whose
/// keys are not like strings is an array of alternating keys and values. A pointer addresses that form. In such an array it can
/// address a value by its key, too, if the key is a string there (a `UUID`, for instance): `/orders/4C1D…` stays with its entry when
/// the indices of others change. An array of nothing but strings has no keys.
public struct StateTree: Hashable, Sendable {
  /// The whole state. The members of all objects stand in order of the bytes of their names.
  public let root: JSONValue

  /// Makes a tree from a JSON value; members that are not in order are sorted.
  ///
  /// - Complexity: O(size) when they are in order already, which keeps the storage of `value`.
  public init(_ value: JSONValue) {
    self.root = MemberOrder.sorting(value)
  }

  /// Makes a tree from JSON text.
  ///
  /// - Throws: `JSONError` with the first byte that is wrong.
  /// - Complexity: O(size).
  public init(parsing bytes: some Collection<UInt8>) throws(JSONError) {
    self.init(try JSONValue(parsing: bytes))
  }
}
