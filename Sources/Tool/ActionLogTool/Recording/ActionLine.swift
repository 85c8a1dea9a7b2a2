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

/// Lines that came together, what became of each, and the answers in their order.
struct AnswerBatch {
  private enum Entry {
    case waiting
    case outcome(LineOutcome)
  }

  private let firstLine: Int
  private var entries: [Entry] = []
  /// The actions among the lines, in order.
  private(set) var actions: [ActionLine] = []

  init(firstLine: Int) {
    self.firstLine = firstLine
  }

  /// Takes a line: one that is no action is refused at once.
  mutating func append(_ line: LineReader.Line) {
    do throws(LineRefusal) {
      guard case .bytes(let bytes) = line else {
        throw LineRefusal(.beyondLimit, "the line is longer than \(HumanText.bytes(LineReader.lineLimitBytes))")
      }
      actions.append(try ActionLine(number: firstLine + entries.count, parsing: bytes))
      entries.append(.waiting)
    } catch {
      entries.append(.outcome(.refused(error)))
    }
  }

  /// Takes what became of ``actions``, in their order; of all of them, unless recording came to an end.
  mutating func settle(_ outcomes: [LineOutcome]) {
    precondition(outcomes.count <= actions.count, "an action has one outcome")
    var rest = outcomes[...]
    for index in entries.indices {
      if case .waiting = entries[index], let outcome = rest.popFirst() { entries[index] = .outcome(outcome) }
    }
  }

  var acceptedCount: Int {
    entries.count { entry in
      if case .outcome(.accepted) = entry { true } else { false }
    }
  }

  var refusedCount: Int { entries.count - acceptedCount }

  /// The answers, one line of JSON each.
  ///
  /// - Parameters:
  ///   - durability: The level that was reached.
  ///   - revision: The last revision that reached it.
  ///   - failure: Why later ones did not.
  func answers(durability: Durability, through revision: Int = .max, failure: ToolFailure? = nil) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, entry) in entries.enumerated() {
      let outcome: LineOutcome? = if case .outcome(let outcome) = entry { outcome } else { nil }
      answer(outcome, line: firstLine + index, durability, through: revision, failure).append(to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }

  private func answer(
    _ outcome: LineOutcome?, line: Int, _ durability: Durability, through revision: Int, _ failure: ToolFailure?
  ) -> JSONValue {
    switch outcome {
    case .accepted(let seq) where seq <= revision:
      return ["line": .integer(line), "seq": .integer(seq), "durability": .string(durability.levelName)]
    case .accepted:
      // After a failed sync nobody knows; after any other failure the log was cut back.
      let isUnknown = failure.map { failure in failure.code == LogError.Code.failed.rawValue } ?? true
      return ["line": .integer(line), isUnknown ? "unknown" : "failed": Self.reason(failure)]
    case nil:
      // Recording ended before it came to this line.
      return ["line": .integer(line), "failed": Self.reason(failure)]
    case .refused(let refusal):
      var object: JSONObject = ["code": .string(refusal.code.rawValue), "message": .string(refusal.message)]
      object["byteOffset"] = refusal.byteOffset.map(JSONValue.integer)
      return ["line": .integer(line), "refused": .object(object)]
    }
  }

  private static func reason(_ failure: ToolFailure?) -> JSONValue {
    [
      "code": .string(failure?.code ?? LogError.Code.failed.rawValue),
      "message": .string(failure?.message ?? "not recorded"),
    ]
  }
}

extension Durability {
  /// The name of the level, without its interval.
  var levelName: String {
    switch self {
    case .memory: "memory"
    case .flush: "flush"
    case .interval: "interval"
    case .commit: "commit"
    case .full: "full"
    }
  }
}
