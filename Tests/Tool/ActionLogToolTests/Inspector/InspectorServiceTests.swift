import ActionLog
import ActionLogTesting
import ActionLogTool
import CounterData
import Foundation
import HTTPServer
import JSONCoding
import Platform
import TestSupport
import Testing

/// The service of `inspect`, without a socket: what it answers, and what it refuses.
@Suite struct InspectorServiceTests {
  private static let models = ["animals", "counter", "foodtruck", "quakes"]

  @Test(arguments: models)
  func actionsMatchTheVerbs(model: String) async throws {
    let page = try InspectorBench.committed(model)
    let records = try await page.lines("list", "logs/\(model)")
    let description = try await page.get("log")
    #expect(
      description["last"]?.integer == records.count && description["first"] == 0 && description["model"]?.text == model)
    #expect(description["path"]?.text == "logs/\(model)" && description["last"]?.integer == records.count)
    // A page without another wish begins at the end.
    #expect(description["at"] == nil)
    let answer = try await page.get("actions", "from=1&count=1000")
    let actions = try #require(answer["actions"]?.elements)
    #expect(answer["total"]?.integer == records.count && actions.count == records.count)
    for (action, record) in zip(actions, records) {
      for name in ["seq", "time", "type"] { #expect(action[name] == record[name]) }
      #expect(action["actor"] == record["meta"]?["actor"] && action["durable"] == true)
    }
    let some = try await page.get("actions", "from=3&count=2")
    #expect(some["actions"]?.elements == Array(actions[2..<4]))
    #expect(try await page.get("actions", "from=\(records.count + 1)")["actions"] == [])
    let shown = try #require(try await page.lines("show", "logs/\(model)", "5").first)
    let action = try await page.get("action", "at=5")
    for name in ["seq", "time", "type", "data", "meta", "line", "byteOffset", "readAs"] {
      #expect(action[name] == shown[name])
    }
    #expect(action["file"] == shown["path"] && action["durable"] == true && action["cut"] == false)
  }

  @Test(arguments: models)
  func valuesMatchTheVerbs(model: String) async throws {
    let page = try InspectorBench.committed(model)
    let last = try #require(try await page.get("log")["last"]?.integer)
    for revision in [0, 1, 5, last] {
      let state = try #require(try await page.lines("state", "logs/\(model)", "--at", "\(revision)").first?["state"])
      #expect(try await page.get("value", "view=abcdefgh&at=\(revision)") == state)
      let rows = try await page.get("state", "view=abcdefgh&at=\(revision)&count=1000")
      #expect(rows["revision"]?.integer == revision && rows["kind"] == "object")
      guard case .object(let object) = state else { throw SystemFailure("no object") }
      #expect(rows["rows"]?.elements.map { row in row["name"]?.text } == object.names)
    }
    let changes = try await page.changes("view=abcdefgh&at=5&base=0")
    let patch = try await page.lines("diff", "logs/\(model)", "0", "5").first?["changes"]?.elements ?? []
    #expect(changes["total"]?.integer == patch.count && changes["from"] == 0 && changes["to"] == 5)
  }

  @Test func answersTruncateLongTexts() async throws {
    let page = try InspectorBench.committed("animals")
    let row = try #require(try await page.get("actions", "from=4&count=1")["actions"]?.elements.first)
    #expect((1...300).contains(row["said"]?.text?.utf8.count ?? 0))
  }

  // MARK: - Jobs

  @Test func questionsMatchTheVerbs() async throws {
    let page = try InspectorBench.committed("animals")
    let log = "logs/animals"
    let blame = try await page.run(["kind": "blame", "path": "/animals/data/Dog/diet"])
    let blamed = try await page.lines("blame", log, "/animals/data/Dog/diet")[0]
    #expect(blame["status"] == "done" && blame["answer"]?["change"]?["seq"] == blamed["change"]?["seq"])
    #expect(blame["answer"]?["change"]?["old"]?.text == blamed["change"]?["old"]?.description)
    #expect(blame["command"] == "action-log blame logs/animals /animals/data/Dog/diet --at 23")

    let history = try await page.run(["kind": "history", "path": "/animals/data/Dog/diet"])
    let changes = try await page.lines("history", log, "/animals/data/Dog/diet")
    #expect(history["results"]?.elements.map { change in change["seq"] } == changes.map { change in change["seq"] })
    #expect(history["answer"] == ["count": .integer(changes.count), "isNumeric": false, "isCut": false])

    let condition = "/animals/data/Dog/diet == \"Omnivore\""
    for (kind, mode) in [("first", []), ("last", ["--last"]), ("bisect", ["--bisect"])] {
      let found = try await page.run(["kind": .string(kind), "condition": .string(condition)])
      let wanted = try await page.lines("find", "--\(kind)", log, condition)[0]
      for name in ["revision", "isMonotonic", "wasScanned"] {
        #expect(found["answer"]?[name] == wanted[name], "\(kind)")
      }
      #expect(found["answer"]?["action"]?["seq"] == wanted["action"]?["seq"])
      let line = try #require(found["command"]?.text)
      #expect(
        line == (["action-log find logs/animals '\(condition)'"] + (kind == "first" ? [] : mode)).joined(separator: " ")
      )
    }

    for (text, arguments) in [
      ("dog", ["--grep", "Dog"]), ("/animals/data/Dog", ["--touching", "/animals/data/Dog"]),
      (condition, ["--where", condition]),
    ] {
      let found = try await page.run(["kind": "filter", "text": .string(text)])
      let wanted = await page.bench.run(["list", log, "--json"] + arguments).output.split(separator: "\n")
      #expect(found["answer"]?["count"]?.integer == wanted.count && !wanted.isEmpty, "\(text)")
      let revisions = found["results"]?.elements.map(\.description).joined(separator: ",") ?? ""
      let rows = try await page.get("actions", "revisions=\(revisions)")
      #expect(rows["actions"]?.elements.map { row in row["seq"] } == found["results"]?.elements)
    }
    let update: JSONValue = "ui.animalEditor.onTapUpdateAnimalButton"
    let others = try await page.run(["kind": "filter", "without": [update], "from": 3])
    let wanted = try await page.lines("list", log, "--from", "3").filter { record in record["type"] != update }
    #expect(others["results"]?.elements == wanted.map { record in record["seq"] ?? .null } && !wanted.isEmpty)
  }

  @Test func testsAreWrittenAndMinimized() async throws {
    let page = try InspectorBench.committed("animals")
    let condition = "/animals/data/Dog/diet == \"Omnivore\""
    let found = try await page.run(["kind": "minimize", "condition": .string(condition), "at": 12])
    let wanted = try await page.lines("minimize", "logs/animals", condition, "--at", "12")
    #expect(
      found["answer"]?["revisions"]?.elements == wanted.map { record in record["seq"] ?? .null } && !wanted.isEmpty)
    #expect(found["answer"]?["of"] == 12 && found["answer"]?["isMinimal"] == true)
    for name in ["seq", "time", "type"] {
      #expect(
        found["answer"]?["actions"]?.elements.map { action in action[JSONPointer([name])] }
          == wanted.map { record in record[JSONPointer([name])] })
    }
    #expect(found["answer"]?["paths"] == ["/animals/data/Dog/diet"])
    let job = try await page.run(["kind": "test", "from": 0, "to": 12, "minimize": .string(condition)])
    let test = try await page.lines("test", "logs/animals", "0", "12", "--minimize", condition)[0]
    #expect(job["answer"]?["actions"] == test["actions"] && job["answer"]?["of"] == test["of"])
    #expect(job["answer"]?["passes"] == true)
    let file = await page.answer("GET", "/api/jobs/\(job["job"]?.text ?? "")/file")
    #expect(file.status == .ok && String(decoding: file.body, as: UTF8.self) == test["source"]?.text)
    #expect(file.headers["Content-Disposition"] == "attachment; filename=\"ReplayTests.swift\"")
    #expect(file.headers["X-Content-Type-Options"] == "nosniff")
    // Another job has no file.
    #expect(try await page.refusal("jobs/\(found["job"]?.text ?? "")/file").status == 404)
    let failed = try await page.run(["kind": "minimize", "condition": "/animals/data/Dog/diet == 3"])
    #expect(failed["status"] == "failed" && failed["error"]?["code"] == "doesNotHold")
  }

  /// A job has the hints that the command prints.
  @Test(arguments: [
    ("bisect", #"/animals/data/Dog/diets == "Omnivore""#, "Did you mean"),
    ("first", #"/animals/data/Dog/diets == "Omnivore""#, "Did you mean"),
  ])
  func jobsHaveTheHintsOfTheCommands(kind: String, condition: String, words: String) async throws {
    let page = try InspectorBench.committed("animals")
    let job = try await page.run(["kind": .string(kind), "condition": .string(condition)])
    let run = await page.bench.run(["find", "--\(kind)", "logs/animals", condition])
    let hints =
      job["hints"]?.elements.compactMap(\.text).map { hint in hint.prefix { character in character != "\n" } } ?? []
    #expect(hints.contains { hint in hint.contains(words) }, "\(hints)")
    for hint in hints { #expect(run.messages.contains(hint), "\(run.messages)") }
  }

  @Test func wrongQuestionsAreRefused() async throws {
    let page = try InspectorBench.committed("counter")
    let bodies: [(body: JSONValue, code: String)] = [
      (["kind": "first", "condition": "/value >"], "invalidCondition"),
      (["kind": "filter", "text": "/value = 3"], "invalidCondition"), (["kind": "nothing"], "usage"),
      (["kind": "blame"], "usage"), (["kind": "blame", "path": "value"], "usage"),
      (["kind": "blame", "path": "/value", "more": 1], "usage"), (["kind": "go", "view": "short", "at": 1], "usage"),
      (["kind": "history", "path": "/value", "from": 5, "to": 3], "usage"),
      (["kind": "history", "path": "/value", "to": 999], "revisionOutOfRange"),
      (["kind": "first", "condition": .string(String(repeating: "a", count: 4_001))], "usage"), ([], "usage"),
    ]
    for (body, code) in bodies {
      let response = await page.answer("POST", "/api/jobs", body: body)
      #expect(400..<500 ~= response.status.code, "\(body)")
      #expect(try JSONValue(parsing: response.body)["error"]?["code"]?.text == code, "\(body)")
    }
    // The mistake is shown under its character.
    let response = await page.answer("POST", "/api/jobs", body: ["kind": "first", "condition": "/value > > 1"])
    let excerpt = try JSONValue(parsing: response.body)["error"]?["excerpt"]?.elements
    #expect(excerpt?.first == "/value > > 1" && excerpt?.last?.text?.hasSuffix("^") == true)
    #expect(try await page.refusal("jobs/17").code == "noJob")
    let failed = try await page.run(["kind": "go", "view": "abcdefgh", "at": 999])
    #expect(failed["status"] == "failed" && failed["error"]?["code"] == "revisionOutOfRange")
  }

  @Test func distantStatesNeedAJob() async throws {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "3000")
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    // It is no refusal, which a browser would log as an error. A value can have any form, so it is refused.
    #expect(try await page.get("state", "view=abcdefgh&at=3000") == ["isNear": false, "revision": 3_000])
    let refusal = try await page.refusal("value", "view=abcdefgh&at=3000")
    #expect(refusal.status == 409 && refusal.code == "notNear")
    let moved = try await page.run(["kind": "go", "view": "abcdefgh", "at": 3_000, "base": 1])
    #expect(moved["status"] == "done" && moved["answer"] == ["revision": 3_000])
    let value = try await page.get("value", "view=abcdefgh&at=3000&base=1")
    let state = try await page.lines("state", "my-log")[0]
    #expect(value == state["state"])
    // Back is near, and so is the end for another tab.
    for place in ["view=abcdefgh&at=2999", "view=another1&at=3000"] {
      #expect(try await page.changes(place)["total"] != nil)
    }
  }

  @Test func jobsAreBoundedAndCanceled() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let page = try InspectorBench(bench)
    var names: [String] = []
    for _ in 0..<40 {
      names.append(try await page.run(["kind": "blame", "path": "/value"])["job"]?.text ?? "")
    }
    // The oldest are forgotten.
    #expect(try await page.refusal("jobs/\(names[0])").code == "noJob")
    _ = try await page.get("jobs/\(names[39])")
    let response = await page.answer("DELETE", "/api/jobs/\(names[39])")
    #expect(response.status == .ok)
    #expect(try await page.refusal("jobs/\(names[39])").code == "noJob")
    // Each branch has states of its own, so fewer of them are kept.
    names = []
    for revision in 1...8 {
      names.append(
        try await page.run(["kind": "what-if", "edits": [.string("skip \(revision)")]])["job"]?
          .text ?? "")
    }
    #expect(try await page.refusal("jobs/\(names[2])").code == "noJob")
    _ = try await page.get("jobs/\(names[4])")
  }

  @Test func resultsOfManyQuestionsAreBounded() async throws {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "3000")
    try #require(run.status == 0, "\(run.messages)")
    let limit = 1 << 20
    let page = try InspectorBench(bench, keptBytes: limit)
    var names: [String] = []
    for _ in 0..<8 {
      let found = try await page.run(["kind": "history", "path": "/value"])
      #expect(found["answer"]?["count"]?.integer == 3_000)
      names.append(found["job"]?.text ?? "")
    }
    // Each has more than a third of what is kept.
    #expect(try await page.refusal("jobs/\(names[0])").code == "noJob")
    #expect(try await page.get("jobs/\(names[7])", "after=2000")["results"]?.elements.count == 1_000)
    _ = try await page.run(["kind": "blame", "path": "/value"])
    #expect(page.service.jobCounts.bytes <= limit && page.service.jobCounts.bytes > limit / 4)
  }

  /// A view that is dragged asks for more moves than a server could fold.
  @Test func moveReplacesTheRunningMove() async throws {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "20000")
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    var names: [String] = []
    for number in 0..<24 {
      let target = number % 2 == 0 ? 19_000 - number * 500 : 3_000 + number * 100
      let response = await page.answer(
        "POST", "/api/jobs", body: ["kind": "go", "view": "abcdefgh", "at": .integer(target)])
      #expect(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
      names.append(try JSONValue(parsing: response.body)["job"]?.text ?? "")
      // The one that it replaces is canceled, and ends before it begins.
      #expect(page.service.jobCounts.active <= 1)
    }
    let last = try await page.get("jobs/\(names[23])", until: { answer in answer["status"] != "running" })
    #expect(last["status"] == "done" && last["answer"] == ["revision": 5_300])
    #expect(try await page.get("state", "view=abcdefgh&at=5300")["isNear"] == nil)
    // Questions are refused at their limit, moves of this view are not.
    for _ in 0..<4 {
      _ = await page.answer("POST", "/api/jobs", body: ["kind": "minimize", "condition": "/value == 20000"])
    }
    let move = await page.answer("POST", "/api/jobs", body: ["kind": "go", "view": "abcdefgh", "at": 12_000])
    #expect(move.status == .ok)
    page.service.stop()
  }

  @Test func placeHasWhatAPageShows() async throws {
    let page = try InspectorBench.committed("animals")
    func place(_ body: JSONObject) async throws -> JSONValue {
      let response = await page.answer("POST", "/api/place", body: .object(body))
      try #require(response.status == .ok, "\(String(decoding: response.body, as: UTF8.self))")
      return try JSONValue(parsing: response.body)
    }
    let found = try await place(["view": "abcdefgh", "at": 12, "open": [""], "reveals": true])
    let patch = try await page.lines("diff", "logs/animals", "11", "12").first?["changes"]?.elements ?? []
    #expect(found["changes"]?["total"]?.integer == patch.count && found["changes"]?["from"] == 11)
    #expect(try JSONValue(parsing: (found["action"]?.text ?? "").utf8) == (try await page.get("action", "at=12")))
    let pages = found["pages"]?.elements ?? []
    let paths = pages.compactMap { page in page["path"]?.text }
    #expect(paths.starts(with: ["", "/animals"]))
    #expect(Set(paths).isSuperset(of: ["/animals/data", "/animals/data/Dog"]) && Set(paths).count == paths.count)
    for shown in pages {
      let path = shown["path"]?.text ?? ""
      #expect(shown == (try await page.get("state", "view=abcdefgh&at=12&path=\(path)")), "\(path)")
    }
    // Only what changed, and only what is open.
    let changed = try await place(["view": "abcdefgh", "at": 12, "open": [""], "only": "changed"])
    #expect(changed["pages"]?.elements.count == 1)
    #expect(
      changed["pages"]?.elements.first == (try await page.get("state", "view=abcdefgh&at=12&only=changed")))
    // A closed container is read when it is opened.
    let inner = try await place(["view": "abcdefgh", "at": 12, "path": "/animals", "open": ["/animals"]])
    #expect(inner["pages"]?.elements.compactMap { page in page["path"]?.text } == ["/animals"])
  }

  @Test func secretOfAPortIsKeptOnATerminal() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    func secret(_ arguments: String..., folder: String? = "/run", isTerminal: Bool = true) throws -> String {
      try InspectorBench(bench, arguments) { environment in
        environment.outputIsTerminal = isTerminal
        environment.variables["XDG_RUNTIME_DIR"] = folder
      }.service.token.text
    }
    try bench.disk.createDirectory("/run")
    let first = try secret("my-log", "--port", "8090")
    #expect(try secret("my-log", "--port", "8090") == first)
    // Another port has another secret; without a port, a terminal or a folder it is a new one each time.
    #expect(try secret("my-log", "--port", "8091") != first)
    #expect(try secret("my-log") != first)
    #expect(try secret("my-log", "--port", "8090", isTerminal: false) != first)
    for folder in [nil, "", "run", "/missing"] {
      #expect(try secret("my-log", "--port", "8090", folder: folder) != first, "\(folder ?? "nil")")
    }
    // A damaged file is replaced.
    let path = try #require(bench.disk.filePaths.first { path in path.contains("/run/") && path.contains("8090") })
    try bench.disk.remove(path)
    let file = try bench.disk.open(path, for: .create)
    try file.append(Array("short".utf8))
    file.close()
    let second = try secret("my-log", "--port", "8090")
    #expect(second != first && second.utf8.count == 43)
    #expect(try secret("my-log", "--port", "8090") == second)
  }

  // MARK: - News

  @Test func followReportsNewActions() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let page = try InspectorBench(bench)
    let log = try await page.get("log")
    let last = try #require(log["last"]?.integer)
    #expect(log["isClosed"] == true && log["durable"]?.integer == last)
    let none = try await page.get("follow", "after=\(last)&marks=0&wait=0")
    #expect(none["last"]?.integer == last)
    async let news = page.get("follow", "after=\(last)&marks=0&wait=20")
    let run = await bench.run(
      "record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton","data":{}}"# + "\n"])
    try #require(run.status == 0, "\(run.messages)")
    #expect(try await news["last"]?.integer == last + 1)
    _ = try await page.get("follow", "after=\(last)&marks=0", until: { news in news["isClosed"] == true })
    let row = try await page.get("actions", "from=\(last + 1)")["actions"]?.elements.first
    #expect(row?["type"] == "didTapIncrementButton" && row?["durable"] == true)
    // The view reads the log again.
    let state = try await page.get("value", "view=abcdefgh&at=\(last + 1)")
    #expect(state == (try await page.lines("state", "my-log"))[0]["state"])
    _ = await bench.run("mark", "my-log", "3", "here")
    let marked = try await page.get("follow", "after=\(last + 1)&marks=0&wait=20")
    #expect(marked["marksVersion"] != 0)
    #expect(try await page.get("log")["marks"]?.elements.first?["name"] == "here")
  }

  /// Requests for news must not take all places of the server.
  @Test func requestsForNewsBeyondTheLimitDoNotWait() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let page = try InspectorBench(bench)
    let last = try #require(try await page.get("log")["last"]?.integer)
    page.service.withFollowers { count in count = InspectorLimits.followers }
    let start = ContinuousClock.now
    #expect(try await page.get("follow", "after=\(last)&marks=0&wait=20")["last"]?.integer == last)
    #expect(ContinuousClock.now - start < .seconds(20))
    #expect(page.service.withFollowers { count in count } == InspectorLimits.followers)
  }

  @Test func followReportsDamage() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let page = try InspectorBench(bench)
    let last = try #require(try await page.get("log")["last"]?.integer)
    let contents = try bench.disk.contents(of: Bench.segment)
    try bench.disk.setContents(Array(contents.prefix(contents.count / 2)) + [0x0A], of: Bench.segment)
    let damaged = try await page.get("follow", "after=\(last)&marks=0", until: { news in news["damage"] != nil })
    #expect(damaged["damage"]?.text?.contains("my-log") == true)
  }

  /// A redacted value does not stay in the states and rows that were read before.
  @Test func redactedValuesAreReadAgain() async throws {
    let bench = Bench(tool: .withStories)
    let animal = #"{"animalId":"A","name":"Ann Smith","diet":"Herbivore","categoryId":"Mammal"}"#
    let action =
      #"{"type":"data.persistentSession.didAddAnimal","data":{"id":"t","result":{"success":{"animal":\#(animal)}}}}"#
    let run = await bench.run("record", "animals", "my-log", "--redactable", input: [action + "\n"])
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    let value = "view=abcdefgh&at=1&path=%2Fanimals%2Fdata%2FA%2Fname"
    #expect(try await page.get("value", value) == "Ann Smith")
    func text() async throws -> String? { try await page.get("actions")["actions"]?.elements.first?["said"]?.text }
    #expect(try await text()?.contains("Ann Smith") == true)
    let redaction = await bench.run(
      "redact", "my-log", "1:/data/result/success/animal/name", "--reason", "request 7", "--yes")
    try #require(redaction.status == 0, "\(redaction.messages)")
    // Once for the record, and once for the next one: the values are gone then.
    _ = try await page.get("follow", "after=1&marks=0", until: { news in news["rollbacks"] == 2 })
    #expect(try await page.get("value", value) == "[redacted]")
    #expect(try await text()?.contains("Ann Smith") == false)
  }

  /// No offset and no number of rows is beyond what can be computed.
  @Test(
    arguments: [
      ("actions", "count=0"), ("actions", "from=9223372036854775807"), ("actions", "from=2&count=0"),
      ("state", "view=abcdefgh&at=5&offset=9223372036854775807"), ("state", "view=abcdefgh&at=5&count=0"),
      ("state", "view=abcdefgh&at=5&only=changed&offset=9223372036854775807"),
      ("density", "from=9223372036854775807"), ("causes", "at=5&count=0"),
    ])
  func pagesBeyondTheEndAreEmpty(path: String, query: String) async throws {
    let page = try InspectorBench.committed("counter")
    let answer = try await page.get(path, query)
    let rows = ["actions", "rows", "counts", "nodes"].compactMap { name in answer[name] }
    #expect(rows.count == 1 && rows.first?.elements == [], "\(answer)")
  }

  @Test func marksAreWrittenOnlyIfAllowed() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let mark: JSONValue = ["name": "turning point", "revision": 3, "remark": "here"]
    let reading = try InspectorBench(bench)
    #expect(try await reading.get("log")["writes"] == [])
    let refused = await reading.answer("PUT", "/api/marks", body: mark)
    #expect(refused.status == .forbidden)
    let advice = try JSONValue(parsing: refused.body)["error"]?["advice"]?.text
    #expect(advice?.contains("action-log mark my-log 3 'turning point' here") == true)
    #expect(await reading.answer("DELETE", "/api/marks/x").status == .forbidden)
    #expect(try bench.disk.status(of: "my-log/marks.jsonl") == nil)

    let page = try InspectorBench(bench, ["my-log", "--allow-marks"])
    #expect(try await page.get("log")["writes"] == ["marks"])
    let response = await page.answer("PUT", "/api/marks", body: mark)
    #expect(response.status == .ok)
    let listed = try await page.lines("mark", "my-log")
    #expect(
      listed.count == 1 && listed[0]["name"] == "turning point" && listed[0]["remark"] == "here"
        && listed[0]["seq"] == 3)
    #expect(try await page.get("log")["marks"]?.elements == listed)
    #expect(await page.answer("PUT", "/api/marks", body: mark).status == .badRequest)
    #expect(await page.answer("PUT", "/api/marks", body: ["name": "late", "revision": 999]).status == .notFound)
    #expect(await page.answer("PUT", "/api/marks", body: ["name": "late"]).status == .badRequest)
    #expect(await page.answer("DELETE", "/api/marks/turning%20point").status == .ok)
    #expect(try await page.get("log")["marks"] == [])
    #expect(await page.answer("DELETE", "/api/marks/turning%20point").status == .badRequest)
  }

  // MARK: - Refusals

  @Test func everyAnswerForbidsOtherSites() async throws {
    let page = try InspectorBench.committed("counter")
    for response in [
      await page.answer("GET", "/"), await page.answer("GET", "/api/log"), await page.answer("GET", "/x"),
    ] {
      #expect(response.headers["X-Content-Type-Options"] == "nosniff")
      #expect(response.headers["Referrer-Policy"] == "no-referrer" && response.headers["Cache-Control"] == "no-store")
      #expect(response.headers["Cross-Origin-Opener-Policy"] == "same-origin")
      #expect(response.headers["Cross-Origin-Resource-Policy"] == "same-origin")
      let policy = try #require(response.headers["Content-Security-Policy"])
      for part in [
        "default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
      ] {
        #expect(policy.contains(part))
      }
      #expect(!policy.contains("unsafe") && response.headers["Access-Control-Allow-Origin"] == nil)
    }
    let document = String(decoding: await page.answer("GET", "/").body, as: UTF8.self)
    #expect(!document.contains(page.service.token.text) && !document.contains("{{"))
    #expect(page.service.token.text.count == 43)
  }

  @Test func foreignRequestsAreRefused() async throws {
    let page = try InspectorBench.committed("counter")
    let token = "Bearer \(page.service.token.text)"
    let other = "Bearer \(try InspectorBench.committed("counter").service.token.text)"
    let own = "127.0.0.1:\(InspectorBench.port)"
    let cases: [(path: String, fields: [(String, String)], status: Int)] = [
      ("/", [("Host", own)], 200), ("/", [("Host", "localhost:\(InspectorBench.port)")], 200), ("/", [], 421),
      ("/", [("Host", "example.org")], 421), ("/", [("Host", "127.0.0.1")], 421),
      ("/", [("Host", "127.0.0.1:80")], 421),
      ("/", [("Host", own), ("Host", own)], 421),
      ("/", [("Host", own), ("Origin", "http://example.org")], 403), ("/", [("Host", own), ("Origin", "null")], 403),
      ("/", [("Host", own), ("Sec-Fetch-Site", "cross-site")], 403),
      (
        "/",
        [("Host", own), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "no-cors"), ("Sec-Fetch-Dest", "script")],
        403
      ),
      // The file of --open leads a tab to the page, which holds nothing of the log.
      (
        "/",
        [
          ("Host", own), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
          ("Sec-Fetch-Dest", "document"),
        ], 200
      ),
      ("/api/log", [("Host", own), ("Authorization", token)], 200), ("/api/log", [("Host", own)], 401),
      ("/api/log", [("Host", own), ("Authorization", other)], 401),
      ("/api/log", [("Host", own), ("Authorization", token + "A")], 401),
      ("/api/log", [("Host", own), ("Authorization", "Bearer ")], 401),
      ("/api/log", [("Host", own), ("Authorization", token), ("Authorization", token)], 401),
      ("/api/log", [("Host", "example.org"), ("Authorization", token)], 421),
      ("/api/log", [("Host", own), ("Authorization", token), ("Origin", "http://localhost:1")], 403),
      ("/api/log", [("Host", own), ("Authorization", token), ("Sec-Fetch-Site", "same-site")], 403),
      (
        "/api/log",
        [
          ("Host", own), ("Authorization", token), ("Sec-Fetch-Site", "cross-site"), ("Sec-Fetch-Mode", "navigate"),
          ("Sec-Fetch-Dest", "document"),
        ], 403
      ), ("/api/nothing", [("Host", own), ("Authorization", token)], 404), ("/favicon.ico", [("Host", own)], 404),
      ("/../etc/passwd", [("Host", own)], 404), ("/api/jobs/1/file", [("Host", own), ("Authorization", token)], 404),
    ]
    for (path, fields, status) in cases {
      let headers = HTTPHeaders(fields.map { name, value in HTTPHeaders.Field(name: name, value: value) })
      let response = await page.service.answer(HTTPRequest(method: "GET", path: path, headers: headers))
      #expect(response.status.code == status, "\(path) \(fields)")
      if status >= 400 {
        let error = try JSONValue(parsing: response.body)["error"]
        #expect(error?["code"]?.text != nil && error?["message"]?.text != nil)
      }
    }
  }

  @Test func methodsAndMediaTypesAreChecked() async throws {
    let page = try InspectorBench.committed("counter")
    for (method, path) in [
      ("OPTIONS", "/"), ("OPTIONS", "/api/log"), ("POST", "/"), ("POST", "/api/log"), ("PUT", "/api/jobs"),
    ] {
      let response = await page.answer(method, path)
      #expect(response.status == .methodNotAllowed && response.headers["Allow"] != nil, "\(method) \(path)")
    }
    var request = page.request("POST", "/api/jobs", body: ["kind": "blame", "path": "/value"])
    request.headers = HTTPHeaders(request.headers.fields.filter { field in field.name != "Content-Type" })
    #expect(await page.service.answer(request).status == .unsupportedMediaType)
    request.headers.append("Content-Type", "text/plain")
    #expect(await page.service.answer(request).status == .unsupportedMediaType)
    let long: JSONValue = ["kind": .string(String(repeating: "a", count: 70_000))]
    #expect(await page.answer("POST", "/api/jobs", body: long).status == .contentTooLarge)
  }

  @Test(
    arguments: [
      ("actions", "count=1001", 400), ("actions", "from=-1", 400), ("actions", "from=1&from=2", 400),
      ("actions", "nothing=1", 400),
      ("actions", "from=99999999999999999999", 400), ("actions", "from=%FF", 400), ("actions", "revisions=1,x", 400),
      ("action", nil, 400),
      ("action", "at=0", 404), ("action", "at=999", 404), ("state", "at=1", 400), ("state", "view=short&at=1", 400),
      ("state", "view=abcdefgh", 400), ("state", "view=../../../../&at=1", 400), ("state", "view=abcdefgh&at=999", 404),
      ("state", "view=abcdefgh&at=1&path=value", 400), ("state", "view=abcdefgh&at=1&path=/nothing", 404),
      ("state", "view=abcdefgh&at=1&only=all", 400), ("state", "view=abcdefgh&at=1&base=x", 400),
      ("value", "view=abcdefgh&at=1&path=/a", 404), ("log", "at=1", 400), ("follow", "after=1", 400),
      ("follow", "after=1&marks=0&wait=21", 400),
    ] as [(String, String?, Int)])
  func wrongParametersAreRefused(path: String, query: String?, status: Int) async throws {
    let page = try InspectorBench.committed("counter")
    #expect(try await page.refusal(path, query).status == status)
  }

  @Test(arguments: Seeds.batches)
  func noisyRequestsAreAnswered(batch: UInt64) async throws {
    let page = try InspectorBench.committed("counter")
    for seed in Seeds.batch(batch, of: 20) {
      var generator = SeededGenerator(seed: seed)
      func noise(_ length: Int) -> String {
        let characters = Array("/%&=?#0123456789abcxyz\u{0}\u{202E}~éF")
        return String((0..<length).map { _ in characters.randomElement(using: &generator) ?? "a" })
      }
      let routes = ["log", "actions", "action", "state", "value", "follow", "jobs", "jobs/1"]
      let route = routes.randomElement(using: &generator) ?? ""
      let query = Bool.random(using: &generator) ? "view=abcdefgh&at=\(noise(3))&path=\(noise(8))" : noise(20)
      let method = ["GET", "POST", "DELETE"].randomElement(using: &generator) ?? "GET"
      var request = page.request(
        method, "/api/\(route)\(Bool.random(using: &generator) ? noise(4) : "")", query, body: [:])
      request.body = Array(noise(30).utf8)
      let response = await page.service.answer(request)
      #expect(response.status.code != 500, "seed \(seed)")
      _ = try JSONValue(parsing: response.body)
    }
  }
}
