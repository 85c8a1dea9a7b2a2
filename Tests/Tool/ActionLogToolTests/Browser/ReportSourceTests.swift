import ActionLogTool
import HTTPServer
import JSONCoding
import Testing

/// The answers in the file of a report, compared with those of the service for the same log.
@Suite(
  "The source of the report", .sharedBrowsers,
  .enabled(if: HeadlessBrowser.program != nil, Comment(rawValue: HeadlessBrowser.need)))
struct ReportSourceTests {
  private let page: OpenPage

  init() throws { page = try OpenPage() }

  /// Opens the report of a recorded workload, next to the service.
  private func open(_ model: String, seed: Int, count: Int) async throws -> InspectorBench {
    let bench = page.bench(model == "notebook" ? .notebooks : .withStories)
    let recorded = await bench.run("record", model, "my-log", "--workload", "\(count)", "--seed", "\(seed)")
    try #require(recorded.status == 0, "\(recorded.messages)")
    try await page.open(try await page.write(bench))
    return try InspectorBench(bench)
  }

  /// The answer of the page to a request.
  private func ask(_ path: String, _ parameters: JSONObject, body: JSONObject = [:]) async throws -> JSONValue {
    let request = "actionLog.send('', '\(path)', \(JSONValue.object(parameters)), \(JSONValue.object(body)))"
    return try JSONValue(parsing: Array((try await page.browser.value(request).text ?? "null").utf8))
  }

  /// Some members of the objects in a value.
  private func members(_ names: [String], in value: JSONValue) -> JSONValue {
    switch value {
    case .object(let object):
      var kept = JSONObject()
      for member in object where names.contains(member.name) { kept[member.name] = members(names, in: member.value) }
      return .object(kept)
    case .array(let elements): return .array(elements.map { element in members(names, in: element) })
    default: return value
    }
  }

  @Test(arguments: [("notebook", 1), ("notebook", 2), ("animals", 3)])
  func statesAreThoseOfTheService(model: String, seed: Int) async throws {
    let service = try await open(model, seed: seed, count: 120)
    let last = try #require(try await page.ends()["1"]?.integer)
    var places: [JSONObject] = [
      ["reveals": true], ["reveals": true, "only": "changed"], ["open": [""]],
      ["open": ["", "/notes", "/table", "/animals", "/animals/data"]],
    ]
    // Elements of arrays in distant states are matched in another way.
    if model == "animals" {
      places += [["open": ["", "/animals/data"], "base": 40], ["reveals": true, "base": 100]]
    }
    for at in [last, 3, 60, 61, 1] {
      for place in places {
        var body = place
        body["at"] = .integer(at)
        var job = body
        (job["view"], job["kind"]) = ("reportview", "go")
        for name in ["open", "only", "reveals"] { job[name] = nil }
        _ = try await service.run(job)
        var request = body
        request["view"] = "reportview"
        let response = await service.answer("POST", "/api/place", body: .object(request))
        let expected = try JSONValue(parsing: response.body)
        let found = try await ask("place", [:], body: body)
        let changes = ["changes", "change", "path", "old", "new", "total"]
        #expect(
          members(changes, in: found["changes"] ?? .null) == members(changes, in: expected["changes"] ?? .null),
          "\(at), \(place)")
        let rows = ["path", "kind", "count", "offset", "rows", "name", "text", "change", "inside"]
        #expect(
          members(rows, in: found["pages"] ?? .null) == members(rows, in: expected["pages"] ?? .null), "\(at), \(place)"
        )
      }
    }
    try await page.done()
  }

  @Test func questionsAreAnsweredAsByTheService() async throws {
    let service = try await open("animals", seed: 4, count: 150)
    let last = try #require(try await page.ends()["1"]?.integer)
    _ = try await service.get("log", until: { log in log["indexed"] == log["last"] })
    for axis in ["time", "revision"] {
      let expected = try await service.get("density", "axis=\(axis)&from=5&to=\(last - 3)&buckets=40")
      #expect(
        try await ask("density", ["axis": .string(axis), "from": 5, "to": .integer(last - 3), "buckets": 40])
          == expected)
    }
    let rows = ["actions", "seq", "time", "type", "actor", "said", "failed"]
    let listed = try await service.get("actions", "from=1&count=\(last)")
    #expect(
      members(rows, in: try await ask("actions", ["from": 1, "count": .integer(last)]))
        == members(Array(rows), in: listed))
    let shown = try await ask("place", [:], body: ["at": .integer(last)])
    let path = try #require(shown["changes", "changes", "0", "path"]?.text)
    let questions: [JSONObject] = [
      ["kind": "filter", "text": "dog animal", "without": []],
      ["kind": "filter", "text": .string(path), "without": []],
      ["kind": "blame", "path": .string(path), "at": .integer(last)], ["kind": "history", "path": .string(path)],
      ["kind": "history", "path": .string(path), "from": 20, "to": .integer(last)],
    ]
    let names = [
      "results", "command", "answer", "count", "isCut", "isNumeric", "change", "seq", "time", "type", "actor", "old",
      "new",
    ]
    for question in questions {
      let found = try await page.browser.value("actionLog.run(\(JSONValue.object(question)))")
      let expected = try await service.run(question)
      #expect(members(names, in: found) == members(names, in: expected), "\(question)")
      #expect(found["results"] != [] || question["kind"] == "blame", "\(question)")
    }
    try await page.done()
  }
}
