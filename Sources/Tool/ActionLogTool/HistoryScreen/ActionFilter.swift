import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TimeTravel

// Filters of the list of actions.
extension HistoryScreen {
  /// - Throws: For an invalid condition. The current filter stays.
  func startFilter(_ text: String) throws {
    guard !text.isEmpty else { return leaveFilter() }
    if let filter, filter.search.text == text, filter.search.isOfWords, !filter.isEnded {
      // It was started while the text was typed.
      if let hint = filter.hint { report(hint) }
      return
    }
    start(try ActionSearch(text))
  }

  /// Filters by words while they are typed. A path or a condition waits for Enter: it may be invalid until then, and takes a fold.
  func filterWhileTyping(_ text: String, instead former: ActionFilter?) {
    do {
      let search = try ActionSearch(text)
      if !text.isEmpty, search.isOfWords { start(search) } else { restore(former) }
    } catch {
      // Enter reports the mistake.
      restore(former)
    }
  }

  func restore(_ former: ActionFilter?) {
    guard filter?.operation !== former?.operation else { return }
    leaveFilter()
    // A search that was canceled begins again.
    if let former, former.isEnded { start(former.search) } else { filter = former }
  }

  /// Lists the actions that changed the selected value, with the values.
  func showHistory() { start(ActionSearch(historyOf: pointer)) }

  func leaveFilter() {
    filter?.operation.cancel()
    filter = nil
    scrolls[.actions].offset = 0
  }

  private func start(_ search: ActionSearch) {
    leaveFilter()
    let filter = ActionFilter(search: search)
    let operation = filter.operation
    self.filter = filter
    pane = .actions
    let (history, last) = (history, last)
    filterTask = Task {
      let result = await operation.perform(notesAll: true) { options, found in
        Result { try search.run(in: history, upTo: last, isCancelled: options.isCancelled, found: found) }
      } note: { [self] (finding: ActionSearch.Finding) in
        if self.filter?.operation === operation { self.filter?.take(finding, showsProgress: showsProgress) }
      }
      guard self.filter?.operation === operation else { return }
      self.filter?.isRunning = false
      do {
        guard let hint = try result.get().first else { return }
        self.filter?.hint = hint
        report(hint)
      } catch {
        report(error)
      }
    }
  }
}

/// A filter and the actions that it has found so far.
struct ActionFilter {
  let search: ActionSearch
  private(set) var revisions: [Int] = []
  /// A text for each matching action, or empty to show the actions' types.
  private(set) var details: [String] = []
  /// The last searched revision; `nil` at the beginning.
  private(set) var reached: Int?
  var isRunning = true
  let operation = ScreenOperation()
  /// A hint about the condition or the words, available at the end.
  var hint: QuestionHint?
  /// Whether its search was canceled before its end.
  var isEnded: Bool { isRunning && operation.isCanceled }

  init(search: ActionSearch) { self.search = search }

  mutating func take(_ finding: ActionSearch.Finding, showsProgress: Bool) {
    revisions += finding.revisions
    details += finding.details
    if showsProgress { reached = finding.reached }
  }

  /// The index of the last match at or before a revision; -1 if there is none.
  func index(atOrBefore revision: Int) -> Int {
    revisions.partitioningIndex { other in other > revision } - 1
  }
}

/// By words, by the path of a changed value, by a condition, or for the history of a value.
struct ActionSearch: Sendable {
  private enum Criterion: Sendable {
    /// The type, data or metadata contain all words, ignoring case.
    case words([TextPattern])
    /// A condition holds, or a value was changed.
    case condition(Condition?, touching: [JSONPointer])
    case history(JSONPointer)
  }

  struct Finding: Sendable {
    var revisions: [Int]
    var details: [String] = []
    var reached: Int
  }

  static let forms = "words, a changed path like /animals/data/Dog, or a condition like /count > 3"

  /// The most changes of a value that are listed, because each is kept in memory with a text.
  static let historyLimit = 100_000
  private static let valueLimit = 60

  let text: String
  private let criterion: Criterion

  /// - Throws: For an invalid condition.
  init(_ text: String) throws {
    self.text = text
    if Self.isCondition(text) {
      criterion = .condition(try Condition(parsing: text), touching: [])
    } else if text.hasPrefix("/") {
      criterion = .condition(nil, touching: [try JSONPointer(parsing: text)])
    } else {
      criterion = .words(
        text.split(separator: " ").map { word in TextPattern(String(word), ignoringCase: true) })
    }
  }

  /// Whether a text is a condition and not words or a path: it contains a comparison, or it begins like a condition and
  /// contains an operator. An invalid condition is still a condition, so that its error is shown.
  private static func isCondition(_ text: String) -> Bool {
    if ["==", "!=", "<", ">"].contains(where: text.contains) { return true }
    let words = text.split(whereSeparator: \.isWhitespace)
    guard words.first.map(beginsCondition) ?? false else { return false }
    if hasSingleEqual(text) { return true }
    if words.count > 1, words[0] == "not", beginsCondition(words[1]) { return true }
    return words.indices.dropFirst().contains { index in
      switch words[index].prefix(while: { character in character != ")" }) {
      case "like", "contains", "exists", "changed": return true
      case "and", "or": return index + 1 < words.count && beginsCondition(words[index + 1])
      default: return false
      }
    }
  }

  /// Whether a text has `=` between two values, where a condition has `==`. Parsing it explains that. A path can contain `=`, too.
  private static func hasSingleEqual(_ text: String) -> Bool {
    text.contains(/\s=|=\s|=["'\/\d\-]|=(true|false|null)\b/)
  }

  private static func beginsCondition(_ word: Substring) -> Bool {
    ["/", "'", "(", "count(", "data/", "meta/"].contains(where: word.hasPrefix)
      || ["not", "type", "seq", "time", "data", "meta", "true", "false"].contains(word)
  }

  init(historyOf pointer: JSONPointer) {
    text = pointer == .root ? "the whole state" : pointer.description
    criterion = .history(pointer)
  }

  var isOfWords: Bool {
    if case .words = criterion { return true }
    return false
  }

  var isHistory: Bool {
    if case .history = criterion { return true }
    return false
  }

  /// Searches a history. Blocks.
  ///
  /// - Parameter found: Called with the matches since its last call, in order.
  /// - Returns: Hints about the condition, or about words that no action contains.
  func run(
    in history: any HistoryHandle, from first: Int? = nil, upTo last: Int,
    where isWanted: (LogRecord) throws -> Bool = { _ in true },
    isCancelled: @escaping @Sendable () -> Bool, found: @escaping @Sendable (Finding) -> Void
  ) throws -> [QuestionHint] {
    let first = max(history.reader.firstRevision + 1, first ?? 0)
    var options = ReplayOptions()
    options.isCancelled = isCancelled
    options.progress = { step in found(Finding(revisions: [], reached: step.revision)) }
    var work = QuestionWork()
    switch criterion {
    case .words(let words):
      let isFound = try run(
        words, in: history, from: first, upTo: last, where: isWanted, isCancelled: isCancelled, found: found)
      return isFound ? [] : [missingSlashHint].compactMap(\.self)
    case .condition(let condition, let pointers):
      guard last >= first else { break }
      work = try history.actions(
        where: condition, touching: pointers, in: first...last, options: options
      ) { record in
        if try isWanted(record) { found(Finding(revisions: [record.revision], reached: record.revision)) }
        return true
      }
    case .history(let pointer):
      var count = 0
      _ = try history.changes(of: [pointer], in: min(first - 1, last)...last, options: options) { change in
        guard change.record.revision >= first, try isWanted(change.record) else { return true }
        count += 1
        let revision = change.record.revision
        found(Finding(revisions: [revision], details: [Self.valuesText(of: change)], reached: revision))
        return count < Self.historyLimit
      }
    }
    found(Finding(revisions: [], reached: last))
    return try work.allHints()
  }

  private static func valuesText(of change: ValueChange) -> String {
    let values = [change.old, change.new].map { value in
      value.map { value in StateText.line(value, limit: valueLimit) } ?? "nothing"
    }
    return values.joined(separator: " → ")
  }

  private func run(
    _ words: [TextPattern], in history: any HistoryHandle, from first: Int, upTo last: Int,
    where isWanted: (LogRecord) throws -> Bool, isCancelled: () -> Bool, found: (Finding) -> Void
  ) throws -> Bool {
    var isFound = false
    let screen = LineScreen(upTo: last) { words.compactMap(\.required) }
    var batches = try history.reader.batches(from: first, chunkBytes: LogReader.defaultChunkBytes)
    var reached = 0
    while reached < last, !isCancelled(), let batch = try batches.nextBatch(unless: screen) {
      var revisions: [Int] = []
      for (index, entry) in batch.entries.enumerated() {
        guard !entry.isControl, entry.revision >= first, entry.revision <= last else { continue }
        let record = batch.record(at: index)
        if words.allSatisfy({ word in word.isFound(in: record) }), try isWanted(record) {
          revisions.append(entry.revision)
        }
      }
      isFound = isFound || !revisions.isEmpty
      reached = min(batches.lastLink?.revision ?? 0, last)
      found(Finding(revisions: revisions, reached: reached))
      batches.recycle(batch)
    }
    if !isCancelled() { found(Finding(revisions: [], reached: last)) }
    return isFound
  }

  /// A hint for words that are a condition or a path without its slash: the key that opens the prompt is a slash, too.
  private var missingSlashHint: QuestionHint? {
    let slashed = "/" + text
    if Self.isCondition(slashed) {
      do { _ = try Condition(parsing: slashed) } catch {
        return Self.hasSingleEqual(text)
          ? QuestionHint("no action contains '\(text)'; a condition begins with '/' and compares with '=='") : nil
      }
      return QuestionHint("no action contains '\(text)'; a condition begins with '/'")
    }
    guard text.contains("/"), !text.contains(" ") else { return nil }
    return QuestionHint("no action contains '\(text)'; a path begins with '/'")
  }
}
