import AnimalsData
import Foundation
import JSONCoding
import Testing

/// The golden line of every action and of the state: changing one is changing the format.
@Suite struct AnimalsCodingTests {
  @Test(arguments: ActionCase.all)
  func actionsAreWrittenAsBefore(candidate: ActionCase) throws {
    let (bytes, path) = try StrictJSONEncoder().encodeWithCasePath(candidate.action)
    #expect(String(decoding: bytes, as: UTF8.self) == candidate.nested)

    // What a log stores of it: the names of the nested cases, and the payload of the innermost one.
    #expect(path.map(\.key).joined(separator: ".") == candidate.type)
    let content = try #require(path.last?.content)
    #expect(String(decoding: bytes[content], as: UTF8.self) == candidate.data)
  }

  @Test(arguments: ActionCase.all)
  func actionsAreReadAsBefore(candidate: ActionCase) throws {
    let action = try StrictJSONDecoder().decode(AnimalsAction.self, from: Array(candidate.nested.utf8))
    #expect(action == candidate.action)
  }

  /// The shape is that of Swift's synthesised coding: any other coder reads it.
  @Test(arguments: ActionCase.all)
  func actionsAreReadByOtherCoders(candidate: ActionCase) throws {
    let action = try JSONDecoder().decode(AnimalsAction.self, from: Foundation.Data(candidate.nested.utf8))
    #expect(action == candidate.action)
  }

  @Test(
    arguments: [
      (.empty, #"{"empty":{}}"#), (.waiting, #"{"waiting":{}}"#), (.success, #"{"success":{}}"#),
      (.failure(error: "offline"), #"{"failure":{"error":"offline"}}"#),
    ] as [(Status, String)])
  func statusesAreWrittenAsBefore(status: Status, line: String) throws {
    #expect(try text(status) == line)
    #expect(try StrictJSONDecoder().decode(Status.self, from: Array(line.utf8)) == status)
  }

  @Test(
    arguments: [
      (AnimalsState(), #"{"animals":{"data":{},"queue":{}},"categories":{"data":{}}}"#),
      (
        .with(
          categories: [.fish, .bird], .success, animals: [.gibbon], .waiting,
          queue: ["t1": .failure(error: "offline"), "Bibbon": .success]),
        """
        {"animals":{"data":{"Bibbon":{"animalId":"Bibbon","categoryId":"Mammal","diet":"Herbivore",\
        "name":"Southern gibbon"}},"queue":{"Bibbon":{"success":{}},"t1":{"failure":{"error":"offline"}}},\
        "status":{"waiting":{}}},"categories":{"data":{"Bird":{"categoryId":"Bird","name":"Bird"},\
        "Fish":{"categoryId":"Fish","name":"Fish"}},"status":{"success":{}}}}
        """
      ),
    ])
  func statesAreWrittenAsBefore(state: AnimalsState, line: String) throws {
    #expect(try text(state, form: .canonical) == line)
    #expect(try StrictJSONDecoder().decode(AnimalsState.self, from: Array(line.utf8)) == state)
  }

  /// An enum accepts exactly one key, and a diet must be one of the three.
  @Test(arguments: [
    #"{"ui":{"_0":{"categoryList":{"_0":{"onAppear":{}}}}},"data":{}}"#,
    #"{"ui":{"_0":{"categoryList":{"_0":{"onDisappear":{}}}}}}"#,
    #"{"ui":{"_0":{"animalEditor":{"_0":{"onTapAddAnimalButton":{"id":"t","name":"n","diet":"Meat","categoryId":"c"}}}}}}"#,
    #"{}"#,
  ])
  func otherShapesAreNotActions(line: String) {
    #expect(throws: DecodingError.self) {
      try StrictJSONDecoder().decode(AnimalsAction.self, from: Array(line.utf8))
    }
  }
}

/// The value as JSON text.
func text(_ value: some Encodable, form: JSONForm = .declared) throws -> String {
  String(decoding: try StrictJSONEncoder(form: form).encode(value), as: UTF8.self)
}
