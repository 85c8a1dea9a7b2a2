extension CodingForm {
  init(decoding type: any Decodable.Type) {
    self = CodingForm(special: type) ?? (type is any DecodableDictionary.Type ? .dictionary : .plain)
  }
}

/// A dictionary that is read member by member.
///
/// In the standard library's own coding, a key that Swift considers equal replaces an earlier one: `é` in two normal
/// forms, or `5` and `05` as numbers. This would lose data of the text, so it is an error here.
protocol DecodableDictionary {
  static func decode(_ slot: SlotDecoder) throws -> Self
}

extension Dictionary: DecodableDictionary where Key: Decodable, Value: Decodable {
  static func decode(_ slot: SlotDecoder) throws -> [Key: Value] {
    if Key.self == String.self {
      return try decodeMembers(slot) { $0 as? Key }
    } else if Key.self == Int.self {
      return try decodeMembers(slot) { Int($0) as? Key }
    } else if let type = Key.self as? any CodingKeyRepresentable.Type {
      return try decodeMembers(slot) { type.init(codingKey: JSONCodingKey(name: $0)) as? Key }
    }
    return try decodePairs(slot)
  }

  private static func decodeMembers(_ slot: SlotDecoder, _ makeKey: (String) -> Key?) throws -> [Key: Value] {
    let (document, object) = (slot.document, slot.index)
    guard document.kind(object) == .object else { throw document.mismatch(object, Self.self, "an object") }
    var dictionary: [Key: Value] = [:]
    dictionary.reserveCapacity(document.token(object + 1).value)
    var name = object + 2
    let end = document.next(after: object)
    while name < end {
      document.visit(name + 1, at: 0, of: object, depth: slot.depth)
      guard let key = makeKey(document.string(name)) else {
        throw document.corrupted(name + 1, .invalidValue, "the name is no key of the type \(Key.self)")
      }
      let value = try document.decode(Value.self, name + 1, depth: slot.depth + 1)
      guard dictionary.updateValue(value, forKey: key) == nil else { throw document.repeated(name + 1) }
      name = document.next(after: name + 1)
    }
    return dictionary
  }

  private static func decodePairs(_ slot: SlotDecoder) throws -> [Key: Value] {
    let (document, array) = (slot.document, slot.index)
    guard document.kind(array) == .array else { throw document.mismatch(array, Self.self, "an array") }
    guard document.token(array + 1).value % 2 == 0 else {
      throw document.corrupted(array, .invalidValue, "the last key has no value")
    }
    var dictionary: [Key: Value] = [:]
    dictionary.reserveCapacity(document.token(array + 1).value / 2)
    var index = array + 2
    let end = document.next(after: array)
    while index < end {
      let value = document.next(after: index)
      document.visit(index, at: dictionary.count * 2, of: array, depth: slot.depth)
      let key = try document.decode(Key.self, index, depth: slot.depth + 1)
      document.visit(value, at: dictionary.count * 2 + 1, of: array, depth: slot.depth)
      let decoded = try document.decode(Value.self, value, depth: slot.depth + 1)
      guard dictionary.updateValue(decoded, forKey: key) == nil else { throw document.repeated(index) }
      index = document.next(after: value)
    }
    return dictionary
  }
}

extension DecodingDocument {
  fileprivate func repeated(_ index: Int) -> DecodingError {
    corrupted(index, .duplicateName, "the key is equal to an earlier one")
  }
}
