public import JSONCoding

/// The first difference between two states, in the order of the canonical form.
public struct StateDifference: Equatable, Sendable {
  /// The location: a pointer into the state as JSON.
  public var pointer: JSONPointer
  /// The value in the first state; `nil` if there is none.
  public var first: JSONValue?
  /// The value in the second state; `nil` if there is none.
  public var second: JSONValue?

  /// Compares two states in canonical form.
  ///
  /// - Returns: `nil` if they are equal.
  /// - Throws: `JSONError` if one of them is not JSON.
  /// - Complexity: O(size of both).
  init?(between first: [UInt8], _ second: [UInt8]) throws {
    if first == second { return nil }
    let place = Self.find(try JSONValue(parsing: first), try JSONValue(parsing: second), at: .root)
    guard let place else { return nil }
    self = place
  }

  private init(_ pointer: JSONPointer, _ first: JSONValue?, _ second: JSONValue?) {
    self.pointer = pointer
    self.first = first
    self.second = second
  }

  private static func find(_ first: JSONValue, _ second: JSONValue, at pointer: JSONPointer) -> StateDifference? {
    switch (first, second) {
    case (.object(let left), .object(let right)):
      for name in Set(left.names).union(right.names).sorted() where left[name] != right[name] {
        guard let old = left[name], let new = right[name] else {
          return StateDifference(pointer.appending(name), left[name], right[name])
        }
        return find(old, new, at: pointer.appending(name))
      }
      return nil
    case (.array(let left), .array(let right)):
      for index in 0..<max(left.count, right.count) {
        let old: JSONValue? = index < left.count ? left[index] : nil
        let new: JSONValue? = index < right.count ? right[index] : nil
        if old == new { continue }
        guard let old, let new else { return StateDifference(pointer.appending(index), old, new) }
        return find(old, new, at: pointer.appending(index))
      }
      return nil
    default:
      return first == second ? nil : StateDifference(pointer, first, second)
    }
  }
}
