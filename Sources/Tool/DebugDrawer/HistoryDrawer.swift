import ActionLog
public import EventSourcing
import JSONCoding
public import Observation
public import TimeTravel

/// The contents of a debug drawer: the past of a running app, for a view of any kind.
///
/// Opening the drawer shows the revision before the last action in the app's own views, through a `TimeTravelStore`. Commands start at
/// once, run in order, and change the observed properties when they are done. A command that fails sets ``message``.
///
/// ```swift
/// let drawer = HistoryDrawer(store) { branch in listen(to: branch) }
/// try await TerminalApplication(DrawerScreen(screen, drawer)).run()
/// ```
///
/// ``DrawerScreen`` shows it in a terminal, and `DrawerView` in SwiftUI.
@MainActor @Observable public final class HistoryDrawer<M: Model> {
  /// The store whose past is shown.
  @ObservationIgnored public let store: TimeTravelStore<M>
  /// Whether the drawer is open.
  public private(set) var isOpen = false
  /// The actions around the revision, oldest first: at most ``rowLimit`` before it and after it.
  public private(set) var actions: [DrawerAction] = []
  /// The changes made by the last action before the revision; at most ``changeLimit``.
  public private(set) var changes: [StateChange] = []
  /// The number of all changes made by that action.
  public private(set) var changeCount = 0
  /// The last change of a value that was asked for; `nil` before a question, and after a move.
  public private(set) var blame: BlameAnswer?
  /// The error of the last command, or its result; `nil` for none.
  public private(set) var message: String?
  /// The number of commands that are not done.
  public private(set) var pendingCount = 0

  @ObservationIgnored private let onBranch: @MainActor (RecordedStore<M>) -> Void
  @ObservationIgnored private var lastCommand: Task<Void, Never>?
  /// Canceled by the next command.
  @ObservationIgnored private var question: Task<Void, Never>?
  @ObservationIgnored private var closings = 0

  /// The number of listed actions on each side of the revision: more than a screen has rows.
  public static var rowLimit: Int { 64 }
  /// The most changes that are listed.
  public static var changeLimit: Int { 200 }

  /// Creates a closed drawer.
  ///
  /// - Parameters:
  ///   - store: The store that the app's views read.
  ///   - onBranch: Called with the live store of a branch. Let listeners with effects listen to it.
  public init(_ store: TimeTravelStore<M>, onBranch: @escaping @MainActor (RecordedStore<M>) -> Void = { _ in }) {
    self.store = store
    self.onBranch = onBranch
  }

  /// The revision that the app shows; `nil` in the present.
  public var revision: Int? { store.revision }

  /// The revisions of the log.
  public var revisions: ClosedRange<Int> { store.revisions }

  /// The path of a branch at the revision, as a suggestion.
  public var suggestedBranchPath: String { "\(store.live.path)-at-\(revision ?? revisions.upperBound)" }
}

// MARK: - Commands

extension HistoryDrawer {
  /// Opens the drawer at the revision before the last action.
  public func open() {
    guard !isOpen else { return }
    isOpen = true
    perform { [store] in
      try await store.pause(at: .end)
      if let revision = store.revision, revision > store.revisions.lowerBound { try await store.stepBackward() }
    }
  }

  /// Closes the drawer: the app shows the present.
  public func close() {
    closings += 1
    question?.cancel()
    isOpen = false
    message = nil
    store.resume()
    clear()
  }

  /// Moves one action backward.
  public func stepBackward() { move(by: -1) }

  /// Moves one action forward. After the last action the drawer is closed.
  public func stepForward() {
    perform { [self] in
      guard let revision = store.revision else { return }
      if revision < store.revisions.upperBound { try await store.stepForward() } else { close() }
    }
  }

  /// Moves by a number of actions, as far as there are any.
  public func move(by distance: Int) {
    perform { [store] in
      guard let revision = store.revision else { return }
      let (target, overflow) = revision.addingReportingOverflow(distance)
      let known = store.revisions
      let nearest = overflow ? (distance < 0 ? known.lowerBound : known.upperBound) : target
      try await store.pause(at: .revision(min(max(known.lowerBound, nearest), known.upperBound)))
    }
  }

  /// Moves to a point of the log.
  public func move(to point: HistoryPoint) {
    perform { [store] in try await store.pause(at: point) }
  }

  /// Finds the last change of a value, named by a JSON Pointer, at or before the revision.
  public func askWhoChanged(_ pointer: String) {
    perform(isQuestion: true) { [self] in
      guard let revision = store.revision else { return }
      try await ask(try JSONPointer(parsing: pointer), at: revision)
    }
  }

  /// Finds the change of the value before the one that was found.
  public func askForEarlierChange() {
    guard let blame, let change = blame.change, change.record.revision > revisions.lowerBound else { return }
    perform(isQuestion: true) { [self] in try await ask(blame.pointer, at: change.record.revision - 1) }
  }

  /// Moves to the action that was found.
  public func moveToFoundChange() {
    guard let change = blame?.change else { return }
    perform { [store] in try await store.pause(at: .revision(change.record.revision)) }
  }

  /// Continues from the revision in a new log, and closes the drawer.
  public func branch(to path: String) {
    perform { [self] in
      guard let revision = store.revision else { return }
      let branch = try await store.branch(at: .revision(revision), to: path)
      onBranch(branch)
      close()
      message = "continued from revision \(revision) in \(path)"
    }
  }

  func dismissBlame() { blame = nil }

  /// Removes the message.
  public func dismissMessage() {
    if message != nil { message = nil }
  }

  /// Returns when all commands are done.
  public func settled() async {
    while pendingCount > 0 { await lastCommand?.value }
  }
}

extension HistoryDrawer {
  /// ``blame`` on one line: `/value: 3 → 4 by action 12, didTapIncrementButton`.
  public var blameText: String? {
    guard let blame else { return nil }
    guard let change = blame.change else {
      return blame.hasValue
        ? "\(blame.pointer): unchanged from the beginning to revision \(blame.revision)"
        : "\(blame.pointer): no such value up to revision \(blame.revision)"
    }
    let values = [change.old, change.new].map { value in value.map(\.description) ?? "–" }
    return "\(blame.pointer): \(values[0]) → \(values[1]) by action \(change.record.revision), \(change.record.type)"
  }
}

// MARK: - Running commands

extension HistoryDrawer {
  /// Runs a command after all earlier ones. The contents are read again after the last one.
  private func perform(isQuestion: Bool = false, _ command: @escaping @MainActor () async throws -> Void) {
    guard isOpen else { return }
    question?.cancel()
    message = nil
    pendingCount += 1
    let (earlier, closings) = (lastCommand, closings)
    let task = Task {
      await earlier?.value
      do {
        try Task.checkCancellation()
        if closings == self.closings {
          if !isQuestion { blame = nil }
          try await command()
        }
        if pendingCount == 1, isOpen, !isQuestion { try await readContents() }
      } catch is CancellationError {
        // A later command took its place.
      } catch {
        if closings == self.closings { message = "\(error)" }
      }
      pendingCount -= 1
    }
    lastCommand = task
    question = isQuestion ? task : nil
  }

  private func ask(_ pointer: JSONPointer, at revision: Int) async throws {
    guard let cursor = store.cursor else { return }
    blame = try await cursor.blame(pointer, at: revision)
  }

  private func readContents() async throws {
    guard let cursor = store.cursor else { return clear() }
    let (rowLimit, changeLimit) = (Self.rowLimit, Self.changeLimit)
    let contents = try await cursor.perform { cursor in
      let (revision, known) = (cursor.revision, cursor.revisions)
      let first = max(known.lowerBound, revision - rowLimit)
      let last = min(known.upperBound, revision + rowLimit)
      let actions = first < last ? try cursor.actions(in: first + 1...last) : []
      let changes = revision > known.lowerBound ? try cursor.difference(from: revision - 1).changes : []
      let rows = try actions.map { action in try DrawerAction(action.record) }
      return (actions: rows, changes: Array(changes.prefix(changeLimit)), count: changes.count)
    }
    (actions, changes, changeCount) = contents
  }

  private func clear() {
    (actions, changes, changeCount, blame) = ([], [], 0, nil)
  }
}

/// An action as a row of a drawer.
public struct DrawerAction: Identifiable, Hashable, Sendable {
  /// The revision after the action.
  public let revision: Int
  /// The time of the record, in UTC.
  public let time: String
  /// The type of the record.
  public let type: String
  /// The data as JSON, at most ``dataLimit`` characters of it.
  public let data: String
  /// The revision of the action that caused this one; `nil` if it names none.
  public let cause: Int?

  /// The revision.
  public var id: Int { revision }

  /// The most characters of data: two rows of a wide screen.
  public static var dataLimit: Int { 400 }

  init(_ record: LogRecord) throws {
    revision = record.revision
    time = record.time.description
    type = record.type
    // A character has at least one byte; decoding a few more bytes keeps the last one complete.
    let text = String(decoding: record.data.prefix(Self.dataLimit * 4), as: UTF8.self)
    data = String(text.prefix(Self.dataLimit))
    cause = try RecordMeta.cause(of: record)
  }
}
