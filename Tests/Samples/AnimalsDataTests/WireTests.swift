import AnimalsData
import Foundation
import JSONCoding
import TestSupport
import Testing

/// The guide's JSON of clients and servers.
@Suite struct WireTests {
  private static let requests: [(request: RemoteRequest, json: String)] = [
    (RemoteRequest(), "{}"),
    (RemoteRequest(query: [], mutation: []), #"{"mutation":[],"query":[]}"#),
    (RemoteRequest(query: [.categories]), #"{"query":[{"categories":{}}]}"#),
    (RemoteRequest(query: [.animals]), #"{"query":[{"animals":{}}]}"#),
    (
      RemoteRequest(mutation: [.addAnimal(name: "Owl", diet: .carnivorous, categoryId: "Bird")]),
      #"{"mutation":[{"addAnimal":{"categoryId":"Bird","diet":"Carnivore","name":"Owl"}}]}"#
    ),
    (
      RemoteRequest(mutation: [.updateAnimal(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish")]),
      #"{"mutation":[{"updateAnimal":{"animalId":"Cat","categoryId":"Fish","diet":"Omnivore","name":"Mimi"}}]}"#
    ),
    (RemoteRequest(mutation: [.deleteAnimal(animalId: "Cat")]), #"{"mutation":[{"deleteAnimal":{"animalId":"Cat"}}]}"#),
    (RemoteRequest(mutation: [.reloadSampleData]), #"{"mutation":[{"reloadSampleData":{}}]}"#),
  ]

  private static let cat = #"{"animalId":"Cat","categoryId":"Mammal","diet":"Carnivore","name":"Cat"}"#
  private static let bird = #"{"categoryId":"Bird","name":"Bird"}"#

  private static let responses: [(response: RemoteResponse, json: String)] = [
    (RemoteResponse(), "{}"),
    (
      RemoteResponse(query: [.categories(categories: [.bird])]),
      #"{"query":[{"categories":{"categories":[\#(bird)]}}]}"#
    ),
    (RemoteResponse(query: [.animals(animals: [.cat])]), #"{"query":[{"animals":{"animals":[\#(cat)]}}]}"#),
    (RemoteResponse(mutation: [.addAnimal(animal: .cat)]), #"{"mutation":[{"addAnimal":{"animal":\#(cat)}}]}"#),
    (RemoteResponse(mutation: [.updateAnimal(animal: .cat)]), #"{"mutation":[{"updateAnimal":{"animal":\#(cat)}}]}"#),
    (RemoteResponse(mutation: [.deleteAnimal(animal: .cat)]), #"{"mutation":[{"deleteAnimal":{"animal":\#(cat)}}]}"#),
    (
      RemoteResponse(mutation: [.reloadSampleData(animals: [.cat], categories: [.bird])]),
      #"{"mutation":[{"reloadSampleData":{"animals":[\#(cat)],"categories":[\#(bird)]}}]}"#
    ),
  ]

  /// Both sides write it, and so do Foundation's coders.
  private func check<Value: Codable & Equatable>(_ value: Value, _ json: String) throws {
    let strict = try StrictJSONEncoder(form: .canonical).encode(value)
    #expect(String(decoding: strict, as: UTF8.self) == json)
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == json)
    #expect(try StrictJSONDecoder().decode(Value.self, from: Array(json.utf8)) == value)
    #expect(try JSONDecoder().decode(Value.self, from: Data(json.utf8)) == value)
  }

  @Test(arguments: requests.indices)
  func requestsMatchTheGuide(index: Int) throws {
    try check(Self.requests[index].request, Self.requests[index].json)
  }

  @Test(arguments: responses.indices)
  func responsesMatchTheGuide(index: Int) throws {
    try check(Self.responses[index].response, Self.responses[index].json)
  }

  @Test func unknownAndMissingMembersAreIgnored() throws {
    let decoder = StrictJSONDecoder()
    #expect(
      try decoder.decode(RemoteRequest.self, from: Array(#"{"query":null,"version":7}"#.utf8)) == RemoteRequest())
    #expect(
      try decoder.decode(RemoteRequest.self, from: Array(#"{"query":[{"animals":{"first":3}}]}"#.utf8))
        == RemoteRequest(query: [.animals]))
  }

  @Test(arguments: [
    "", "[]", #"{"query":{}}"#, #"{"query":[{}]}"#, #"{"query":[{"animals":{},"categories":{}}]}"#,
    #"{"query":[{"plants":{}}]}"#, #"{"mutation":[{"deleteAnimal":{}}]}"#, #"{"query":[]"#,
    #"{"mutation":[{"addAnimal":{"name":"Owl","diet":"Meat","categoryId":"Bird"}}]}"#,
    String(repeating: "[", count: 100_000),
  ])
  func whatIsNoRequestIsRefused(json: String) {
    #expect(throws: (any Error).self) {
      try StrictJSONDecoder().decode(RemoteRequest.self, from: Array(json.utf8))
    }
  }

  // MARK: - Answers

  @Test func queriesRunBeforeMutations() async throws {
    let store = PersistentStoreDouble([.cat])
    let request = RemoteRequest(
      query: [.animals, .categories, .animals],
      mutation: [
        .updateAnimal(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish"),
        .deleteAnimal(animalId: "Cat"), .addAnimal(name: "Owl", diet: .carnivorous, categoryId: "Bird"),
        .reloadSampleData,
      ])
    let mimi = Animal(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish")
    #expect(
      try await request.answer(from: store)
        == RemoteResponse(
          query: [.animals(animals: [.cat]), .categories(categories: Category.samples), .animals(animals: [.cat])],
          mutation: [
            .updateAnimal(animal: mimi), .deleteAnimal(animal: mimi),
            .addAnimal(animal: Animal(animalId: "new Owl", name: "Owl", diet: .carnivorous, categoryId: "Bird")),
            .reloadSampleData(animals: Animal.samples, categories: Category.samples),
          ]))
    #expect(
      store.calls == [
        .fetchAnimals, .fetchCategories, .fetchAnimals,
        .update(animalId: "Cat", name: "Mimi", diet: .omnivorous, categoryId: "Fish"), .delete(animalId: "Cat"),
        .add(name: "Owl", diet: .carnivorous, categoryId: "Bird"), .reload,
      ])
  }

  @Test func firstFailureEndsTheRequest() async throws {
    let store = PersistentStoreDouble([.cat, .dog])
    let request = RemoteRequest(
      mutation: [.deleteAnimal(animalId: "Dog"), .deleteAnimal(animalId: "Newt"), .deleteAnimal(animalId: "Cat")])
    await #expect(throws: Refusal.self) { try await request.answer(from: store) }
    #expect(try await store.fetchAnimalsQuery() == [.cat])
  }

  @Test func absentAndEmptyListsAreDistinct() async throws {
    let store = PersistentStoreDouble()
    #expect(try await RemoteRequest().answer(from: store) == RemoteResponse())
    #expect(
      try await RemoteRequest(query: [], mutation: nil).answer(from: store) == RemoteResponse(query: [], mutation: nil))
  }
}
