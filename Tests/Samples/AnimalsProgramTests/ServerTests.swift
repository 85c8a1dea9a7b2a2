import ActionLog
import ActionLogMaintenance
import AnimalsData
import EventSourcing
import Foundation
import Platform
import TestSupport
import Testing

/// `animals-server` as a process, called over the loopback by `animals-client` and by misbehaving clients.
@Suite(.timeLimit(.minutes(60))) struct ServerTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private static let sample =
    [
      "Bibbon    Southern gibbon  Herbivore  Mammal", "Cat       Cat              Carnivore  Mammal",
      "Dog       Dog              Carnivore  Mammal", "Kangaroo  Red kangaroo     Herbivore  Mammal",
      "Newt      Newt             Carnivore  Amphibian", "Sparrow   House sparrow    Omnivore   Bird", "",
      "Amphibian     Amphibian", "Bird          Bird", "Fish          Fish", "Invertebrate  Invertebrate",
      "Mammal        Mammal", "Reptile       Reptile",
    ].joined(separator: "\n") + "\n"

  @Test func serverJSONMatchesTheGuide() async throws {
    let server = try await RunningServer(data: directory.path)
    let cat = #"{"animalId":"Cat","categoryId":"Mammal","diet":"Carnivore","name":"Cat"}"#
    let categories = ["Amphibian", "Bird", "Fish", "Invertebrate", "Mammal", "Reptile"]
      .map { name in #"{"categoryId":"\#(name)","name":"\#(name)"}"# }.joined(separator: ",")
    let answer = try await server.ask(#"{"query":[{"categories":{}}]}"#)
    #expect(answer.status == 200)
    #expect(answer.fields["content-type"] == "application/json")
    #expect(answer.body == #"{"query":[{"categories":{"categories":[\#(categories)]}}]}"#)
    #expect(try await server.ask(#"{"query":[{"animals":{}}]}"#).body.contains(cat))
    #expect(
      try await server.ask(#"{"mutation":[{"deleteAnimal":{"animalId":"Cat"}}],"more":1}"#).body
        == #"{"mutation":[{"deleteAnimal":{"animal":\#(cat)}}]}"#)
    #expect(try await server.ask(#"{"query":null,"mutation":[]}"#).body == #"{"mutation":[]}"#)
    #expect(try await server.ask("{}", type: "application/json; charset=utf-8").body == "{}")
    #expect(try await server.program.line() == #"{"request":{"query":[{"categories":{}}]}}"#)
    #expect(try await server.program.line()?.hasPrefix(#"{"response":{"query":[{"categories":"#) == true)
  }

  @Test func tornTailIsReportedWithItsQuarantine() async throws {
    /// A server that receives a signal as soon as it listens.
    func run() async throws -> RunningProgram.Run {
      let server = try RunningProgram("animals-server", ["--port", "0", "--data", directory.path])
      var lines: [String] = []
      while let line = try await server.line() {
        lines.append(line)
        if line.hasPrefix("listening on ") { server.process.kill(SIGTERM) }
      }
      return RunningProgram.Run(ending: try await server.process.wait(), output: lines.joined(separator: "\n"))
    }
    #expect(try await run().ending == .status(0))
    #expect(try await LogFaults.isTornTailReported(of: directory.path("default.store"), by: run))
  }

  @Test func badRequestsGetAnErrorStatus() async throws {
    let server = try await RunningServer(data: directory.path, "--quiet")
    for body in ["", "{", "[]", #"{"query":[{"animals":{},"categories":{}}]}"#, String(repeating: "[", count: 9_999)] {
      let answer = try await server.ask(body)
      #expect(answer.status == 400)
      #expect(answer.body.hasPrefix("the body is not a valid request: "))
    }
    let queries = { (count: Int) in
      #"{"query":[\#(Array(repeating: #"{"animals":{}}"#, count: count).joined(separator: ","))],"mutation":[]}"#
    }
    #expect(try await server.ask(queries(100)).status == 200)
    let many = try await server.ask(queries(101))
    #expect(many.status == 413)
    #expect(many.body == "a request can have at most 100 operations\n")
    #expect(try await server.ask("{}", path: "/").status == 404)
    let get = try await server.ask("", method: "GET")
    #expect(get.status == 405)
    #expect(get.fields["allow"] == "POST")
    #expect(try await server.ask("{}", type: "text/plain").status == 415)
    let failed = try await server.ask(#"{"mutation":[{"deleteAnimal":{"animalId":"Owl"}}]}"#)
    #expect(failed.status == 404)
    #expect(failed.body == "animalNotFound: there is no animal with the id 'Owl'\n")
    let huge = try LoopbackClient(port: server.port)
    await huge.send(
      "POST /animals/api HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9999999\r\n\r\n"
    )
    #expect(await huge.answer()?.status == 413)
    let foreign = try LoopbackClient(port: server.port)
    await foreign.send("POST /animals/api HTTP/1.1\r\nHost: evil.example:80\r\nContent-Length: 2\r\n\r\n{}")
    #expect(await foreign.answer()?.status == 421)
    let half = try LoopbackClient(port: server.port)
    await half.send("POST /animals/api HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{\"mutation\":")
    half.endSending()
    #expect(await half.answer()?.status == 400)
    // After all these requests, the store is unchanged.
    #expect(try await server.client("list").output == Self.sample)
  }

  @Test func clientsSeeChangesOfOthers() async throws {
    let server = try await RunningServer(data: directory.path, "-q")
    #expect(try await server.client("list").output == Self.sample)
    let added = try await server.client("add", "Barn owl", "--diet", "carnivore", "--category", "Bird", "-q")
    #expect(added.ending == .status(0), "\(added.output)")
    #expect(added.output.hasSuffix("  Barn owl  Carnivore  Bird\n"))
    let updated = try await server.client("update", "Cat", "--name", "Mimi", "-q")
    #expect(updated.output == "Cat  Mimi  Carnivore  Mammal\n")
    #expect(try await server.client("delete", "Dog", "-q").output == "Dog  Dog  Carnivore  Mammal\n")
    let list = try await server.client("list").output
    #expect(list.contains("Barn owl") && list.contains("Mimi") && !list.contains("Dog"))
    #expect(try await server.client("reload-sample").ending == .status(0))
    #expect(try await server.client("list").output == Self.sample)
    for command in [["delete", "Owl"], ["update", "Owl", "--name", "Uhu"]] {
      let missing = try await RunningProgram("animals-client", command + ["--remote", server.address]).rest()
      #expect(missing.ending == .status(1))
      #expect(missing.output.contains("there is no animal with the id 'Owl'"))
    }
    let elsewhere = try await RunningProgram.run(
      "animals-client", "list", "--remote", "http://127.0.0.1:\(server.port)/animals")
    #expect(elsewhere.ending == .status(3))
    #expect(elsewhere.output.hasPrefix("error: the server has no animals at this address: "), "\(elsewhere.output)")
  }

  /// Acknowledged changes are on disk: the process is killed, and the next one has them.
  @Test func killedServerKeepsAcknowledgedChanges() async throws {
    let first = try await RunningServer(data: directory.path)
    for number in 0..<5 {
      let answer = try await first.ask(
        #"{"mutation":[{"addAnimal":{"name":"Owl \#(number)","diet":"Carnivore","categoryId":"Bird"}}]}"#)
      #expect(answer.status == 200)
    }
    #expect(try await first.ask(#"{"mutation":[{"deleteAnimal":{"animalId":"Cat"}}]}"#).status == 200)
    first.program.process.kill(SIGKILL)
    #expect(try await first.program.process.wait() == .signal(SIGKILL))
    let gone = try await first.client("list")
    #expect(gone.ending == .status(3))
    #expect(gone.output.contains("Check that 'animals-server' is running there."))

    let second = try await RunningServer(data: directory.path)
    let list = try await second.client("list").output
    for number in 0..<5 { #expect(list.contains("Owl \(number)"), "\(list)") }
    #expect(!list.contains("Cat "))
  }

  /// The process is killed while many clients wait: every acknowledged change is stored.
  @Test func concurrentAnswersSurviveAKill() async throws {
    let first = try await RunningServer(data: directory.path, "-q")
    let answered = Locked<Set<String>>([])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for client in 0..<8 {
        group.addTask {
          for number in 0..<200 {
            let name = "Owl \(client)-\(number)"
            let body = #"{"mutation":[{"addAnimal":{"name":"\#(name)","diet":"Carnivore","categoryId":"Bird"}}]}"#
            let answer: LoopbackClient.Answer?
            do {
              answer = try await LoopbackClient.ask(
                first.port, "POST", "/animals/api", fields: ["Content-Type": "application/json"], body: body)
            } catch {
              return  // The server no longer listens.
            }
            guard let answer, answer.status == 200 else { return }
            let count = answered.withLock { answered in
              answered.insert(name)
              return answered.count
            }
            if count == 40 { first.program.process.kill(SIGKILL) }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await first.program.process.wait() == .signal(SIGKILL))
    let names = answered.withLock { answered in answered }
    #expect(names.count >= 40)
    let second = try await RunningServer(data: directory.path, "-q")
    let lines = try await second.client("list").output.split(separator: "\n")
    #expect(names.allSatisfy { name in lines.contains { line in line.contains(name + " ") } })
    // A change without an answer may have been stored: at most one per waiting connection.
    #expect(lines.filter { line in line.contains("Owl ") }.count <= names.count + 8)
  }

  @Test func signalEndsTheServerCleanly() async throws {
    let server = try await RunningServer(data: directory.path)
    let idle = try LoopbackClient(port: server.port)
    #expect(try await server.ask("{}").status == 200)
    server.program.process.kill(SIGTERM)
    #expect(await idle.rest() == "")
    let run = try await server.program.rest()
    #expect(run.ending == .status(0))
    #expect(run.output.hasSuffix("answered all requests and closed the log\n"))
    let report = try LogVerifier.verify(at: directory.path("default.store"))
    #expect(report.problems.isEmpty)
    #expect(report.isClosed)
  }

  /// Its output is not read: it still answers all requests, and ends on a signal.
  @Test func slowReaderDoesNotBlockRequests() async throws {
    let server = try await RunningServer(data: directory.path, "--json")
    try await tellMuch(server)
    server.program.process.kill(SIGTERM)
    #expect(try await server.program.process.wait() == .status(0))
  }

  /// The lines that wait for a reader are limited, and dropped lines are counted.
  @Test func slowReaderSeesTheDroppedCount() async throws {
    let server = try await RunningServer(data: directory.path, "--json")
    try await tellMuch(server)
    server.program.process.kill(SIGTERM)
    let run = try await server.program.rest()
    #expect(run.ending == .status(0))
    let lines = run.output.split(separator: "\n")
    let dropped = lines.compactMap { line in
      line.hasPrefix(#"{"dropped":"#) ? Int(line.dropFirst(11).dropLast()) : nil
    }
    #expect(dropped.reduce(0, +) > 0)
    #expect(dropped.reduce(0, +) + lines.count - dropped.count == 2 * Self.requestCount)
  }

  /// Long lines are limited by their bytes: a few requests of nearly a megabyte reach the limit.
  @Test func journalMemoryIsBounded() async throws {
    let server = try await RunningServer(data: directory.path, "--json")
    let long = #"{"mutation":[],"more":"\#(String(repeating: "x", count: 900_000))"}"#
    for _ in 0..<20 { #expect(try await server.ask(long).status == 200) }
    let isReported = Locked(false)
    async let reader: [String] = {
      defer { isReported.withLock { isReported in isReported = true } }
      var lines: [String] = []
      while let line = try await server.program.line() {
        lines.append(line)
        if line.hasPrefix(#"{"dropped":"#) { break }
      }
      return lines
    }()
    // The count is written before the next accepted line.
    while !isReported.withLock({ isReported in isReported }) { #expect(try await server.ask("{}").status == 200) }
    let lines = try await reader
    // Four lines fit.
    #expect((1...4).contains(lines.count { line in line.utf8.count > 900_000 }))
    #expect(lines.last?.hasPrefix(#"{"dropped":"#) == true)
    server.program.process.kill(SIGTERM)
    #expect(try await server.program.rest().ending == .status(0))
  }

  /// Two lines per request are more than fit into a pipe and the server's buffer.
  private static let requestCount = 500

  private func tellMuch(_ server: RunningServer) async throws {
    for _ in 0..<Self.requestCount {
      #expect(try await server.ask(#"{"query":[{"animals":{}}]}"#).status == 200)
    }
  }

  @Test func secondServerIsRefused() async throws {
    let first = try await RunningServer(data: directory.path)
    let second = try await RunningProgram.run("animals-server", "--port", "0", "--data", directory.path)
    #expect(second.ending == .status(4))
    let client = try await RunningProgram.run("animals-client", "list", "--local", directory.path)
    #expect(client.ending == .status(4))
    let other = try TemporaryDirectory()
    let third = try await RunningProgram.run("animals-server", "--port", "\(first.port)", "--data", other.path)
    #expect(third.ending == .status(3))
    #expect(third.output.contains("another process listens on the address: 127.0.0.1:\(first.port)"))
  }

  @Test func missingFoldersAreCreatedButNotInALog() async throws {
    let server = try await RunningServer(data: directory.path("a/b"))
    server.program.process.kill(SIGTERM)
    #expect(try await server.program.rest().ending == .status(0))
    let store = directory.path("a/b/default.store")
    let calls = [
      ("animals-server", ["--port", "0", "--data", store]), ("animals-client", ["list", "--local", store]),
    ]
    for (program, arguments) in calls {
      let run = try await RunningProgram(program, arguments).rest()
      #expect(run.ending == .status(2) && run.output.contains("is a log itself"))
      #expect(run.output.contains(" \(directory.path("a/b"))'. Nothing was changed."))
    }
  }

  /// After each change and at the end.
  @Test func checkpointsAreStored() async throws {
    let server = try await RunningServer(data: directory.path, "--quiet", "--checkpoint-every", "1")
    let delete = #"{"mutation":[{"deleteAnimal":{"animalId":"Cat"}}]}"#
    #expect(try await server.ask(delete).status == 200)
    server.program.process.kill(SIGTERM)
    #expect(try await server.program.process.wait() == .status(0))
    let path = directory.path("default.store")
    let report = try LogVerifier.verify(at: path)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(report.checkpointCount >= 1)
    #expect(try EvidenceStore(log: path).newestCheckpoint()?.checkpoint.size == report.recordCount)
  }

  /// Values are erased after the server has ended. Its checkpoints still lead to the log, which the next server continues.
  @Test func redactableStoreIsRedactedAndVerified() async throws {
    let path = directory.path("default.store")
    do {
      let server = try await RunningServer(data: directory.path, "--quiet", "--redactable", "--checkpoint-every", "1")
      let dog = #"{"animalId":"Dog","name":"Rex, of Ann Smith","diet":"Carnivore","categoryId":"Mammal"}"#
      #expect(try await server.ask(#"{"mutation":[{"updateAnimal":\#(dog)}]}"#).status == 200)
      server.program.process.kill(SIGTERM)
      #expect(try await server.program.process.wait() == .status(0))
    }
    let lines = try String(contentsOfFile: path + "/0000000000000001.jsonl", encoding: .utf8).split(separator: "\n")
    // All lines but the first, which only says that the others have salts.
    #expect(lines.dropFirst().allSatisfy { line in line.contains(/,"salt":"[A-Za-z0-9_-]{22}",/) }, "\(lines)")
    let kept = try #require(try EvidenceStore(log: path).newestCheckpoint()?.checkpoint)
    #expect(kept.size == lines.count)
    let find = ["redact", path, "--find", "Ann Smith", "--quiet"]
    #expect(try await RunningProgram("action-log", find).rest().ending == .status(0))
    let redaction = try await RunningProgram.run(
      "action-log", "redact", path, "2:/data/animal/name", "--reason", "request 118", "--yes")
    #expect(redaction.ending == .status(0), "\(redaction.output)")
    #expect(try await RunningProgram("action-log", find).rest().ending == .status(1))
    let report = try LogVerifier.verify(at: path)
    #expect(report.verdict == .clean, "\(report.problems)")
    #expect(
      try CheckpointComparison(log: path).verdict(on: kept) == .extends(more: report.recordCount - kept.size))
    // A redacted log keeps its salts without the option.
    let server = try await RunningServer(data: directory.path, "--quiet")
    #expect(try await server.ask(#"{"query":[{"animals":{}}]}"#).body.contains(#""name":"[redacted]""#))
  }

  @Test(arguments: ["0", "-1", "5x", "s", "0s", "9999d", "99999999999999999999m", ""])
  func otherCadencesAreRefused(text: String) async throws {
    let run = try await RunningProgram.run(
      "animals-server", "--port", "0", "--data", directory.path, "--checkpoint-every=\(text)")
    #expect(run.ending == .status(2))
    #expect(run.output.contains("--checkpoint-every takes a time such as 10s, 5m"), "\(run.output)")
  }

  @Test func invalidCommandLinesGetAdvice() async throws {
    let port = try await RunningProgram.run("animals-server", "--port", "http")
    #expect(port.ending == .status(2))
    #expect(port.output.contains("--port takes a whole number (0…65535), not 'http'"))
    try Data().write(to: URL(filePath: directory.path("file")))
    let obstructed = try await RunningProgram.run("animals-server", "--port", "0", "--data", directory.path("file"))
    #expect(obstructed.ending == .status(3))
    #expect(
      try await RunningProgram.run("animals-server", "--help").output.contains("Usage\n  animals-server [options]"))
  }
}
