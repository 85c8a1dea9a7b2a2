import JSONCoding

/// Names of members that mean something to the tools around Redux: jsan takes an object with a member `$jsan` for a
/// date, a reference and so on, and Redux DevTools takes one with `__serializedType__` for a value of a class.
///
/// A member of a log that is called so gets an underscore behind its name on the way out, one that is called so with
/// underscores behind it one more, and loses it on the way back. So names that differ go on to differ.
enum PlainNames {
  private static let reserved = ["$jsan", "__serializedType__"]

  /// The name as DevTools may see it.
  static func escaped(_ name: String) -> String {
    stem(of: name) == nil ? name : name + "_"
  }

  /// The name as the log has it.
  static func restored(_ name: String) -> String {
    guard let stem = stem(of: name), name.utf8.count > stem.utf8.count else { return name }
    return String(name.dropLast())
  }

  /// Writes JSON that a log holds as DevTools may see it.
  ///
  /// - Complexity: O(length); the values are looked at only when a name in question may be among the bytes.
  static func append(_ json: some RandomAccessCollection<UInt8>, to output: inout [UInt8]) throws(JSONError) {
    guard mayHoldReserved(json) else {
      output += json
      return
    }
    rename(try JSONValue(parsing: json, maximumDepth: JSONTape.depthLimit), with: escaped).append(to: &output)
  }

  /// The value with its own names again.
  ///
  /// - Parameter pointer: Where the value stands.
  /// - Throws: ``InterchangeError/Code/notPlain`` at an object that is none.
  static func plain(_ value: JSONValue, at pointer: JSONPointer) throws(InterchangeError) -> JSONValue {
    if let place = firstReserved(in: value) {
      throw InterchangeError(
        .notPlain, "a value of JavaScript that JSON does not have (\"\(place.name)\")",
        pointer: JSONPointer(pointer.tokens + place.tokens).description,
        advice: "Let the application put plain values into its actions and its state, for instance dates as text.")
    }
    return rename(value, with: restored)
  }

  private static func stem(of name: String) -> String? {
    reserved.first { stem in
      name.hasPrefix(stem) && name.utf8.dropFirst(stem.utf8.count).allSatisfy { byte in byte == UInt8(ascii: "_") }
    }
  }

  /// Nesting is bounded by the reader of the text, and so is the recursion.
  private static func rename(_ value: JSONValue, with change: (String) -> String) -> JSONValue {
    switch value {
    case .array(let elements): .array(elements.map { element in rename(element, with: change) })
    case .object(let object):
      .object(JSONObject(object.map { name, value in (name: change(name), value: rename(value, with: change)) }))
    default: value
    }
  }

  private static func firstReserved(in value: JSONValue) -> (tokens: [String], name: String)? {
    switch value {
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        if let found = firstReserved(in: element) { return (tokens: [String(index)] + found.tokens, name: found.name) }
      }
    case .object(let object):
      for (name, value) in object {
        if reserved.contains(name) { return (tokens: [], name: name) }
        if let found = firstReserved(in: value) { return (tokens: [name] + found.tokens, name: found.name) }
      }
    default: break
    }
    return nil
  }

  /// Whether a name in question may stand in a text: as it is, or with escapes.
  private static func mayHoldReserved(_ json: some RandomAccessCollection<UInt8>) -> Bool {
    let found = json.withContiguousStorageIfAvailable { bytes in
      bytes.indices.contains { index in
        switch bytes[index] {
        case UInt8(ascii: "$"): bytes[index...].starts(with: "$jsan".utf8)
        case UInt8(ascii: "_"): bytes[index...].starts(with: "__serializedType__".utf8)
        case UInt8(ascii: "\\"): bytes[index...].starts(with: "\\u".utf8)
        default: false
        }
      }
    }
    return found ?? true
  }
}
