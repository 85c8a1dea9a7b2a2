import Foundation
import JSONCoding
import TestSupport
import Testing

/// The output and exit of a run of the executable.
struct ToolRun: Sendable {
  let ending: ToolProcess.Ending
  let output: String
  let messages: String

  /// Runs `action-log` from start to end.
  ///
  /// - Parameters:
  ///   - arguments: The words after the program's name.
  ///   - input: All of standard input.
  ///   - launcher: A program with arguments that starts the executable.
  ///   - closing: The standard descriptors that the process does not get.
  init(_ arguments: String..., input: String = "", launcher: [String] = [], closing: Set<Int32> = []) async throws {
    try await self.init(arguments, input: input, launcher: launcher, closing: closing)
  }

  /// The same with a list of words.
  init(_ arguments: [String], input: String = "", launcher: [String] = [], closing: Set<Int32> = []) async throws {
    let process = try ToolProcess(arguments, launcher: launcher, closing: closing)
    process.feed { count in count == 0 ? input : nil }
    output = try await process.remainingOutput()
    ending = try await process.wait()
    messages = try process.messages()
  }

  /// The lines of the output.
  var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The only line of the output, as strict JSON.
  func json() throws -> JSONValue {
    try #require(lines.count == 1, "one line of JSON was expected: \(output)\(messages)")
    return try JSONValue(parsing: Array(lines[0].utf8))
  }

  /// The answers of `record`.
  func answers() throws -> [Answer] {
    try lines.map { line in try Answer(parsing: line) }
  }
}

extension JSONValue {
  /// The member with a name, or the element at an index, deeper with each word.
  subscript(path: String...) -> JSONValue? { self[JSONPointer(path)] }

  static func integer(_ value: Int) -> JSONValue { .number(JSONNumber(value)) }

  var integer: Int? {
    guard case .number(let number) = self else { return nil }
    return number.int
  }

  var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }
}

/// A run of another program, such as `jq`, from start to end without input.
struct ProgramRun {
  /// The exit status; the raw one when a signal ended it.
  let status: Int32
  let output: String
  let messages: String

  /// Runs a program that is looked up in `PATH`. Blocks: only for programs that end soon.
  init(_ words: [String]) throws {
    let (output, messages) = (try ScratchFile(), try ScratchFile())
    let process = try Spawn.start(
      words, streams: Spawn.Streams(input: nil, output: output.descriptor, messages: messages.descriptor))
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    self.status = status & 0x7F == 0 ? (status >> 8) & 0xFF : status
    self.output = try output.text()
    self.messages = try messages.text().withoutProgress
  }
}

/// A line that `record` answers with.
struct Answer: Equatable, Sendable {
  enum Outcome: Equatable, Sendable {
    case receipt(revision: Int)
    case refused(code: String)
    case failed(code: String)
  }

  let line: Int
  let outcome: Outcome

  init(line: Int, _ outcome: Outcome) {
    self.line = line
    self.outcome = outcome
  }

  init(parsing text: String) throws {
    let value = try JSONValue(parsing: Array(text.utf8))
    line = try #require(value["line"]?.integer, "\(text)")
    if let revision = value["seq"]?.integer {
      try #require(value["durability"]?.text != nil, "\(text)")
      outcome = .receipt(revision: revision)
    } else if let code = value["refused", "code"]?.text {
      outcome = .refused(code: code)
    } else {
      outcome = .failed(code: try #require(value["failed", "code"]?.text, "\(text)"))
    }
  }

  /// The revision that the receipt names, if it is one.
  var revision: Int? {
    guard case .receipt(let revision) = outcome else { return nil }
    return revision
  }
}
