import ActionLog
import JSONCoding
import TerminalUI
import TimeTravel

/// An action as a line of input: `{"type":…,"data":…,"meta":…}`.
///
/// The other members of a log's records are ignored, so that lines of a log can be recorded again. Any other member
/// is an error, because it would be lost. A line for the model `patched` has its effect in one more member.
struct ActionLine: Sendable {
  var number: Int
  var form: ActionForm
  var meta: JSONObject?
  var sizeBytes = 0
}

struct LineRefusal: Error, Sendable {
  /// The kinds of refusal, for programs.
  enum Code: String, Sendable {
    case notJSON
    case notAnAction
    case unknownAction
    case refusedByReducer
    case beyondLimit
  }

  var code: Code
  var message: String
  /// The byte offset in the line, from 0.
  var byteOffset: Int?

  init(_ code: Code, _ message: String, byteOffset: Int? = nil) {
    self.code = code
    self.message = JSONPointer.excerpt(of: message, limitBytes: Self.messageLimitBytes)
    self.byteOffset = byteOffset
  }

  /// A line has up to 16 MiB, and its answer does not repeat it.
  private static let messageLimitBytes = 1_024
}

extension ActionLine {
  /// - Parameter isPatched: Whether the action is one of the model `patched`.
  init(number: Int, parsing bytes: ArraySlice<UInt8>, isPatched: Bool = false) throws(LineRefusal) {
    let root = try Self.object(bytes)
    try Self.checkNames(root, ["type", "data"] + (isPatched ? Self.effects : []) + ["meta"])
    guard var type = root["type"]?.string() else {
      throw LineRefusal(.notAnAction, "an action has a \"type\" that is a string: {\"type\":…,\"data\":{…}}")
    }
    if isPatched, type == "@init" { type = "init" }
    guard type.utf8.first != ControlType.prefix else {
      throw LineRefusal(
        .notAnAction, "'\(JSONPointer.excerpt(of: type))' is a control record, which only the engine writes")
    }
    // Null stands for an absent member.
    let data = root["data"].flatMap { node in node.isNull ? nil : node }
    guard data == nil || data?.kind == .object else {
      throw LineRefusal(.notAnAction, "\"data\" must be an object")
    }
    var content = data.map { node in Array(node.bytes) } ?? Array("{}".utf8)
    var isEmpty = (data?.count ?? 0) == 0
    // Two effects are refused when the action is decoded.
    for name in Self.effects where isPatched {
      guard let effect = root[name] else { continue }
      content.removeLast()
      content += "\(isEmpty ? "" : ",")\"@\(name)\":".utf8 + effect.bytes + "}".utf8
      isEmpty = false
    }
    self.number = number
    self.form = ActionForm(type: type, data: content)
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

  /// The members for an effect: the names of ``PatchedModel/Action/members`` without `@`.
  private static let effects = PatchedModel.Action.members.map { name in String(name.dropFirst()) }

  /// The members of a record that a line may have in addition to those of an action.
  private static let recordMembers: Set<String> = ["seq", "time", "synced", "prev", "salt", "crc"]

  private static func checkNames(_ root: JSONTape.Node, _ allowed: [String]) throws(LineRefusal) {
    for (node, _) in root.members {
      guard let name = node.string(), !allowed.contains(name), !recordMembers.contains(name) else { continue }
      let names = allowed.map { name in "\"\(name)\"" }
      let other = Suggestion.closest(to: name, among: allowed.sorted()).map { other in
        "; did you mean \"\(other)\"?"
      }
      throw LineRefusal(
        .notAnAction,
        "an action has no member \(shown(name)), only \(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1]); "
          + "any other goes into \"meta\"" + (other ?? ""))
    }
  }

  /// A name for an error, shortened: it can be as long as a line.
  private static func shown(_ name: String) -> String {
    TerminalText.quoting(name.count > nameLimit ? name.prefix(nameLimit) + "…" : name)
  }
  private static let nameLimit = 64

  private static func meta(_ node: JSONTape.Node?) throws(LineRefusal) -> JSONObject? {
    guard let node, !node.isNull else { return nil }
    guard case .object(let object) = JSONValue(node) else {
      throw LineRefusal(.notAnAction, "\"meta\" must be an object")
    }
    return object
  }
}

extension ActionForm {
  /// The number of locations that an answer lists.
  private static let namedLimit = 16

  /// Returns the locations of members of `data` that are not in the action as it is recorded: its type has no such property. An action
  /// that is recorded under another type has none.
  func members(missingIn recorded: ActionForm) throws(JSONError) -> [String] {
    guard type == recorded.type, data != recorded.data else { return [] }
    var known: Set<[ExactName]> = []
    Self.visitMembers(of: try JSONValue(parsing: recorded.data), at: JSONPointer(["data"])) { names, _, _ in
      known.insert(names)
      return true
    }
    var missing: [String] = []
    Self.visitMembers(of: try JSONValue(parsing: data), at: JSONPointer(["data"])) { names, pointer, value in
      // A null counts as missing.
      guard value != .null, missing.count < Self.namedLimit else { return false }
      if known.contains(names) { return true }
      missing.append(pointer.excerpt)
      return false
    }
    return missing
  }

  /// Visits the members in a value with their names from the root, which have no indices: a `Set` has no order. Those in a member follow
  /// if `body` returns `true`.
  private static func visitMembers(
    of value: JSONValue, at pointer: JSONPointer, _ names: [ExactName] = [],
    _ body: ([ExactName], JSONPointer, JSONValue) -> Bool
  ) {
    switch value {
    case .object(let object):
      for (name, value) in object {
        let (names, pointer) = (names + [ExactName(name)], pointer.appending(name))
        if body(names, pointer, value) { visitMembers(of: value, at: pointer, names, body) }
      }
    case .array(let elements):
      for (index, element) in elements.enumerated() {
        visitMembers(of: element, at: pointer.appending(index), names, body)
      }
    case .null, .bool, .number, .string: break
    }
  }
}

/// A batch of lines, their outcomes, and the answers in order.
struct AnswerBatch {
  private let firstLine: Int
  private let isPatched: Bool
  /// The outcomes of the lines; `nil` for those that are not known yet.
  private var entries: [LineOutcome?] = []
  private(set) var actions: [ActionLine] = []

  /// - Parameter isPatched: Whether the lines are actions of the model `patched`.
  init(firstLine: Int, isPatched: Bool) {
    (self.firstLine, self.isPatched) = (firstLine, isPatched)
  }

  mutating func append(_ line: LineReader.Line) {
    do throws(LineRefusal) {
      guard case .bytes(let bytes) = line else {
        throw LineRefusal(.beyondLimit, "the line is longer than \(HumanText.bytes(LineReader.lineLimitBytes))")
      }
      actions.append(try ActionLine(number: firstLine + entries.count, parsing: bytes, isPatched: isPatched))
      entries.append(nil)
    } catch {
      entries.append(.refused(error))
    }
  }

  /// Records the outcomes of ``actions``, in order: of all of them, unless recording ended early.
  mutating func settle(_ outcomes: [LineOutcome]) {
    precondition(outcomes.count <= actions.count, "an action has one outcome")
    var rest = outcomes[...]
    for index in entries.indices where entries[index] == nil { entries[index] = rest.popFirst() }
  }

  var acceptedCount: Int {
    entries.count { entry in
      if case .accepted? = entry { true } else { false }
    }
  }

  var refusedCount: Int { entries.count - acceptedCount }

  /// The number of leading lines that were refused, or accepted as a revision up to `revision`.
  func settledCount(through revision: Int) -> Int {
    entries.prefix { entry in
      switch entry {
      case .accepted(let accepted, _)?: accepted <= revision
      case .refused?: true
      case nil: false
      }
    }.count
  }

  func answers(
    durability: Durability, through revision: Int = .max, failure: ToolFailure? = nil
  ) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, outcome) in entries.enumerated() {
      try answer(outcome, line: firstLine + index, durability, through: revision, failure).append(to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }

  private func answer(
    _ outcome: LineOutcome?, line: Int, _ durability: Durability, through revision: Int, _ failure: ToolFailure?
  ) throws -> JSONValue {
    switch outcome {
    case .accepted(let accepted, let ignored) where accepted <= revision:
      return try Self.recorded.json((line, accepted, durability.levelName, ignored))
    case .refused(let refusal):
      return try Self.refused.json((line, (refusal.code.rawValue, refusal.message, refusal.byteOffset)))
    case .accepted, nil:
      // After a failed sync the outcome is unknown; after any other failure the batch was truncated. Without an outcome, recording
      // ended before the line.
      let isUnknown =
        outcome != nil && failure.map { failure in failure.codeName == LogError.Code.failed.rawValue } ?? true
      let reason: Reason = (
        failure?.codeName ?? LogError.Code.failed.rawValue, failure?.message ?? "not recorded", nil
      )
      return try (isUnknown ? Self.unknown : Self.failed).json((line, reason))
    }
  }
}

// MARK: - Answers

extension AnswerBatch {
  private typealias Reason = (code: String, message: String, byteOffset: Int?)
  private typealias Unrecorded = AnswerShape<(line: Int, reason: Reason)>

  static let schemas = [recorded.schema, refused.schema, failed.schema, unknown.schema]

  private static let recorded = AnswerShape<(line: Int, seq: Int, durability: String, ignored: [String])>.object([
    .member("line", .count, \.line), .member("seq", .revision, \.seq),
    .member("durability", .word("queued", "written", "interval", "synced", "full"), \.durability),
    .optional(
      "ignored", .texts, { answer in answer.ignored.isEmpty ? nil : answer.ignored },
      "The members of the line that are not recorded: the action has no such value."),
  ])

  private static let refused = unrecorded("refused")
  private static let failed = unrecorded("failed")
  private static let unknown = unrecorded("unknown")

  private static func unrecorded(_ name: String) -> Unrecorded {
    .object([.member("line", .count, \.line), .member(name, reason, \.reason)])
  }

  private static let reason = AnswerShape<Reason>.object([
    .member("code", .text, \.code), .member("message", .text, \.message),
    .optional("byteOffset", .count, \.byteOffset),
  ])
}

extension Durability {
  /// The name of the level, without its interval.
  var levelName: String {
    switch self {
    case .queued: "queued"
    case .written: "written"
    case .interval: "interval"
    case .synced: "synced"
    case .full: "full"
    }
  }
}
