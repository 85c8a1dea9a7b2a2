package import Foundation
package import JSONCoding

/// Members in another order than sorted, optionals first, a constant, a default.
package struct Enclosure: Codable, Hashable, Sendable {
  package var zone: String?
  package var area: Double?
  package var name: String
  package let version = 7
  package var capacity = 5
  package var species: Species = .lion
  var nickname: String?
  package var isOpen: Bool
  package var label: String { "\(name) \(capacity)" }
  package static let shared = "static"

  private enum CodingKeys: CodingKey {
    case zone, area, name, version, capacity, species, nickname, isOpen
  }

  package init(
    zone: String?, area: Double?, name: String, capacity: Int, species: Species, nickname: String?, isOpen: Bool
  ) {
    self.zone = zone
    self.area = area
    self.name = name
    self.capacity = capacity
    self.species = species
    self.nickname = nickname
    self.isOpen = isOpen
  }
}

package enum Species: String, Codable, Hashable, Sendable, CaseIterable {
  case lion
  case tiger = "Panthera tigris \"T\""
  case owl = "Eule\u{e9}"
}

package enum Level: Int, Codable, Hashable, Sendable {
  case low = -1
  case mid
  case high = 10
}

package indirect enum Tree: Codable, Hashable, Sendable {
  case leaf(Int)
  case node(left: Tree, right: Tree)
}

package struct Forest: Codable, Hashable, Sendable {
  package var trees: [Tree]
  package var children: [Forest]

  package init(trees: [Tree], children: [Forest]) {
    self.trees = trees
    self.children = children
  }
}

package struct Scalars: Codable, Hashable, Sendable {
  package var a: Int8
  package var b: UInt64
  package var c: Float
  package var d: Double
  package var e: Date
  package var f: Data
  package var g: URL
  package var h: UUID
  package var i: Decimal
  package var j: Bool
  package var k: Level
}

package struct Collections: Codable, Hashable, Sendable {
  package typealias Table<Key: Hashable, Value> = Dictionary<Key, Value>
  package typealias Maybe = Int?
  package var names: Table<String, Int>
  package var numbers: [Int: String?]
  package var species: [Species: Int]
  package var set: Set<String>
  package var levels: Set<Level>
  package var nested: [[Int?]]
  package var maybe: Maybe
  package var inside: Inside

  package struct Inside: Codable, Hashable, Sendable {
    package var values: [String: Set<Int>]?
  }
}

/// Dictionaries whose keys determine their names.
package struct Labels: Codable, Hashable, Sendable {
  package var levels: [Label: Int]
  package var marks: [Mark: Label?]
  package var nested: [Label: [Mark: Level]]?
  package var tree: [Label: Species]

  package enum Label: String, Codable, Hashable, Sendable, CaseIterable, CodingKeyRepresentable {
    case plain, quoted = "a\"b", accent = "é", control = "\u{1}\n", empty = ""
  }

  /// A key whose name is not its own coding.
  package struct Mark: Codable, Hashable, Sendable, CodingKeyRepresentable {
    package var text: String

    package init(text: String) { self.text = text }

    package init?(codingKey: some CodingKey) {
      guard codingKey.stringValue.hasPrefix("#") else { return nil }
      // Two marks can have one name.
      text = String(codingKey.stringValue.dropFirst())
    }

    package var codingKey: any CodingKey { MarkKey(stringValue: "#" + text.lowercased()) }

    private struct MarkKey: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }
  }
}

/// Coding written by hand.
package struct Money: Codable, Hashable, Sendable {
  package var cents: Int
  package init(cents: Int) { self.cents = cents }
  package init(from decoder: any Decoder) throws { cents = try decoder.singleValueContainer().decode(Int.self) }
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(cents)
  }
}

/// Coding written by hand, and direct coding, too.
package struct Price: Codable, Hashable, Sendable {
  package var cents: Int
  package init(cents: Int) { self.cents = cents }
  package init(from decoder: any Decoder) throws { cents = try decoder.singleValueContainer().decode(Int.self) }
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(cents)
  }
}

extension Price: DirectCodable {
  package func write(directly writer: inout DirectWriter) { writer.integer(cents) }
  package init(directly reader: inout DirectReader) throws(DirectMismatch) { cents = try reader.integer() }
  package static let directShape = DirectShape(
    of: Self.self, members: ["cents"], samples: ["0", "1250", "-1"], parts: { [] })
}

package struct Invoice: Codable, Hashable, Sendable {
  package var total: Price
  package var lines: [String: [Price]]
  package var tip: Price?
}

/// A recursive value of an action.
package indirect enum Rule: Codable, Hashable, Sendable, ActionPayload {
  case always
  case not(Rule)
  case all([Rule])
  case costs(atLeast: Price, species: Species?)
}

package struct Box<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
  package var value: Value
}

package struct Odd: Codable, Hashable, Sendable {
  package var twice: Int??
  private var secret = 1
  package init(twice: Int??) { self.twice = twice }
}

/// Names that are changed, put into another order, and left out.
package struct Keys: Codable, Hashable, Sendable {
  package var first: Int
  package var second: String?
  package var third: Bool = true
  private enum CodingKeys: String, CodingKey {
    case second = "2nd"
    case first
  }
}

@propertyWrapper
package struct Clamped: Codable, Hashable, Sendable {
  package var wrappedValue: Int
  package init(wrappedValue: Int) { self.wrappedValue = max(0, wrappedValue) }
}

package struct Wrapped: Codable, Hashable, Sendable {
  @Clamped package var value: Int
}

package struct Lazy: Codable, Sendable {
  package var value: Int
  package lazy var twice: Int = value * 2
}

package struct Identifier: RawRepresentable, Codable, Hashable, Sendable {
  package var rawValue: String
  package init(rawValue: String) { self.rawValue = rawValue }
}

package struct Ticket: Codable, Hashable, Sendable {
  package let number: Int
  package private(set) var used: Int
  package let holder: Identifier
  package var observed: Int { didSet { used = 5 } }
}

package enum Renamed: Codable, Hashable, Sendable {
  case one(a: Int)
  enum CodingKeys: String, CodingKey { case one = "uno" }
}

package final class Reference: Codable {
  package var value = 1
}

struct Outer {
  private enum Hidden: Codable { case a }
  struct Kept: Codable { var x: Int }
}

@available(macOS 99, *)
package struct Future: Codable { package var x: Int }

#if DEBUG
package struct Conditional: Codable { package var x: Int }
#endif

package struct PartlyConditional: Codable {
  package var x: Int
  #if os(Linux)
  package var y = 2
  #endif
}
