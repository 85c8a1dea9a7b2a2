import TestSupport
import TreeCollections

/// A state with dictionaries in all positions.
struct Yard: Codable, Equatable, Sendable {
  struct Row: Codable, Hashable, Sendable {
    var number: Int
    var weight = 0.0
    var inner: TreeDictionary<String, Int> = [:]
  }

  enum Phase: Codable, Hashable, Sendable {
    case empty
    case filled(rows: TreeDictionary<String, Int>, note: String)
  }

  /// A key that is not encoded as a string.
  struct Spot: Codable, Hashable, Sendable {
    var x: Int
  }

  var rows: TreeDictionary<String, Row> = [:]
  var numbered: TreeDictionary<Int, String> = [:]
  var spots: TreeDictionary<Spot, Int> = [:]
  var optional: TreeDictionary<String, Int>?
  var nested: TreeDictionary<String, TreeDictionary<String, TreeDictionary<Int, Int>>> = [:]
  var listed: [TreeDictionary<String, Int>] = []
  var grouped: Set<TreeDictionary<String, Int>> = []
  var inDictionary: [String: TreeDictionary<String, Int>] = [:]
  var boxed = CowBox(TreeDictionary<String, Int>())
  var phase = Phase.empty
  var count = 0
}

extension Yard {
  /// Names that are easily confused: the first two are equal as strings, and differ in their bytes.
  private static let names = ["é", "e\u{301}", "a", "b", "a/b", "~", "", "0", "1"]

  /// Changes one value, or nothing.
  mutating func change(using generator: inout SeededGenerator) {
    let name = generator.element(Self.names)
    let number = Int.random(in: 0..<4, using: &generator)
    let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
    switch Int.random(in: 0..<16, using: &generator) {
    case 0, 1: rows[name] = isRemoval ? nil : Row(number: number, weight: generator.element([0, -0.0, 1]))
    case 2: rows[name]?.inner[generator.element(Self.names)] = isRemoval ? nil : number
    case 3: rows[name]?.weight.negate()
    case 4: numbered[number] = isRemoval ? nil : name
    case 5: spots[Spot(x: number)] = isRemoval ? nil : number
    case 6: optional = isRemoval ? nil : (optional ?? [:]).merging([(name, number)]) { $1 }
    case 7: nested[name] = isRemoval ? nil : [generator.element(Self.names): [number: number]]
    case 8: nested[name]?[generator.element(Self.names), default: [:]][number] = isRemoval ? nil : number + 1
    case 9: listed.insert([name: number], at: Int.random(in: 0...listed.count, using: &generator))
    case 10: if !listed.isEmpty { listed[Int.random(in: 0..<listed.count, using: &generator)][name] = number }
    case 11: grouped.insert([name: number, "x": 1])
    case 12: inDictionary[name, default: [:]][generator.element(Self.names)] = isRemoval ? nil : number
    case 13: boxed.wrappedValue[name] = isRemoval ? nil : number
    case 14: changePhase(name, number, isRemoval: isRemoval)
    default: count += 1
    }
  }

  private mutating func changePhase(_ name: String, _ number: Int, isRemoval: Bool) {
    switch phase {
    case .empty: phase = .filled(rows: [name: number], note: name)
    case .filled: if isRemoval { phase = .empty }
    }
    if case .filled(var rows, let note) = phase {
      rows[name] = number
      phase = .filled(rows: rows, note: note)
    }
  }
}
