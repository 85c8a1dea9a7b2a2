import JSONCoding
import TestSupport
import Testing
import TimeTravel
import TreeCollections

/// The members that a probe reads are those of the complete tree, for every shape of `Codable` types.
@Suite struct MemberPageTests {
  @Test(arguments: Seeds.batches) func pagesShowTheMembersOfTheTree(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 4) {
      var generator = SeededGenerator(seed: seed)
      let zoo = Zoo(using: &generator)
      let tree = try StateTree(encoding: zoo)
      for pointer in tree.root.paths() {
        let value = try tree.value(at: pointer)
        let probe = StateProbe<Zoo>(pointer)
        var names: [String]?
        let page = try #require(try probe.members(in: zoo, names: &names, from: 0, limit: .max / 2))
        #expect(page == Self.page(value), "seed \(seed), \(pointer)")
        // Known names give the same page, also a part of it.
        let part = try probe.members(in: zoo, names: &names, from: 1, limit: 2)
        #expect(part?.members == Array(page.members.dropFirst().prefix(2)), "seed \(seed), \(pointer)")
        #expect(try probe.members(in: zoo, names: &names, from: .max, limit: .max)?.members == [])
        if let last = page.members.last {
          let around = try probe.members(in: zoo, names: &names, from: 0, limit: 1, around: last.name)
          #expect(around?.members == [last], "seed \(seed), \(pointer)")
        }
      }
      var names: [String]?
      let missing = StateProbe<Zoo>(JSONPointer(["no such member"]))
      #expect(try missing.members(in: zoo, names: &names, from: 0, limit: 9) == nil)
    }
  }

  private static func page(_ value: JSONValue) -> MemberPage {
    let members: [MemberPage.Member]
    switch value {
    case .object(let object): members = object.map { member in MemberPage.Member(member.name, member.value) }
    case .array(let elements):
      members = elements.enumerated().map { index, element in MemberPage.Member(String(index), element) }
    case .null, .bool, .number, .string: members = []
    }
    return MemberPage(kind: MemberPage.Kind(value), count: members.count, offset: 0, members: members)
  }

  /// Counts how often it is encoded.
  private struct Row: Encodable {
    final class Counter { var count = 0 }
    let counter: Counter
    var text = "a"

    func encode(to encoder: any Encoder) throws {
      counter.count += 1
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  @Test func onlyTheRowsOfThePageAreEncoded() throws {
    let counter = Row.Counter()
    let rows = Dictionary(uniqueKeysWithValues: (0..<5_000).map { number in ("row \(number)", Row(counter: counter)) })
    let table = TreeDictionary(rows)
    var names: [String]?
    let page = try #require(
      try StateProbe<TreeDictionary<String, Row>>(.root).members(in: table, names: &names, from: 2_000, limit: 20))
    #expect(page.count == 5_000 && page.members.count == 20 && names?.count == 5_000)
    // Each row is looked at for its shape and for its value.
    #expect(counter.count <= 40)
  }

  /// Names are sorted by their first bytes and, where these are equal, by all.
  @Test(arguments: Seeds.batches) func namesAreInTheOrderOfTheirBytes(batch: UInt64) throws {
    for seed in Seeds.batch(batch, of: 4) {
      var generator = SeededGenerator(seed: seed)
      let letters = ["", "a", "a\0", "aaaaaaaa", "aaaaaaaaa", "aaaaaaaab", "ä", "Z", "\u{10FFFF}", "\u{1}", "prefixes"]
      let unsorted = Set(
        (0..<300).map { _ in (0..<3).map { _ in letters.randomElement(using: &generator) ?? "" }.joined() })
      let table = Dictionary(uniqueKeysWithValues: unsorted.map { name in (name, 1) })
      var names: [String]?
      let page = try #require(
        try StateProbe<[String: Int]>(.root).members(in: table, names: &names, from: 0, limit: 10))
      let sorted = unsorted.sorted { left, right in left.utf8.lexicographicallyPrecedes(right.utf8) }
      #expect(names == sorted && page.members.map(\.name) == Array(sorted.prefix(10)), "seed \(seed)")
    }
  }
}
