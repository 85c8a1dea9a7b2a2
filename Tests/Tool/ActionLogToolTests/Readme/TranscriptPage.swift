import Foundation

/// A page of documentation with transcripts: blocks of `console` in which lines that begin with `$ ` are typed, and those behind
/// them are what was printed.
///
/// `$ cat > FILE <<'END'` makes a file, of the lines down to `END`, that later lines take with `< FILE`. Lines with other programs
/// are for a shell.
struct TranscriptPage {
  /// A typed command.
  struct Command: Sendable {
    /// The text in the page, without the `$ `; a here document has several lines.
    var text: String
    /// The words after `action-log`; none for another program.
    var words: [String] = []
    /// Standard input.
    var input: [String] = []
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let lines: [String]

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The page with the current output of the commands.
  ///
  /// - Parameter run: Runs a command.
  func renewed(_ run: (Command) async throws -> CommandLineRun) async throws -> String {
    var result: [String] = []
    var files: [String: [String]] = [:]
    var rest = lines[...]
    while let line = rest.popFirst() {
      result.append(line)
      guard line == "```console" else { continue }
      guard let end = rest.firstIndex(of: "```") else { throw Failure(description: "a block does not end") }
      result += try await Self.renewed(rest[..<end], &files, run)
      rest = rest[end...]
    }
    return result.joined(separator: "\n")
  }

  /// The commands of all blocks, in order.
  func commands() async throws -> [String] {
    var commands: [String] = []
    _ = try await renewed { command in
      commands.append(command.text)
      return CommandLineRun(status: 0, output: "", messages: "")
    }
    return commands
  }

  private static func renewed(
    _ block: ArraySlice<String>, _ files: inout [String: [String]],
    _ run: (Command) async throws -> CommandLineRun
  ) async throws -> [String] {
    var sessions: [[String]] = []
    var rest = block
    while let line = rest.popFirst() {
      guard line.hasPrefix("$ ") else { continue }
      var typed = [String(line.dropFirst(2))]
      if typed[0].hasSuffix(" <<'END'") {
        guard let end = rest.firstIndex(of: "END") else { throw Failure(description: "no END: \(line)") }
        typed += rest[...end]
        rest = rest[(end + 1)...]
      }
      rest = rest.drop { line in !line.hasPrefix("$ ") }
      let answer = try await run(try command(typed, &files))
      let text = (answer.output + answer.messages).split(separator: "\n", omittingEmptySubsequences: false)
      sessions.append(["$ " + typed[0]] + typed.dropFirst() + text.dropLast().map(String.init))
    }
    return Array(sessions.joined(separator: [""]))
  }

  private static func command(_ typed: [String], _ files: inout [String: [String]]) throws -> Command {
    var command = Command(text: typed.joined(separator: "\n"))
    var words = words(typed[0][...])
    if words.first == "cat", words.count == 4, words[1] == ">", typed.count > 1 {
      files[words[2]] = typed[1..<(typed.count - 1)].map { line in line + "\n" }
      return command
    }
    guard words.first == "action-log" else { return command }
    if words.count > 2, words[words.count - 2] == "<" {
      guard let file = files[words[words.count - 1]] else { throw Failure(description: "no file: \(command.text)") }
      command.input = file
      words.removeLast(2)
    }
    command.words = Array(words.dropFirst())
    return command
  }

  /// The words of a line in which only single quotes are special.
  static func words(_ line: Substring) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    for character in line {
      switch character {
      case "'": isQuoted.toggle()
      case " " where !isQuoted:
        if !word.isEmpty { words.append(word) }
        word = ""
      default: word.append(character)
      }
    }
    return word.isEmpty ? words : words + [word]
  }
}
