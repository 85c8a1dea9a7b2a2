import ActionLog
import EventSourcing
import JSONCoding
import Platform
import TerminalUI
import TimeTravel

struct WhatIfEdits {
  /// In the order of the summary, with their signs in the list.
  enum Kind: String, CaseIterable {
    case skip = "✗"
    case replace = "±"
    case insert = "+"
  }

  struct Edit {
    var edit: HistoryEdit
    /// What the user typed.
    var text = ""
  }

  private var known: [Kind: [Int: Edit]] = [:]

  subscript(kind: Kind, revision: Int) -> Edit? {
    get { known[kind]?[revision] }
    set { known[kind, default: [:]][revision] = newValue }
  }

  var count: Int { known.values.reduce(0) { count, edits in count + edits.count } }

  func kind(at revision: Int) -> Kind? { Kind.allCases.first { kind in self[kind, revision] != nil } }

  /// The edits that name no later revision, in order.
  func edits(upTo last: Int) -> [HistoryEdit] {
    Kind.allCases.flatMap { kind in revisions(kind, upTo: last).compactMap { revision in self[kind, revision]?.edit } }
  }

  /// For the heading of the answer.
  func summary(upTo last: Int, limit: Int) -> String {
    let parts = Kind.allCases.compactMap { kind -> String? in
      let known = revisions(kind, upTo: last)
      guard !known.isEmpty else { return nil }
      let noun =
        switch kind {
        case .skip: "without action"
        case .replace: "another action in place of action"
        case .insert: "another action after revision"
        }
      let names = known.prefix(limit).map(String.init).joined(separator: ", ")
      return noun + (known.count == 1 ? " " : "s ") + names + (known.count > limit ? ", …" : "")
    }
    let text = parts.joined(separator: ", ")
    return text.prefix(1).uppercased() + text.dropFirst()
  }

  private func revisions(_ kind: Kind, upTo last: Int) -> [Int] {
    (known[kind] ?? [:]).keys.filter { revision in revision <= last }.sorted()
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

  func switchOff() {
    let revision = here
    guard revision > first else { return report("there is no action to switch off") }
    set(.skip, at: revision, edits[.skip, revision] == nil ? .init(edit: .skip(revision...revision)) : nil)
  }

  func switchAllOn() {
    edits = WhatIfEdits()
    updateWhatIf()
  }

  func typeEdit(_ kind: WhatIfEdits.Kind) {
    let revision = here
    guard revision > first || kind == .insert else { return report("there is no action to replace") }
    do {
      var prompt = ScreenPrompt(kind: .edit(kind, revision))
      prompt.field = TextField(try edits[kind, revision]?.text ?? recordedText(at: revision))
      self.prompt = prompt
    } catch {
      report(error)
    }
  }

  private func recordedText(at revision: Int) throws -> String {
    guard let record = try record(at: revision) else { return "" }
    let data = String(decoding: record.dataBytes, as: UTF8.self)
    return data == "{}" ? record.type : "\(record.type) \(data)"
  }

  /// Takes the action of a prompt; an empty text removes the edit.
  func takeEdit(_ text: String, _ kind: WhatIfEdits.Kind, at revision: Int) throws {
    guard !text.isEmpty else { return set(kind, at: revision, nil) }
    let isInsertion = kind == .insert
    let option = isInsertion ? HistoryEditParser.insert : HistoryEditParser.replace
    let form = try HistoryEditParser.action(text, of: option)
    let edit: HistoryEdit = isInsertion ? .insert(form, after: revision) : .replace(revision, with: form)
    // Nothing is folded: this only refuses what the model cannot read.
    var place = place
    try place.ask { walk in _ = try walk.branch([edit], foldedBy: nil, upTo: nil) }
    set(kind, at: revision, WhatIfEdits.Edit(edit: edit, text: text))
  }

  private func set(_ kind: WhatIfEdits.Kind, at revision: Int, _ edit: WhatIfEdits.Edit?) {
    guard edit == nil || edits[kind, revision] != nil || edits.count < Self.editLimit else {
      return report("there are \(HumanText.count(Self.editLimit)) edits: X removes all of them")
    }
    // An action that is switched off is not replaced.
    if edit != nil, kind != .insert { edits[kind == .skip ? .replace : .skip, revision] = nil }
    edits[kind, revision] = edit
    scrolls[.changes].offset = 0
    updateWhatIf()
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
