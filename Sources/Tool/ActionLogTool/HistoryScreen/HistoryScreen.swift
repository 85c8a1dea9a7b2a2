import ActionLog
import EventSourcing
import JSONCoding
import Observation
import Platform
import TerminalUI
import TimeTravel

/// The screen of `tui`: the actions of a log, the state at a revision, and the changes of an action.
///
/// Data is read when it is drawn: a page of actions by a binary search in the log, a nearby state from cached states. Longer
/// operations (a distant state, a filter, a query) run on another thread, show their progress, and are canceled with Escape.
@MainActor @Observable final class HistoryScreen: TerminalScreen {
  enum Pane: CaseIterable { case actions, state, changes }

  typealias Command = @MainActor @Sendable (HistoryScreen) -> Void

  /// Whether the screen goes to new actions as they are recorded.
  enum Following { case off, on, paused }

  struct Blamed {
    var pointer: JSONPointer
    /// `nil` while the query is running.
    var answer: BlameAnswer?
  }

  let title: String
  @ObservationIgnored let history: any HistoryHandle
  @ObservationIgnored let context: CommandContext
  /// Whether progress is shown. It is not when the screen is printed as text.
  @ObservationIgnored var showsProgress = true
  /// Not observed: it is modified while drawing, which must not cause a redraw.
  @ObservationIgnored private var window = RecordWindow<LogRecord>()
  var place: HistoryPlace
  /// The first ones of ``place``.
  @ObservationIgnored private(set) var changes: [StateChange] = []
  var rows: StateRows

  var pane = Pane.actions
  var prompt: ScreenPrompt?
  var message = ScreenMessage()
  /// The first visible line of the help; `nil` if it is hidden.
  var helpLine: Int?
  /// The path of the selected value. After a move it is the first changed value, unless the user selected another one.
  var pointer = JSONPointer.root
  /// Whether the user selected the value. Selecting the complete state clears the selection.
  var isPointerChosen = false
  var open: Set<JSONPointer> = [.root]
  /// The containers that are expanded to show a change, until the next step.
  var autoOpened: Set<JSONPointer> = []
  var filter: ActionFilter?
  var blamed: Blamed?
  var searched = ""
  var condition = ""
  var onlyChanged = false
  /// Whether the list shows times; `nil` for the default, which depends on the width.
  var showsTimes: Bool?
  var following = Following.off
  /// The newest action that was seen while following.
  var newest = 0
  @ObservationIgnored var followTask: Task<Void, Never>?
  var edits = WhatIfEdits()
  var whatIf: WhatIfView?
  @ObservationIgnored var whatIfTask: Task<Void, Never>?
  @ObservationIgnored var response = KeyResponse.handled
  var marks: [Mark] { didSet { marksByRevision = Dictionary(grouping: marks, by: \.revision) } }
  private(set) var marksByRevision: [Int: [Mark]]
  var pendingMove: PendingMove?
  var pendingQuestion: PendingQuestion?
  @ObservationIgnored var moveTask: Task<Void, Never>?
  @ObservationIgnored var questionTask: Task<Void, Never>?
  @ObservationIgnored var filterTask: Task<Void, Never>?
  @ObservationIgnored var moveFailure: (any Error)?
  @ObservationIgnored var scrolls = ScreenScrolls()

  init(_ history: any HistoryHandle, at place: HistoryPlace, title: String, marks: [Mark], context: CommandContext) {
    self.history = history
    self.title = title
    self.marks = marks
    marksByRevision = Dictionary(grouping: marks, by: \.revision)
    self.context = context
    self.place = place
    rows = StateRows(place.tree, edit: nil, open: [.root])
    showChanges()
  }

  /// The action of a revision; `nil` if there is none.
  func record(at revision: Int) throws(LogError) -> LogRecord? {
    try window.value(at: revision, in: history.reader, last: last) { batch, index in batch.record(at: index) }
  }

  var last: Int { place.revisions.upperBound }
  /// The first revision of the history: 0, or that of the base of a pruned log.
  var first: Int { place.revisions.lowerBound }

  /// The target of the move in progress, or else the current revision. During a move, the state shown is still that of
  /// ``place``.
  var here: Int { pendingMove?.progress.target ?? place.revision }
}

// MARK: - Messages and selection

extension HistoryScreen {
  func report(_ text: String) { message = ScreenMessage(text) }
  func report(_ error: any Error) { message = ScreenMessage(error) }
  func report(_ hint: QuestionHint) { message = ScreenMessage(hint) }

  func report(_ condition: String, _ answer: String, _ hints: [QuestionHint]) {
    message = ScreenMessage(condition, answer, hints)
  }

  /// Shows the changes of a new position: expands the containers of the first ones, and scrolls to the first changed value.
  /// Selects that value unless the user selected another one.
  func showChanges() {
    changes = place.edit?.changes(limit: onlyChanged ? Self.openedLimit : Self.listedLimit) ?? []
    autoOpened = []
    let first = firstChanged
    if !isPointerChosen, let first { pointer = first }
    let limit = onlyChanged ? changes.count : Self.autoOpenedLimit
    for container in changes.prefix(limit).map(\.container) + [first?.parent] {
      var holder = container
      while let pointer = holder, autoOpened.insert(pointer).inserted { holder = pointer.parent }
    }
    updateRows()
    scrolls[.changes].offset = 0
    if let row = first.flatMap(rows.index) { reveal(row) }
  }

  /// The first changed value that still exists, or else the container of the first removed value.
  private var firstChanged: JSONPointer? {
    guard let first = changes.first else { return nil }
    if let present = changes.first(where: { change in change.newPointer != nil }) { return present.pointer }
    var holder = first.container
    while let pointer = holder, place.tree[pointer] == nil { holder = pointer.parent }
    return holder
  }

  /// The most changes whose containers are expanded, so that the pane still shows the first one with what is around it.
  private static let autoOpenedLimit = 12
  /// The same for a pane that shows only changes.
  private static let openedLimit = 10_000
  /// The most changes that are listed.
  static let listedLimit = 200

  func updateRows() {
    rows = StateRows(place.tree, edit: place.edit, open: open.union(autoOpened), onlyChanged: onlyChanged)
  }

  func reveal(_ row: Int) {
    let (offset, shown) = (scrolls[.state].offset, scrolls[.state].rows)
    if row < offset { scrolls[.state].offset = max(0, row - 1) }
    if row >= offset + shown { scrolls[.state].offset = row - shown + min(2, shown) }
  }

  /// The first row if the selected value does not exist.
  var selectedRow: Int { rows.index(of: pointer) ?? 0 }

  func select(row: Int) {
    let row = min(max(0, row), rows.count - 1)
    pointer = rows[row].pointer
    isPointerChosen = row > 0
    reveal(row)
  }

  /// Selects a value for the user, and expands the containers around it.
  func select(_ target: JSONPointer) {
    var holder = target.parent
    while let container = holder {
      open.insert(container)
      holder = container.parent
    }
    pointer = target
    isPointerChosen = target != .root
    updateRows()
    if onlyChanged, rows.index(of: target) == nil {
      onlyChanged = false
      updateRows()
    }
    reveal(selectedRow)
  }
}

/// Work on another thread: a move, a query or a filter. Late results of a canceled one are ignored, by its identity.
final class ScreenOperation: Sendable {
  private let flag = Locked(false)

  var isCanceled: Bool { flag.withLock { flag in flag } }

  func cancel() { flag.withLock { flag in flag = true } }

  var options: ReplayOptions {
    var options = ReplayOptions()
    options.isCancelled = { self.isCanceled }
    return options
  }

  /// Does work that blocks, and notes its progress: of several reports in a burst, the last one.
  ///
  /// - Parameter notesAll: Whether every report is noted.
  @MainActor func perform<Progress: Sendable, Answer: Sendable>(
    notesAll: Bool = false,
    _ work: @escaping @Sendable (ReplayOptions, @escaping @Sendable (Progress) -> Void) -> Answer,
    note: @escaping @MainActor (Progress) -> Void
  ) async -> Answer {
    let (reports, continuation) = AsyncStream<Progress>.makeStream(
      bufferingPolicy: notesAll ? .unbounded : .bufferingNewest(1))
    let listening = Task { for await report in reports { note(report) } }
    let answer = await BlockingWork.run { [options] in
      defer { continuation.finish() }
      return work(options) { report in continuation.yield(report) }
    }
    await listening.value
    return answer
  }
}

/// The scroll positions of the panes, and what the last drawing has shown.
struct ScreenScrolls {
  struct Scroll {
    var offset = 0
    var rows = 1
  }

  private var panes: [HistoryScreen.Pane: Scroll] = [:]
  var changeLines = 0
  var showsTimes = false

  subscript(pane: HistoryScreen.Pane) -> Scroll {
    get { panes[pane] ?? Scroll() }
    set { panes[pane] = newValue }
  }

  @MainActor mutating func note(_ pane: HistoryScreen.Pane, in canvas: Canvas) {
    self[pane].rows = max(1, canvas.height)
  }
}

/// Runs a screen without a terminal: prints it as text, and again after each line of keys.
@MainActor struct TextScreen {
  private let screen: HistoryScreen
  private let context: CommandContext

  init(_ screen: HistoryScreen, context: CommandContext) {
    self.screen = screen
    self.context = context
  }

  func run() async throws {
    screen.showsProgress = false
    defer { screen.endFollowing() }
    await screen.settled()
    if let failure = screen.moveFailure { throw failure }
    let driver = ScreenDriver(
      screen, columns: context.outputColumns ?? TerminalSize.standard.columns, rows: TerminalSize.standard.rows)
    try context.output.text(driver.text)
    guard !context.environment.inputIsTerminal else { return }
    var reader = LineReader(context.environment.standardInput, stop: context.environment.stop)
    while !driver.isFinished {
      // A program may wait for the screen before it writes the next line.
      try await BlockingWork.run { [context] in try context.output.flush() }
      let (lines, next) = try await BlockingWork.run { [reader] in
        var reader = reader
        return (try reader.next(), reader)
      }
      reader = next
      guard let lines else { return }
      for case .bytes(let line) in lines where !driver.isFinished {
        await press(line, driver)
        try context.output.text("\n" + driver.text)
      }
    }
  }

  /// Presses the keys of a line: characters, and sequences as a terminal sends them. An empty line is Enter, and the end of a line
  /// submits a prompt. Waits for the operations that the keys start.
  private func press(_ line: ArraySlice<UInt8>, _ driver: ScreenDriver) async {
    var decoder = KeyDecoder()
    // A new line does not correct the invalid input of the previous one.
    if screen.prompt?.fault != nil { driver.press(.escape) }
    if line.isEmpty { driver.press(.enter) }
    for key in decoder.decode(line) + decoder.flush() where !driver.isFinished {
      driver.press(key)
      await screen.settled()
    }
    if !line.isEmpty, screen.prompt != nil { driver.press(.enter) }
    await screen.settled()
  }
}
