import ActionLogTool
import CounterData
import EventSourcing
import Foundation
import TestSupport
import Testing

@Suite("The manual page")
struct ManualTests {
  private static func page() async throws -> (directory: TemporaryDirectory, path: String) {
    let directory = try TemporaryDirectory()
    let run = await Bench().run("help", "--man")
    try #require(run.status == 0 && run.messages.isEmpty)
    #expect(run.output.utf8.allSatisfy { byte in byte < 0x80 })
    let path = directory.path("action-log.1")
    try Data(run.output.utf8).write(to: URL(fileURLWithPath: path))
    return (directory: directory, path: path)
  }

  @Test("groff accepts it without warnings", .enabled(if: Executable.find("groff") != nil, "needs groff"))
  func groff() async throws {
    let (directory, path) = try await Self.page()
    let run = try ProgramRun(["groff", "-man", "-ww", "-z", "-T", "utf8", path])
    withExtendedLifetime(directory) {}
    #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
  }

  @Test("man shows every command and every option", .enabled(if: Executable.find("man") != nil, "needs man"))
  func man() async throws {
    let (directory, path) = try await Self.page()
    let run = try ProgramRun(["env", "MANWIDTH=200", "LC_ALL=C.UTF-8", "man", "--warnings", path])
    withExtendedLifetime(directory) {}
    #expect(run.status == 0 && run.messages.isEmpty, "\(run.messages)")
    let text = run.output.replacing(/.\u{8}/, with: "")
    let bench = Bench()
    let commands = await bench.run("help", "--json").output.matches(of: /"name":"([a-z-]+)","summary"/).map { match in
      match.1
    }
    #expect(commands.count > 25)
    for command in commands {
      #expect(text.contains("action-log \(command) "), "\(command)")
      let help = await bench.run(String(command), "--help").output
      for line in help.split(separator: "\n") {
        guard let option = line.firstMatch(of: /^ +(-[a-z], )?(--[a-z-]+)/)?.2 else { continue }
        #expect(text.contains(option), "\(command) \(option)")
      }
    }
    #expect(text.contains("Exit status".uppercased()) && text.contains("NO_COLOR"))
  }
}

extension ActionLogTool {
  /// A tool with a model whose name a shell would take apart.
  static let strange = ActionLogTool(models: [.model(StrangeModel.self), .model(CounterModel.self)])
}

private enum StrangeModel: Model {
  static let name = "a; $(rm -r .)"
  static let schema = 1
  static let initialState = 0

  enum Action: String, Codable { case up }

  static func reduce(into state: inout Int, action: Action) throws { state += 1 }
}
