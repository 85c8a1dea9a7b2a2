import ActionLog
import JSONCoding
import TextDisplay

/// An action as other programs hand it over: `{"type":…,"data":…,"meta":…}` on a line.
///
/// What the records of a log have beside is passed over, so that the lines of another log can be fed in as they are; any other
/// member is a mistake of whoever wrote it, and would be lost.
struct ActionLine: Sendable {
  /// The number of the line in the input, from 1.
  var number: Int
  var form: ActionForm
  var meta: JSONObject?
  /// The length of the line.
  var sizeBytes = 0
}

/// Why a line was not recorded.
struct LineRefusal: Error, Sendable {
  /// The kinds of refusal that programs tell apart.
  enum Code: String, Sendable {
    /// The line is not JSON.
    case notJSON
    /// The line is JSON, but does not have the shape of an action.
    case notAnAction
    /// The model has no such action.
    case unknownAction
    /// The model's reducer refused the action.
    case refusedByReducer
    /// The line is beyond a limit.
    case beyondLimit
  }

  var code: Code
  var message: String
  /// The place in the line, from 0.
  var byteOffset: Int?

  init(_ code: Code, _ message: String, byteOffset: Int? = nil) {
    self.code = code
    self.message = message
    self.byteOffset = byteOffset
  }
}

extension ActionLine {
  /// Reads a line.
  init(number: Int, parsing bytes: ArraySlice<UInt8>) throws(LineRefusal) {
    let root = try Self.object(bytes)
    try Self.checkNames(root)
    guard let type = root["type"]?.string() else {
      throw LineRefusal(.notAnAction, "an action has a \"type\" that is a string: {\"type\":…,\"data\":{…}}")
    }
    guard !type.hasPrefix("@") else {
      throw LineRefusal(.notAnAction, "'\(type)' is a control record; only the engine writes those")
    }
    let data = root["data"]
    guard data == nil || data?.kind == .object else {
      throw LineRefusal(.notAnAction, "\"data\" must be an object")
    }
    self.number = number
    self.form = ActionForm(type: type, data: data.map { node in Array(node.bytes) } ?? Array("{}".utf8))
    self.meta = try Self.meta(root["meta"])
    self.sizeBytes = bytes.count
  }

  private static func object(_ bytes: ArraySlice<UInt8>) throws(LineRefusal) -> JSONTape.Node {
    let tape: JSONTape
    do throws(JSONError) {
      tape = try JSONTape(parsing: bytes)
    } catch {
      throw LineRefusal(.notJSON, error.message, byteOffset: error.byteOffset)
    }
    guard tape.root.kind == .object else {
      throw LineRefusal(.notAnAction, "an action is an object: {\"type\":…,\"data\":{…}}")
    }
    return tape.root
  }

  /// What a line may have: an action's members, and the rest of a record's.
  private static let actionMembers: Set<String> = ["type", "data", "meta"]
  private static let recordMembers: Set<String> = ["seq", "time", "synced", "prev", "crc"]

  private static func checkNames(_ root: JSONTape.Node) throws(LineRefusal) {
    for (node, _) in root.members {
      guard let name = node.string(), !actionMembers.contains(name), !recordMembers.contains(name) else { continue }
      let other = Suggestion.closest(to: name, among: actionMembers.sorted()).map { other in
        "; did you mean \"\(other)\"?"
      }
      throw LineRefusal(
        .notAnAction,
        "an action has no member \(shown(name)), only \"type\", \"data\" and \"meta\"; any other goes into \"meta\""
          + (other ?? ""))
    }
  }

  /// A name as it is told: it can be as long as a line.
  private static func shown(_ name: String) -> String {
    TerminalText.quoting(name.count > nameLimit ? name.prefix(nameLimit) + "…" : name)
  }
  private static let nameLimit = 64

  private static func meta(_ node: JSONTape.Node?) throws(LineRefusal) -> JSONObject? {
    guard let node else { return nil }
    guard case .object(let object) = JSONValue(node) else {
      throw LineRefusal(.notAnAction, "\"meta\" must be an object")
    }
    return object
  }
}
