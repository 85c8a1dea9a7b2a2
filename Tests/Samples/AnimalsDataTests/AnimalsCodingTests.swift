import AnimalsData
import Foundation
import Testing

/// The golden lines of all actions and of the state. Changing one changes the format.
@Suite struct AnimalsCodingTests {
  @Test(arguments: ActionCase.all)
  func encodedActionsMatchGoldenLines(candidate: ActionCase) throws {
    #expect(try canonicalText(candidate.action) == (try canonicalText(json: candidate.nested)))
  }

  @Test(arguments: ActionCase.all)
  func goldenLinesDecodeToActions(candidate: ActionCase) throws {
    let action = try JSONDecoder().decode(AnimalsAction.self, from: Foundation.Data(candidate.nested.utf8))
    #expect(action == candidate.action)
  }

  @Test(
    arguments: [
      (.empty, #"{"empty":{}}"#), (.waiting, #"{"waiting":{}}"#), (.success, #"{"success":{}}"#),
      (.failure(error: "offline"), #"{"failure":{"error":"offline"}}"#),
    ] as [(Status, String)])
  func encodedStatusesMatchGoldenLines(status: Status, line: String) throws {
    #expect(try canonicalText(status) == line)
    #expect(try JSONDecoder().decode(Status.self, from: Foundation.Data(line.utf8)) == status)
  }

  @Test func encodedStatesMatchGoldenLines() throws {
    #expect(try canonicalText(AnimalsState()) == #"{"animals":{"data":{},"queue":{}},"categories":{"data":{}}}"#)

    let state = AnimalsState.with(
      categories: [.bird], .success, animals: [.gibbon], .waiting, queue: ["t1": .failure(error: "offline")])
    let line = """
      {"animals":{"data":{"Bibbon":{"animalId":"Bibbon","categoryId":"Mammal","diet":"Herbivore",\
      "name":"Southern gibbon"}},"queue":{"t1":{"failure":{"error":"offline"}}},"status":{"waiting":{}}},\
      "categories":{"data":{"Bird":{"categoryId":"Bird","name":"Bird"}},"status":{"success":{}}}}
      """
    #expect(try canonicalText(state) == line)
    #expect(try JSONDecoder().decode(AnimalsState.self, from: Foundation.Data(line.utf8)) == state)
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
      try JSONDecoder().decode(AnimalsAction.self, from: Foundation.Data(line.utf8))
    }
  }
}

/// The value as JSON with sorted members.
func canonicalText(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return String(decoding: try encoder.encode(value), as: UTF8.self)
}

/// The JSON text with sorted members.
private func canonicalText(json: String) throws -> String {
  let value = try JSONSerialization.jsonObject(with: Foundation.Data(json.utf8))
  let data = try JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .withoutEscapingSlashes])
  return String(decoding: data, as: UTF8.self)
}
