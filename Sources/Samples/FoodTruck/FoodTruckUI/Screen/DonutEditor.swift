import FoodTruckData
import TerminalUI

/// The form that adds or edits a donut, in the terminal.
struct DonutEditor {
  static let saveButton = 0
  /// The choice of donuts without glaze or topping.
  private static let none = "none"

  private let initial: DonutEditorForm
  private let choices: [DonutEditorForm.Field: [String]]
  private var form: Form

  init(_ draft: DonutEditorForm) {
    initial = draft
    let choices: [DonutEditorForm.Field: [String]] = [
      .dough: Self.choices(Donut.doughs, draft.dough),
      .glaze: [Self.none] + Self.choices(Donut.glazes, draft.glaze),
      .topping: [Self.none] + Self.choices(Donut.toppings, draft.topping),
    ]
    self.choices = choices
    func field(_ label: String, _ field: DonutEditorForm.Field, _ value: String?) -> Form.Field {
      let all = choices[field] ?? []
      return .choice(label, ChoiceField(all, selectedIndex: value.flatMap(all.firstIndex)))
    }
    form = Form(
      [
        .text("Name", TextField(draft.name)), field("Dough", .dough, draft.dough),
        field("Glaze", .glaze, draft.glaze ?? Self.none), field("Topping", .topping, draft.topping ?? Self.none),
      ],
      buttons: ["Save", "Cancel"])
    form.disabledButtons = draft.isSaveEnabled ? [] : [Self.saveButton]
  }

  /// The known ingredients, and that of the donut, which may be one that only the log knows.
  private static func choices(_ known: [String], _ current: String?) -> [String] {
    known + [current].compactMap(\.self).filter { name in !known.contains(name) }
  }

  /// The values of the fields.
  var draft: DonutEditorForm {
    var draft = initial
    draft.name = form.text(Self.index(of: .name))
    draft.dough = choice(.dough)
    draft.glaze = choice(.glaze)
    draft.topping = choice(.topping)
    return draft
  }

  private func choice(_ field: DonutEditorForm.Field) -> String? {
    guard let index = form.choice(Self.index(of: field)), let name = choices[field]?[index] else { return nil }
    return name == Self.none && field != .dough ? nil : name
  }

  private static func index(of field: DonutEditorForm.Field) -> Int {
    DonutEditorForm.Field.allCases.firstIndex(of: field) ?? 0
  }

  mutating func handle(_ key: Key) -> Form.Outcome {
    let outcome = form.handle(key)
    let draft = draft
    let problems = draft.problems.map { field, problem in (Self.index(of: field), problem) }
    form.showErrors(Dictionary(problems) { first, _ in first })
    form.disabledButtons = draft.isSaveEnabled ? [] : [Self.saveButton]
    return outcome
  }

  @MainActor func draw(in canvas: Canvas) {
    let frame = canvas.centered(width: min(72, canvas.width), height: 9 + form.errors.count)
    frame.fill()
    form.draw(in: frame.box(StyledText(initial.title, .bold)).part(column: 1))
  }
}
