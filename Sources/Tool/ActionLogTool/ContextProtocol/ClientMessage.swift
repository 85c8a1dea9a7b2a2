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

  func answering(_ id: JSONValue) -> ContextError {
    var copy = self
    copy.id = id
    return copy
  }

  var json: JSONObject {
    var error: JSONObject = ["code": .integer(code.rawValue), "message": .string(message)]
    error["data"] = data
    return ["jsonrpc": "2.0", "id": id, "error": .object(error)]
  }
}

enum ClientMessage {
  case request(ClientRequest)
  case notification(method: String, params: JSONObject)
  /// An answer. The server asks nothing, so it is ignored.
  case response

  /// The deepest nesting of a message: a tool's arguments need four levels.
  private static let depthLimit = 64
  /// Longer identifiers would be repeated in each answer.
  private static let idLimitBytes = 1_024

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

struct ClientRequest: Sendable {
  let id: JSONValue
  let method: String
  let params: JSONObject

  private static let prefix = "io.modelcontextprotocol/"
  static let serverInfoName = prefix + "serverInfo"

  private var meta: JSONObject { if case .object(let meta)? = params["_meta"] { meta } else { JSONObject() } }

  var progressToken: JSONValue? {
    switch meta["progressToken"] {
    case .string(let text)?: .string(text)
    case .number(let number)? where number.isInteger: .number(number)
    default: nil
    }
  }

  /// Returns the revision that the request names; `nil` if it names none.
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
