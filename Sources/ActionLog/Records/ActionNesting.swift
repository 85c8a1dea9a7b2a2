internal import JSONCoding

/// The two ways of writing an action, and the way from one to the other.
///
/// Swift writes an enum as `{"ui":{"_0":{"onTapDelete":{"animalId":"Dog"}}}}`. The log keeps the names of the cases apart
/// from the values: `ui.onTapDelete` and `{"animalId":"Dog"}`.
enum ActionNesting {
  /// A case on the way from the action to its values: a name, and where the object behind it stands in the bytes.
  struct Step {
    var key: String
    var content: Range<Int>
  }

  /// The types of actions that are no enums: an object as it is, or another value within an object.
  static let objectType = "_"
  static let valueType = "_0"

  /// Splits the bytes of an action along the way of its cases, as far as the rules of the format allow.
  static func flatten(_ bytes: [UInt8], along steps: some Sequence<Step>) -> ActionForm {
    var type = ""
    var content = 0..<bytes.count
    var partCount = 0
    for step in steps {
      let size = type.utf8.count + (partCount == 0 ? 0 : 1) + step.key.utf8.count
      guard isPart(step.key), partCount < LogFormat.typePartLimit, size <= LogFormat.typeLimitBytes else { break }
      if partCount > 0 { type += "." }
      type += step.key
      content = step.content
      partCount += 1
    }
    if partCount == 0 || type == objectType || type == valueType { return undividedForm(bytes) }
    return ActionForm(encodedType: type, data: Array(bytes[content]))
  }

  private static func undividedForm(_ bytes: [UInt8]) -> ActionForm {
    if bytes.first == UInt8(ascii: "{") { return ActionForm(encodedType: objectType, data: bytes) }
    return ActionForm(encodedType: valueType, data: Array(#"{"_0":"#.utf8) + bytes + [UInt8(ascii: "}")])
  }

  /// Whether a case's name can be a part of a type: it must be told apart from its neighbours and from control records.
  private static func isPart(_ key: String) -> Bool {
    guard let first = key.utf8.first, first != UInt8(ascii: "@") else { return false }
    return !key.utf8.contains(UInt8(ascii: "."))
  }

  /// Puts type and values together again, as Swift's coding of enums has them.
  ///
  /// It is purely syntactic and has a result for every type and every object.
  static func nest(type: String, data: ArraySlice<UInt8>) -> [UInt8] {
    if type == objectType { return Array(data) }
    if type == valueType { return onlyValue(of: data) }
    let parts = type.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(type.utf8.count + parts.count * 10 + data.count)
    for (index, part) in parts.enumerated() {
      bytes.append(contentsOf: (index == 0 ? "{" : #"{"_0":{"#).utf8)
      JSONText.appendString(String(Substring(part)), to: &bytes)
      bytes.append(UInt8(ascii: ":"))
    }
    bytes.append(contentsOf: data)
    bytes.append(contentsOf: repeatElement(UInt8(ascii: "}"), count: 2 * parts.count - 1))
    return bytes
  }

  /// The value of the one member `_0`; the object itself when it is any other.
  private static func onlyValue(of data: ArraySlice<UInt8>) -> [UInt8] {
    do throws(JSONError) {
      let root = try JSONTape(parsing: data).root
      guard root.count == 1, let value = root[valueType] else { return Array(data) }
      return Array(value.bytes)
    } catch {
      return Array(data)
    }
  }
}
