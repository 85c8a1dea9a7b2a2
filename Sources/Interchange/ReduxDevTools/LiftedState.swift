import ActionLog
import JSONCoding

/// A lifted state of Redux DevTools, checked, with its actions where they stand.
struct LiftedState: Sendable {
  /// What is told of one action.
  struct Entry: Sendable {
    let id: Int
    let node: JSONTape.Node
    let time: LogTime?
    let stack: String?
    let isSkipped: Bool
  }

  /// The staged actions in order, `@@INIT` first.
  let entries: [Entry]
  /// The index of the last action that was applied.
  let cursor: Int
  /// The state before them.
  let committedState: JSONTape.Node?

  /// Whether an object may be meant as one.
  static func isMeant(by root: JSONTape.Node) -> Bool { root["actionsById"] != nil || root["stagedActionIds"] != nil }

  init(_ root: JSONTape.Node) throws(InterchangeError) {
    guard let actions = root["actionsById"], actions.kind == .object else {
      throw Self.wrong("\"actionsById\" is no object", "/actionsById")
    }
    let staged = try Self.ids(root, "stagedActionIds", isOptional: false)
    guard staged.first == 0 else {
      throw Self.wrong("\"stagedActionIds\" does not begin with 0, the action before all others", "/stagedActionIds/0")
    }
    guard let states = root["computedStates"], states.kind == .array else {
      throw Self.wrong(
        "\"computedStates\" is no array", "/computedStates",
        advice: "An empty one will do: \"computedStates\": [].")
    }
    guard states.count == 0 || states.count == staged.count else {
      throw Self.wrong(
        "there are \(states.count) computed states for \(staged.count) staged actions", "/computedStates")
    }
    let skipped = Set(try Self.ids(root, "skippedActionIds", isOptional: true))
    committedState = root["committedState"]
    cursor = try Self.cursor(root, count: staged.count)
    entries = try Self.entries(staged, actions, skipped: skipped)
  }

  private static func entries(
    _ staged: [Int], _ actions: JSONTape.Node, skipped: Set<Int>
  ) throws(InterchangeError) -> [Entry] {
    var nodes: [Int: JSONTape.Node] = [:]
    nodes.reserveCapacity(actions.count)
    for (name, node) in actions.members {
      if let id = name.string().flatMap({ text in Int(text) }) { nodes[id] = node }
    }
    var entries: [Entry] = []
    entries.reserveCapacity(staged.count)
    var seen = Set<Int>()
    for (index, id) in staged.enumerated() {
      guard seen.insert(id).inserted else {
        throw wrong("the action \(id) is staged twice", "/stagedActionIds/\(index)")
      }
      guard let node = nodes[id] else {
        throw wrong("there is no action \(id)", "/stagedActionIds/\(index)")
      }
      entries.append(try entry(id, node, isSkipped: skipped.contains(id)))
    }
    return entries
  }

  private static func entry(_ id: Int, _ node: JSONTape.Node, isSkipped: Bool) throws(InterchangeError) -> Entry {
    let place = "/actionsById/\(id)"
    guard node["type"]?.equals("PERFORM_ACTION") == true, let action = node["action"] else {
      throw wrong("the entry is none of type \"PERFORM_ACTION\" with an \"action\"", place)
    }
    var time: LogTime?
    if let timestamp = node["timestamp"] {
      guard let milliseconds = timestamp.number()?.double, milliseconds.magnitude <= Self.timeLimit else {
        throw wrong("\"timestamp\" is no number of milliseconds since 1970", place + "/timestamp")
      }
      time = LogTime(microseconds: Int64((milliseconds * 1_000).rounded(.down)))
    }
    let stack = node["stack"]
    guard stack == nil || stack?.kind == .string || stack?.isNull == true else {
      throw wrong("\"stack\" is no text", place + "/stack")
    }
    return Entry(id: id, node: action, time: time, stack: stack?.string(), isSkipped: isSkipped)
  }

  /// What JavaScript has for times: ±8.64 × 10¹⁵ ms, far within what 64 bits hold in microseconds.
  private static let timeLimit = 8.64e15

  private static func ids(
    _ root: JSONTape.Node, _ name: String, isOptional: Bool
  ) throws(InterchangeError) -> [Int] {
    guard let node = root[name] else {
      if isOptional { return [] }
      throw wrong("there is no \"\(name)\"", "/\(name)")
    }
    guard node.kind == .array else { throw wrong("\"\(name)\" is no array", "/\(name)") }
    var ids: [Int] = []
    ids.reserveCapacity(node.count)
    for (index, element) in node.elements.enumerated() {
      guard let id = element.int(), id >= 0 else { throw wrong("an id is a whole number", "/\(name)/\(index)") }
      ids.append(id)
    }
    return ids
  }

  private static func cursor(_ root: JSONTape.Node, count: Int) throws(InterchangeError) -> Int {
    guard let node = root["currentStateIndex"] else { return count - 1 }
    guard let index = node.int(), (0..<count).contains(index) else {
      throw wrong("\"currentStateIndex\" is no index of a staged action (0…\(count - 1))", "/currentStateIndex")
    }
    return index
  }

  private static func wrong(_ message: String, _ pointer: String, advice: String? = nil) -> InterchangeError {
    InterchangeError(.wrongShape, message, pointer: pointer, advice: advice)
  }
}
