package import JSONCoding

/// Generates random JSON values and random changes to them. Equal seeds give equal values.
package struct JSONGenerator {
  private var random: SeededGenerator

  /// Names that test pointers, patches and sort orders.
  private static let names = [
    "", "~", "/", "~0", "~1", "a/b", "m~n", "~01", "0", "1", "-", "01", " ", "\"", "\\", "\u{0}", "é", "e\u{301}",
    "\u{FF5E}", "\u{1F600}", "a", "b", "c", "name", "value",
  ]

  private static let scalars: [JSONValue] = [
    nil, true, false, 0, 1, -1, 10, "", "a", "b", "null", "é", "e\u{301}", "line\nbreak", "\u{202E}",
  ]

  /// Creates a generator. Print the seed if a test fails.
  package init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
  }

  /// Returns a value with containers of up to `depth` levels.
  package mutating func value(depth: Int = 4) -> JSONValue {
    switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &random) {
    case 0...2: return scalar()
    case 3: return .array((0..<count()).map { _ in value(depth: depth - 1) })
    default: return .object(JSONObject((0..<count()).map { _ in (name: name(), value: value(depth: depth - 1)) }))
    }
  }

  /// Returns a value that shares most of its parts with `value`.
  package mutating func changing(_ value: JSONValue) -> JSONValue {
    switch value {
    case .array(var elements):
      for _ in 0..<count(3) { change(&elements) }
      return .array(elements)
    case .object(var object):
      for _ in 0..<count(3) {
        if let member = object.randomElement(using: &random), Bool.random(using: &random) {
          object[member.name] = Bool.random(using: &random) ? changing(member.value) : nil
        } else {
          object[name()] = self.value(depth: 2)
        }
      }
      return .object(JSONObject(object.shuffled(using: &random)))
    default: return Bool.random(using: &random) ? value : self.value(depth: 2)
    }
  }

  /// Returns a number in a range.
  package mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func change(_ elements: inout [JSONValue]) {
    let place = Int.random(in: 0...elements.count, using: &random)
    if place == elements.count || Int.random(in: 0..<3, using: &random) == 0 {
      elements.insert(value(depth: 2), at: place)
    } else if Bool.random(using: &random) {
      elements.remove(at: place)
    } else {
      elements[place] = changing(elements[place])
    }
  }

  private mutating func scalar() -> JSONValue {
    let index = Int.random(in: 0..<(Self.scalars.count + 1), using: &random)
    if index < Self.scalars.count { return Self.scalars[index] }
    return .number(JSONNumber(Double.random(in: -1...1, using: &random)) ?? JSONNumber(0))
  }

  private mutating func name() -> String {
    Self.names[Int.random(in: 0..<Self.names.count, using: &random)]
  }

  private mutating func count(_ limit: Int = 6) -> Int { Int.random(in: 0...limit, using: &random) }
}

/// The seeds of a property test, divided into batches: a test case per seed would cost more than the test itself.
package enum Seeds {
  /// The numbers of the batches.
  package static let batches: Range<UInt64> = 0..<4

  /// Returns the seeds of one batch of `total` seeds.
  package static func batch(_ batch: UInt64, of total: UInt64) -> Range<UInt64> {
    let size = total / UInt64(batches.count)
    return (batch * size)..<((batch + 1) * size)
  }
}
