import ActionLogTool
import AnimalsData
import EventSourcing
import Foundation
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// The rows and changes of a view, page by page, against the complete tree and the difference.
@Suite struct InspectorViewTests {
  /// The service over a generated log, and the last revision: the reducer refuses some of the actions.
  private static func page() async throws -> (page: InspectorBench, last: Int) {
    let bench = Bench()
    let run = await bench.run("record", "animals", "my-log", "--workload", "120")
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    return (page, try #require(try await page.get("log")["last"]?.integer))
  }

  private static func encoded(_ pointer: JSONPointer) -> String {
    pointer.description.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  @Test(arguments: Seeds.batches)
  func walksShowTheTreeAndTheDifference(batch: UInt64) async throws {
    let (page, last) = try await Self.page()
    let history = try await History<AnimalsModel>(at: "my-log", fileSystem: page.bench.disk)
    for seed in Seeds.batch(batch, of: 4) {
      var generator = SeededGenerator(seed: seed)
      var revision = Int.random(in: 0...last, using: &generator)
      var kept = 0
      for _ in 0..<8 {
        // Mostly steps, so that names are kept from one state to the next.
        let step = [-1, 1, 1, 2, Int.random(in: -40...40, using: &generator)].randomElement(using: &generator) ?? 1
        revision = min(last, max(0, revision + step))
        // A base that is kept for several steps has its changes combined with theirs.
        kept = Int.random(in: 0..<4, using: &generator) == 0 ? Int.random(in: 0...last, using: &generator) : kept
        let base = Int.random(in: 0..<3, using: &generator) == 0 ? max(0, revision - 1) : kept
        let place = "view=randomwalk&at=\(revision)&base=\(base)"
        let tree = try StateTree(encoding: try history.state(at: revision))
        let changes = StateDiff(from: try StateTree(encoding: try history.state(at: base)), to: tree).changes
        let found = try await page.changes(place)["changes"]?.elements ?? []
        #expect(found.map { change in change["path"]?.text } == changes.map(\.pointer.description), "seed \(seed)")
        #expect(found.map { change in change["change"]?.text } == changes.map(\.kind.rawValue), "seed \(seed)")
        try await expect(page, place, tree.root, .root, changes, seed)
      }
    }
  }

  /// Compares the rows of a value with it, a few at a time, and the rows inside them.
  private func expect(
    _ page: InspectorBench, _ place: String, _ value: JSONValue, _ pointer: JSONPointer, _ changes: [StateChange],
    _ seed: UInt64
  ) async throws {
    let members: [(name: String, value: JSONValue)]
    switch value {
    case .object(let object): members = object.map { member in (member.name, member.value) }
    case .array(let elements): members = elements.enumerated().map { index, element in (String(index), element) }
    default: return
    }
    var rows: [JSONValue] = []
    repeat {
      let some = try await page.get("state", "\(place)&path=\(Self.encoded(pointer))&offset=\(rows.count)&count=7")
      #expect(some["count"]?.integer == members.count && some["offset"]?.integer == rows.count)
      rows += some["rows"]?.elements ?? []
    } while rows.count < members.count
    #expect(rows.map { row in row["name"]?.text } == members.map(\.name), "seed \(seed), \(pointer)")
    for (row, member) in zip(rows, members) {
      let path = pointer.appending(member.name)
      let change = changes.first { change in change.newPointer == path }
      #expect(row["change"]?.text == change?.kind.rawValue, "seed \(seed), \(path)")
      let isHolder = changes.contains { change in
        change.pointer.tokens.count > path.tokens.count && change.pointer.tokens.starts(with: path.tokens)
      }
      #expect((row["inside"] == true) == isHolder, "seed \(seed), \(path)")
      switch member.value {
      case .object(let object): #expect(row["count"]?.integer == object.count && row["kind"] == "object")
      case .array(let elements): #expect(row["count"]?.integer == elements.count && row["kind"] == "array")
      default: #expect(row["text"]?.text == member.value.description && row["count"] == nil)
      }
      // Most rows are alike: the changed ones and a few others are enough.
      if isHolder || pointer.tokens.count < 2 { try await expect(page, place, member.value, path, changes, seed) }
    }
  }

  @Test func changedRowsIncludeRemovedOnes() async throws {
    let (page, last) = try await Self.page()
    let history = try await History<AnimalsModel>(at: "my-log", fileSystem: page.bench.disk)
    let changes = StateDiff(
      from: try StateTree(encoding: try history.state(at: 40)),
      to: try StateTree(encoding: try history.state(at: last))
    ).changes
    try #require(changes.contains { change in change.kind == .removed })
    let place = "view=randomwalk&at=\(last)&base=40&only=changed&count=1000"
    var found: [String: String] = [:]
    var waiting = [JSONPointer.root]
    while let pointer = waiting.popLast() {
      let rows = try await page.get("state", "\(place)&path=\(Self.encoded(pointer))")["rows"]?.elements ?? []
      for row in rows {
        let path = pointer.appending(try #require(row["name"]?.text))
        if let change = row["change"]?.text { found[path.description] = change }
        if row["inside"] == true { waiting.append(path) }
        #expect(row["change"] != nil || row["inside"] == true)
      }
    }
    #expect(
      found
        == Dictionary(
          uniqueKeysWithValues: changes.map { change in (change.pointer.description, change.kind.rawValue) }))
  }
}
