import ActionLog

/// What an event says that was made of a log's action.
enum OwnEvent {
  /// The version of the specification.
  static let specification = "1.0"
  static let contentType = "application/json"
  // Names of extension attributes are lower-case letters and digits, at most 20.
  static let model = "actionlogmodel"
  static let schema = "actionlogschema"
  static let meta = "actionlogmeta"

  private static let sourcePrefix = "urn:uuid:"

  static func source(log: String) -> String { sourcePrefix + log }
  static func id(log: String, seq: Int) -> String { "\(log)/\(seq)" }

  /// The revision with as many digits as the largest one has, so that texts sort as numbers do.
  static func sequence(_ seq: Int) -> String {
    let digits = String(seq)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }

  /// The log and the revision that an event names; `nil` when it is not one that a log's action became.
  static func origin(source: String, id: String) -> (log: String, seq: Int)? {
    guard source.hasPrefix(sourcePrefix) else { return nil }
    let log = String(source.dropFirst(sourcePrefix.count))
    guard id.hasPrefix(log + "/"), let seq = Int(id.dropFirst(log.count + 1)),
      (1...LogFormat.seqLimit).contains(seq),
      id == Self.id(log: log, seq: seq)
    else { return nil }
    return (log: log, seq: seq)
  }
}
