import ActionLog
import JSONCoding

/// Escaping of member names that are special to Redux tools: jsan interprets an object with a member `$jsan`, and Redux DevTools one with
/// `__serializedType__`. An underscore is appended to these names, and to the same names followed by underscores: the mapping is
/// injective.
enum PlainNames {
  private static let reserved = ["$jsan", "__serializedType__"]

  static func escaped(_ name: String) -> String {
    stem(of: name) == nil ? name : name + "_"
  }

  /// Returns the original name of an escaped name.
  static func restored(_ name: String) -> String {
    guard let stem = stem(of: name), name.utf8.count > stem.utf8.count else { return name }
    return String(name.dropLast())
  }

  /// Appends JSON with escaped names.
  static func append(_ json: some RandomAccessCollection<UInt8>, to output: inout [UInt8]) throws(JSONError) {
    guard mayHoldReserved(json) else {
      output += json
      return
    }
    rename(try JSONValue(parsing: json, maximumDepth: JSONTape.depthLimit), with: escaped).append(to: &output)
  }

  /// Returns a value with the original names.
  static func plain(_ value: JSONValue, at pointer: JSONPointer) throws(InterchangeError) -> JSONValue {
    if let place = firstReserved(in: value) {
      throw InterchangeError(
        .notPlain, "a serialized JavaScript value that is not plain JSON (\"\(place.name)\")",
        pointer: JSONPointer(pointer.tokens + place.tokens),
        advice: "Use only plain values in actions and state, for instance dates as strings.")
    }
    return rename(value, with: restored)
  }

  private static func stem(of name: String) -> String? {
    reserved.first { stem in
      name.hasPrefix(stem) && name.utf8.dropFirst(stem.utf8.count).allSatisfy { byte in byte == UInt8(ascii: "_") }
    }
  }

  /// The recursion is bounded by the parser's nesting limit.
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

  /// Whether a text may contain a special name, literally or with escapes.
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
