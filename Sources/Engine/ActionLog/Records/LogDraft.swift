internal import JSONCoding

/// A record that has not been appended yet.
public struct LogDraft: Sendable, Equatable {
  /// The action's case path, or one of the control records `@base`, `@digest`, `@rejected` and `@report`.
  public let type: String
  /// A JSON object.
  public let data: [UInt8]
  /// The metadata, a JSON object such as `{"actor":"u7"}`.
  public let meta: [UInt8]?
  /// The time of the action; `nil` for the time at which the writer accepts it.
  public package(set) var time: LogTime?

  /// Whether the action is excluded from the fold in the log that the draft was copied from. A new log of copied records states the
  /// same; see `LogRedaction.skip(_:at:fileSystem:environment:)`.
  package var isSkipped = false

  /// The number of the next drafts that are one unit, if this is its `@unit` record. Only the engine makes such drafts: with another
  /// number, recovery would remove acknowledged actions, or the log would be damaged.
  var unitActions: Int?

  /// Whether `data` comes from this module's encoder, so that it need not be parsed again.
  let isDataChecked: Bool

  /// Creates a draft from bytes of any origin. The writer checks them.
  ///
  /// - Parameters:
  ///   - type: 1 to 1,024 bytes.
  ///   - data: A strict JSON object without line feeds.
  ///   - meta: A strict JSON object without line feeds.
  ///   - time: The time of the action.
  public init(type: String, data: [UInt8], meta: [UInt8]? = nil, time: LogTime? = nil) {
    self.type = type
    self.data = data
    self.meta = meta
    self.time = time
    isDataChecked = false
  }

  /// Creates a draft of an action.
  ///
  /// - Parameters:
  ///   - form: The result of ``ActionCoding/encode(_:)``.
  ///   - meta: A strict JSON object without line feeds.
  ///   - time: The time of the action.
  public init(_ form: ActionForm, meta: [UInt8]? = nil, time: LogTime? = nil) {
    type = form.type
    data = form.data
    self.meta = meta
    self.time = time
    isDataChecked = form.isEncoded
  }

  /// Creates a draft of a record of another log.
  package init(copying record: LogRecord, meta: [UInt8]?) {
    self.init(type: record.type, data: record.data, meta: meta, time: record.time)
    isSkipped = record.isSkipped
  }

  /// Whether the draft is a control record and not an action.
  public var isControl: Bool { type.utf8.first == ControlType.prefix }

  /// Whether the draft is an action, or begins a unit of actions.
  var beginsActions: Bool { !isControl || type == ControlType.unit.rawValue }
}

enum DraftCheck {
  /// Checks everything except the length of the line, which is known only after encoding.
  static func check(_ draft: LogDraft) throws(LogError) {
    try checkType(draft)
    // A longer record would be refused anyway, so it is not parsed.
    guard draft.data.count < LogFormat.lineLimitBytes, draft.meta?.count ?? 0 < LogFormat.lineLimitBytes else {
      throw tooLong(draft)
    }
    if !draft.isDataChecked {
      try checkObject(draft.data, member: "data")
    } else if mayBeTooDeep(draft.data) {
      try checkObject(draft.data, member: "data")
    }
    if let meta = draft.meta { try checkObject(meta, member: "meta") }
  }

  /// Checks the drafts of one call.
  static func check(_ drafts: [LogDraft]) throws(LogError) {
    for (index, draft) in drafts.enumerated() {
      try check(draft)
      if let count = draft.unitActions { try checkUnit(drafts[(index + 1)...].prefix(count), count) }
    }
  }

  private static func checkUnit(_ actions: ArraySlice<LogDraft>, _ count: Int) throws(LogError) {
    guard actions.count == count, actions.allSatisfy({ draft in !draft.isControl }) else {
      throw LogError(.invalidRecord, "a unit of \(count) actions does not have them")
    }
    let sizeBytes = actions.reduce(0) { sum, draft in sum + draft.data.count + (draft.meta?.count ?? 0) }
    guard sizeBytes <= UnitRecord.limitBytes else {
      throw LogError(
        .beyondLimit, "the actions of a decision have \(sizeBytes) bytes, more than \(UnitRecord.limitBytes)",
        intact: "Nothing was written.", advice: "Store large values in separate files and record their names.")
    }
  }

  static func checkMeta(_ meta: [UInt8]) throws(LogError) {
    guard meta.count < LogFormat.lineLimitBytes else {
      throw LogError(.beyondLimit, "the metadata of a record is longer than \(LogFormat.lineLimitBytes) bytes")
    }
    try checkObject(meta, member: "meta")
  }

  private static func checkType(_ draft: LogDraft) throws(LogError) {
    let size = draft.type.utf8.count
    guard size > 0 else { throw LogError(.invalidRecord, "the type of a record is empty") }
    guard size <= LogFormat.typeLimitBytes else {
      throw LogError(.beyondLimit, "the type of a record has \(size) bytes, more than \(LogFormat.typeLimitBytes)")
    }
    guard draft.isControl else { return }
    guard let type = ControlType(rawValue: draft.type), !type.isStructural || draft.unitActions != nil else {
      throw LogError(.invalidRecord, "'\(draft.type)' is not a control record that callers can write")
    }
  }

  private static func checkObject(_ bytes: [UInt8], member: String) throws(LogError) {
    let end = bytes.withUnsafeBytes { bytes in
      CompactObject.end(of: bytes, from: 0, maximumDepth: LogFormat.depthLimit - 1)
    }
    if end == bytes.count { return }
    // JSON allows line feeds between tokens, the log does not.
    let isOneLine = bytes.withUnsafeBytes { bytes in
      ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: 0) == nil
        && ByteSearch.first(UInt8(ascii: "\r"), in: bytes, from: 0) == nil
    }
    guard isOneLine else {
      throw LogError(.invalidRecord, "the member '\(member)' of a record contains a line break")
    }
    let root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: bytes, maximumDepth: LogFormat.depthLimit - 1).root
    } catch {
      throw LogError(
        error.code == .tooDeep ? .beyondLimit : .invalidRecord,
        "the member '\(member)' of a record is not strict JSON within the limits (\(error.description))",
        underlying: error)
    }
    guard root.kind == .object, root.byteRange.count == bytes.count else {
      throw LogError(.invalidRecord, "the member '\(member)' of a record is not a bare JSON object")
    }
  }

  static func tooLong(_ draft: LogDraft) -> LogError { tooLong(draft.type, draft.data, draft.meta) }

  /// Returns the error for a record in encoded parts. `type` is a JSON string.
  @inline(never)
  static func tooLong(
    type: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer, meta: UnsafeRawBufferPointer?
  ) -> LogError {
    let name: String?
    do throws(JSONError) { name = try JSONTape(parsing: Array(type)).root.string() } catch { name = nil }
    return tooLong(name ?? "", Array(data), meta.map { meta in Array(meta) })
  }

  private static func tooLong(_ type: String, _ data: [UInt8], _ meta: [UInt8]?) -> LogError {
    let isData = data.count >= meta?.count ?? 0
    let part = largestPart(of: isData ? data : meta ?? [], member: isData ? "data" : "meta")
    return LogError(
      .beyondLimit,
      "a record of type '\(JSONPointer.excerpt(of: type))' is longer than \(LogFormat.lineLimitBytes) bytes; its largest part is "
        + "\(part.pointer.excerpt) with \(part.sizeBytes) bytes",
      intact: "Nothing was written.", advice: "Store large values in separate files and record their names.")
  }

  /// Returns the innermost value that takes more than half of every value around it.
  private static func largestPart(of bytes: [UInt8], member: String) -> (pointer: JSONPointer, sizeBytes: Int) {
    var largest = (pointer: JSONPointer([member]), sizeBytes: bytes.count)
    // Invalid JSON has no parts.
    do throws(JSONError) {
      var node = try JSONTape(parsing: bytes).root
      while let child = largestChild(of: node), child.node.byteRange.count > node.byteRange.count / 2 {
        node = child.node
        largest = (largest.pointer.appending(child.token), node.byteRange.count)
      }
    } catch {}
    return largest
  }

  private static func largestChild(of node: JSONTape.Node) -> (token: String, node: JSONTape.Node)? {
    var largest: (token: JSONTape.Node?, index: Int, node: JSONTape.Node)?
    func note(_ token: JSONTape.Node?, _ index: Int, _ child: JSONTape.Node) {
      if child.byteRange.count > largest?.node.byteRange.count ?? 0 { largest = (token, index, child) }
    }
    for (name, value) in node.members { note(name, 0, value) }
    for (index, value) in node.elements.enumerated() { note(nil, index, value) }
    return largest.map { found in (found.token?.string() ?? String(found.index), found.node) }
  }

  /// Whether the bytes contain enough brackets, including those in strings, to exceed the depth limit. Only then is the
  /// structure checked.
  private static func mayBeTooDeep(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= LogFormat.depthLimit else { return false }
    var brackets = 0
    for byte in bytes where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { brackets += 1 }
    return brackets >= LogFormat.depthLimit
  }
}
