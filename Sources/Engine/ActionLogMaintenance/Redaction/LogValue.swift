import ActionLog
public import JSONCoding

/// The location of a value in a log: a value to redact.
public struct LogValue: Equatable, Sendable {
  enum Place: Equatable, Sendable {
    case action
    /// The number of the line in the log, counted from 0; `nil` for `base.json`.
    case line(Int?)
  }

  /// The revision of the action. A control record has that of the action before it.
  public let revision: Int
  /// The location in the record, which begins with `/data` or `/meta`; with `/state` in the state that a pruned log begins with.
  public let pointer: JSONPointer
  /// The value to put in its place; `nil` for one of the same type: `"[redacted]"`, `0`, `false`, `null`, `[]` or `{}`.
  public var replacement: JSONValue?

  var place = Place.action

  /// Creates the location of a value in an action.
  ///
  /// - Parameters:
  ///   - pointer: The location in the record, for instance `/data/name`.
  ///   - revision: The revision of the action, at least 1.
  ///   - replacement: The value to put in its place; `nil` for a value of the same type.
  public init(_ pointer: JSONPointer, ofAction revision: Int, replacement: JSONValue? = nil) {
    (self.revision, self.pointer, self.replacement) = (revision, pointer, replacement)
  }

  /// Creates the location of a found value, or of the object that has a found name.
  init(_ found: FoundText) {
    (revision, place) = (found.revision, .line(found.index))
    pointer = found.isName ? found.pointer.parent ?? .root : found.pointer
  }
}

/// The result of a redaction.
public struct RedactionReport: Equatable, Sendable {
  /// The numbers of the lines with the `@redact` records in the log, counted from 0; usually one.
  public var indices: [Int]
  /// Values that still contain an erased text: at most 20 places, of up to 200 of the texts that have four bytes or more.
  public var remainingValues: [LogValue]
  /// The files next to the segments that still contain an erased text, by their paths within the log's directory: the quarantine,
  /// marks, parked actions of a subscription that is running, entries in `proofs`, and what an interruption left.
  public var remainingFiles: [String]
}

extension LogReader {
  /// Returns the lines of values to redact.
  func targets(of values: [LogValue]) throws(LogError) -> [RedactionTarget] {
    let actions = values.filter { value in value.place == .action }.map(\.revision)
    let indices = try lineIndices(ofActions: Set(actions))
    var lines: [Int?: [ValueReplacement]] = [:]
    for value in values {
      let index = if case .line(let index) = value.place { index } else { indices[value.revision] }
      lines[index, default: []].append(ValueReplacement(value.pointer, with: value.replacement?.bytes()))
    }
    return lines.map { index, replacements in RedactionTarget(index: index, replacements: replacements) }
      .sorted { one, other in one.index ?? -1 < other.index ?? -1 }
  }
}
