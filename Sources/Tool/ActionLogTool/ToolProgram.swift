/// A program with its own commands and the command line of the tool: the same parsing, help, messages, signals and
/// exit statuses.
///
/// ```swift
/// await ToolProgram(name: "my-client", summary: "asks my server", commands: [.list, .add]).main()
/// ```
package struct ToolProgram: Sendable {
  /// The name of the program, best that of the executable.
  package let name: String
  /// A fragment that says what it does.
  package let summary: String
  /// Its commands. The overview shows the first example of each.
  package let commands: [Command]

  /// Creates a program whose command line names one of several commands.
  package init(name: String, summary: String, commands: [Command]) {
    self.name = name
    self.summary = summary
    self.commands = commands
  }

  /// Creates a program that is a single command, which its command line does not name.
  ///
  /// - Parameters:
  ///   - name: The name of the program.
  ///   - command: The command. Its name is empty.
  package init(name: String, command: Command) {
    precondition(command.name.isEmpty, "the only command has no name")
    self.init(name: name, summary: command.summary, commands: [command])
  }

  /// Runs the command line of the process and exits with its status.
  package nonisolated(nonsending) func main() async -> Never {
    await ActionLogTool(self).main()
  }

  /// Runs one command line.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - environment: The streams, variables, file system and clock of the run.
  /// - Returns: The exit status.
  package func run(_ arguments: [String], environment: ToolEnvironment) async -> Int32 {
    await ActionLogTool(self).run(arguments, environment: environment)
  }

  /// Returns the words with the name of the command first, also for a single command.
  func words(_ arguments: [String]) -> [String] {
    let isOneCommand = commands.count == 1 && commands[0].name.isEmpty
    return isOneCommand && arguments != ["--version"] ? [""] + arguments : arguments
  }
}
