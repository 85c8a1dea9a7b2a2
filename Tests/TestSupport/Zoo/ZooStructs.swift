/// A struct without members.
package struct ZooEmpty: Codable, Hashable {
  package init() {}
}

/// A struct whose members are not in alphabetical order.
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

/// An option set, which encodes itself as its raw value.
package struct ZooOptions: OptionSet, Codable, Hashable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }
}

/// A dictionary key that determines its name.
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

/// A coding key with any name.
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

/// Handwritten coding: nested containers of every kind, some of them empty.
package struct ZooHandWritten: Equatable {
  package var numbers: [Int]
  package var names: [String]
  package var point: ZooPoint
  package var kind: ZooKind
  package var table: [String: Int]
  package var wrapped: ZooWrapper

  package init(using generator: inout SeededGenerator) {
    numbers = generator.array { $0.integer() }
    names = numbers.map { _ in generator.string() }
    point = ZooPoint(using: &generator)
    kind = generator.element(ZooKind.allCases)
    table = generator.dictionary {
      $0.string()
    } value: {
      $0.integer()
    }
    wrapped = ZooWrapper(value: generator.array { ZooPoint(using: &$0) })
  }
}

extension ZooHandWritten: Codable {
  private enum Keys: CodingKey {
    case turns, late, table, list, wrapped, empty
  }

  private enum TurnKeys: CodingKey {
    case numbers, names, kind
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var turns = container.nestedContainer(keyedBy: TurnKeys.self, forKey: .turns)
    var first = turns.nestedUnkeyedContainer(forKey: .numbers)
    for number in numbers { try first.encode(number) }
    var second = turns.nestedUnkeyedContainer(forKey: .names)
    for name in names { try second.encode(name) }
    try turns.encode(kind, forKey: .kind)
    try point.encode(to: container.superEncoder(forKey: .late))
    try table.encode(to: container.superEncoder(forKey: .table))
    var list = container.nestedUnkeyedContainer(forKey: .list)
    try list.encodeNil()
    var inner = list.nestedContainer(keyedBy: TurnKeys.self)
    try inner.encode(kind, forKey: .kind)
    var innermost = list.nestedUnkeyedContainer()
    try innermost.encode(names)
    try point.encode(to: list.superEncoder())
    try container.encode(wrapped, forKey: .wrapped)
    _ = container.superEncoder(forKey: .empty)
  }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    let turns = try container.nestedContainer(keyedBy: TurnKeys.self, forKey: .turns)
    var first = try turns.nestedUnkeyedContainer(forKey: .numbers)
    var second = try turns.nestedUnkeyedContainer(forKey: .names)
    numbers = []
    names = []
    while !first.isAtEnd {
      numbers.append(try first.decode(Int.self))
      names.append(try second.decode(String.self))
    }
    table = try [String: Int](from: container.superDecoder(forKey: .table))
    point = try ZooPoint(from: container.superDecoder(forKey: .late))
    kind = try turns.decode(ZooKind.self, forKey: .kind)
    wrapped = try container.decode(ZooWrapper.self, forKey: .wrapped)
    _ = try container.decode(ZooEmpty.self, forKey: .empty)
    try check(container.nestedUnkeyedContainer(forKey: .list))
  }

  private func check(_ list: any UnkeyedDecodingContainer) throws {
    var list = list
    let isNil = try list.decodeNil()
    let inner = try list.nestedContainer(keyedBy: TurnKeys.self)
    var innermost = try list.nestedUnkeyedContainer()
    let isRight =
      try isNil && inner.decode(ZooKind.self, forKey: .kind) == kind && innermost.decode([String].self) == names
      && ZooPoint(from: list.superDecoder()) == point && list.isAtEnd && innermost.isAtEnd
    guard isRight else {
      throw DecodingError.dataCorruptedError(in: list, debugDescription: "the list holds other values")
    }
  }
}

/// A value that encodes itself as another value, through two single value containers.
package struct ZooWrapper: Codable, Equatable {
  package var value: [ZooPoint]

  package init(value: [ZooPoint]) {
    self.value = value
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(Optional(value))
  }

  package init(from decoder: any Decoder) throws {
    value = try decoder.singleValueContainer().decode([ZooPoint].self)
  }
}
