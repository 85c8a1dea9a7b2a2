/// A program with commands of its own on the tool's command line: the same parsing, help, messages, signals and exit
/// statuses.
///
/// ```swift
/// await ToolProgram(name: "my-client", summary: "asks my server", commands: [.list, .add]).main()
/// ```
package struct ToolProgram: Sendable {
  /// What the program is called; best the name of the executable.
  package let name: String
  /// What it does, as a fragment.
  package let summary: String
  /// Its commands; the first example of each is shown in the overview.
  package let commands: [Command]

  /// Makes a program of several commands, one of which is named on the command line.
  package init(name: String, summary: String, commands: [Command]) {
    self.name = name
    self.summary = summary
    self.commands = commands
  }

  /// Makes a program that is one command, which is not named on the command line.
  ///
  /// - Parameters:
  ///   - name: What the program is called.
  ///   - command: The command. Its name is empty.
  package init(name: String, command: Command) {
    precondition(command.name.isEmpty, "the only command has no name")
    self.init(name: name, summary: command.summary, commands: [command])
  }

  /// Runs the process's own command line and ends the process with its status.
  package nonisolated(nonsending) func main() async -> Never {
    await ActionLogTool(self).main()
  }

  /// Runs one command line.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - environment: Where input, output and everything else comes from and goes to.
  /// - Returns: The exit status.
  package func run(_ arguments: [String], environment: ToolEnvironment) async -> Int32 {
    await ActionLogTool(self).run(arguments, environment: environment)
  }

  /// The words as a parser of several commands wants them.
  func words(_ arguments: [String]) -> [String] {
    let isOneCommand = commands.count == 1 && commands[0].name.isEmpty
    return isOneCommand && arguments != ["--version"] ? [""] + arguments : arguments
  }
}
