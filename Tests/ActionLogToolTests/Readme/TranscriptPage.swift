import Foundation

/// A page of documentation with transcripts: blocks of `console` in which lines that begin with `$ ` are typed, and those behind
/// them are what was printed.
///
/// `$ cat FILE` shows a file that later lines take with `< FILE`.
struct TranscriptPage {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  private let lines: [String]

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// The page with what the commands print now.
  ///
  /// - Parameter run: Runs the words behind `action-log`, with lines of input.
  func renewed(_ run: (_ words: [String], _ input: [String]) async throws -> CommandLineRun) async throws -> String {
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

  private static func renewed(
    _ block: ArraySlice<String>, _ files: inout [String: [String]],
    _ run: (_ words: [String], _ input: [String]) async throws -> CommandLineRun
  ) async throws -> [String] {
    var sessions: [[String]] = []
    var rest = block
    while let command = rest.popFirst() {
      guard command.hasPrefix("$ ") else { continue }
      let end = rest.firstIndex { line in line.hasPrefix("$ ") } ?? rest.endIndex
      let shown = rest[..<end].filter { line in !line.isEmpty }
      rest = rest[end...]
      var words = Self.words(command.dropFirst(2))
      if words.first == "cat", words.count == 2 {
        files[words[1]] = shown
        sessions.append([command] + shown)
        continue
      }
      guard words.first == "action-log" else { throw Failure(description: "'\(command)' is not known here") }
      var input: [String] = []
      if words.count > 2, words[words.count - 2] == "<" {
        guard let file = files[words[words.count - 1]] else { throw Failure(description: "no file: \(command)") }
        input = file.map { line in line + "\n" }
        words.removeLast(2)
      }
      let answer = try await run(Array(words.dropFirst()), input)
      let text = (answer.output + answer.messages).split(separator: "\n", omittingEmptySubsequences: false)
      sessions.append([command] + text.dropLast().map(String.init))
    }
    return Array(sessions.joined(separator: [""]))
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
