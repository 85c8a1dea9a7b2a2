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

  /// The size of the names and brackets around the lines of an answer.
  private static let envelopeBytes = 64

  /// The result for the client. An error of the command is a result, too, so that a model can correct its inputs.
  ///
  /// - Returns: `nil` if the caller's task was canceled.
  func result() async -> JSONObject? {
    let result: JSONObject
    do {
      let inputs = try ToolInputs(values, of: tool, logs: logs.names)
      let bytes = try inputs.number("maxBytes").flatMap { text in Int(text) } ?? ContextTool.defaultBytes
      result =
        tool.name == ContextTool.overview.name
        ? try await overview(inputs, bytes: bytes) : try await answer(inputs, bytes: bytes)
    } catch {
      result = failure(FailureReport(ToolFailure(any: error)).json, partial: nil)
    }
    return Task.isCancelled ? nil : result
  }

  private func answer(_ inputs: ToolInputs, bytes: Int) async throws -> JSONObject {
    let words = try tool.words(inputs).with("projection", try inputs.text("projection"))
    let room = bytes - (tool.answer == .items ? Self.envelopeBytes : 0)
    let path = try path(inputs)
    let outcome = try await run(words.commandLine(path, bounds: try bounds(inputs, bytes: room)))
    var answer: JSONObject?
    switch tool.answer {
    case .object: answer = outcome.lines.first
    case .items: answer = Self.items(outcome.lines)
    }
    if let error = outcome.error { return failure(error, partial: outcome.lines.isEmpty ? nil : answer) }
    // A search in an empty range prints nothing.
    guard let answer else { throw ToolFailure("emptyRange", .negative, "the range has no action") }
    return success(answer, hints: outcome.warnings)
  }

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

  private func bounds(_ inputs: ToolInputs, bytes: Int) throws(ToolFailure) -> [String] {
    var words = ["--max-bytes=\(bytes)"]
    if let limit = try inputs.number("limit") { words.append("--limit=\(limit)") }
    if let cursor = try inputs.text("cursor") { words.append("--cursor=\(cursor)") }
    return words
  }

  /// The path of the named log, or of the only one.
  private func path(_ inputs: ToolInputs) throws(ToolFailure) -> String {
    if let name = try inputs.text("log") { return try logs.path(of: name) }
    guard logs.names.count == 1 else {
      throw .usage("log is missing", advice: "The logs are \(logs.names.prefix(20).joined(separator: ", ")).")
    }
    return try logs.path(of: logs.names[0])
  }
}

extension ContextCall {
  /// The rows of the logs; for a single log also its counts.
  private func overview(_ inputs: ToolInputs, bytes: Int) async throws -> JSONObject {
    let chosen = try inputs.text("log") ?? (logs.names.count == 1 ? logs.names[0] : nil)
    guard let chosen else { return try await table(inputs, bytes: bytes) }
    let path = try logs.path(of: chosen)
    let row = try await row(of: chosen, path)
    var answer: JSONObject = ["logs": [.object(row)]]
    let room = bytes - JSONValue.object(answer).bytes().count - Self.envelopeBytes
    guard room >= BoundedAnswer.bytesRange.lowerBound else {
      throw ToolFailure(
        "beyondLimit", .limit, "the answer does not fit in \(bytes) bytes", advice: "Give a larger maxBytes.")
    }
    let counted = try await run(
      CommandWords("stats").commandLine(path, bounds: try bounds(inputs, bytes: room)))
    if let error = counted.error { return failure(error, partial: answer) }
    answer["stats"] = counted.lines.first.map(JSONValue.object)
    answer["truncated"] = counted.lines.first?["truncated"]
    answer["next"] = counted.lines.first?["next"]
    return success(answer, hints: counted.warnings)
  }

  /// The rows of all logs, as many as fit.
  private func table(_ inputs: ToolInputs, bytes: Int) async throws -> JSONObject {
    let limit = try inputs.number("limit").flatMap { text in Int(text) } ?? .max
    let cursor = try inputs.text("cursor")
    let first = cursor.map { text in Int(text.dropFirst()) ?? -1 } ?? 0
    guard (0..<max(1, logs.names.count)).contains(first), cursor?.hasPrefix("+") ?? true else {
      throw ToolFailure.usage("'\(JSONPointer.excerpt(of: cursor ?? ""))' is no cursor of this answer")
    }
    var rows: [JSONValue] = []
    var size = Self.envelopeBytes
    var next: Int?
    for (index, name) in logs.names.enumerated().dropFirst(first) {
      let row = JSONValue.object(try await row(of: name, try logs.path(of: name)))
      size += row.bytes().count + 1
      guard rows.count < limit, size <= bytes || rows.isEmpty else {
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
    return success(answer, hints: [])
  }

  /// The row of a log in `fleet`, with its name.
  private func row(of name: String, _ path: String) async throws -> JSONObject {
    let outcome = try await run(["fleet", "--json", "--", path == "-" ? "./-" : path])
    var row: JSONObject = ["name": .string(name)]
    let first = outcome.lines.first { line in line["total"] == nil }
    for (name, value) in first ?? JSONObject() { row[name] = value }
    if row["path"] == nil { row["path"] = .string(path) }
    if row["end"] == nil { row["end"] = "unreadable" }
    if let error = outcome.error, row["error"] == nil { row["error"] = error }
    return row
  }
}

extension ContextCall {
  /// The most hints of an answer, and the most bytes of one: they come in addition to the bounds of the answer.
  private static let hintLimit = 8
  private static let hintLimitBytes = 400

  private func success(_ answer: JSONObject, hints warnings: [String]) -> JSONObject {
    var hints = warnings.map(ToolWording(tool).message)
    if let next = answer["next"] {
      hints.append("The answer is truncated: the same call with cursor \(next) continues it.")
    }
    if let hint = tool.hint(answer) { hints.append(hint) }
    var answer = answer
    if !hints.isEmpty {
      answer["hints"] = .array(
        hints.prefix(Self.hintLimit).map { hint in
          .string(hint.utf8.count <= Self.hintLimitBytes ? hint : String(hint.prefix(Self.hintLimitBytes / 4)) + "…")
        })
    }
    let structured = JSONValue.object(answer)
    return [
      "content": [["type": "text", "text": .string("\(structured)")]], "structuredContent": structured,
      "isError": false,
    ]
  }

  /// The result of a failed call, with the readable part of the answer, if there is one.
  private func failure(_ error: JSONValue, partial: JSONObject?) -> JSONObject {
    var object: JSONObject = ["error": ToolWording(tool).error(error)]
    object["answer"] = partial.map(JSONValue.object)
    return ["content": [["type": "text", "text": .string("\(JSONValue.object(object))")]], "isError": true]
  }

  /// The output of a command.
  private struct Outcome {
    var lines: [JSONObject] = []
    var error: JSONValue?
    var warnings: [String] = []
  }

  /// Runs a command line in this process, on the files of the logs alone.
  private func run(_ words: [String]) async throws -> Outcome {
    guard case .run(let command, let arguments) = try context.parser.parse(words) else {
      throw ToolFailure.usage("the command prints no answer")
    }
    // The largest bound, and rows of `fleet` in addition.
    let output = AnswerBuffer(limitBytes: 2 * ContextTool.bytesRange.upperBound)
    let messages = CommandMessages(progress)
    var environment = context.environment.running(into: output, messages: messages)
    // The paths of the logs are relative to the directory already.
    environment.currentDirectory = nil
    environment.fileSystem = logs.files
    environment.stop = StopRequest()
    environment.rerun = nil
    environment.startChild = nil
    environment.startCommand = nil
    _ = await context.tool.run(tool.command ?? command, arguments, environment: environment)
    var outcome = Outcome()
    (outcome.error, outcome.warnings) = messages.summary
    guard !output.isOverflown else {
      throw ToolFailure("beyondLimit", .limit, "the answer is too large", advice: "Ask for a part of it.")
    }
    for line in output.bytes.split(separator: 0x0A) {
      if case .object(let object) = try JSONValue(parsing: line) { outcome.lines.append(object) }
    }
    return outcome
  }
}

/// The messages of a command: its error, its warnings, and its progress, which is reported at once.
private final class CommandMessages: ToolOutput {
  private struct Contents: Sendable {
    var error: JSONValue?
    var warnings: [String] = []
  }

  /// A damaged log can warn of each of its files.
  private static let warningLimit = 8

  private let contents = Locked(Contents())
  private let progress: @Sendable (Int, Int?, String) -> Void

  init(_ progress: @escaping @Sendable (Int, Int?, String) -> Void) {
    self.progress = progress
  }

  var summary: (error: JSONValue?, warnings: [String]) {
    contents.withLock { contents in (contents.error, contents.warnings) }
  }

  /// Takes complete lines: a printer writes no others.
  func write(_ bytes: [UInt8]) throws(ToolStreamError) {
    for line in bytes.split(separator: 0x0A) {
      let value: JSONValue
      do throws(JSONError) { value = try JSONValue(parsing: line) } catch { continue }
      guard case .object(let message) = value else { continue }
      if case .object(let job)? = message["progress"], case .number(let done)? = job["done"], let done = done.int {
        var total: Int?
        if case .number(let number)? = job["total"] { total = number.int }
        if case .string(let label)? = job["job"], case .string(let unit)? = job["unit"] {
          progress(done, total, "\(label): \(unit)")
        }
      }
      contents.withLock { contents in
        if let error = message["error"] { contents.error = error }
        if case .string(let warning)? = message["warning"], contents.warnings.count < Self.warningLimit {
          contents.warnings.append(warning)
        }
      }
    }
  }
}

/// The words of an error for the client of a tool: inputs in place of the options of a command line, tools in place of commands.
///
/// The commands that answer name options (`--at 8`) and commands (`'action-log list LOG --to 7'`), which a client cannot type. A command
/// that no tool has, such as `'action-log verify'`, is kept: it is for the user.
package struct ToolWording: Sendable {
  private let tool: ContextTool
  private let inputs: [String]

  /// The inputs with another name than the option.
  private static let inputsByOption = [
    "where": "condition", "touching": "path", "minimize": "condition", "max-bytes": "maxBytes",
  ]
  /// The inputs for the arguments of a command after its log.
  private static let inputsByVerb = [
    "show": ["at"], "blame": ["path"], "history": ["path"], "until": ["condition"], "reverse-until": ["condition"],
    "bisect": ["condition"], "minimize": ["condition"], "diff": ["from", "to"], "test": ["from", "to"],
  ]
  /// Marks a sentence that is left out. No message contains it, because control characters are escaped.
  private static let mark: Character = "\u{0}"

  init(_ tool: ContextTool) {
    self.tool = tool
    inputs = tool.allInputs([]).map(\.name)
  }

  /// Creates the wording of the tool with a name; `nil` if there is none.
  package init?(named name: String) {
    guard let tool = ContextTool.named(name) else { return nil }
    self.init(tool)
  }

  /// The names of all tools.
  package static var toolNames: [String] { ContextTool.all.map(\.name) }
  /// The commands that tools answer for.
  package static var verbs: Set<String> { Set(ContextTool.all.flatMap(\.verbs)) }

  /// Rewrites the message and the advice of an error.
  func error(_ error: JSONValue) -> JSONValue {
    guard case .object(var object) = error else { return error }
    if case .string(let text)? = object["message"] { object["message"] = .string(message(text)) }
    if case .string(let text)? = object["advice"] { object["advice"] = advice(text).map(JSONValue.string) }
    return .object(object)
  }

  /// Rewrites a message. An option that the tool does not have loses its dashes.
  ///
  /// - Complexity: O(length of the text).
  package func message(_ text: String) -> String {
    rewritten(text).replacing(String(Self.mark), with: "")
  }

  /// Rewrites advice. Sentences about options that the tool does not have are left out; `nil` if nothing is left.
  ///
  /// - Complexity: O(length of the text).
  package func advice(_ text: String) -> String? {
    var sentences = [""]
    let characters = Array(rewritten(text))
    for (index, character) in characters.enumerated() {
      let isNew = character == " " && index > 0 && characters[index - 1] == "."
      if isNew { sentences.append("") } else { sentences[sentences.count - 1].append(character) }
    }
    let kept = sentences.filter { sentence in !sentence.isEmpty && !sentence.contains(Self.mark) }
    let isAboutUse = text.contains("--help'")
    let names = isAboutUse ? ["The inputs of \(tool.name) are \(inputs.joined(separator: ", "))."] : []
    let advice = (kept + names).joined(separator: " ")
    return advice.isEmpty ? nil : advice
  }

  private func rewritten(_ text: String) -> String {
    var rest = Substring(text)
    var result = ""
    while let character = rest.first {
      let isStart = result.last.map { before in " (".contains(before) } ?? true
      if character == "'", isStart, let command = Self.command(in: rest) {
        result += self.text(of: command.words) ?? String(rest.prefix(command.length))
        rest = rest.dropFirst(command.length)
      } else if rest.hasPrefix("--"), isStart, let name = Self.option(in: rest) {
        result += input(of: name) ?? name + String(Self.mark)
        rest = rest.dropFirst(2 + name.count)
      } else {
        result.append(character)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// The name of the option at the beginning of a text.
  private static func option(in text: Substring) -> String? {
    let name = text.dropFirst(2).prefix { character in character.isASCII && (character.isLetter || character == "-") }
    return name.first?.isLetter == true ? String(name) : nil
  }

  private func input(of option: String) -> String? {
    let name = Self.inputsByOption[option] ?? option
    return inputs.contains(name) ? name : nil
  }

  /// The words of the quoted command at the beginning of a text, without the name of the program, and the number of its characters.
  /// A quote that begins a word belongs to the word.
  private static func command(in text: Substring) -> (words: [String], length: Int)? {
    var words = [""]
    var isQuoted = false
    var length = 1
    for character in text.dropFirst() {
      length += 1
      if character == "'" {
        if !isQuoted, !words[words.count - 1].isEmpty || words.count == 1 { break }
        isQuoted.toggle()
      } else if character == " ", !isQuoted {
        words.append("")
        continue
      }
      words[words.count - 1].append(character)
    }
    // Other quoted words, such as a name that the client gave, are no command, even if they begin like one.
    let isCommand = words.first == "action-log" || words.contains { word in word.hasPrefix("--") }
    if words.first == "action-log" { words.removeFirst() }
    guard isCommand, let verb = words.first, CommandTable.all.contains(where: { command in command.name == verb })
    else {
      return nil
    }
    return (words, length)
  }

  /// The call of a tool that answers like a command; `nil` if no tool does.
  private func text(of words: [String]) -> String? {
    if words.contains("--help") || words.first == Command.help.name { return String(Self.mark) }
    guard let verb = words.first, let other = ContextTool.all.first(where: { tool in tool.verbs.contains(verb) }) else {
      return nil
    }
    let wording = ToolWording(other)
    var names = Self.inputsByVerb[verb] ?? []
    var values: [String] = []
    var rest = words.dropFirst().drop { word in !word.hasPrefix("--") }
    let arguments = words.dropFirst().prefix { word in !word.hasPrefix("--") }.dropFirst()
    for argument in arguments where !names.isEmpty { values.append("\(names.removeFirst()) \(argument)") }
    while let word = rest.popFirst() {
      guard word.hasPrefix("--"), let name = wording.input(of: String(word.dropFirst(2))) else { continue }
      let value = rest.first.flatMap { word in word.hasPrefix("--") ? nil : " " + word } ?? ""
      values.append(name + value)
    }
    return values.isEmpty ? other.name : "\(other.name) with \(values.joined(separator: ", "))"
  }
}
