internal import JSONCoding

/// The rules that a draft must keep to become a line.
enum DraftCheck {
  /// Checks everything but the length of the line, which only its encoding shows.
  static func check(_ draft: LogDraft) throws(LogError) {
    try checkType(draft)
    if !draft.isDataChecked {
      try checkObject(draft.data, member: "data")
    } else if isPerhapsTooDeep(draft.data) {
      try checkObject(draft.data, member: "data")
    }
    if let meta = draft.meta { try checkObject(meta, member: "meta") }
  }

  /// Checks the remarks on a record.
  static func checkMeta(_ meta: [UInt8]) throws(LogError) {
    try checkObject(meta, member: "meta")
  }

  private static func checkType(_ draft: LogDraft) throws(LogError) {
    let size = draft.type.utf8.count
    guard size > 0 else { throw LogError(.invalidRecord, "the type of a record is empty") }
    guard size <= LogFormat.typeLimitBytes else {
      throw LogError(.beyondLimit, "the type of a record has \(size) bytes, more than \(LogFormat.typeLimitBytes)")
    }
    guard draft.isControl else { return }
    guard let type = ControlType(rawValue: draft.type), !type.isStructural else {
      throw LogError(.invalidRecord, "'\(draft.type)' is not a control record that callers can write")
    }
  }

  private static func checkObject(_ bytes: [UInt8], member: String) throws(LogError) {
    // Twice the limit of the line is never looked at: the line would be refused anyway.
    guard bytes.count < LogFormat.lineLimitBytes else { throw tooLong() }
    let end = bytes.withUnsafeBytes { bytes in
      CompactObject.end(of: bytes, from: 0, maximumDepth: LogFormat.depthLimit - 1)
    }
    if end == bytes.count { return }
    // JSON allows line feeds between its tokens, the log does not.
    let isOneLine = bytes.withUnsafeBytes { bytes in
      ByteSearch.first(UInt8(ascii: "\n"), in: bytes, from: 0) == nil
        && ByteSearch.first(UInt8(ascii: "\r"), in: bytes, from: 0) == nil
    }
    guard isOneLine else {
      throw LogError(.invalidRecord, "the member '\(member)' of a record has more than one line")
    }
    let root: JSONTape.Node
    do throws(JSONError) {
      root = try JSONTape(parsing: bytes[...], keeping: [], maximumDepth: LogFormat.depthLimit - 1).root
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

  static func tooLong() -> LogError {
    LogError(.beyondLimit, "a record is longer than \(LogFormat.lineLimitBytes) bytes")
  }

  /// Counts brackets, those in strings too: so few cannot nest too deep, and only then a look at the structure is needed.
  private static func isPerhapsTooDeep(_ bytes: [UInt8]) -> Bool {
    guard bytes.count >= LogFormat.depthLimit else { return false }
    var brackets = 0
    for byte in bytes where byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") { brackets += 1 }
    return brackets >= LogFormat.depthLimit
  }
}
