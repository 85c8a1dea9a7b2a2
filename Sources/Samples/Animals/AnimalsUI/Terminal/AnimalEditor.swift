import AnimalsData
import TerminalUI

/// The form that adds or edits an animal, in the terminal.
struct AnimalEditor {
  static let saveButton = 0

  private enum Place {
    static let name = 0
    static let diet = 1
    static let category = 2
  }

  private let initial: AnimalEditorForm
  private let categories: [Category]
  private var form: Form

  init(_ draft: AnimalEditorForm, categories: [Category]) {
    initial = draft
    self.categories = categories
    form = Form(
      [
        .text("Name", TextField(draft.name)),
        .choice(
          "Diet",
          ChoiceField(
            Animal.Diet.allCases.map(\.rawValue),
            selectedIndex: draft.diet.flatMap { diet in Animal.Diet.allCases.firstIndex(of: diet) })),
        .choice(
          "Category",
          ChoiceField(
            categories.map(\.name),
            selectedIndex: categories.firstIndex { category in category.id == draft.categoryId })),
      ],
      buttons: ["Save", "Cancel"])
  }

  /// What stands in the fields.
  var draft: AnimalEditorForm {
    var draft = initial
    draft.name = form.text(Place.name)
    draft.diet = form.choiceIndex(Place.diet).map { index in Animal.Diet.allCases[index] }
    draft.categoryId = form.choiceIndex(Place.category).map { index in categories[index].id }
    return draft
  }

  /// Takes over what depends on the state.
  mutating func prepare(status: Status?) {
    form.disabledButtons = draft.isSaveEnabled(status: status) ? [] : [Self.saveButton]
  }

  mutating func handle(_ key: Key) -> Form.Outcome {
    let outcome = form.handle(key)
    let problems = draft.problems.map { field, problem in (Self.index(of: field), problem) }
    form.showErrors(Dictionary(problems) { first, _ in first })
    return outcome
  }

  private static func index(of field: AnimalEditorForm.Field) -> Int {
    switch field {
    case .name: Place.name
    case .diet: Place.diet
    case .category: Place.category
    }
  }

  @MainActor func draw(in canvas: Canvas, status: Status?) {
    let draft = draft
    let frame = canvas.centered(width: min(76, canvas.width), height: 9 + form.errors.count)
    frame.fill()
    let inside = frame.box(StyledText(draft.title, .bold)).part(column: 1)
    form.draw(in: inside)
    if let text = StatusText.of(status), status != .success {
      inside.write(StyledText(text, .dim), row: inside.height - 1)
    }
  }
}

extension Form {
  /// The place of the chosen value of a field.
  fileprivate func choiceIndex(_ index: Int) -> Int? {
    guard case .choice(_, let field) = fields[index] else { return nil }
    return field.selectedIndex
  }
}
