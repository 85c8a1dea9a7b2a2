import JSONCoding

/// The revisions of the Model Context Protocol that the server speaks.
///
/// Since 2026-07-28 a request names its revision in `_meta`, and there is no session. In the earlier ones `initialize` agrees on a
/// revision for all requests that follow.
///
/// - SeeAlso: modelcontextprotocol.io/specification, revision 2026-07-28, *Versioning and Compatibility*.
enum ContextRevision: String, Sendable, CaseIterable {
  case july2026 = "2026-07-28"
  case november2025 = "2025-11-25"
  case june2025 = "2025-06-18"

  /// Whether a session begins with `initialize`.
  var hasSessions: Bool { self != .july2026 }

  /// The answer to a client that asks for a revision that the server does not speak.
  static let newestWithSessions = november2025

  /// The revisions, newest first, for people.
  static let names = "2026-07-28, 2025-11-25 and 2025-06-18"

  static var json: JSONValue { .array(allCases.map { revision in .string(revision.rawValue) }) }
}

/// An error of the protocol, as JSON-RPC 2.0 reports it. Errors of tools are results.
struct ContextError: Error {
  /// The codes of JSON-RPC, and the one of the protocol that the server uses.
  enum Code: Int {
    case parseError = -32_700
    case invalidRequest = -32_600
    case methodNotFound = -32_601
    case invalidParams = -32_602
    case internalError = -32_603
    case unsupportedRevision = -32_022
  }

  var code: Code
  var message: String
  var data: JSONValue?
  /// The identifier of the request; `null` if it could not be read.
  var id: JSONValue = .null

  init(_ code: Code, _ message: String, data: JSONValue? = nil) {
    (self.code, self.message, self.data) = (code, message, data)
  }

  /// The error as the answer to a request.
  func answering(_ id: JSONValue) -> ContextError {
    var copy = self
    copy.id = id
    return copy
  }

  /// The message to the client.
  var json: JSONObject {
    var error: JSONObject = ["code": .integer(code.rawValue), "message": .string(message)]
    error["data"] = data
    return ["jsonrpc": "2.0", "id": id, "error": .object(error)]
  }
}

/// A message of a client.
enum ClientMessage {
  case request(ClientRequest)
  case notification(method: String, params: JSONObject)
  /// An answer. The server asks nothing, so it is ignored.
  case response

  /// The deepest nesting of a message: a tool's arguments need four levels.
  private static let depthLimit = 64
  /// Longer identifiers would be repeated in each answer.
  private static let idLimitBytes = 1_024

  /// Parses a line.
  init(parsing line: ArraySlice<UInt8>) throws(ContextError) {
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue(parsing: line, maximumDepth: Self.depthLimit) } catch {
      throw ContextError(
        .parseError, "the line is not JSON: \(error.message)",
        data: error.byteOffset.map { offset in ["byteOffset": .integer(offset)] })
    }
    guard case .object(let object) = value else {
      throw ContextError(.invalidRequest, "a message is one object a line; batches are not supported")
    }
    let id = try Self.id(of: object)
    guard object["jsonrpc"] == "2.0" else {
      throw ContextError(.invalidRequest, "\"jsonrpc\" is not \"2.0\"").answering(id ?? .null)
    }
    guard let method = object["method"] else {
      guard object["result"] != nil || object["error"] != nil else {
        throw ContextError(.invalidRequest, "the message has no method").answering(id ?? .null)
      }
      self = .response
      return
    }
    guard case .string(let name) = method else {
      throw ContextError(.invalidRequest, "\"method\" is no string").answering(id ?? .null)
    }
    var params = JSONObject()
    switch object["params"] {
    case .object(let members)?: params = members
    case nil: break
    default:
      guard id != nil else {
        // A notification has no answer, not even to an error.
        self = .response
        return
      }
      throw ContextError(.invalidParams, "\"params\" is no object").answering(id ?? .null)
    }
    if let id {
      self = .request(ClientRequest(id: id, method: name, params: params))
    } else {
      self = .notification(method: name, params: params)
    }
  }

  private static func id(of object: JSONObject) throws(ContextError) -> JSONValue? {
    switch object["id"] {
    case nil: return nil
    case .string(let text)? where text.utf8.count <= idLimitBytes: return .string(text)
    case .number(let number)? where number.isInteger && number.text.utf8.count <= idLimitBytes: return .number(number)
    default:
      throw ContextError(.invalidRequest, "\"id\" is no integer and no string of at most \(idLimitBytes) bytes")
    }
  }
}

/// A request of a client.
struct ClientRequest: Sendable {
  let id: JSONValue
  let method: String
  let params: JSONObject

  private static let prefix = "io.modelcontextprotocol/"
  static let serverInfoName = prefix + "serverInfo"

  /// The metadata of the request.
  private var meta: JSONObject { if case .object(let meta)? = params["_meta"] { meta } else { JSONObject() } }

  /// The token for progress; `nil` if the client wants none.
  var progressToken: JSONValue? {
    switch meta["progressToken"] {
    case .string(let text)?: .string(text)
    case .number(let number)? where number.isInteger: .number(number)
    default: nil
    }
  }

  /// Returns the revision that the request names; `nil` if it names none.
  ///
  /// - Throws: The errors of revision 2026-07-28 for another revision, and for missing capabilities.
  func revision() throws(ContextError) -> ContextRevision? {
    guard let value = meta[Self.prefix + "protocolVersion"] else { return nil }
    guard case .string(let name) = value else {
      throw ContextError(.invalidParams, "the protocol version in \"_meta\" is no string")
    }
    // The earlier ones have no such member: their requests belong to a session.
    guard name == ContextRevision.july2026.rawValue else {
      throw ContextError(
        .unsupportedRevision, "unsupported protocol version",
        data: ["supported": ContextRevision.json, "requested": .string(name)])
    }
    guard case .object? = meta[Self.prefix + "clientCapabilities"] else {
      throw ContextError(.invalidParams, "\"_meta\" has no \"\(Self.prefix)clientCapabilities\"")
    }
    return .july2026
  }
}

/// The words of an error for the client of a tool: inputs in place of the options of a command line, tools in place of commands.
///
/// The commands that answer name options (`--at 8`) and commands (`'action-log list LOG --to 7'`), which a client cannot type. A command
/// that no tool has, such as `'action-log verify'`, is kept: it is for the user.
package struct ToolWording: Sendable {
  private let tool: ContextTool
  private let inputs: [String]

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
  package static var verbs: Set<String> { Set(ContextTool.all.map(\.command.name)) }

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
    let name = tool.command.options.first { known in known.name == option }?.input ?? option
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
    guard let verb = words.first, let other = ContextTool.all.first(where: { tool in tool.command.name == verb }) else {
      return nil
    }
    let wording = ToolWording(other)
    var names = other.arguments.map(\.input)
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
