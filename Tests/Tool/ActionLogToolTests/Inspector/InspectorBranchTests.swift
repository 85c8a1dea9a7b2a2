import ActionLog
import ActionLogTesting
import ActionLogTool
import AnimalsData
import EventSourcing
import Foundation
import HTTPServer
import JSONCoding
import TestSupport
import Testing
import TimeTravel

/// Causes, what-if and bug reports of the inspector, compared with the verbs and with the engine.
@Suite struct InspectorBranchTests {
  private static let dog =
    #"{"type":"ui.animalEditor.onTapUpdateAnimalButton","data":{"animalId":"Dog","name":"Wolf","diet":"Carnivore","categoryId":"Mammal"}}"#

  // MARK: - Causes

  /// A log whose actions name random causes, some of them invalid.
  private static func pageWithCauses(_ generator: inout SeededGenerator, _ count: Int) async throws -> InspectorBench {
    let bench = Bench()
    let lines = (1...count).map { revision in
      let cause = Bool.random(using: &generator) ? Int.random(in: 0...revision + 1, using: &generator) : nil
      let meta = cause.map { cause in #","meta":{"cause":\#(cause),"correlation":"c\#(cause % 3)"}"# } ?? ""
      return #"{"type":"didTapIncrementButton","data":{}\#(meta)}"# + "\n"
    }
    let run = await bench.run("record", "counter", "my-log", input: lines)
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    _ = try await page.get("log", until: { log in log["indexed"]?.integer == count })
    return page
  }

  @Test(arguments: Seeds.batches)
  func causesMatchTheList(batch: UInt64) async throws {
    for seed in Seeds.batch(batch, of: 2) {
      var generator = SeededGenerator(seed: seed)
      let page = try await Self.pageWithCauses(&generator, 40)
      for at in [1, 7, 23, 40] {
        let records = try await page.lines("list", "my-log", "--cause", "\(at)")
        let answer = try await page.get("causes", "at=\(at)&count=1000")
        let nodes = try #require(answer["nodes"]?.elements)
        let revisions = nodes.compactMap { node in node["seq"]?.integer }
        #expect(revisions.sorted() == records.compactMap { record in record["seq"]?.integer }, "seed \(seed), \(at)")
        #expect(answer["total"]?.integer == records.count && answer["root"]?.integer == revisions.min())
        #expect(
          answer["correlation"] == records.first { record in record["seq"]?.integer == at }?["meta"]?["correlation"])
        // Depth first: an action follows its cause, and what lies between follows from the cause, too.
        var path: [Int] = []
        for node in nodes {
          let depth = try #require(node["depth"]?.integer)
          path = Array(path.prefix(depth))
          #expect(path.count == depth && (depth == 0 || node["cause"]?.integer == path.last), "seed \(seed), \(at)")
          path.append(try #require(node["seq"]?.integer))
        }
        // A part has the action.
        let part = try await page.get("causes", "at=\(at)&count=3")
        #expect(part["nodes"]?.elements.contains { node in node["seq"]?.integer == at } == true)
      }
    }
  }

  @Test func causesOfACutIndexAreIncomplete() async throws {
    var generator = SeededGenerator(seed: 1)
    let bench = try await Self.pageWithCauses(&generator, 40).bench
    let page = try InspectorBench(bench, indexLimit: 16)
    _ = try await page.get("log", until: { log in log["indexed"] == 40 })
    let answer = try await page.get("causes", "at=1&count=1000")
    let all = try await page.lines("list", "my-log", "--cause", "1").compactMap { record in record["seq"]?.integer }
    let found = answer["nodes"]?.elements.compactMap { node in node["seq"]?.integer } ?? []
    #expect(answer["isCut"] == true && found.contains(1) && Set(found).isSubset(of: all))
  }

  @Test func invalidCausesAreReported() async throws {
    let bench = Bench()
    let run = await bench.run(
      "record", "counter", "my-log",
      input: [#"{"type":"didTapIncrementButton","data":{},"meta":{"cause":9}}"# + "\n"])
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    let answer = try await page.get("causes", "at=1")
    #expect(answer["notice"]?.text?.contains("the cause that action 1 names, 9, is not before it") == true)
    #expect(answer["total"] == 1 && answer["root"] == 1)
    #expect(try await page.refusal("causes", "at=0").status == 404)
    #expect(try await page.refusal("causes", "at=2").status == 404)
    #expect(try await page.refusal("causes").status == 400)
  }

  // MARK: - What if

  private static let edits: [(edits: JSONValue, words: [String])] = [
    (["skip 12"], ["--skip", "12"]), (["skip 1-8"], ["--skip", "1-8"]),
    (["move 12=8"], ["--move", "12=8"]),
    ([.string("insert 12=\(dog)")], ["--insert", "12=\(dog)"]),
    (["insert 0=ui.animalList.onAppear"], ["--insert", "0=ui.animalList.onAppear"]),
    (
      [#"replace 11={"type":"ui.animalList.onAppear"}"#, "skip 4-5"],
      ["--skip", "4-5", "--replace", #"11={"type":"ui.animalList.onAppear"}"#]
    ),
    // Every action is refused, and the states have nothing in common.
    ([], ["--with", "counter"]),
    // The same reducer.
    (["skip 12"], ["--skip", "12", "--with", "animals"]),
  ]

  @Test(arguments: edits.indices)
  func whatIfMatchesTheVerb(index: Int) async throws {
    let page = try InspectorBench.committed("animals")
    let (edits, words) = Self.edits[index]
    let model = words.firstIndex(of: "--with").map { place in words[place + 1] }
    var body: JSONObject = ["kind": "what-if", "edits": edits]
    body["with"] = model.map(JSONValue.string)
    let job = try await page.run(body)
    try #require(job["status"] == "done", "\(job)")
    let run = await page.bench.run(["what-if", "logs/animals"] + words + ["--json"])
    let wanted = try JSONValue(parsing: run.output.utf8)
    let answer = try #require(job["answer"])
    for name in ["revision", "actions", "stem", "firstDivergence", "refused", "refusals"] {
      #expect(answer[name] == wanted[name], "\(words) \(name)")
    }
    let branch = try #require(answer["branch"]?.text)
    let at = try #require(answer["revision"]?.integer)
    let changes = try await page.changes("view=abcdefgh&at=\(at)&branch=\(branch)")
    #expect(changes["total"]?.integer == wanted["changes"]?.elements.count)
    #expect(
      changes["changes"]?.elements.map { change in change["path"] }
        == wanted["changes"]?.elements.map { change in change["path"] })
    // The same line asks the same question.
    let line = try #require(job["command"]?.text)
    #expect(line.hasPrefix("action-log what-if logs/animals "))
    #expect(model.map { model in line.contains("--with \(model)") } ?? true)
  }

  /// The states of a branch, step by step, against the engine's.
  @Test(arguments: Seeds.batches)
  func branchStatesMatchTheEngine(batch: UInt64) async throws {
    let bench = Bench()
    let run = await bench.run("record", "animals", "my-log", "--workload", "90")
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    let last = try #require(try await page.get("log")["last"]?.integer)
    let history = try await History<AnimalsModel>(at: "my-log", fileSystem: bench.disk)
    for seed in Seeds.batch(batch, of: 3) {
      var generator = SeededGenerator(seed: seed)
      var edits: [HistoryEdit] = []
      var bodies: [JSONValue] = []
      var known: Set<Int> = []
      for _ in 0..<3 {
        let revision = Int.random(in: 1...last, using: &generator)
        guard known.insert(revision).inserted else { continue }
        if Bool.random(using: &generator) {
          edits.append(.skip(revision...revision))
          bodies.append(.string("skip \(revision)"))
        } else {
          let action = try history.reader.record(at: Int.random(in: 1...last, using: &generator))
          let form = ActionForm(type: action.type, data: Array(action.dataBytes))
          let isInserted = Bool.random(using: &generator)
          edits.append(isInserted ? .insert(form, after: revision) : .replace(revision, with: form))
          let text = "\(action.type) \(String(decoding: action.dataBytes, as: UTF8.self))"
          bodies.append(.string("\(isInserted ? "insert" : "replace") \(revision)=\(text)"))
        }
      }
      let job = try await page.run(["kind": "what-if", "edits": .array(bodies)])
      let branch = try #require(job["answer"]?["branch"]?.text, "seed \(seed): \(job)")
      var at = Int.random(in: 0...last, using: &generator)
      for _ in 0..<6 {
        let present = edits.filter { edit in
          switch edit {
          case .skip(let range): range.upperBound <= at
          case .replace(let revision, _), .insert(_, let revision), .move(let revision, _): revision <= at
          }
        }
        let wanted = try history.whatIf(present, upTo: at)
        let place = "view=abcdefgh&at=\(at)&branch=\(branch)"
        #expect(
          try await page.get("value", place) == (try StateTree(encoding: wanted.state)).root, "seed \(seed), \(at)")
        let changes = try await page.changes(place)
        #expect(
          changes["changes"]?.elements.map { change in change["path"]?.text }
            == wanted.difference.changes.map(\.pointer.description), "seed \(seed), \(at)")
        let rows = try await page.get("state", place)["rows"]?.elements ?? []
        #expect(rows.contains { row in row["inside"] == true || row["change"] != nil } == !wanted.difference.isEmpty)
        at = min(last, max(0, at + Int.random(in: -30...30, using: &generator)))
      }
    }
    // Nothing is written, and the recording is shown as before.
    #expect(try bench.disk.names(in: "/") == ["my-log"])
    let state = try await page.lines("state", "my-log")[0]
    #expect(try await page.get("value", "view=abcdefgh&at=\(last)") == state["state"])
  }

  @Test func distantBranchStatesNeedAJob() async throws {
    let bench = Bench()
    let run = await bench.run("record", "counter", "my-log", "--workload", "3000")
    try #require(run.status == 0, "\(run.messages)")
    let page = try InspectorBench(bench)
    let job = try await page.run(["kind": "what-if", "edits": ["skip 5"]])
    let branch = try #require(job["answer"]?["branch"]?.text)
    let place = "view=abcdefgh&at=3000&branch=\(branch)"
    #expect(try await page.changes(place) == ["isNear": false, "revision": 3_000])
    let refusal = try await page.refusal("value", place)
    #expect(refusal.status == 409 && refusal.code == "notNear")
    let moved = try await page.run(["kind": "go", "view": "abcdefgh", "at": 3_000, "branch": .string(branch)])
    #expect(moved["status"] == "done")
    let difference = try await page.lines("what-if", "my-log", "--skip", "5")[0]
    #expect(try await page.changes(place)["total"]?.integer == difference["changes"]?.elements.count)
    _ = try await page.get("value", "view=abcdefgh&at=2999&branch=\(branch)")
    // The branch goes on with actions that are recorded later.
    let more = await bench.run(
      "record", "counter", "my-log", input: [#"{"type":"didTapIncrementButton","data":{}}"# + "\n"])
    try #require(more.status == 0, "\(more.messages)")
    let later = try await page.changes("view=abcdefgh&at=3001&branch=\(branch)")
    #expect(later["to"] == 3_001)
    // A forgotten job has no branch, and no other job has one.
    #expect(await page.answer("DELETE", "/api/jobs/\(branch)").status == .ok)
    #expect(try await page.refusal("value", place).code == "noJob")
    #expect(
      try await page.refusal("value", "view=abcdefgh&at=3000&branch=\(moved["job"]?.text ?? "")").code == "noBranch")
  }

  @Test func wrongEditsAreRefused() async throws {
    let page = try InspectorBench.committed("animals")
    let edits: [(edits: JSONValue, code: String)] = [
      ([], "usage"), ("x", "usage"), ([1], "usage"), (["skip"], "usage"), (["skip 3-2"], "usage"),
      (["skip 0"], "revisionOutOfRange"), (["skip 3-99"], "revisionOutOfRange"), (["move 3"], "usage"),
      (["replace 3"], "usage"), (["replace 3=nothing.like.this"], "invalidEdit"), (["insert 3=a {"], "usage"),
      (["insert 3=@close"], "usage"), (["nothing 3"], "usage"),
      (["move 9223372036854775807=1"], "revisionOutOfRange"),
      (["move 3=5", "replace 3=ui.animalList.onAppear"], "invalidEdit"),
      (.array(Array(repeating: "skip 3", count: 1_001)), "usage"),
    ]
    let unknown = await page.answer("POST", "/api/jobs", body: ["kind": "what-if", "edits": [], "with": "conter"])
    #expect(unknown.status == .badRequest)
    #expect(try JSONValue(parsing: unknown.body)["error"]?["code"]?.text == "unknownModel")
    for (edits, code) in edits {
      let response = await page.answer("POST", "/api/jobs", body: ["kind": "what-if", "edits": edits])
      #expect(400..<500 ~= response.status.code, "\(edits)")
      #expect(try JSONValue(parsing: response.body)["error"]?["code"]?.text == code, "\(edits)")
    }
    let job = try await page.run(["kind": "what-if", "edits": ["skip 3"]])
    let branch = try #require(job["answer"]?["branch"]?.text)
    #expect(try await page.refusal("state", "view=abcdefgh&at=5&base=4&branch=\(branch)").status == 400)
    #expect(try await page.refusal("state", "view=abcdefgh&at=99&branch=\(branch)").status == 404)
    #expect(try await page.refusal("state", "view=abcdefgh&at=5&branch=77").code == "noJob")
  }

  // MARK: - Bug reports

  @Test func bugReportMatchesTheVerb() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    _ = await bench.run("mark", "my-log", "3", "here")
    let names = try bench.disk.names(in: "/")
    let page = try InspectorBench(bench)
    let last = try #require(try await page.get("log")["last"]?.integer)
    for (from, to) in [(2, 4), (nil, nil)] as [(Int?, Int?)] {
      var body: JSONObject = ["kind": "bug-report", "remark": "it counts"]
      body["from"] = from.map(JSONValue.integer)
      body["to"] = to.map(JSONValue.integer)
      let job = try await page.run(body)
      try #require(job["status"] == "done", "\(job)")
      // Only in memory.
      #expect(try bench.disk.names(in: "/") == names)
      let words = [from.map(String.init) ?? "0", to.map(String.init) ?? "\(last)"]
      let wanted = try await page.lines(
        "bug-report", "my-log", words[0], words[1], "--output", "wanted.jsonl", "--remark", "it counts")[0]
      for name in ["log", "from", "to", "remark", "marks", "verify", "replay"] {
        #expect(job["answer"]?[name] == wanted[name], "\(name)")
      }
      #expect(
        job["command"]?.text
          == "action-log bug-report my-log \(words[0]) \(words[1]) --output bug-report.jsonl --remark 'it counts'")
      let file = await page.answer("GET", "/api/jobs/\(job["job"]?.text ?? "")/file")
      #expect(file.headers["Content-Disposition"] == "attachment; filename=\"bug-report.jsonl\"")
      #expect(file.body.count == job["answer"]?["bytes"]?.integer)
      try bench.disk.setContents(file.body, of: "found.jsonl")
      for verb in [["state"], ["list"], ["mark"]] {
        let found = await bench.run(verb + ["found.jsonl", "--json"])
        let same = await bench.run(verb + ["wanted.jsonl", "--json"])
        #expect(found.status == 0, "\(found.messages)")
        #expect(
          found.output.replacing("found.jsonl", with: "") == same.output.replacing("wanted.jsonl", with: ""), "\(verb)")
      }
      try bench.disk.remove("wanted.jsonl")
      try bench.disk.remove("found.jsonl")
    }
  }

  @Test func bugReportBeyondTheLimitIsRefused() async throws {
    let bench = Bench()
    try await bench.recordCounter()
    let page = try InspectorBench(bench, fileLimit: 500)
    let job = try await page.run(["kind": "bug-report"])
    #expect(job["status"] == "failed" && job["error"]?["code"] == "beyondLimit")
    #expect(job["error"]?["advice"]?.text?.contains("action-log bug-report my-log 0 ") == true)
    let response = await page.answer("POST", "/api/jobs", body: ["kind": "bug-report", "from": 5, "to": 3])
    #expect(response.status == .badRequest)
    let long = await page.answer(
      "POST", "/api/jobs", body: ["kind": "bug-report", "remark": .string(String(repeating: "a", count: 5_000))])
    #expect(long.status == .badRequest)
  }
}
