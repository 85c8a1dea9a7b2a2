package import JSONCoding

extension JSONValue {
  /// The locations of the value and of all values in it, from top to bottom.
  package func paths(from pointer: JSONPointer = .root) -> [JSONPointer] {
    switch self {
    case .null, .bool, .number, .string: [pointer]
    case .array(let elements):
      [pointer] + elements.enumerated().flatMap { index, element in element.paths(from: pointer.appending(index)) }
    case .object(let object):
      [pointer] + object.flatMap { member in member.value.paths(from: pointer.appending(member.name)) }
    }
  }
}
