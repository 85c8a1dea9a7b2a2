import JSONCoding

/// Kinds of values: what was met at a place.
struct ValueKinds: OptionSet, Hashable, Sendable {
  let rawValue: UInt8

  static let null = ValueKinds(rawValue: 1)
  static let bool = ValueKinds(rawValue: 2)
  static let number = ValueKinds(rawValue: 4)
  static let string = ValueKinds(rawValue: 8)
  static let array = ValueKinds(rawValue: 16)
  static let object = ValueKinds(rawValue: 32)

  init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The kind of a value; two of them for a string that holds a number, as a `Decimal` is encoded.
  init(comparing value: JSONValue) {
    self.init(value)
    if case .string(let text) = value, JSONNumber(text) != nil { insert(.number) }
  }

  /// The kind of a value.
  init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool: self = .bool
    case .number: self = .number
    case .string: self = .string
    case .array: self = .array
    case .object: self = .object
    }
  }

  /// Those that have an order among each other.
  static let ordered: ValueKinds = [.number, .string]
  /// Those that something can be contained in.
  static let containers: ValueKinds = [.string, .array, .object]
}

extension ValueKinds: CustomStringConvertible {
  private static let words: [(kind: ValueKinds, word: String)] = [
    (.number, "a number"), (.string, "a string"), (.bool, "true or false"), (.array, "an array"),
    (.object, "an object"),
    (.null, "null"),
  ]

  /// In words, for instance `a number or a string`.
  var description: String {
    let words = Self.words.filter { kind, _ in contains(kind) }.map(\.word)
    guard let last = words.last, words.count > 1 else { return words.first ?? "nothing" }
    return words.dropLast().joined(separator: ", ") + " or " + last
  }
}
