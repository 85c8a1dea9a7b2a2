import ActionLog
import JSONCoding
import Locking
import Observation
import TerminalUI
import TimeTravel

/// A history in the terminal: its actions, the state at one of them, what changed, and who changed it.
///
/// Whatever is shown is read when it is shown: a page of actions by a search in the log, a state by the cursor from the states it
/// keeps. What has to look at the whole log (a filter, blame) runs aside and tells how far it is.
@MainActor @Observable final class HistoryScreen: TerminalScreen {
  /// The parts of the screen that keys can go to.
  enum Pane: CaseIterable { case actions, state, changes }

  /// What is being typed into the line at the bottom.
  enum Prompt { case point, filter, search }

  /// What a key asks for.
  enum Command: Sendable {
    case back, forward, start, end, up, down, pageUp, pageDown, first, last
    case close, open, toggle, nextPane, previousPane
    case goTo, filter, search, searchAgain, blame, goToBlamed, compare, help, leave, quit
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
  /// Finds the revision of a point as it is typed.
  @ObservationIgnored let resolve: @MainActor (String) throws -> Int
  /// Read while drawing, which must not cause another drawing.
  @ObservationIgnored var window: RecordWindow
  var place: HistoryPlace
  var rows: StateRows

  var pane = Pane.actions
  var prompt: (kind: Prompt, field: TextField)?
  var message = ""
  /// The first line of help that is shown; `nil` when none is.
  var helpLine: Int?
  /// The value that is selected in the state, and the containers that are open.
  var pointer = JSONPointer.root
  var open: Set<JSONPointer> = [.root]
  /// Those that were opened because something in them changed; they close at the next step.
  var opened: Set<JSONPointer> = []
  var filter: ActionFilter?
  var blamed: Blamed?
  var searched = ""
  var marks: [Mark]
  /// The questions that run aside, and what ends them.
  @ObservationIgnored var filtering: Task<Void, Never>?
  @ObservationIgnored var asking: Task<Void, Never>?
  @ObservationIgnored var isAnswerUnwanted = Locked(false)
  /// How many filters there were: what an earlier one finds comes too late.
  @ObservationIgnored var filterCount = 0
  /// Lines that lie above what is shown, and how many lines there are, of the list, the state and the changes.
  @ObservationIgnored var scrolls = ScreenScrolls()

  /// Makes a screen.
  ///
  /// - Parameters:
  ///   - history: What is shown.
  ///   - title: What it is called.
  ///   - revision: Where it begins.
  ///   - marks: Named points.
  ///   - resolve: Finds the revision of a point as it is typed.
  init(
    _ history: any HistoryHandle, title: String, at revision: Int, marks: [Mark] = [],
    resolve: @escaping @MainActor (String) throws -> Int
  ) throws {
    self.history = history
    self.title = title
    self.marks = marks
    self.resolve = resolve
    let place = try HistoryPlace(history.cursor(at: revision))
    self.place = place
    window = RecordWindow(history.reader)
    rows = StateRows(place.tree, changes: [], open: [.root])
    showChanges()
  }

  /// The last revision that there is.
  var last: Int { place.revisions.upperBound }
}

// MARK: - Moving

extension HistoryScreen {
  /// Moves to a revision; what fails is told, and everything stays.
  func go(to target: Int) {
    guard target >= 0 else { return tell("this is the start") }
    do {
      if target > last { try place.refresh() }
      guard target <= last else {
        return tell(place.revision == last ? "this is the end" : "there are the revisions 0…\(last) only")
      }
      guard target != place.revision else { return }
      try place.move(to: target)
      forgetBlame()
      showChanges()
    } catch {
      tell(error)
    }
  }

  func tell(_ text: String) { message = text }
  func tell(_ error: any Error) { message = ToolFailure(any: error).message }

  /// Opens what changed, a few of many, and shows the first of it.
  func showChanges() {
    let changes = place.changes.changes
    opened = []
    for change in changes.prefix(Self.openedLimit) {
      var holder = change.pointer.parent
      while let pointer = holder, opened.insert(pointer).inserted { holder = pointer.parent }
    }
    updateRows()
    scrolls.changes = 0
    if let first = rows.rows.firstIndex(where: { row in row.change != nil }) { reveal(first) }
  }

  /// More changes than that nobody looks at one by one.
  private static let openedLimit = 12

  /// Makes the rows of the state anew, after what is open or what changed is another.
  func updateRows() {
    rows = StateRows(place.tree, changes: place.changes.changes, open: open.union(opened))
  }

  /// Scrolls the state so that a row is seen.
  func reveal(_ row: Int) {
    let shown = max(1, scrolls.stateRows)
    if row < scrolls.state { scrolls.state = max(0, row - 1) }
    if row >= scrolls.state + shown { scrolls.state = row - shown + min(2, shown) }
  }

  /// The row of the state that is selected; the whole state's when the value that was selected is gone.
  var selectedRow: Int {
    rows.rows.firstIndex { row in row.pointer == pointer } ?? 0
  }

  /// Selects a row of the state.
  func select(row: Int) {
    let row = min(max(0, row), rows.rows.count - 1)
    pointer = rows.rows[row].pointer
    reveal(row)
  }

  /// Selects a value, and opens what it lies in.
  func select(_ target: JSONPointer) {
    var holder = target.parent
    while let container = holder {
      open.insert(container)
      holder = container.parent
    }
    pointer = target
    updateRows()
    reveal(selectedRow)
  }
}
