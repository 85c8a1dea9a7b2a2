import ActionLog
import ActionLogTesting
import ActionLogTool
import Foundation
import ImmutableData
import TestSupport
import Testing

/// Programs that have the tool's command line and other commands.
@Suite struct ToolProgramTests {
  private static let count = CommandOption.value("count", letter: "c", "COUNT", "how often")

  private static func echo(_ name: String) -> Command {
    Command(
      name, summary: "says it again", examples: [.init("\(name.isEmpty ? "" : name + " ")hello", "once")],
      arguments: [CommandArgument("TEXT", "what to say")], options: [count],
      blocking: { context in
        let times = try context.arguments.integer(of: count, in: 1...3) ?? 1
        for _ in 0..<times { try context.output.line(context.arguments.positionals[0]) }
        return .success
      })
  }

  private let several = ActionLogTool(program: "parrot", summary: "talks", commands: [echo("say"), echo("cry")])
  private let single = ActionLogTool(program: "parrot", command: echo(""))

  private func run(_ program: ActionLogTool, _ words: [String]) async -> (status: Int32, output: String, errors: String)
  {
    let (output, errors) = (MemoryOutput(), MemoryOutput())
    let environment = ToolEnvironment(
      standardInput: MemoryInput([]), standardOutput: output, standardError: errors, temporaryDirectory: "/tmp",
      fileSystem: MemoryFileSystem(), uptime: { .zero }, pause: { _ in true })
    let status = await program.run(words, environment: environment)
    return (status, output.text, errors.text)
  }

  @Test func commandsAreNamedAndTakeTheirArguments() async {
    let run = await run(several, ["cry", "hello", "--count", "2"])
    #expect(run == (0, "hello\nhello\n", ""))
  }

  @Test func aSingleCommandIsNotNamed() async {
    #expect(await run(single, ["hello", "-c2"]) == (0, "hello\nhello\n", ""))
    #expect(await run(single, ["--version"]) == (0, "parrot 1.0.0 (actionlog/1)\n", ""))
  }

  #if os(Linux)
  /// Looking up the symbols of a network library and of what it links takes longer than a short command itself.
  @Test func aProgramWithoutNetworkLinksNone() throws {
    func linksNetwork(_ name: String) throws -> Bool {
      let program = try Data(contentsOf: URL(filePath: Executable.path(of: name)), options: .alwaysMapped)
      return program.range(of: Data("libFoundationNetworking".utf8)) != nil
    }
    #expect(try linksNetwork("animals-client"))
    #expect(try !linksNetwork("action-log"))
    #expect(try !linksNetwork("foodtruck"))
  }
  #endif

  @Test func usageErrorsNameTheProgram() async {
    #expect(
      await run(single, []) == (
        2, "", "error: 'parrot' needs TEXT: what to say\nRun 'parrot --help' for how to use it.\n"
      ))
    #expect(
      await run(single, ["hello", "--cout", "1"])
        == (2, "", "error: 'parrot' has no option '--cout'\nDid you mean '--count'?\n"))
    #expect(
      await run(several, ["say", "hello", "--count", "4"]) == (
        2, "",
        "error: --count takes a whole number (1…3), not '4'\nRun 'parrot say --help' for how to use it.\n"
      ))
  }

  /// A program whose command writes debug lines, as a listener does.
  private let chatty = ActionLogTool(
    program: "parrot",
    command: Command(
      "", summary: "talks", examples: [],
      asynchronous: { _ in
        for module in ["AnimalsData", "QuakesUI"] { DebugOutput.current.write(module) { ["\(module) line"] } }
        return .success
      }))

  @Test(
    arguments: [
      ([], ""), (["-com.northbronson.AnimalsData.Debug", "1"], "AnimalsData line\n"),
      (["-com.northbronson.AnimalsData.Debug", "YES", "-q"], "AnimalsData line\n"),
      (["-com.northbronson.AnimalsData.Debug", "0", "-com.northbronson.QuakesUI.Debug", "true"], "QuakesUI line\n"),
    ])
  func launchFlagsTurnOnDebugLines(words: [String], lines: String) async {
    let run = await run(chatty, words)
    #if DEBUG
    #expect(run == (0, "", lines))
    #else
    #expect(run.status == 0 && !run.errors.contains(" line"))
    #endif
  }

  @Test func coreDataFlagsAreAcceptedWithANote() async {
    let run = await run(chatty, ["-com.apple.CoreData.SQLDebug", "1", "-com.apple.CoreData.ConcurrencyDebug", "0"])
    #expect(run.status == 0)
    #expect(run.errors.contains("-com.apple.CoreData.SQLDebug has no effect"))
  }

  @Test func wrongLaunchFlagsAreRefused() async {
    #expect(
      await run(chatty, ["-com.northbronson.AnimalData.Debug", "1"]) == (
        2, "",
        "error: there is no debug flag '-com.northbronson.AnimalData.Debug'\n"
          + "Did you mean 'com.northbronson.AnimalsData.Debug'?\n"
      ))
    for words in [["-com.northbronson.AnimalsData.Debug"], ["-com.northbronson.AnimalsData.Debug", "-q"]] {
      let run = await run(chatty, words)
      #expect(run.status == 2 && run.errors.contains("-com.northbronson.AnimalsData.Debug takes 1 or 0"))
    }
    #expect(await run(single, ["--", "-com.words"]) == (0, "-com.words\n", ""), "an argument, not a flag")
  }

  @Test func helpIsMadeOfTheCommands() async {
    let overview = await run(several, []).output
    #expect(overview.hasPrefix("parrot: talks\n\nExamples\n  parrot say hello"))
    #expect(overview.contains("\nCommands\n  say  says it again\n  cry  says it again\n"))
    let page = await run(single, ["--help"]).output
    #expect(
      page.hasPrefix("parrot: says it again\n\nExamples\n  parrot hello  once\n\nUsage\n  parrot TEXT [options]\n"))
  }
}
