import Foundation
import JSONCoding
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// A probe that recognizes a value by its bytes returns the same as one that encodes it again, for values of any kind.
@Suite struct KnownValueTests {
  private protocol Shape: Encodable, Sendable {
    mutating func grow()
  }

  /// A value that is stored inline in an existential.
  private struct Small: Shape {
    var side: UInt8
    var isRound: Bool?

    mutating func grow() { side &+= 1 }
  }

  /// A value that is stored in a box of its own.
  private struct Large: Shape {
    var sides = [1, 2, 3]
    var name = "a name that is too long to be stored without the heap"
    var rest = (1, UInt8(2))

    mutating func grow() {
      sides[0] += 1
      rest.1 &+= 1
    }

    private enum CodingKeys: CodingKey { case sides, name, rest }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(sides, forKey: .sides)
      try container.encode(name, forKey: .name)
      try container.encode(rest.1, forKey: .rest)
    }
  }

  private indirect enum Chain: Encodable, Sendable {
    case end
    case link(UInt8, Chain)
    case number(Int)

    mutating func grow() {
      switch self {
      case .end: self = .link(0, .end)
      case .link(let value, var rest):
        if value < 3 { self = .link(value + 1, rest) } else { rest.grow(); self = .link(0, rest) }
      case .number(let number): self = number > 2 ? .end : .number(number + 1)
      }
    }
  }

  /// A value that copies its storage when it is shared.
  private struct Pages: Encodable {
    private final class Storage {
      var count = 0
    }

    private var storage = Storage()

    mutating func turn() {
      if !isKnownUniquelyReferenced(&storage) {
        let copy = Storage()
        copy.count = storage.count
        storage = copy
      }
      storage.count += 1
    }

    func encode(to encoder: any Encoder) throws {
      // The kind of container changes with the value.
      if storage.count % 3 == 0 {
        var container = encoder.singleValueContainer()
        try container.encode(storage.count)
      } else if storage.count % 3 == 1 {
        var container = encoder.unkeyedContainer()
        try container.encode(storage.count)
      } else {
        try ["count": storage.count].encode(to: encoder)
      }
    }
  }

  private struct Row: Encodable {
    var flag: Bool?
    var shape: any Shape = Small(side: 1)
    var chain: Chain? = .end
    var pages = Pages()
    var text: Substring = "a text that is too long to be stored without the heap"[...].dropFirst()
    var date: Date?
    var data = Data(repeating: 1, count: 40)

    private enum CodingKeys: CodingKey { case flag, shape, chain, pages, text, date, data }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(flag, forKey: .flag)
      try container.encode(shape, forKey: .shape)
      try container.encodeIfPresent(chain, forKey: .chain)
      try container.encode(pages, forKey: .pages)
      try container.encode(String(text), forKey: .text)
      try container.encodeIfPresent(date, forKey: .date)
      try container.encode(data, forKey: .data)
    }

    mutating func change(_ generator: inout SeededGenerator) {
      switch Int.random(in: 0..<9, using: &generator) {
      case 0: flag = [nil, true, false].randomElement(using: &generator) ?? nil
      case 1: shape.grow()
      case 2: shape = Bool.random(using: &generator) ? Small(side: 0) : Large()
      case 3: if chain == nil { chain = .number(0) } else { chain?.grow() }
      case 4: chain = nil
      case 5: pages.turn()
      case 6: text.append("x")
      case 7: date = date == nil ? Date(timeIntervalSince1970: 1) : nil
      default: data[0] &+= 1
      }
    }
  }

  private struct State: Encodable {
    var rows: TreeDictionary<String, Row?> = [:]
    var table: [String: Row] = [:]
    var list: [Row] = []

    mutating func change(_ generator: inout SeededGenerator) {
      let name = Bool.random(using: &generator) ? "a" : "b"
      switch Int.random(in: 0..<9, using: &generator) {
      case 0: rows[name] = .some(nil)
      case 1: rows[name] = nil
      case 2: rows[name] = Row()
      case 3: rows[name]??.change(&generator)
      case 4: table[name, default: Row()].change(&generator)
      case 5: table[name] = nil
      case 6: list.insert(Row(), at: 0)
      case 7: if !list.isEmpty { list.removeFirst() }
      default: if !list.isEmpty { list[0].change(&generator) }
      }
    }
  }

  @Test(arguments: Seeds.batches) func whateverAValueIsMadeOf(batch: UInt64) throws {
    let rows = [["rows", "a"], ["table", "a"], ["list", "0"]]
    let members = [
      "flag", "shape", "shape/sides", "shape/sides/0", "chain", "pages", "pages/0", "text", "date", "data",
    ]
    let places =
      [[], ["rows"], ["table"], ["list"]] + rows
      + rows.flatMap { row in members.map { member in row + member.split(separator: "/").map(String.init) } }
    for seed in Seeds.batch(batch, of: 4) {
      var generator = SeededGenerator(seed: seed)
      let probes = places.map { place in StateProbe<State>(JSONPointer(place)) }
      var state = State()
      // A kept value makes the next change copy it; otherwise the change is in place and reuses memory.
      var kept: State?
      for round in 0..<60 {
        state.change(&generator)
        if Int.random(in: 0..<4, using: &generator) == 0 { kept = Bool.random(using: &generator) ? state : nil }
        let tree = try StateTree(encoding: state)
        for probe in probes {
          #expect(try probe.value(in: state) == tree[probe.pointer], "seed \(seed), round \(round), \(probe.pointer)")
        }
      }
      withExtendedLifetime(kept) {}
    }
  }
}
