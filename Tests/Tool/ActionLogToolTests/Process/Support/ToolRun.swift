import JSONCoding
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
