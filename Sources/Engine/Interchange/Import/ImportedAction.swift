public import ActionLog
public import JSONCoding

/// An action read from another program's format.
public struct ImportedAction: Sendable, Equatable {
  /// The case path, or the name in the other program; never the type of a control record.
  public var type: String
  /// The data, a JSON object.
  public var data: [UInt8]
  /// The metadata, including what the other format needs to export the action again.
  public var meta = JSONObject()
  /// The time of the action, if known.
  public var time: LogTime?
  /// The schema of the action, if known.
  public var schema: Int?
  /// The revision in the log that the action was exported from, if known.
  public var revision: Int?
  /// Whether the action was skipped in the other program: it is recorded, but not folded.
  public var isSkipped = false
  /// The line number, starting at 1; `nil` for a format without lines.
  public var line: Int?
  /// The location in the document; `nil` for a line-based format.
  public var pointer: JSONPointer?
  /// The offset of the action's first byte in the text.
  public var byteOffset: Int?
}

/// Conversion of foreign action names to types of records.
enum ActionName {
  /// Returns the name without leading `@`, which is reserved for control records.
  static func storable(_ name: String) -> String {
    let rest = name.drop { character in character == "@" }
    return rest.isEmpty ? name : String(rest)
  }

  static func checked(_ name: String) throws(InterchangeError) -> String {
    guard !name.isEmpty else { throw InterchangeError(.wrongShape, "the type of an action is empty") }
    guard name.utf8.first != ControlType.prefix else {
      throw InterchangeError(
        .wrongShape, "a type that begins with @ is reserved for control records")
    }
    guard name.utf8.count <= LogFormat.typeLimitBytes else {
      throw InterchangeError(
        .beyondLimit, "the type of an action has \(name.utf8.count) bytes, more than \(LogFormat.typeLimitBytes)")
    }
    return name
  }
}

/// A monotonic mapping from old to new numbers, stored as runs of consecutive numbers.
struct Renumbering {
  private struct Run {
    var old: Int
    var new: Int
    var count: Int
  }

  private var runs: [Run] = []

  /// Adds the next pair.
  mutating func append(_ old: Int, as new: Int) {
    if let last = runs.last, old < last.old + last.count { return }
    if let last = runs.last, last.old + last.count == old, last.new + last.count == new {
      runs[runs.count - 1].count += 1
    } else {
      runs.append(Run(old: old, new: new, count: 1))
    }
  }

  /// Returns the new number of an old one, or `nil` if it is unknown.
  func new(for old: Int) -> Int? {
    var (low, high) = (0, runs.count)
    while low < high {
      let middle = (low + high) / 2
      if runs[middle].old <= old { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let run = runs[low - 1]
    return old - run.old < run.count ? run.new + (old - run.old) : nil
  }

  /// Whether an old number is missing between the first and the last one.
  func isMissing(_ old: Int) -> Bool {
    guard let first = runs.first, let last = runs.last else { return false }
    return old > first.old && old < last.old && new(for: old) == nil
  }

  /// The number of old numbers missing between the first and the last one.
  var missingCount: Int {
    zip(runs, runs.dropFirst()).reduce(0) { sum, pair in sum + pair.1.old - (pair.0.old + pair.0.count) }
  }
}
