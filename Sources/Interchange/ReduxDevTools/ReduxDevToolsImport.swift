import ActionLog
import JSONCoding

/// Reads a file that Redux DevTools exported, or that was exported for them.
///
/// It takes what their own import takes: the object of the Export button with its two texts (`payload` and, perhaps,
/// `preloadedState`), a bare array of actions, and a lifted state, bare or as the text of `payload`. Where they throw, this is an error
/// that says why. Of a lifted state times, skipped actions, stacks and the cursor are kept.
///
/// - SeeAlso: reduxjs/redux-devtools, extension/src/pageScript/api/importState.ts.
public struct ReduxDevToolsImport: Sendable {
  /// The largest file: it is one document, so it is held in memory, with about as much again for what was found in it.
  public static let sizeLimitBytes = 256 << 20

  /// How many actions there are, skipped ones included.
  public let count: Int
  /// The state before the first action as JSON; `nil` when the application's own initial state is meant.
  public let base: [UInt8]?
  /// How many of the actions were applied where the cursor stood; `nil` when all were.
  public let cursor: Int?
  /// The log that was exported, its model and its schema, where the file says so.
  public let origin: (log: String, model: String, schema: Int)?

  private let source: Source

  private enum Source: Sendable {
    case actions([JSONTape.Node])
    case lifted(LiftedState)
  }

  /// Reads a file.
  ///
  /// - Parameter bytes: All of the file, at most ``sizeLimitBytes``.
  /// - Throws: ``InterchangeError``.
  /// - Complexity: O(length of the file).
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
      preloaded = try Self.text(of: "preloadedState", in: root)
      guard let payload = try Self.text(of: "payload", in: root) else { throw Self.unknownShape }
      root = payload
    }
    if root.kind == .array {
      source = .actions(Array(root.elements))
      count = root.count
      base = try Self.state(preloaded, at: "preloadedState")
      cursor = nil
      origin = nil
    } else if LiftedState.isMeant(by: root) {
      let lifted = try LiftedState(root)
      source = .lifted(lifted)
      count = lifted.entries.count - 1
      base = try Self.state(lifted.committedState, at: "committedState")
      cursor = lifted.cursor == count ? nil : lifted.cursor
      origin = Self.origin(lifted.entries[0].node)
    } else {
      throw Self.unknownShape
    }
  }

  /// An action.
  ///
  /// - Parameter index: 0 to ``count`` − 1.
  /// - Throws: ``InterchangeError`` with the place.
  /// - Complexity: O(size of the action).
  public func action(at index: Int) throws(InterchangeError) -> ImportedAction {
    var (action, remark) = try read(index)
    if let cursor {
      if index + 1 == cursor { remark.cursor = .here }
      if index == 0, cursor == 0 { remark.cursor = .before }
    }
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
      // An export's own time is finer.
      action.time = action.time ?? entry.time
      action.isSkipped = entry.isSkipped
      if entry.id != index + 1 { remark.id = entry.id }
      remark.stack = entry.stack
      return (action: action, remark: remark)
    }
  }

  // MARK: - Parts

  private static var unknownShape: InterchangeError {
    InterchangeError(
      .wrongShape, "the file is nothing that Redux DevTools import",
      advice: "That is an array of actions, a lifted state, or an object whose \"payload\" is the text of one of these."
    )
  }

  /// The value whose text a member holds; `nil` when there is no such member.
  private static func text(of name: String, in root: JSONTape.Node) throws(InterchangeError) -> JSONTape.Node? {
    guard let node = root[name] else { return nil }
    guard let text = node.stringBytes() else {
      throw InterchangeError(
        .wrongShape, "\"\(name)\" is no text", byteOffset: node.byteRange.lowerBound, pointer: "/\(name)",
        advice: "Redux DevTools want the JSON of it as a text, as their Export button writes it.")
    }
    do throws(JSONError) {
      return try JSONTape(parsing: text, maximumDepth: JSONTape.depthLimit).root
    } catch {
      var wrong = InterchangeError(json: error)
      let place = error.byteOffset.map { offset in " (its byte \(offset))" } ?? ""
      wrong.message = "the text of \"\(name)\" is no JSON: \(error.message)\(place)"
      wrong.pointer = "/\(name)"
      wrong.byteOffset = node.byteRange.lowerBound
      throw wrong
    }
  }

  private static func state(_ node: JSONTape.Node?, at name: String) throws(InterchangeError) -> [UInt8]? {
    guard let node else { return nil }
    guard !node.isNull else {
      throw InterchangeError(
        .wrongShape, "\"\(name)\" is null, which is no state to begin with", pointer: "/\(name)",
        advice: "Leave the member out, and the model's own initial state is meant.")
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
