import JSONCoding

/// The order of members in the canonical form: by the bytes of their names.
enum MemberOrder {
  /// Whether `left` comes before `right`; Swift's own order of strings is another one.
  static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
  }

  /// Returns the value with the members of all objects in order.
  static func sorting(_ value: JSONValue) -> JSONValue {
    sorted(value) ?? value
  }

  /// Returns the sorted value, or `nil` when it is in order already, so that storage is kept and shared.
  private static func sorted(_ value: JSONValue) -> JSONValue? {
    switch value {
    case .null, .bool, .number, .string: nil
    case .array(let elements): sorted(elements).map(JSONValue.array)
    case .object(let object): sorted(object).map(JSONValue.object)
    }
  }

  private static func sorted(_ elements: [JSONValue]) -> [JSONValue]? {
    var result: [JSONValue]?
    for (index, element) in elements.enumerated() {
      guard let element = sorted(element) else { continue }
      result = result ?? elements
      result?[index] = element
    }
    return result
  }

  private static func sorted(_ object: JSONObject) -> JSONObject? {
    let isInOrder = zip(object, object.dropFirst()).allSatisfy { member, next in precedes(member.name, next.name) }
    let values = object.map { member in sorted(member.value) }
    if isInOrder, values.allSatisfy({ value in value == nil }) { return nil }
    var members = zip(object, values).map { member, value in (name: member.name, value: value ?? member.value) }
    if !isInOrder { members.sort { left, right in precedes(left.name, right.name) } }
    return JSONObject(members)
  }
}
