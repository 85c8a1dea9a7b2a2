import Observation
import TerminalUI
import Testing

@Suite("Widgets") @MainActor
struct WidgetTests {
  /// Returns the lines that a closure draws.
  private func lines(columns: Int = 30, rows: Int, _ body: @escaping @MainActor (Canvas) -> Void) -> [String] {
    DrawnScreen.draw(columns: columns, rows: rows, body).lines
  }

  @Test("a list scrolls with its selection, which follows its row")
  func list() {
    final class Box { var list = SelectableList<Int>() }
    let box = Box()
    var ids = Array(1...10)
    func shown() -> [String] {
      lines(columns: 8, rows: 3) { canvas in box.list.draw(ids, in: canvas) { id in "row \(id)" } }
    }
    #expect(shown() == ["  row 1", "  row 2", "  row 3↓"])
    func press(_ keys: Key...) { for key in keys { #expect(box.list.handle(key, ids) == true) } }
    press(.down, .down, .down, .down)
    #expect(shown() == ["  row 2↑", "  row 3", "› row 4↓"])
    press(.up)
    #expect(shown() == ["  row 2↑", "› row 3", "  row 4↓"])
    press(.pageDown)
    #expect(shown() == ["  row 4↑", "  row 5", "› row 6↓"])
    press(.end)
    #expect(shown() == ["  row 8↑", "  row 9", "› row 10"])
    ids = Array(5...10)
    #expect(box.list.selection == 10)
    ids.removeLast()
    #expect(shown() == ["  row 7↑", "  row 8", "  row 9"])
    #expect(box.list.selection == nil)
    press(.up)
    #expect(box.list.selection == 9)
    press(.home, .up)
    #expect(box.list.selection == 5)
    ids = []
    press(.down)
    #expect(shown() == ["", "", ""])
    #expect(box.list.handle("x", ids) == false)
  }

  @Test("a choice that is too wide shows the values around the selected one")
  func wideChoice() {
    var field = ChoiceField(["Amphibian", "Bird", "Fish", "Invertebrate", "Mammal", "Reptile"])
    func shown(_ columns: Int = 40) -> String {
      lines(columns: columns, rows: 1) { [field] canvas in field.draw(in: canvas, label: "Category") }[0]
    }
    #expect(shown(70) == "Category:  Amphibian  Bird  Fish  Invertebrate  Mammal  Reptile")
    #expect(shown() == "Category:  Amphibian  Bird  Fish ›")
    #expect(field.handle("r") == true)
    #expect(shown() == "Category: ‹ Mammal [Reptile]")
    #expect(field.handle(.left) == true)
    #expect(shown() == "Category: ‹ Fish  Invertebrate [Mammal]›")
    for width in 1...30 { #expect(shown(width).count <= width) }
  }

  @Test("a notice takes the rows that it needs, up to a third of the screen")
  func notice() {
    func shown(_ text: String, rows: Int) -> [String] {
      lines(columns: 12, rows: rows) { canvas in
        let notice = Notice(text)
        let parts = canvas.rows(.flexible(), .fixed(notice.rowCount(in: canvas)), .fixed(1))
        notice.draw(in: parts[1])
        parts[2].write("keys", row: 0)
      }
    }
    #expect(shown("", rows: 4) == ["", "", "", "keys"])
    #expect(
      shown("the disk of this machine is full", rows: 9).suffix(4) == [
        "the disk of", "this machine", "is full", "keys",
      ])
    #expect(shown("the disk of this machine is full", rows: 6).suffix(3) == ["the disk of", "this machin…", "keys"])
  }

  @Test("a field is edited at its cursor")
  func textField() {
    var field = TextField("Dog")
    func press(_ keys: Key...) { for key in keys { #expect(field.handle(key) == true) } }
    press("s", .left, .backspace, "l", .home, .delete, "F")
    #expect(field.text == "Fols")
    press(.end, .paste(" und\nmehr\u{1B}[2J"))
    #expect(field.text == "Fols und mehr[2J")
    press(.control("w"), .control("w"), "x")
    #expect(field.text == "Fols x")
    press(.control("a"), .right, .control("k"), .control("u"))
    #expect(field.isEmpty)
    press("e", .character("\u{301}"), .backspace)
    #expect(field.isEmpty)
    #expect(field.handle(.enter) == false)
    field.text = "日本語"
    press(.left, .backspace)
    #expect(field.text == "日語")
  }

  @Test("a field that is too narrow shows the part around the cursor")
  func narrowField() {
    let screen = DrawnScreen.draw(columns: 14, rows: 1) { canvas in
      TextField("0123456789abcdef").draw(in: canvas, label: "Name")
    }
    #expect(screen.lines == ["Name: 9abcdef"])
    #expect(screen.cursor == .init(row: 0, column: 13))
  }

  @Test("a form goes from field to field to button")
  func form() {
    var form = Form(
      [.text("Name", TextField()), .choice("Diet", ChoiceField(["Herbivore", "Carnivore", "Omnivore"]))],
      buttons: ["Save", "Cancel"])
    form.disabledButtons = [0]
    for key in ["D", "o", "g", .enter, "c", .tab] as [Key] { #expect(form.handle(key) == .handled) }
    #expect(form.text(0) == "Dog")
    #expect(form.choice(1) == 1)
    #expect(form.handle(.enter) == .handled, "a disabled button is not pressed")
    form.disabledButtons = []
    form.errors = [0: "too short"]
    let drawn = form
    #expect(
      lines(columns: 40, rows: 6) { canvas in drawn.draw(in: canvas) } == [
        "Name: Dog", "  ! too short", "Diet:  Herbivore [Carnivore] Omnivore", "", "[›Save‹] [ Cancel ]", "",
      ])
    #expect(form.handle(.enter) == .pressed(0))
    #expect(form.handle(.right) == .handled)
    #expect(form.handle(" ") == .pressed(1))
    #expect(form.handle(.tab) == .handled)
    #expect(form.handle("!") == .handled)
    #expect(form.text(0) == "Dog!")
    #expect(form.errors.isEmpty, "an error goes when its field is edited")
    #expect(form.handle(.escape) == .cancelled)
  }

  @Test func errorsWaitForAnEditOrASubmission() {
    let problems = [0: "empty", 1: "nothing chosen"]
    var form = Form(
      [.text("Name", TextField()), .choice("Diet", ChoiceField(["Herbivore", "Carnivore"]))], buttons: ["Save"])
    form.disabledButtons = [0]
    func errors(after keys: Key...) -> [Int: String] {
      for key in keys {
        _ = form.handle(key)
        form.showErrors(problems)
      }
      return form.errors
    }
    form.showErrors(problems)
    #expect(form.errors.isEmpty, "nothing was typed")
    #expect(errors(after: .tab, .backTab, .left, .end).isEmpty, "moving is not editing")
    #expect(errors(after: "a", .backspace) == [0: "empty"])
    #expect(errors(after: .tab, .tab) == [0: "empty"], "the choice was not edited")
    #expect(errors(after: .enter) == problems, "a disabled button was pressed")
  }

  @Test func infoDialogWrapsAndListsKeys() {
    let bindings = [KeyBinding(["d", .delete], "delete", isEnabled: false, 1), KeyBinding([], "nothing", 2)]
    let dialog = InfoDialog("Keys", keysOf: bindings, below: [.init("↑ ↓", "select one row after the other")])
    #expect(
      lines(columns: 26, rows: 6) { canvas in dialog.draw(in: canvas) } == [
        "┌─ Keys ─────────────────┐", "│ ↑ ↓    select one row  │", "│        after the other │",
        "│ d Del  delete          │", "└────────────────────────┘", "",
      ])
    #expect(lines(columns: 3, rows: 1) { canvas in dialog.draw(in: canvas) }.count == 1)
  }

  @Test("a dialog cancels unless the user confirms")
  func dialog() {
    func answer(_ keys: Key...) -> ConfirmDialog.Answer? {
      var dialog = ConfirmDialog("Delete Dog?", message: "It cannot be undone.", confirmLabel: "Delete")
      return keys.compactMap { key in dialog.handle(key) }.first
    }
    #expect(answer(.enter) == .cancelled)
    #expect(answer(.escape) == .cancelled)
    #expect(answer("n") == .cancelled)
    #expect(answer("y") == .confirmed)
    #expect(answer(.right, .enter) == .confirmed)
    #expect(answer(.tab, .tab, .enter) == .cancelled)
    #expect(answer("x", .up) == nil)
    let shown = lines(columns: 34, rows: 8) { canvas in
      canvas.fill()
      ConfirmDialog("Delete Dog?", message: "It cannot be undone.", confirmLabel: "Delete").draw(in: canvas)
    }
    #expect(
      shown == [
        "", "┌─ Delete Dog? ──────────────────┐", "│ It cannot be undone.           │",
        "│                                │", "│ [›Cancel‹] n  [ Delete ] y     │",
        "└────────────────────────────────┘", "", "",
      ])
  }

  @Test("? shows the keys of a dialog and of a form, and the next key only closes them")
  func keysOfDialogs() {
    var dialog = ConfirmDialog("Delete Dog?", confirmLabel: "Delete")
    #expect(dialog.handle("?") == nil)
    let asked = dialog
    #expect(
      lines(columns: 40, rows: 10) { canvas in asked.draw(in: canvas) }.contains { line in line.contains("Keys") })
    #expect(dialog.handle("y") == nil && dialog.handle("y") == .confirmed)
    var form = Form([.text("Name", TextField()), .choice("Diet", ChoiceField(["Meat", "Grass"]))], buttons: ["Save"])
    // In a text field it is a character.
    #expect(form.handle("?") == .handled && form.text(0) == "?")
    _ = form.handle(.tab)
    #expect(form.handle("?") == .handled)
    let shown = form
    #expect(lines(columns: 40, rows: 10) { canvas in shown.draw(in: canvas) }.contains { line in line.contains("Esc") })
    #expect(form.handle(.escape) == .handled && form.handle(.escape) == .cancelled)
  }

  @Test("the help line and the keys use the same bindings")
  func bindings() {
    let bindings = [
      KeyBinding("d", "delete", isEnabled: false, 1), KeyBinding([.enter, " "], "open", 2), KeyBinding("q", "quit", 3),
    ]
    #expect(KeyBinding.command(of: "d", in: bindings) == nil)
    #expect(KeyBinding.command(of: " ", in: bindings) == 2)
    #expect(KeyBinding.command(of: "x", in: bindings) == nil)
    #expect(
      lines(columns: 26, rows: 2) { canvas in KeyBinding.draw(bindings, in: canvas) }
        == ["(d delete)  Enter open", "q quit"])
  }

  @Test("tabs wrap around, and have numbers")
  func tabs() {
    var tabs = TabBar(["List", "Map"])
    #expect(tabs.handle(.tab) == true)
    #expect(tabs.selectedIndex == 1)
    #expect(tabs.handle(.tab) == true)
    #expect(tabs.handle(.backTab) == true)
    #expect(tabs.handle("1") == true)
    #expect(tabs.handle("3") == false)
    let drawn = tabs
    #expect(lines(rows: 1) { canvas in drawn.draw(in: canvas) } == ["[List] Map"])
  }

  @Test("a status line truncates its left side first")
  func statusLine() {
    let line = StatusLine("/a/path/that/is/long", trailing: "7 of 9")
    #expect(lines(columns: 30, rows: 1) { canvas in line.draw(in: canvas) } == ["/a/path/that/is/long    7 of 9"])
    #expect(lines(columns: 20, rows: 1) { canvas in line.draw(in: canvas) } == ["/a/path/tha…  7 of 9"])
    #expect(lines(columns: 10, rows: 1) { canvas in line.draw(in: canvas) } == ["/a/path/t…"])
  }
}

/// State outside of a screen that the screen shows.
@MainActor @Observable private final class Temperature {
  var degrees = 20
}

/// A screen that shows the temperature and counts its drawings.
@MainActor @Observable private final class Thermometer: TerminalScreen {
  let temperature: Temperature
  var drawings = 0
  var isFinished = false

  init(_ temperature: Temperature) { self.temperature = temperature }

  func render(on canvas: Canvas) {
    drawings += 1
    canvas.write("\(temperature.degrees)° \(drawings)", row: 0)
  }

  func handle(_ key: Key) -> KeyResponse { key == "q" ? .finish : .ignored }
}

@Suite("When screens are drawn") @MainActor
struct DrawingTests {
  @Test("changes of drawn state cause a redraw, changes by the drawing itself do not")
  func observation() {
    let temperature = Temperature()
    let screen = Thermometer(temperature)
    let driver = ScreenDriver(screen)
    #expect(driver.text == "20° 2\n")
    #expect(!driver.needsDrawing)
    temperature.degrees = 21
    temperature.degrees = 22
    #expect(driver.needsDrawing)
    #expect(driver.text == "22° 3\n")
    #expect(!driver.needsDrawing)
  }

  @Test("an application ends by a key or by itself")
  func ending() {
    let driver = ScreenDriver(Thermometer(Temperature()))
    #expect(driver.press("x") == .ignored)
    #expect(!driver.isFinished)
    #expect(driver.press("q") == .finish)
    #expect(driver.isFinished)
    let screen = Thermometer(Temperature())
    let other = ScreenDriver(screen)
    screen.isFinished = true
    #expect(other.needsDrawing)
    #expect(other.isFinished)
  }
}
