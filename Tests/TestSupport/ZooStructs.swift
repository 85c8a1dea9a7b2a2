/// A struct without members.
package struct ZooEmpty: Codable, Hashable {
  package init() {}
}

/// A struct whose members do not stand in alphabetical order.
package struct ZooPoint: Codable, Hashable {
  package var y: Int
  package var x: Int
  package var kind: ZooKind?

  package init(x: Int, y: Int, kind: ZooKind? = nil) {
    self.y = y
    self.x = x
    self.kind = kind
  }

  package init(using generator: inout SeededGenerator) {
    y = Int.random(in: -20...20, using: &generator)
    x = Int.random(in: -20...20, using: &generator)
    kind = generator.optional { $0.element(ZooKind.allCases) }
  }
}

/// A generic struct.
package struct ZooPair<First: Codable & Equatable, Second: Codable & Equatable>: Codable, Equatable {
  package var second: Second
  package var first: First

  package init(first: First, second: Second) {
    self.second = second
    self.first = first
  }
}

/// A set of options, which encodes itself as its raw value.
package struct ZooOptions: OptionSet, Codable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }
}

/// A key of dictionaries that says which name it has.
package struct ZooTag: Codable, Hashable, CodingKeyRepresentable {
  package var text: String

  package init(text: String) {
    self.text = text
  }

  package init?(codingKey: some CodingKey) {
    guard codingKey.stringValue.hasPrefix("#") else { return nil }
    text = String(codingKey.stringValue.dropFirst())
  }

  package var codingKey: any CodingKey { ZooKey("#" + text) }
}

/// A key with a name of any kind.
package struct ZooKey: CodingKey {
  package let stringValue: String
  package var intValue: Int? { Int(stringValue) }

  package init(_ name: String) {
    stringValue = name
  }

  package init?(stringValue: String) {
    self.init(stringValue)
  }

  package init?(intValue: Int) {
    self.init(String(intValue))
  }
}

/// Members whose names need escapes, are not ASCII, are long, or look like numbers.
package struct ZooNames: Codable, Equatable {
  package var empty: Int
  package var quote: Int
  package var control: String
  package var accent: Int
  package var decomposed: Int
  package var japanese: Int
  package var fox: Int
  package var number: Int
  package var long: Int
  package var underscore: Int

  private enum CodingKeys: String, CodingKey {
    case fox = "🦊"
    case empty = ""
    case quote = "a\"b\\c/"
    case control = "\u{0}\n\u{1F}\u{7F}"
    case accent = "é"
    case decomposed = "e\u{300}"
    case japanese = "日本"
    case number = "12"
    case long = "a name that is longer than any of the small strings that are kept without a heap allocation"
    case underscore = "_0"
  }

  package init(using generator: inout SeededGenerator) {
    empty = generator.integer()
    quote = generator.integer()
    control = generator.string()
    accent = generator.integer()
    decomposed = generator.integer()
    japanese = generator.integer()
    fox = generator.integer()
    number = generator.integer()
    long = generator.integer()
    underscore = generator.integer()
  }
}
