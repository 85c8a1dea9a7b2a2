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
