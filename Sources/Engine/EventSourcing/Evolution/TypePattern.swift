/// A pattern for the types that an upcaster lifts: one type, or, with `.*` at the end, a type and all types that begin with it and
/// a dot.
struct TypePattern: Hashable, Sendable {
  /// The type, or the common beginning of the types.
  let name: String
  let isPrefix: Bool

  init(_ text: String) {
    isPrefix = text.hasSuffix(".*")
    name = isPrefix ? String(text.dropLast(2)) : text
  }

  /// The error in the pattern; `nil` if it is valid.
  var fault: String? {
    if name.isEmpty { return "a type must have at least one name" }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.contains("*") { return "'*' must be the last part of a type, after at least one name" }
    return nil
  }

  /// Returns the part of a type after the name and its dot; empty for the type of that name, `nil` for any other type.
  func rest(of type: String) -> Substring? {
    guard type.utf8.starts(with: name.utf8) else { return nil }
    let rest = type[type.utf8.index(type.startIndex, offsetBy: name.utf8.count)...]
    if rest.isEmpty { return rest }
    return isPrefix && rest.utf8.first == UInt8(ascii: ".") ? rest.dropFirst() : nil
  }
}

extension TypePattern {
  /// Replaces this pattern's name in a type with that of another pattern.
  func renamed(_ type: String, to new: TypePattern) -> String {
    guard let rest = rest(of: type), !rest.isEmpty else { return new.name }
    return new.name + "." + rest
  }
}

/// Values by type pattern. The longest matching pattern counts, and a complete type before any pattern.
struct TypeMap<Value: Sendable>: Sendable {
  private var whole: [String: Value] = [:]
  private var prefixes: [String: Value] = [:]

  var isEmpty: Bool { whole.isEmpty && prefixes.isEmpty }

  /// Adds a value.
  ///
  /// - Returns: Whether the pattern was new.
  mutating func insert(_ value: Value, for pattern: TypePattern) -> Bool {
    if pattern.isPrefix { return prefixes.updateValue(value, forKey: pattern.name) == nil }
    return whole.updateValue(value, forKey: pattern.name) == nil
  }

  /// Adds the patterns of another map.
  mutating func formUnion(_ other: TypeMap) {
    whole.merge(other.whole) { first, _ in first }
    prefixes.merge(other.prefixes) { first, _ in first }
  }

  /// Returns the value for a type.
  ///
  /// - Complexity: O(length of the type), times the number of its parts if there are prefixes.
  subscript(type: String) -> Value? {
    if let value = whole[type] { return value }
    if prefixes.isEmpty { return nil }
    var name = Substring(type)
    while true {
      if let value = prefixes[String(name)] { return value }
      guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
      name = name[..<dot]
    }
  }
}
