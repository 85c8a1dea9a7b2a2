import ActionLog
import EventSourcing
import JSONCoding
import TimeTravel

/// Which actions a person looks for: as it is typed, words, a place in the state that changed, or a condition; or the history of a
/// value.
struct ActionSearch: Sendable {
  private enum Wish: Sendable {
    /// All of them are in the type, data or meta, in either case.
    case words([TextPattern])
    /// What is asked of the states, too.
    case condition(Condition?, touching: [JSONPointer])
    /// They changed the value, and what it was and became is wanted.
    case history(JSONPointer)
  }

  /// Some of what was found, and how far the search has come.
  struct Finding: Sendable {
    var revisions: [Int]
    /// What is to be told of each; none where the action itself is what one looks for.
    var remarks: [String] = []
    var reached: Int
    /// What may be wrong with what was typed; known at the end.
    var hints: [QuestionHint] = []
  }

  /// What can be typed, for help.
  static let forms = "words, a place like /animals/data/Dog that changed, or a condition like /count > 3"

  /// The screen hears of the search that often, in actions.
  private static let stride = 4_096
  /// More changes of one value than that nobody walks through, and each is kept with a text.
  static let historyLimit = 100_000
  /// A value in a row of a list.
  private static let valueLimit = 60

  /// What is looked for, as it was typed or as it is called.
  let text: String
  private let wish: Wish

  /// - Throws: ``TimeTravelError`` for a condition that makes no sense.
  init(_ text: String) throws {
    self.text = text
    if Self.isCondition(text) {
      wish = .condition(try Condition(parsing: text), touching: [])
    } else if text.hasPrefix("/") {
      wish = .condition(nil, touching: [try JSONPointer(parsing: text)])
    } else {
      wish = .words(
        text.split(separator: " ").map { word in TextPattern(String(word), ignoringCase: true) })
    }
  }

  /// Whether a text is a condition and not words or a pointer: it has a comparison, or it begins like a condition and has an
  /// operator. A condition that is wrong is still one, so that the user is told what is wrong with it.
  private static func isCondition(_ text: String) -> Bool {
    if ["==", "!=", "<", ">"].contains(where: text.contains) { return true }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.first.map(beginsCondition) ?? false else { return false }
    if words.count > 1, words[0] == "not", beginsCondition(words[1]) { return true }
    return words.indices.dropFirst().contains { index in
      switch words[index].prefix(while: { character in character != ")" }) {
      case "like", "contains", "exists", "changed": return true
      case "and", "or": return index + 1 < words.count && beginsCondition(words[index + 1])
      default: return false
      }
    }
  }

  private static func beginsCondition(_ word: Substring) -> Bool {
    ["/", "'", "(", "count(", "data/", "meta/"].contains(where: word.hasPrefix)
      || ["not", "type", "seq", "time", "data", "meta", "true", "false"].contains(word)
  }

  /// Every change of a value.
  init(historyOf pointer: JSONPointer) {
    text = pointer == .root ? "the whole state" : pointer.description
    wish = .history(pointer)
  }

  /// Whether the changes of one value are listed.
  var isHistory: Bool {
    if case .history = wish { return true }
    return false
  }

  /// Looks through a history from its start. Blocks.
  ///
  /// - Parameters:
  ///   - place: A place in it, near whose states one may be that is needed to say what is wrong.
  ///   - last: The revision to end at.
  ///   - isCancelled: Asked now and then.
  ///   - found: Takes what was found since it was called last, in order.
  /// - Returns: What may be wrong with what was typed, as what was looked at shows.
  /// - Complexity: O(length of the log).
  func run(
    in history: any HistoryHandle, at place: HistoryPlace, upTo last: Int,
    isCancelled: @escaping @Sendable () -> Bool, found: @escaping @Sendable (Finding) -> Void
  ) throws -> [QuestionHint] {
    var options = ReplayOptions()
    options.isCancelled = isCancelled
    options.progress = { step in found(Finding(revisions: [], reached: step.revision)) }
    var work = QuestionWork()
    switch wish {
    case .words(let words): try run(words, in: history, upTo: last, isCancelled: isCancelled, found: found)
    case .condition(let condition, let pointers):
      guard last > 0 else { break }
      work = try history.actions(where: condition, touching: pointers, in: 1...last, options: options) { record in
        found(Finding(revisions: [record.seq], reached: record.seq))
        return true
      }
    case .history(let pointer):
      var count = 0
      _ = try history.changes(of: [pointer], in: 0...last, options: options) { change in
        count += 1
        let seq = change.record.seq
        found(Finding(revisions: [seq], remarks: [Self.remark(on: change)], reached: seq))
        return count < Self.historyLimit
      }
    }
    found(Finding(revisions: [], reached: last))
    return try work.hints {
      var place = place
      return try place.ask { walk in try walk.tree(at: last, options: options) }
    }
  }

  private static func remark(on change: ValueChange) -> String {
    let values = [change.old, change.new].map { value in
      value.map { value in StateText.line(value, limit: valueLimit) } ?? "nothing"
    }
    return values.joined(separator: " → ")
  }

  private func run(
    _ words: [TextPattern], in history: any HistoryHandle, upTo last: Int, isCancelled: () -> Bool,
    found: (Finding) -> Void
  ) throws {
    var revisions: [Int] = []
    var records = try history.reader.records()
    while let record = try records.next(), record.seq <= last {
      guard !record.isControl else { continue }
      if words.allSatisfy({ word in word.isFound(in: record) }) { revisions.append(record.seq) }
      guard record.seq % Self.stride == 0 else { continue }
      if isCancelled() { return }
      found(Finding(revisions: revisions, reached: record.seq))
      revisions = []
    }
    found(Finding(revisions: revisions, reached: last))
  }
}
