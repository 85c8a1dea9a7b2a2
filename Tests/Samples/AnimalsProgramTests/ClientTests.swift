import ActionLog
import ActionLogMaintenance
import Foundation
import TestSupport
import Testing

/// `animals-client` with a store on disk, and with misbehaving servers.
@Suite(.timeLimit(.minutes(60))) struct ClientTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func client(_ arguments: String...) async throws -> RunningProgram.Run {
    try await RunningProgram("animals-client", arguments + ["--local", directory.path]).rest()
  }

  @Test func changesPersistInTheLog() async throws {
    #expect(try await client("list").output.contains("Cat       Cat              Carnivore  Mammal\n"))
    #expect(try await client("add", "Owl", "--diet", "Carnivore", "--category", "Bird", "-q").ending == .status(0))
    #expect(
      try await client("update", "Cat", "--name=Mimi", "--diet", "omnivorous", "-q").output
        == "Cat  Mimi  Omnivore  Mammal\n")
    #expect(try await client("delete", "Newt", "-q").output == "Newt  Newt  Carnivore  Amphibian\n")
    let list = try await client("list").output
    #expect(list.contains("Owl") && list.contains("Mimi") && !list.contains("Newt"))
    var records = try LogReader.open(at: directory.path("default.store")).records(from: 1)
    var types: [String] = []
    while let record = try records.next() { if !record.isControl { types.append(record.type) } }
    #expect(types == ["didInsertSampleData", "didAddAnimal", "didUpdateAnimal", "didDeleteAnimal"])
    #expect(try await client("reload-sample", "-q").ending == .status(0))
    #expect(
      try await client("list", "--json").output.split(separator: "\n").first
        == #"{"animalId":"Bibbon","name":"Southern gibbon","diet":"Herbivore","categoryId":"Mammal"}"#)
    #expect(try LogVerifier.verify(at: directory.path("default.store")).problems.isEmpty)
  }

  @Test func tornTailIsReportedWithItsQuarantine() async throws {
    #expect(try await client("list").ending == .status(0))
    #expect(try await LogFaults.isTornTailReported(of: directory.path("default.store")) { try await client("list") })
  }

  /// The client is killed after the change and before its output: its output is not read, so it blocks in between.
  @Test func changesSurviveAKill() async throws {
    let store = directory.path("default.store")
    let commands = [["add", "Owl", "--diet", "Carnivore", "--category", "Bird"], ["delete", "Cat"]]
    for (number, arguments) in commands.enumerated() {
      let program = try RunningProgram("animals-client", arguments + ["--local", directory.path], readsOutput: false)
      // The first record is the sample data.
      #expect(try await eventually { try LogReader.recordedTypes(store).count > number + 1 })
      program.process.kill(SIGKILL)
      #expect(try await program.process.wait() == .signal(SIGKILL))
    }
    let list = try await client("list").output
    #expect(list.contains("Owl") && !list.contains("Cat "))
    #expect(try LogReader.recordedTypes(store) == ["didInsertSampleData", "didAddAnimal", "didDeleteAnimal"])
  }

  /// A name comes from other clients of a server and must not control the terminal.
  @Test func controlCharactersAreEscaped() async throws {
    let added = try await client("add", "\u{1B}[2JOwl\n", "--diet", "Carnivore", "--category", "Bird", "-q")
    #expect(added.ending == .status(0))
    #expect(added.output.hasSuffix(#"  \u001b[2JOwl\n  Carnivore  Bird"# + "\n"), "\(added.output)")
    let list = try await client("list").output
    #expect(list.contains(#"\u001b[2JOwl\n"#) && !list.contains("\u{1B}"), "\(list)")
  }

  @Test func invalidUseIsReported() async throws {
    let missing = try await client("delete", "Owl")
    #expect(missing.ending == .status(1))
    #expect(missing.output.contains("there is no animal with the id 'Owl'"))
    let diet = try await client("add", "Owl", "--diet", "Meat", "--category", "Bird")
    #expect(diet.ending == .status(2))
    #expect(diet.output.contains("--diet takes one of Herbivore, Carnivore, Omnivore, not 'Meat'"))
    for (arguments, status, text) in [
      (["add", " ", "--diet", "Carnivore", "--category", "Bird"], 2, "an animal needs a name"),
      (["update", "Cat", "--name", ""], 2, "an animal needs a name"),
      (["add", "Owl", "--diet", "Carnivore", "--category", "Birds"], 1, "there is no category with the id 'Birds'"),
      (
        ["update", "Cat", "--category", "bird"], 1,
        "The categories are Amphibian, Bird, Fish, Invertebrate, Mammal, Reptile."
      ),
    ] as [([String], Int32, String)] {
      let run = try await RunningProgram("animals-client", arguments + ["--local", directory.path]).rest()
      #expect(run.ending == .status(status) && run.output.contains(text), "\(run.output)")
    }
    // Without a parent directory, the path is in the root directory.
    for program in [["animals-client", "list", "--local"], ["animals-server", "--port", "0", "--data"]] {
      let run = try await RunningProgram(program[0], program.dropFirst() + [""]).rest()
      #expect(run.ending == .status(2) && run.output.contains("needs the path of a directory"), "\(run.output)")
    }
    let file = directory.path("file")
    try Data().write(to: URL(filePath: file))
    let below = try await RunningProgram.run("animals-client", "list", "--local", file)
    #expect(below.ending == .status(3))
    #expect(below.output.hasPrefix("error: a file exists where a directory is needed: \(file)\n"), "\(below.output)")
    #expect(try await client("list", "--remote", "http://localhost:1/").ending == .status(2))
    #expect(try await RunningProgram.run("animals-client", "list", "--remote", "here").ending == .status(2))
    #expect(try await RunningProgram.run("animals-client", "lst").output.contains("Did you mean 'list'?"))
  }

  /// A server that is killed during its response causes a clear error, and never a partial list.
  @Test func truncatedResponseIsReported() async throws {
    let server = try LoopbackServer { _ in .half(#"{"query":[{"animals":{"animals":[]}}]}"#.utf8) }
    defer { server.stop() }
    let address = server.url("/animals/api").absoluteString
    let run = try await RunningProgram.run("animals-client", "list", "--remote", address)
    #expect(run.ending == .status(3))
    #expect(run.output.hasPrefix("error: "))
    #expect(run.output.contains(address))
  }
}
