import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

struct WhatIfEdits {
  struct Typed {
    var text: String
    var form: ActionForm
  }

  var skipped: Set<Int> = []
  /// The actions that happen instead of others, by the revisions of those.
  var replaced: [Int: Typed] = [:]
  /// The additional actions, by the revision before them.
  var inserted: [Int: Typed] = [:]

  /// The edits that name no later revision, in order.
  func edits(upTo last: Int) -> [HistoryEdit] {
    skipped.filter { revision in revision <= last }.sorted().map { revision in .skip(revision...revision) }
      + Self.sorted(replaced, upTo: last).map { revision, typed in .replace(revision, with: typed.form) }
      + Self.sorted(inserted, upTo: last).map { revision, typed in .insert(typed.form, after: revision) }
  }

  /// For the heading of the answer.
  func summary(upTo last: Int, limit: Int) -> String {
    func names(_ revisions: some Collection<Int>) -> String {
      let known = revisions.filter { revision in revision <= last }.sorted()
      let rest = known.count > limit ? ", …" : ""
      return (known.count == 1 ? " " : "s ") + known.prefix(limit).map(String.init).joined(separator: ", ") + rest
    }
    var parts: [String] = []
    if skipped.contains(where: { revision in revision <= last }) { parts.append("without action" + names(skipped)) }
    if replaced.keys.contains(where: { revision in revision <= last }) {
      parts.append("another action in place of action" + names(replaced.keys))
    }
    if inserted.keys.contains(where: { revision in revision <= last }) {
      parts.append("another action after revision" + names(inserted.keys))
    }
    let text = parts.joined(separator: ", ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  private static func sorted(_ typed: [Int: Typed], upTo last: Int) -> [(revision: Int, typed: Typed)] {
    typed.filter { revision, _ in revision <= last }.sorted { left, right in left.key < right.key }
      .map { revision, typed in (revision, typed) }
  }
}

struct WhatIfView {
  let revision: Int
  /// `nil` while the query is running.
  var result: Result<WhatIfResult, any Error>?
  let operation = ScreenOperation()
}

extension HistoryScreen {
  /// The most actions that can be switched off, replaced and inserted one by one.
  private static let editLimit = 1_000

  private var editCount: Int { edits.skipped.count + edits.replaced.count + edits.inserted.count }

  func switchOff() {
    let revision = here
    guard revision > first else { return report("there is no action to switch off") }
    if edits.skipped.remove(revision) == nil {
      guard editCount < Self.editLimit else { return reportEditLimit() }
      edits.skipped.insert(revision)
      edits.replaced[revision] = nil
    }
    scrolls[.changes].offset = 0
    updateWhatIf()
  }

  func switchAllOn() {
    edits = WhatIfEdits()
    updateWhatIf()
  }

  func typeEdit(isReplacement: Bool) {
    let revision = here
    guard revision > first || !isReplacement else { return report("there is no action to replace") }
    let known = isReplacement ? edits.replaced[revision] : edits.inserted[revision]
    do {
      var prompt = ScreenPrompt(kind: isReplacement ? .replacement(revision) : .insertion(revision))
      prompt.field = TextField(try known?.text ?? recordedText(at: revision))
      self.prompt = prompt
    } catch {
      report(error)
    }
  }

  private func recordedText(at revision: Int) throws -> String {
    guard let record = try window.record(at: revision, last: last) else { return "" }
    let data = String(decoding: record.dataBytes, as: UTF8.self)
    return data == "{}" ? record.type : "\(record.type) \(data)"
  }

  /// Takes the action of a prompt; an empty text removes the edit.
  func takeEdit(_ text: String, at revision: Int, isReplacement: Bool) throws {
    var typed: WhatIfEdits.Typed?
    if !text.isEmpty {
      let known = isReplacement ? edits.replaced[revision] : edits.inserted[revision]
      guard known != nil || editCount < Self.editLimit else { return reportEditLimit() }
      let form = try HistoryEditParser.action(
        text, of: isReplacement ? HistoryEditParser.replace : HistoryEditParser.insert)
      let edit = isReplacement ? HistoryEdit.replace(revision, with: form) : .insert(form, after: revision)
      // Nothing is folded: this only refuses what the model cannot read.
      var place = place
      try place.ask { walk in _ = try walk.branch([edit], foldedBy: nil, upTo: nil) }
      typed = WhatIfEdits.Typed(text: text, form: form)
    }
    if isReplacement {
      edits.replaced[revision] = typed
      if typed != nil { edits.skipped.remove(revision) }
    } else {
      edits.inserted[revision] = typed
    }
    scrolls[.changes].offset = 0
    updateWhatIf()
  }

  private func reportEditLimit() {
    report("there are \(HumanText.count(Self.editLimit)) edits: X removes all of them")
  }

  /// A new query replaces the one in progress.
  func updateWhatIf() {
    whatIf?.operation.cancel()
    whatIf = nil
    let revision = place.revision
    let edits = edits.edits(upTo: revision)
    guard !edits.isEmpty else { return }
    let view = WhatIfView(revision: revision)
    whatIf = view
    let question = WhatIfQuestion(edits: edits, last: revision, target: nil, environment: .live)
    whatIfTask = Task { [history] in
      let result = await BlockingWork.run {
        Result { try history.whatIf(question, foldedBy: nil, options: view.operation.options) }
      }
      guard whatIf?.operation === view.operation else { return }
      whatIf?.result = result
    }
  }
}
