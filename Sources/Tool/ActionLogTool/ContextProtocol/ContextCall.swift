import ActionLog
import JSONCoding
import Platform

/// One call of a tool: it runs the command in this process and converts its answer.
struct ContextCall: Sendable {
  let context: CommandContext
  let logs: ServedLogs
  let tool: ContextTool
  let values: JSONObject
  /// Takes the amount done, the total if it is known, and what is done.
  let progress: @Sendable (_ done: Int, _ total: Int?, _ message: String) -> Void

  private var wording: MessageWording {
    .inputs(of: tool, among: ContextTool.all(of: context.tool.commands), program: context.tool.name)
  }

  /// The way an answer is sent. Some clients give a model only the text, others only the structured answer, so that each has to be
  /// complete, as the specification recommends.
  private static let size = AnswerSize.jsonAndText
  /// The size of the names and brackets around both copies of an answer, up to the ends of the message.
  private static let envelopeBytes = 384
  /// The size of the names and brackets around the lines in both copies of an answer.
  private static let itemsBytes = 64
  /// The room that an answer leaves for hints.
  private static let hintBytes = 640

  /// The result for the client; `nil` if the task was canceled. An error of the command is a result, for a model to correct its inputs.
  func result() async -> JSONObject? {
    let result: JSONObject
    do {
      let inputs = try ToolInputs(values, of: tool, logs: logs.names)
      let bytes = try inputs.words("maxBytes").first.flatMap { text in Int(text) } ?? tool.declaration.defaultBytes
      result =
        tool.isOverview
        ? try await overview(inputs, bytes: bytes) : try await answer(inputs, bytes: bytes)
    } catch {
      result = failure(FailureReport(ToolFailure(any: error), wording).json, partial: nil)
    }
    return Task.isCancelled ? nil : result
  }

  private func answer(_ inputs: ToolInputs, bytes: Int) async throws -> JSONObject {
    let room = Self.room(bytes) - (tool.hasItems ? Self.itemsBytes : 0)
    let outcome = try await run(tool.command, inputs.arguments(of: tool.command, on: path(inputs), bytes: room))
    let answer = tool.hasItems ? Self.items(outcome.lines) : outcome.lines.first
    if let error = outcome.error { return failure(error, partial: outcome.lines.isEmpty ? nil : answer) }
    // A search in an empty range prints nothing.
    guard let answer else { throw ToolFailure("emptyRange", .negative, "the range has no action") }
    return success(answer, hints: outcome.warnings, bytes: bytes)
  }

  private static func room(_ bytes: Int) -> Int { bytes - envelopeBytes - hintBytes }

  /// The lines as one object. The last line of a truncated answer becomes its members.
  private static func items(_ lines: [JSONObject]) -> JSONObject {
    var lines = lines
    var answer = JSONObject()
    var end: JSONObject?
    if let last = lines.last, last.count == 2, last["truncated"] == true, last["next"] != nil {
      end = lines.removeLast()
    }
    answer["items"] = .array(lines.map(JSONValue.object))
    for (name, value) in end ?? JSONObject() { answer[name] = value }
    return answer
  }

  private func path(_ inputs: ToolInputs) throws(ToolFailure) -> String {
    if let name = try inputs.words("log").first { return try logs.path(of: name) }
    guard logs.names.count == 1 else {
      throw .usage("log is missing", advice: "The logs are \(logs.names.prefix(20).joined(separator: ", ")).")
    }
    return try logs.path(of: logs.names[0])
  }
}

extension ContextCall {
  /// The rows of the logs; for a single log also its counts.
  private func overview(_ inputs: ToolInputs, bytes: Int) async throws -> JSONObject {
    let chosen = try inputs.words("log").first ?? (logs.names.count == 1 ? logs.names[0] : nil)
    guard let chosen else { return try await table(inputs, bytes: bytes) }
    let path = try logs.path(of: chosen)
    let row = try await row(of: chosen, path)
    var answer: JSONObject = ["logs": [.object(row)]]
    let room = Self.room(bytes) - Self.size.bytes(of: .object(answer)) - Self.itemsBytes
    guard room >= BoundedAnswer.bytesRange.lowerBound else {
      throw ToolFailure(
        "beyondLimit", .limit, "the answer does not fit in \(bytes) bytes", advice: "Give a larger maxBytes.")
    }
    let counted = try await run(.stats, inputs.arguments(of: .stats, on: path, bytes: room))
    if let error = counted.error { return failure(error, partial: answer) }
    answer["stats"] = counted.lines.first.map(JSONValue.object)
    answer["truncated"] = counted.lines.first?["truncated"]
    answer["next"] = counted.lines.first?["next"]
    return success(answer, hints: counted.warnings, bytes: bytes)
  }

  private func table(_ inputs: ToolInputs, bytes: Int) async throws -> JSONObject {
    let limit = try inputs.words("limit").first.flatMap { text in Int(text) } ?? .max
    let cursor = try inputs.words("cursor").first
    let first = cursor.map { text in Int(text.dropFirst()) ?? -1 } ?? 0
    guard (0..<max(1, logs.names.count)).contains(first), cursor?.hasPrefix("+") ?? true else {
      throw ToolFailure.usage("'\(JSONPointer.excerpt(of: cursor ?? ""))' is no cursor of this answer")
    }
    var rows: [JSONValue] = []
    var size = Self.itemsBytes
    var next: Int?
    for (index, name) in logs.names.enumerated().dropFirst(first) {
      let row = JSONValue.object(try await row(of: name, try logs.path(of: name)))
      size += Self.size.bytes(of: row) + Self.size.bytesOfSeparator
      guard rows.count < limit, size <= Self.room(bytes) || rows.isEmpty else {
        next = index
        break
      }
      rows.append(row)
    }
    var answer: JSONObject = ["logs": .array(rows)]
    if let next {
      answer["truncated"] = true
      answer["next"] = .string("+\(next)")
    }
    return success(answer, hints: [], bytes: bytes)
  }

  /// The row of a log in `fleet`, with its name.
  private func row(of name: String, _ path: String) async throws -> JSONObject {
    let known = await BlockingWork.run { [files = logs.files] in FleetRow(path, files) }
    var row: JSONObject = ["name": .string(name)]
    for (name, value) in try FleetRow.shape.members(of: (known, wording)) { row[name] = value }
    return row
  }
}

extension ContextCall {
  /// The most hints of an answer, and the most bytes of one.
  private static let hintLimit = 8
  private static let hintLimitBytes = 400
  /// The most bytes of a text of an error: a message repeats what the client gave.
  private static let errorLimitBytes = 1_024

  private func success(_ answer: JSONObject, hints warnings: [String], bytes: Int) -> JSONObject {
    var hints: [String] = []
    if let hint = tool.declaration.hint(answer) { hints.append(hint) }
    if let next = answer["next"] {
      hints.append("The answer is truncated: the same call with cursor \(next) continues it.")
    }
    hints += warnings
    var answer = answer
    var room = bytes - Self.envelopeBytes - Self.size.bytes(of: .object(answer))
    let kept = hints.prefix(Self.hintLimit).map { hint in
      JSONValue.string(Self.beginning(of: hint, Self.hintLimitBytes))
    }
    .filter { hint in
      room -= Self.size.bytes(of: hint) + Self.size.bytesOfSeparator
      return room >= 0
    }
    if !kept.isEmpty { answer["hints"] = .array(kept) }
    let structured = JSONValue.object(answer)
    return [
      "content": [["type": "text", "text": .string("\(structured)")]], "structuredContent": structured,
      "isError": false,
    ]
  }

  private func failure(_ error: JSONValue, partial: JSONObject?) -> JSONObject {
    var error = error
    if case .object(let members) = error {
      error = .object(
        JSONObject(
          members.map { name, value in
            guard case .string(let text) = value else { return (name, value) }
            return (name, .string(Self.beginning(of: text, Self.errorLimitBytes)))
          }))
    }
    var object: JSONObject = ["error": error]
    object["answer"] = partial.map(JSONValue.object)
    return ["content": [["type": "text", "text": .string("\(JSONValue.object(object))")]], "isError": true]
  }

  private static func beginning(of text: String, _ limitBytes: Int) -> String {
    text.utf8.count <= limitBytes ? text : String(text.prefix(limitBytes / 4)) + "…"
  }

  private func run(_ command: Command, _ arguments: ParsedArguments) async throws -> CollectedAnswer {
    var environment = context.environment
    // The paths of the logs are relative to the directory already.
    environment.currentDirectory = nil
    environment.answerSize = Self.size
    environment.wording = wording
    environment.fileSystem = logs.files
    environment.stop = StopRequest()
    environment.rerun = nil
    environment.startChild = nil
    environment.startCommand = nil
    // The largest bound, and rows of `fleet` in addition.
    return try await context.tool.answer(
      command, arguments, environment: environment,
      limitBytes: 2 * ContextTool.bytesRange.upperBound, progress: progress)
  }
}

struct ToolInputs: Sendable {
  private let tool: ContextTool
  private let inputs: [ContextTool.Input]
  private let values: JSONObject

  /// A list of edits is typed by a client, and each one is an option.
  private static let textsLimit = 1_000

  init(_ values: JSONObject, of tool: ContextTool, logs: [String]) throws(ToolFailure) {
    self.tool = tool
    inputs = tool.allInputs(logs)
    self.values = values
    let names = inputs.map(\.name)
    for (name, _) in values where !names.contains(name) {
      throw .usage(
        "'\(tool.name)' has no input '\(JSONPointer.excerpt(of: name))'",
        advice: Suggestion.sentence(for: name, among: names) ?? "It has \(names.joined(separator: ", ")).")
    }
  }

  /// The words of an input, checked against its kind; none if it is not given.
  func words(_ name: String) throws(ToolFailure) -> [String] {
    guard let input = inputs.first(where: { input in input.name == name }) else { return [] }
    let value = values[name] ?? .null
    func failure(_ expected: String, advice: MessageText? = nil) -> ToolFailure {
      .usage("\(name) is \(expected), not \(JSONPointer.excerpt(of: "\(value)"))", advice: advice)
    }
    switch (input.kind, value) {
    case (_, .null): return []
    case (.flag, .bool(let isSet)): return isSet ? [""] : []
    case (.flag, _): throw failure("true or false")
    case (.texts, .string(let text)), (.point, .string(let text)): return [text]
    case (.texts, .array(let elements)) where elements.count <= Self.textsLimit:
      let texts = elements.compactMap { element in if case .string(let text) = element { text } else { nil } }
      guard texts.count == elements.count else { throw failure("an array of strings") }
      return texts
    case (.texts, _): throw failure("a string, or an array of at most \(Self.textsLimit) of them")
    case (.number(let range), _):
      guard case .number(let number) = value, let number = number.int, range.contains(number) else {
        throw failure("a whole number from \(range.lowerBound) to \(range.upperBound)")
      }
      return [String(number)]
    case (.point, _):
      guard case .number(let number) = value, let number = number.int else {
        throw failure("a whole number, or a string")
      }
      return [String(number)]
    case (.choice(let choices), .string(let text)) where name != "log" && !choices.contains(text):
      throw failure(
        "one of \(choices.joined(separator: ", "))", advice: Suggestion.sentence(for: text, among: choices))
    case (_, .string(let text)): return [text]
    default: throw failure("a string")
    }
  }

  func arguments(of command: Command, on path: String, bytes: Int) throws(ToolFailure) -> ParsedArguments {
    var arguments = ParsedArguments(jsonOf: path)
    let positional = tool.arguments.map(\.input)
    for input in inputs where input.name != "log" && input.name != CommandOption.maxBytes.input {
      var words = try words(input.name)
      if words.isEmpty,
        let word = tool.arguments.first(where: { argument in argument.input == input.name })?.defaultWord
      {
        words = [word]
      }
      guard !words.isEmpty || !input.isRequired else {
        throw .usage("\(input.name) is missing", advice: "\(input.help)")
      }
      if positional.contains(input.name) {
        arguments.positionals += words
      } else if let option = command.options.first(where: { option in option.input == input.name }) {
        for word in words { try arguments.add(option, value: word) }
      }
    }
    try arguments.add(.maxBytes, value: String(bytes))
    try arguments.checkRules(of: command)
    return arguments
  }
}
