import EventSourcing
import JSONCoding
import Testing

@Suite("Upcasters of several types and of values within values")
struct UpcasterTests {
  private func lift(_ upcasters: [Upcaster], _ type: String, _ data: JSONObject = [:]) throws -> [StoredAction] {
    let evolution = SchemaEvolution(SchemaStep(from: 1, to: 2, upcasters))
    return try SchemaChain(evolution, schema: 2, model: "shop").lift(StoredAction(type: type, data: data), from: 1)
  }

  @Test(arguments: [
    ("rule", true), ("rule.not", true), ("rule.not.always", true), ("rules", false), ("ruler.not", false),
    ("a.rule", false), ("", false), ("rule.", true), (".rule", false),
  ])
  func prefixLiftsTypesBelowIt(type: String, isLifted: Bool) throws {
    #expect(try lift([.drop("rule.*")], type).isEmpty == isLifted)
    let chain = try SchemaChain(
      SchemaEvolution(SchemaStep(from: 1, to: 2, [.drop("rule.*")])), schema: 2, model: "shop")
    #expect(chain.readsUnchanged(type, of: 1) == !isLifted)
    #expect(chain.unliftedVersions == 2...2)
  }

  @Test func longestNameWins() throws {
    let upcasters: [Upcaster] = [
      .drop("ui.*"), .rename("ui.list.*", to: "list.*"), .edit("ui.list.onTap") { data in data["n"] = 1 },
    ]
    #expect(try lift(upcasters, "ui.onTap").isEmpty)
    #expect(try lift(upcasters, "ui.list.onMove", ["a": 1]) == [StoredAction(type: "list.onMove", data: ["a": 1])])
    #expect(try lift(upcasters, "ui.list") == [StoredAction(type: "list")])
    #expect(try lift(upcasters, "ui.list.onTap") == [StoredAction(type: "ui.list.onTap", data: ["n": 1])])
  }

  @Test func typesAreComparedByBytes() throws {
    let (composed, decomposed) = ("\u{e9}", "e\u{301}")
    let lifted = try lift([.rename(composed, to: "a"), .rename(decomposed, to: "b")], decomposed)
    #expect(lifted == [StoredAction(type: "b")])
    #expect(try lift([.drop(composed), .drop(composed + ".*")], decomposed).count == 1)
    #expect(try lift([.drop(composed + ".*")], decomposed + ".x").count == 1)
  }

  @Test func laterStepLiftsTypesRenamedByAPrefix() throws {
    let chain = try SchemaChain(
      SchemaEvolution(
        SchemaStep(from: 1, to: 2, [.rename("desk.*", to: "counter.*")]),
        SchemaStep(from: 2, to: 3, [.rename("counter.onTap", to: "counter.onPress")])),
      schema: 3, model: "shop")
    #expect(try chain.lift(StoredAction(type: "desk.onTap"), from: 1).map(\.type) == ["counter.onPress"])
    #expect(!chain.readsUnchanged("desk.onTap", of: 1) && chain.readsUnchanged("desk.onTap", of: 2))
  }

  @Test func shortenMovesCasesIntoTheValues() throws {
    let data: JSONObject = ["_0": ["not": ["_0": ["over": ["limit": 3]]]]]
    let shortened = [StoredAction(type: "rule", data: data)]
    #expect(try lift([.shorten("rule.*")], "rule.not.over", ["limit": 3]) == shortened)
    #expect(try lift([.shorten("rule.*")], "rule", data) == shortened)
    #expect(try lift([.shorten("rule.*")], "ruler.a") == [StoredAction(type: "ruler.a")])
    #expect(
      try lift([.shorten("ui.rule.*")], "ui.rule.always")
        == [StoredAction(type: "ui.rule", data: ["_0": ["always": [:]]])])
  }

  @Test(arguments: [
    ("/item/copies", #"{"item":{"copies":1}}"#, #"{"item":{"copies":2}}"#),
    ("/item/copies", #"{"item":{}}"#, #"{"item":{"copies":0}}"#),
    ("/item/copies", #"{"other":1}"#, #"{"other":1}"#),
    ("/item/copies", #"{"item":5}"#, #"{"item":5}"#),
    ("/items/1/copies", #"{"items":[{},{"copies":7}]}"#, #"{"items":[{},{"copies":8}]}"#),
    ("/items/2", #"{"items":[1,2]}"#, #"{"items":[1,2]}"#),
    ("/items/1", #"{"items":[1,2]}"#, #"{"items":[1,3]}"#),
    ("/a~1b/~0", #"{"a/b":{"~":1}}"#, #"{"a/b":{"~":2}}"#),
    ("/n", "{}", #"{"n":0}"#),
  ])
  func valueAtAPointerIsChanged(pointer: String, before: String, after: String) throws {
    let increment = Upcaster.edit("a.*", at: pointer) { value in
      if case .number(let number)? = value { value = .number(JSONNumber((number.int ?? 0) + 1)) } else { value = 0 }
    }
    guard case .object(let data) = try JSONValue(parsing: before.utf8) else { return }
    let lifted = try lift([increment], "a.b", data)
    #expect(lifted.map { JSONValue.object($0.data).description } == [after])
  }

  @Test func valueThatBecomesNilIsRemoved() throws {
    let upcaster = Upcaster.edit("a", at: "/list/0") { value in value = nil }
    #expect(try lift([upcaster], "a", ["list": [1, 2]]) == [StoredAction(type: "a", data: ["list": [2]])])
    let member = Upcaster.edit("a", at: "/o/x") { value in value = nil }
    #expect(try lift([member], "a", ["o": ["x": 1, "y": 2]]) == [StoredAction(type: "a", data: ["o": ["y": 2]])])
  }

  @Test func replacementUsesPointersToo() throws {
    let upcaster = Upcaster.replace("desk.onTapLend") { action in
      var action = action
      action.type = "desk.onTapHandOut"
      try action.update(at: "/item/copies") { copies in copies = 1 }
      return try action.value(at: "/item/name") == nil ? [] : [action]
    }
    let handedOut = StoredAction(type: "desk.onTapHandOut", data: ["item": ["name": "tea", "copies": 1]])
    #expect(try lift([upcaster], "desk.onTapLend", ["item": ["name": "tea"]]) == [handedOut])
    #expect(try lift([upcaster], "desk.onTapLend", ["item": [:]]) == [])
    let failure = #expect(throws: UpcastFailure.self) { try lift([upcaster], "desk.onTapLend", ["other": 1]) }
    #expect(failure?.description == "no object holds the place to add a value at: at /item/copies")
    var action = StoredAction(type: "a")
    #expect(throws: JSONError.self) { try action.update(at: "") { value in value = 1 } }
    #expect(throws: JSONError.self) { try action.update(at: "") { value in value = nil } }
    #expect(throws: JSONError.self) { try action.value(at: "no pointer") }
    #expect(action == StoredAction(type: "a"))
  }

  @Test(arguments: [
    (Upcaster.drop("*"), "'*' must be the last part of a type, after at least one name"),
    (.drop(".*"), "a type must have at least one name"),
    (.drop("ui.*.onTap"), "'*' must be the last part of a type, after at least one name"),
    (.rename("ui.*", to: "view"), "both types must end in '.*', or neither"),
    (.rename("ui", to: "view.*"), "both types must end in '.*', or neither"),
    (.rename("ui.*", to: "*.*"), "'*' must be the last part of a type, after at least one name"),
    (.shorten("rule"), "the type must end in '.*'"),
    (.edit("ui.onTap", at: "item") { _ in }, "'item' is not a JSON Pointer, such as /item/copies"),
  ])
  func invalidArgumentsAreFoundBeforeReading(upcaster: Upcaster, message: String) throws {
    let error = #expect(throws: EventSourcingError.self) { try lift([upcaster], "a") }
    #expect(error?.code == .brokenEvolution)
    #expect(error?.message.hasSuffix("from schema 1 to 2 cannot be used: \(message)") == true, "\(error as Any)")
  }

  @Test func twoUpcastersOfOnePrefixAreFound() throws {
    let error = #expect(throws: EventSourcingError.self) { try lift([.drop("a.*"), .rename("a.*", to: "b.*")], "a") }
    #expect(error?.message.contains("two upcasters of the step from schema 1 lift 'a.*'") == true)
    #expect(throws: Never.self) { try lift([.drop("a.*"), .drop("a")], "a") }
  }
}
