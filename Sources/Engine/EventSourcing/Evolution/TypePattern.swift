/// The types that an upcaster lifts: one, or with `.*` at the end a type and all types that begin with it and a dot.
struct TypePattern: Hashable, Sendable {
  /// The type, or what the types begin with.
  let name: String
  let isPrefix: Bool

  init(_ text: String) {
    isPrefix = text.hasSuffix(".*")
    name = isPrefix ? String(text.dropLast(2)) : text
  }

  /// What is wrong with the pattern; `nil` if nothing is.
  var fault: String? {
    if name.isEmpty { return "a type has at least one name" }
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    if parts.contains("*") { return "'*' is the last part of a type, after at least one name" }
    return nil
  }

  /// The part of a type after the name and its dot; empty for the type of that name, `nil` for any other type.
  func rest(of type: String) -> Substring? {
    guard type.utf8.starts(with: name.utf8) else { return nil }
    let rest = type[type.utf8.index(type.startIndex, offsetBy: name.utf8.count)...]
    if rest.isEmpty { return rest }
    return isPrefix && rest.utf8.first == UInt8(ascii: ".") ? rest.dropFirst() : nil
  }
}

extension TypePattern {
  /// A type with the name of another pattern in place of this one's.
  func renamed(_ type: String, to new: TypePattern) -> String {
    guard let rest = rest(of: type), !rest.isEmpty else { return new.name }
    return new.name + "." + rest
  }
}

/// Values by the types that a pattern stands for. Of several patterns the longest counts, and a whole type before all of them.
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

  /// The value for a type.
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
