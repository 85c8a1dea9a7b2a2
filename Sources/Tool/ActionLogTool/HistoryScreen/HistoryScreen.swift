import ActionLog
import JSONCoding
import Observation
import Platform
import TerminalUI
import TimeTravel

/// A history in the terminal: its actions, the state at one of them, what changed, and who changed it.
///
/// Whatever is shown is read when it is shown: a page of actions by a search in the log, a state nearby by the walk from the
/// states it keeps. What takes longer (a state far away, a filter, a question) is done on another thread, tells how far it is,
/// and is left with Escape.
@MainActor @Observable final class HistoryScreen: TerminalScreen {
  /// The parts of the screen that keys can go to.
  enum Pane: CaseIterable { case actions, state, changes }

  /// What a key asks for.
  enum Command: Sendable {
    case back, forward, start, end, up, down, pageUp, pageDown, first, last
    case close, open, toggle, nextPane, previousPane
    case goTo, filter, search, searchAgain, blame, goToBlamed, history, compare, help, leave, quit
    case until, reverseUntil, bisect, mark, previousMark, nextMark
  }

  /// Who changed a value last, as far as it is known.
  struct Blamed {
    var pointer: JSONPointer
    var revision: Int
    /// `nil` while it is looked for.
    var answer: BlameAnswer?
  }

  /// What a title shows of the log.
  let title: String
  @ObservationIgnored let history: any HistoryHandle
  @ObservationIgnored let desk: HistoryDesk
  /// Whether numbers that change by themselves are shown. Where each screen is printed below the one before, they are not.
  @ObservationIgnored var showsProgress = true
  /// Read while drawing, which must not cause another drawing.
  @ObservationIgnored var window: RecordWindow
  var place: HistoryPlace
  /// The changes of ``place`` by the places of their values.
  @ObservationIgnored private var changeMarks: ChangeMarks
  var rows: StateRows

  var pane = Pane.actions
  var prompt: ScreenPrompt?
  var message = ScreenMessage()
  /// The first line of help that is shown; `nil` when none is.
  var helpLine: Int?
  /// The selected value of the state. After a move it is the first changed value, unless the user selected another one.
  var pointer = JSONPointer.root
  /// Whether the user selected the value. Selecting the whole state selects nothing.
  var isPointerChosen = false
  /// The open containers.
  var open: Set<JSONPointer> = [.root]
  /// Those that were opened because something in them changed; they close at the next step.
  var opened: Set<JSONPointer> = []
  var filter: ActionFilter?
  var blamed: Blamed?
  var searched = ""
  /// The condition that was asked for last.
  var condition = ""
  var marks: [Mark] { didSet { marksByRevision = Dictionary(grouping: marks, by: \.revision) } }
  private(set) var marksByRevision: [Int: [Mark]]
  /// The way that is being gone, the question that is being answered; and what waits for them.
  var travel: Travel?
  var errand: Errand?
  @ObservationIgnored var travelling: Task<Void, Never>?
  @ObservationIgnored var asking: Task<Void, Never>?
  @ObservationIgnored var filtering: Task<Void, Never>?
  /// Why the last way came to nothing.
  @ObservationIgnored var travelFailure: (any Error)?
  /// How many filters, ways and questions there were: what an earlier one finds comes too late.
  @ObservationIgnored var count = 0
  /// Lines that lie above what is shown, and how many lines there are, of the list, the state and the changes.
  @ObservationIgnored var scrolls = ScreenScrolls()

  /// Makes a screen.
  ///
  /// - Parameters:
  ///   - history: What is shown.
  ///   - place: Where it begins.
  ///   - title: What it is called.
  ///   - marks: Named points.
  ///   - desk: What is asked of the command.
  init(_ history: any HistoryHandle, at place: HistoryPlace, title: String, marks: [Mark], desk: HistoryDesk) {
    self.history = history
    self.title = title
    self.marks = marks
    marksByRevision = Dictionary(grouping: marks, by: \.revision)
    self.desk = desk
    self.place = place
    window = RecordWindow(history.reader)
    changeMarks = ChangeMarks([])
    rows = StateRows(place.tree, changes: [], open: [.root])
    showChanges()
  }

  /// The last revision that there is.
  var last: Int { place.revisions.upperBound }

  /// Where the person is: at the end of the way that is being gone, if there is one. What is shown of the state may still be that
  /// of ``place``.
  var here: Int { travel?.news.target ?? place.revision }

  /// A number that no filter, way or question of this screen has had.
  func nextNumber() -> Int {
    count += 1
    return count
  }
}

// MARK: - What is shown

extension HistoryScreen {
  func tell(_ text: String) { message = ScreenMessage(text) }
  func tell(_ error: any Error) { message = ScreenMessage(error) }
  func tell(_ hint: QuestionHint) { message = ScreenMessage(hint) }

  /// Tells where a condition holds, and what may be wrong with it.
  func tell(_ condition: String, _ answer: String, _ hints: [QuestionHint]) {
    message = ScreenMessage(condition, answer, hints)
  }

  /// Shows the changes of a new place: opens the containers of the first few, and scrolls to the first changed value. Selects it,
  /// too, unless the user selected a value: questions about the selected value are then about what changed.
  func showChanges() {
    let changes = place.changes
    changeMarks = ChangeMarks(changes)
    opened = []
    let first = firstChanged
    if !isPointerChosen, let first { pointer = first }
    for changed in changes.prefix(Self.openedLimit).map(\.pointer) + [first ?? .root] {
      var holder = changed.parent
      while let pointer = holder, opened.insert(pointer).inserted { holder = pointer.parent }
    }
    updateRows()
    scrolls.changes = 0
    if let row = first.flatMap(rows.index) { reveal(row) }
  }

  /// The first changed value that the state has; of a value that was removed, the container that held it.
  private var firstChanged: JSONPointer? {
    guard let first = place.changes.first else { return nil }
    if let present = place.changes.first(where: { change in change.newPointer != nil }) { return present.pointer }
    var holder = first.pointer.parent
    while let pointer = holder, place.tree[pointer] == nil { holder = pointer.parent }
    return holder
  }

  /// More changes than that nobody looks at one by one.
  private static let openedLimit = 12

  /// Updates the rows of the state after containers were opened or closed, or after a move.
  func updateRows() {
    rows = StateRows(place.tree, marks: changeMarks, open: open.union(opened))
  }

  /// Scrolls the state so that a row is seen.
  func reveal(_ row: Int) {
    let shown = max(1, scrolls.stateRows)
    if row < scrolls.state { scrolls.state = max(0, row - 1) }
    if row >= scrolls.state + shown { scrolls.state = row - shown + min(2, shown) }
  }

  /// The row of the state that is selected; the whole state's when the value that was selected is gone.
  var selectedRow: Int { rows.index(of: pointer) ?? 0 }

  /// Selects a row of the state for the user.
  func select(row: Int) {
    let row = min(max(0, row), rows.count - 1)
    pointer = rows[row].pointer
    isPointerChosen = row > 0
    reveal(row)
  }

  /// Selects a value for the user, and opens the containers around it.
  func select(_ target: JSONPointer) {
    var holder = target.parent
    while let container = holder {
      open.insert(container)
      holder = container.parent
    }
    pointer = target
    isPointerChosen = target != .root
    updateRows()
    reveal(selectedRow)
  }
}
