/// Coding written by hand: nested containers of every kind, some filled in turns, some late, some left empty.
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
    var second = turns.nestedUnkeyedContainer(forKey: .names)
    let late = container.superEncoder(forKey: .late)
    for (number, name) in zip(numbers, names) {
      try first.encode(number)
      try second.encode(name)
    }
    try table.encode(to: container.superEncoder(forKey: .table))
    var list = container.nestedUnkeyedContainer(forKey: .list)
    try list.encodeNil()
    var inner = list.nestedContainer(keyedBy: TurnKeys.self)
    var innermost = list.nestedUnkeyedContainer()
    try innermost.encode(names)
    try inner.encode(kind, forKey: .kind)
    try point.encode(to: list.superEncoder())
    try container.encode(wrapped, forKey: .wrapped)
    try point.encode(to: late)
    try turns.encode(kind, forKey: .kind)
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

/// A value that encodes itself as another one, through two single value containers.
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
