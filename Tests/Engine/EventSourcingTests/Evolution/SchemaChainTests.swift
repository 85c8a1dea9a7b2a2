import EventSourcing
import JSONCoding
import Testing

@Suite("The steps of an evolution")
struct SchemaChainTests {
  @Test(arguments: [
    (3, [1], "no step begins at schema 2"),
    (4, [1, 3], "no step begins at schema 2"),
    (3, [1, 2, 2], "two steps begin at schema 2"),
    (2, [1, 2], "leads to schema 3, and the model has schema 2"),
    (2, [0, 1], "a step begins at schema 0"),
  ])
  func gapsAndDuplicatesAreFoundBeforeReading(schema: Int, beginnings: [Int], message: String) throws {
    let error = try #require(throws: EventSourcingError.self) {
      try Self.chain(beginnings.map { from in SchemaStep(from: from, to: from + 1) }, schema: schema)
    }
    #expect(error.code == .brokenEvolution)
    #expect("\(error)".contains(message), "\(error)")
    #expect("\(error)".contains("'shop'"))
  }

  @Test(arguments: [(2, 1), (2, 2)])
  func aCycleIsFound(from: Int, to: Int) throws {
    let error = try #require(throws: EventSourcingError.self) {
      try Self.chain([SchemaStep(from: 1, to: 2), SchemaStep(from: from, to: to)], schema: 3)
    }
    #expect(error.code == .brokenEvolution)
    #expect(error.message.contains("leads back to schema \(to)"))
  }

  @Test func twoUpcastersOfOneTypeAreFound() throws {
    let error = try #require(throws: EventSourcingError.self) {
      try Self.chain([SchemaStep(from: 1, to: 2, [.drop("a"), .rename("a", to: "b")])], schema: 2)
    }
    #expect(error.code == .brokenEvolution)
    #expect(error.message.contains("two upcasters of the step from schema 1 lift 'a'"))
  }

  @Test func aStepMaySkipAVersion() throws {
    let chain = try Self.chain(
      [
        SchemaStep(from: 1, to: 3, [.rename("a", to: "c")]), SchemaStep(from: 2, to: 3, [.rename("b", to: "c")]),
        SchemaStep(from: 3, to: 4, [.rename("c", to: "d")]),
      ], schema: 4)
    #expect(chain.oldest == 1)
    #expect(try chain.lift(StoredAction(type: "a"), from: 1).map(\.type) == ["d"])
    #expect(try chain.lift(StoredAction(type: "b"), from: 2).map(\.type) == ["d"])
    #expect(try chain.lift(StoredAction(type: "b"), from: 1).map(\.type) == ["b"], "a step lifts what its version had")
  }

  @Test func laterStepsLiftNewActions() throws {
    let chain = try Self.chain(
      [
        SchemaStep(from: 1, to: 2, [.replace("a") { action in [action, StoredAction(type: "b", data: action.data)] }]),
        SchemaStep(from: 2, to: 3, [.drop("a"), .edit("b") { data in data["n"] = 2 }]),
      ], schema: 3)
    let lifted = try chain.lift(StoredAction(type: "a", data: ["n": 1]), from: 1)
    #expect(lifted == [StoredAction(type: "b", data: ["n": 2])])
    #expect(try chain.lift(StoredAction(type: "a"), from: 2) == [])
    #expect(chain.readsUnchanged("c", of: 1) && chain.readsUnchanged("c", of: 2))
    #expect(!chain.readsUnchanged("b", of: 1), "a later step lifts it")
  }

  @Test func anUpcasterThatMultipliesIsStopped() throws {
    let chain = try Self.chain(
      [SchemaStep(from: 1, to: 2, [.replace("a") { action in Array(repeating: action, count: 5_000) }])], schema: 2)
    let failure = try #require(throws: UpcastFailure.self) { try chain.lift(StoredAction(type: "a"), from: 1) }
    #expect(failure.description == "one record became more than 4096 actions")
  }

  private static func chain(_ steps: [SchemaStep], schema: Int) throws -> SchemaChain {
    try SchemaChain(SchemaEvolution(steps), schema: schema, model: "shop")
  }
}
