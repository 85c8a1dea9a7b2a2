import ActionLogTool
import Testing

/// What a row says of an action.
@Suite struct ActionSummaryTests {
  @Test(arguments: [
    (
      #"{"animalId":"Platypus","result":{"failure":{"error":"The request timed out."}}}"#,
      "Platypus, failure: The request timed out."
    ),
    (
      #"{"animalId":"Cat","result":{"success":{"animal":{"animalId":"Cat","name":"Mimi","diet":"Carnivore"}}}}"#,
      "Cat, Mimi, Carnivore"
    ),
    (#"{"id":"5D0E52D3-6C1B-4F0F-9B53-2B7A6C1B4F0F","name":"Otter"}"#, "5D0E52D3…, Otter"),
    (#"{"_0":3}"#, "3"), (#"{"count":3,"isOn":true,"none":null,"text":""}"#, "count 3, isOn true"),
    (#"{}"#, ""), (#"{"_0":["a","a","b",[1,-2.5e3]]}"#, "a, b, 1, -2.5e3"),
    (#"{"name":"a \"b\" \\ \u0001 {,}:[]","error":null}"#, #"a "b" \ \u0001 {,}:[]"#),
    (#"{"refused":{"code":4}}"#, "refused: code 4"), (#""text""#, "text"), ("7", "7"),
    // What did not happen is no failure.
    (#"{"error":null,"name":"Dog","age":3}"#, "Dog, age 3"), (#"{"name":"b","failure":false}"#, "b, failure false"),
    (#"{"rejected":0,"accepted":12}"#, "rejected 0, accepted 12"), (#"{"error":{},"error ":[],"x":1}"#, "x 1"),
    (#"{"error":true}"#, "error: true"), (#"{"error":"","name":"a"}"#, "a"), (#"{"error":[ ],"name":"a"}"#, "a"),
    // As other programs write it.
    (#"{"name" : "a", "ok": true, "error": {"x": [1, 2]}}"#, "a, ok true, error: 1, 2"), ("{ \"a\" :\t1 }", "a 1"),
  ])
  func valuesStandWithoutTheirNames(data: String, summary: String) {
    #expect(ActionSummary(Array(data.utf8)[...], limitBytes: 200).text == summary)
  }

  @Test func aFailureIsMarked() throws {
    let summary = ActionSummary(Array(#"{"id":"a","result":{"failure":{"error":"late"}}}"#.utf8)[...], limitBytes: 200)
    let start = try #require(summary.failureStart)
    #expect(String(decoding: summary.bytes[start...], as: UTF8.self) == "failure: late")
    #expect(ActionSummary(Array(#"{"error":1}"#.utf8)[...], limitBytes: 9).failureStart == 0)
    #expect(ActionSummary(Array(#"{"error":0}"#.utf8)[...], limitBytes: 9).failureStart == nil)
    #expect(ActionSummary(Array(#"{"errors":0}"#.utf8)[...], limitBytes: 9).failureStart == nil)
  }

  @Test func longDataIsReadToTheLimitOnly() {
    let letters = Array(#"{"a":""#.utf8) + Array(repeating: UInt8(ascii: "x"), count: 1_000) + Array(#""}"#.utf8)
    let long = ActionSummary(letters[...], limitBytes: 90)
    #expect(long.text == String(repeating: "x", count: 48) + "…")
    let accents = #"{"a":""# + String(repeating: "é", count: 41) + #""}"#
    let characters = ActionSummary(Array(accents.utf8)[...], limitBytes: 90)
    #expect(characters.text == String(repeating: "é", count: 24) + "…")
    let many = ActionSummary(Array((1...1_000).map { "\"\($0)\"" }.joined(separator: ",").utf8)[...], limitBytes: 10)
    #expect(many.text == "1, 2, 3, 4")
    let equal = ActionSummary(
      Array(("[" + String(repeating: "0,", count: 1_000_000) + "1]").utf8)[...], limitBytes: 400)
    #expect(equal.text == "0")
    for hostile in ["[[[[[", "{\"", "\"\\", ":::", "{\"a\":", "\u{FF}"] {
      #expect(ActionSummary(Array(hostile.utf8)[...], limitBytes: 50).bytes.count < 50)
    }
  }
}
