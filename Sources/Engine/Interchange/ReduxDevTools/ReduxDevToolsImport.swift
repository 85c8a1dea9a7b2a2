import ActionLog
package import JSONCoding

/// A reader of files in the export format of Redux DevTools.
///
/// It accepts the same files as DevTools: the object written by the Export button, whose members `payload` and, optionally,
/// `preloadedState` are JSON texts; an array of actions; and a lifted state, either bare or as the text of `payload`. For other files it
/// throws a descriptive error. Times, skipped actions, stacks and the cursor of a lifted state are preserved.
///
/// - SeeAlso: reduxjs/redux-devtools, extension/src/pageScript/api/importState.ts.
public struct ReduxDevToolsImport: Sendable {
  /// The maximum size of a file. The complete document is kept in memory, with about the same amount for its tape.
  public static let sizeLimitBytes = 256 << 20

  /// The number of actions, including skipped ones.
  public let count: Int
  /// The state before the first action as JSON; `nil` for the model's own initial state.
  public let base: [UInt8]?
  /// The log that was exported, its model and its schema, if known.
  public let origin: (log: String, model: String, schema: Int)?

  private let source: Source

  private enum Source: Sendable {
    case actions([JSONTape.Node])
    case lifted(LiftedState)
  }

  /// Parses a file of at most ``sizeLimitBytes``.
  public init(parsing bytes: [UInt8]) throws(InterchangeError) {
    guard bytes.count <= Self.sizeLimitBytes else {
      throw InterchangeError(.beyondLimit, "the file is larger than \(Self.sizeLimitBytes >> 20) MiB")
    }
    var root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: bytes, maximumDepth: JSONTape.depthLimit).root
    } catch {
      throw InterchangeError(json: error)
    }
    var preloaded: JSONTape.Node?
    if root.kind == .object, root["payload"] != nil {
      // DevTools ignore an empty member.
      if let node = root["preloadedState"], !node.isNull, !node.equals("") {
        preloaded = try Self.text(of: "preloadedState", in: root)
      }
      guard let payload = try Self.text(of: "payload", in: root) else { throw Self.unknownShape }
      root = payload
    }
    if root.kind == .array {
      source = .actions(Array(root.elements))
      count = root.count
      base = try Self.state(preloaded, at: "preloadedState")
      origin = nil
    } else if LiftedState.isMeant(by: root) {
      let lifted = try LiftedState(root)
      source = .lifted(lifted)
      count = lifted.entries.count - 1
      base = try Self.state(lifted.committedState, at: "committedState")
      origin = Self.origin(lifted.entries[0].node)
    } else {
      throw Self.unknownShape
    }
  }

  /// Returns an action.
  public func action(at index: Int) throws(InterchangeError) -> ImportedAction {
    var (action, remark) = try read(index)
    let remarks = remark.object
    if !remarks.isEmpty { action.meta[ReduxRemark.member] = .object(remarks) }
    return action
  }

  private func read(_ index: Int) throws(InterchangeError) -> (action: ImportedAction, remark: ReduxRemark) {
    switch source {
    case .actions(let nodes): return try ReduxActionReader.read(nodes[index], at: JSONPointer([String(index)]))
    case .lifted(let lifted):
      let entry = lifted.entries[index + 1]
      var (action, remark) = try ReduxActionReader.read(
        entry.node, at: JSONPointer(["actionsById", String(entry.id), "action"]))
      // The time in the metadata of an exported action has a higher resolution.
      action.time = action.time ?? entry.time
      action.isSkipped = entry.isSkipped
      remark.stack = entry.stack
      return (action: action, remark: remark)
    }
  }

  /// Returns the state after the first `count` actions, skipped ones included; `nil` if the file does not have it.
  ///
  /// Only a lifted state has computed states, and it may have none.
  package func state(after count: Int) throws(InterchangeError) -> JSONValue? {
    guard case .lifted(let lifted) = source, count < lifted.states.count, let state = lifted.states[count]["state"]
    else {
      return nil
    }
    return try PlainNames.plain(JSONValue(state), at: JSONPointer(["computedStates", String(count), "state"]))
  }

  // MARK: - Parts

  private static var unknownShape: InterchangeError {
    InterchangeError(
      .wrongShape, "the file is not in a format that Redux DevTools can import",
      advice: "Supported are an array of actions, a lifted state, or an object whose \"payload\" is the text of either."
    )
  }

  /// Parses the JSON text in a member, or returns `nil` if there is no such member.
  private static func text(of name: String, in root: JSONTape.Node) throws(InterchangeError) -> JSONTape.Node? {
    guard let node = root[name] else { return nil }
    guard let text = node.stringBytes() else {
      throw InterchangeError(
        .wrongShape, "\"\(name)\" is not a string", byteOffset: node.byteRange.lowerBound, pointer: JSONPointer([name]),
        advice: "It must be a string that contains JSON, as written by the Export button of Redux DevTools.")
    }
    do throws(JSONError) {
      return try JSONTape(parsing: text, maximumDepth: JSONTape.depthLimit).root
    } catch {
      var wrong = InterchangeError(json: error)
      let place = error.byteOffset.map { offset in " (its byte \(offset))" } ?? ""
      wrong.message = "the text of \"\(name)\" is not JSON: \(error.message)\(place)"
      wrong.pointer = JSONPointer([name])
      wrong.byteOffset = node.byteRange.lowerBound
      throw wrong
    }
  }

  private static func state(_ node: JSONTape.Node?, at name: String) throws(InterchangeError) -> [UInt8]? {
    guard let node else { return nil }
    guard !node.isNull else {
      throw InterchangeError(
        .wrongShape, "\"\(name)\" is null, which is not a state", pointer: JSONPointer([name]),
        advice: "Omit the member to start with the model's own initial state.")
    }
    return try PlainNames.plain(JSONValue(node), at: JSONPointer([name])).bytes(.canonical)
  }

  private static func origin(_ node: JSONTape.Node) -> (log: String, model: String, schema: Int)? {
    guard let meta = node["meta"], meta["format"]?.string() == LogFormat.name, let log = meta["log"]?.string(),
      let model = meta["model"]?.string(), let schema = meta["schema"]?.int(), schema >= 1
    else { return nil }
    return (log: log, model: model, schema: schema)
  }
}

/// A validated lifted state of Redux DevTools. Its actions are not copied.
struct LiftedState: Sendable {
  struct Entry: Sendable {
    let id: Int
    let node: JSONTape.Node
    let time: LogTime?
    let stack: String?
    let isSkipped: Bool
  }

  /// The staged actions in order, starting with `@@INIT`.
  let entries: [Entry]
  /// The state before the first action.
  let committedState: JSONTape.Node?
  /// The state after each staged action with its error, if any; empty if they were not exported.
  let states: [JSONTape.Node]

  /// Whether an object looks like a lifted state.
  static func isMeant(by root: JSONTape.Node) -> Bool { root["actionsById"] != nil || root["stagedActionIds"] != nil }

  init(_ root: JSONTape.Node) throws(InterchangeError) {
    guard let actions = root["actionsById"], actions.kind == .object else {
      throw Self.wrong("\"actionsById\" is not an object", ["actionsById"])
    }
    let staged = try Self.ids(root, "stagedActionIds", isOptional: false)
    guard staged.first == 0 else {
      throw Self.wrong("\"stagedActionIds\" does not begin with 0, the initial action", ["stagedActionIds", "0"])
    }
    guard let states = root["computedStates"], states.kind == .array else {
      throw Self.wrong(
        "\"computedStates\" is not an array", ["computedStates"],
        advice: "An empty array is sufficient: \"computedStates\": [].")
    }
    guard states.count == 0 || states.count == staged.count else {
      throw Self.wrong(
        "there are \(states.count) computed states for \(staged.count) staged actions", ["computedStates"])
    }
    let skipped = Set(try Self.ids(root, "skippedActionIds", isOptional: true))
    committedState = root["committedState"]
    self.states = Array(states.elements)
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
        throw wrong("the action \(id) is staged twice", ["stagedActionIds", "\(index)"])
      }
      guard let node = nodes[id] else {
        throw wrong("there is no action \(id)", ["stagedActionIds", "\(index)"])
      }
      entries.append(try entry(id, node, isSkipped: skipped.contains(id)))
    }
    return entries
  }

  private static func entry(_ id: Int, _ node: JSONTape.Node, isSkipped: Bool) throws(InterchangeError) -> Entry {
    let place = ["actionsById", "\(id)"]
    guard node["type"]?.equals("PERFORM_ACTION") == true, let action = node["action"] else {
      throw wrong("the entry is not of type \"PERFORM_ACTION\" with an \"action\"", place)
    }
    var time: LogTime?
    if let timestamp = node["timestamp"], !timestamp.isNull {
      guard let milliseconds = timestamp.number()?.double, milliseconds.magnitude <= Self.timeLimit else {
        throw wrong("\"timestamp\" is not a number of milliseconds since 1970", place + ["timestamp"])
      }
      time = LogTime(microseconds: Int64((milliseconds * 1_000).rounded(.down)))
    }
    let stack = node["stack"]
    guard stack == nil || stack?.kind == .string || stack?.isNull == true else {
      throw wrong("\"stack\" is not a string", place + ["stack"])
    }
    return Entry(id: id, node: action, time: time, stack: stack?.string(), isSkipped: isSkipped)
  }

  /// The range of JavaScript times, ±8.64 × 10¹⁵ ms, which fits in 64 bits in microseconds.
  private static let timeLimit = 8.64e15

  private static func ids(
    _ root: JSONTape.Node, _ name: String, isOptional: Bool
  ) throws(InterchangeError) -> [Int] {
    guard let node = root[name], !isOptional || !node.isNull else {
      if isOptional { return [] }
      throw wrong("there is no \"\(name)\"", [name])
    }
    guard node.kind == .array else { throw wrong("\"\(name)\" is not an array", [name]) }
    var ids: [Int] = []
    ids.reserveCapacity(node.count)
    for (index, element) in node.elements.enumerated() {
      guard let id = element.int(), id >= 0 else {
        throw wrong("an id is not a nonnegative integer", [name, "\(index)"])
      }
      ids.append(id)
    }
    return ids
  }

  private static func wrong(_ message: String, _ place: [String], advice: MessageText? = nil) -> InterchangeError {
    InterchangeError(.wrongShape, message, pointer: JSONPointer(place), advice: advice)
  }
}
