public import AnimalsData

/// The form that adds or edits an animal: what stands in its fields, and what follows from it.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8 (`AnimalEditor`, `AddAnimalData`, `UpdateAnimalData`).
public struct AnimalEditorForm: Hashable, Sendable {
  /// The id of the animal, or a new one that is kept for the life of the form: the placeholder under which a new animal
  /// is waited for.
  public let id: Animal.ID
  /// Whether the form edits an animal that exists.
  public let isEditing: Bool
  /// The field for the name.
  public var name: String
  /// The chosen diet.
  public var diet: Animal.Diet?
  /// The chosen category.
  public var categoryId: Category.ID?

  /// Makes a form for an animal.
  public init(editing animal: Animal) {
    id = animal.id
    isEditing = true
    name = animal.name
    diet = animal.diet
    categoryId = animal.categoryId
  }

  /// Makes an empty form.
  ///
  /// - Parameter id: A new id.
  public init(placeholder id: Animal.ID) {
    self.id = id
    isEditing = false
    name = ""
  }

  /// The title of the form.
  public var title: String { isEditing ? "Edit Animal" : "Add Animal" }
  /// The request to choose a category.
  public var categoryPlaceholder: String { "Select a category" }
  /// The request to choose a diet.
  public var dietPlaceholder: String { "Select a diet" }

  /// A field of the form.
  public enum Field: Hashable, Sendable, CaseIterable {
    /// The name.
    case name
    /// The diet.
    case diet
    /// The category.
    case category
  }

  /// The fields that are incomplete, and what the user has to do. A screen shows it after the field was edited or the form was
  /// submitted.
  public var problems: [Field: String] {
    var problems: [Field: String] = [:]
    if name.isEmpty { problems[.name] = "Enter a name" }
    if diet == nil { problems[.diet] = dietPlaceholder }
    if categoryId == nil { problems[.category] = categoryPlaceholder }
    return problems
  }

  /// Whether what was entered can be saved.
  ///
  /// - Parameter status: How far the last operation on the animal has come.
  public func isSaveEnabled(status: Status?) -> Bool {
    status != .waiting && problems.isEmpty
  }

  /// What saving means; `nil` when something is missing.
  public var action: AnimalsAction? {
    guard !name.isEmpty, let diet, let categoryId else { return nil }
    return .ui(
      .animalEditor(
        isEditing
          ? .onTapUpdateAnimalButton(animalId: id, name: name, diet: diet, categoryId: categoryId)
          : .onTapAddAnimalButton(id: id, name: name, diet: diet, categoryId: categoryId)))
  }

  /// Whether an action is the success that the form waits for, and closes at.
  ///
  /// The form follows the actions, not the status: `waiting` and `success` can come so close together that a selection
  /// sees no change.
  public func closes(at action: AnimalsAction) -> Bool {
    switch action {
    case .data(.persistentSession(.didAddAnimal(let id, result: .success))): id == self.id
    case .data(.persistentSession(.didUpdateAnimal(let animalId, result: .success))): animalId == id
    default: false
    }
  }
}
