import ActionLog
import ActionLogTool
import JSONCoding
import Platform
import TestSupport
import Testing
import TimeTravel

@Suite("The rows of a state") struct StateRowsTests {
  /// The rows of the expanded containers from top to bottom, computed by a simple recursion.
  private static func flatten(_ value: JSONValue, _ pointer: JSONPointer, open: Set<JSONPointer>) -> [JSONPointer] {
    guard open.contains(pointer) else { return [pointer] }
    switch value {
    case .object(let object):
      return [pointer] + object.flatMap { name, member in flatten(member, pointer.appending(name), open: open) }
    case .array(let elements):
      return [pointer]
        + elements.enumerated().flatMap { index, element in flatten(element, pointer.appending(index), open: open) }
    case .null, .bool, .number, .string: return [pointer]
    }
  }

  @Test func onlyExpandedContainersAreVisited() throws {
    let count = 100_000
    let members = (0..<count).map { number in
      (name: String(number), value: ["name": .string("row \(number)")] as JSONValue)
    }
    let tree = StateTree(["data": .object(JSONObject(members)), "status": "idle"])
    let opened = JSONPointer(["data", "777"])
    let rows = StateRows(tree, edit: nil, open: [.root, JSONPointer(["data"]), opened])
    #expect(rows.containersMade == 3)
    #expect(rows.count == 1 + 2 + count + 1)
    let index = try #require(rows.index(of: opened))
    #expect(rows[index].pointer == opened && rows[index + 1].pointer == opened.appending("name"))
    #expect(rows[rows.count - 1].pointer == JSONPointer(["status"]))
  }

  @Test func rowsMatchTheTree() throws {
    for seed in UInt64(1)...64 {
      var random = SplitMix64(seed: seed)
      let tree = StateTree(Self.value(depth: 4, &random))
      let places = tree.root.paths()
      // Some containers are expanded, some of them inside collapsed ones, and some do not exist.
      var open = Set(places.filter { _ in random.next() % 3 > 0 })
      if random.next() % 8 > 0 { open.insert(.root) }
      open.insert(JSONPointer(["nowhere"]))
      let expected = Self.flatten(tree.root, .root, open: open)
      let rows = StateRows(tree, edit: nil, open: open)
      #expect((0..<rows.count).map { index in rows[index].pointer } == expected, "seed \(seed)")
      for (index, pointer) in expected.enumerated() {
        #expect(rows.index(of: pointer) == index, "seed \(seed), \(pointer)")
        #expect(rows[index].value == tree[pointer], "seed \(seed), \(pointer)")
      }
      for pointer in places where !expected.contains(pointer) { #expect(rows.index(of: pointer) == nil) }
    }
  }

  /// The rows of changed values, what is in them, and the containers around them, computed by a simple recursion.
  private static func flattenChanged(
    _ value: JSONValue, _ pointer: JSONPointer, open: Set<JSONPointer>, changed: Set<JSONPointer>,
    isInside: Bool = false
  ) -> [JSONPointer] {
    let isInside = isInside || changed.contains(pointer)
    guard open.contains(pointer) else { return [pointer] }
    var children: [(JSONPointer, JSONValue)] = []
    switch value {
    case .object(let object): children = object.map { name, member in (pointer.appending(name), member) }
    case .array(let elements):
      children = elements.enumerated().map { index, element in (pointer.appending(index), element) }
    case .null, .bool, .number, .string: break
    }
    return [pointer]
      + children.filter { child, _ in
        isInside || changed.contains { other in other.tokens.starts(with: child.tokens) }
      }.flatMap { child, member in
        flattenChanged(member, child, open: open, changed: changed, isInside: isInside)
      }
  }

  @Test func onlyChangedRowsAreShown() throws {
    var tried = 0
    for seed in UInt64(1)...64 {
      var random = SplitMix64(seed: seed)
      let old = StateTree(Self.value(depth: 4, &random))
      // Some states differ a little, some completely.
      let new = seed % 2 == 0 ? StateTree(Self.value(depth: 4, &random)) : StateTree(["a": old.root, "b": 1])
      let diff = StateDiff(from: seed % 2 == 0 ? old : StateTree(["a": old.root]), to: new)
      // After a removal from an array, the path of a removed value does not exist in the new state: see the next test.
      if diff.changes.contains(where: { change in Self.isRemovedFromArray(change, of: old) }) { continue }
      tried += 1
      let open = Set(new.root.paths().filter { _ in random.next() % 5 > 0 }).union([.root])
      let expected = Self.flattenChanged(new.root, .root, open: open, changed: Set(diff.changes.map(\.pointer)))
      let rows = StateRows(new, edit: diff.edit, open: open, onlyChanged: true)
      #expect((0..<rows.count).map { index in rows[index].pointer } == expected, "seed \(seed)")
      for (index, pointer) in expected.enumerated() { #expect(rows.index(of: pointer) == index, "seed \(seed)") }
    }
    #expect(tried >= 32)
    let same = StateRows(StateTree(["a": ["b": 1]]), edit: nil, open: [.root], onlyChanged: true)
    #expect(same.count == 1 && same[0].pointer == .root && same.index(of: JSONPointer(["a"])) == nil)
  }

  private static func isRemovedFromArray(_ change: StateChange, of old: StateTree) -> Bool {
    guard change.kind == .removed else { return false }
    var place = change.oldPointer?.parent
    while let container = place {
      if case .array = old[container] { return true }
      place = container.parent
    }
    return false
  }

  @Test func elementsAfterARemovedOneAreShownAtTheirNewPlaces() throws {
    let old = StateTree(["list": [9, ["a": 1, "b": 2], ["c": 3]]])
    let new = StateTree(["list": [["a": 1], ["c": 3]]])
    let diff = StateDiff(from: old, to: new)
    #expect(diff.changes.map(\.description) == ["- /list/0: 9", "- /list/1/b: 2"])
    let rows = StateRows(new, edit: diff.edit, open: Set(new.root.paths()), onlyChanged: true)
    #expect((0..<rows.count).map { index in rows[index].pointer.description } == ["", "/list", "/list/0"])
    #expect((0..<rows.count).allSatisfy { index in rows[index].change == nil })
  }

  private static func value(depth: Int, _ random: inout SplitMix64) -> JSONValue {
    guard depth > 0, random.next() % 4 > 0 else { return .number(JSONNumber(Int(random.next() % 100))) }
    let count = Int(random.next() % 13)
    if random.next() % 3 == 0 { return .array((0..<count).map { _ in value(depth: depth - 1, &random) }) }
    return .object(
      JSONObject(
        (0..<count).map { number in
          (name: ["a", "é", "z"][number % 3] + String(number), value: value(depth: depth - 1, &random))
        }))
  }
}
