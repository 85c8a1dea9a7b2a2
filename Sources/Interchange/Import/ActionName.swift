import ActionLog

/// What an action of another program can be called in a log.
enum ActionName {
  /// The name without the `@` at its beginning, which is the mark of control records.
  static func storable(_ name: String) -> String {
    let rest = name.drop { character in character == "@" }
    return rest.isEmpty ? name : String(rest)
  }

  /// The name, if a log can hold it.
  static func checked(_ name: String) throws(InterchangeError) -> String {
    guard !name.isEmpty else { throw InterchangeError(.wrongShape, "the type of an action is empty") }
    guard name.utf8.first != UInt8(ascii: "@") else {
      throw InterchangeError(
        .wrongShape, "a type that begins with @ is that of a control record; only the engine writes those")
    }
    guard name.utf8.count <= LogFormat.typeLimitBytes else {
      throw InterchangeError(
        .beyondLimit, "the type of an action has \(name.utf8.count) bytes, more than \(LogFormat.typeLimitBytes)")
    }
    return name
  }
}
