package import AnimalsData
import TerminalUI

/// The form that adds or edits an animal: the values of its fields, and the rules about them.
package struct AnimalEditorForm: Hashable, Sendable {
  /// The id of the animal, or the temporary id of a new one.
  package let id: Animal.ID
  /// Whether the form edits an existing animal.
  package let isEditing: Bool
  /// The field for the name.
  package var name: String
  /// The chosen diet.
  package var diet: Animal.Diet?
  /// The chosen category.
  package var categoryId: Category.ID?

  /// Creates a form for an animal.
  package init(editing animal: Animal) {
    id = animal.id
    isEditing = true
    name = animal.name
    diet = animal.diet
    categoryId = animal.categoryId
  }

  /// Creates an empty form.
  package init(placeholder id: Animal.ID) {
    self.id = id
    isEditing = false
    name = ""
  }

  /// The title of the form.
  package var title: String { isEditing ? "Edit Animal" : "Add Animal" }
  /// The request to choose a category.
  package var categoryPlaceholder: String { "Select a category" }
  /// The request to choose a diet.
  package var dietPlaceholder: String { "Select a diet" }

  /// A field of the form, by its index.
  package enum Field: Int, Sendable {
    case name
    case diet
    case category
  }

  /// The fields that are incomplete, and what the user has to do. A screen shows it after the field was edited or the form was
  /// submitted.
  package var problems: [Field: String] {
    var problems: [Field: String] = [:]
    if name.isEmpty { problems[.name] = "Enter a name" }
    if diet == nil { problems[.diet] = dietPlaceholder }
    if categoryId == nil { problems[.category] = categoryPlaceholder }
    return problems
  }

  /// Whether the values can be saved.
  package func isSaveEnabled(status: Status?) -> Bool {
    status != .waiting && problems.isEmpty
  }

  /// The action of saving; `nil` if a value is missing.
  package var action: AnimalsAction? {
    guard !name.isEmpty, let diet, let categoryId else { return nil }
    return .ui(
      .animalEditor(
        isEditing
          ? .onTapUpdateAnimalButton(animalId: id, name: name, diet: diet, categoryId: categoryId)
          : .onTapAddAnimalButton(id: id, name: name, diet: diet, categoryId: categoryId)))
  }

  /// Whether an action reports that the form was saved.
  ///
  /// The form follows actions instead of the status: a selection can miss a status that changes twice in a row.
  package func closes(at action: AnimalsAction) -> Bool {
    switch action {
    case .data(.persistentSession(.didAddAnimal(let id, result: .success))): id == self.id
    case .data(.persistentSession(.didUpdateAnimal(let animalId, result: .success))): animalId == id
    default: false
    }
  }
}

/// The form that adds or edits an animal, in the terminal.
struct AnimalEditor {
  private typealias Field = AnimalEditorForm.Field

  static let saveButton = 0

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

  var draft: AnimalEditorForm {
    var draft = initial
    draft.name = form.text(Field.name.rawValue)
    draft.diet = form.choice(Field.diet.rawValue).map { index in Animal.Diet.allCases[index] }
    draft.categoryId = form.choice(Field.category.rawValue).map { index in categories[index].id }
    return draft
  }

  mutating func prepare(status: Status?) {
    form.disabledButtons = draft.isSaveEnabled(status: status) ? [] : [Self.saveButton]
  }

  mutating func handle(_ key: Key) -> Form.Outcome {
    let outcome = form.handle(key)
    let problems = draft.problems.map { field, problem in (field.rawValue, problem) }
    form.showErrors(Dictionary(problems) { first, _ in first })
    return outcome
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
