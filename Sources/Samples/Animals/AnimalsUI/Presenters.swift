public import AnimalsData
public import TerminalUI

/// The presenter of the list of categories. It is independent of the store.
public struct CategoryListPresenter: Hashable, Sendable {
  /// The categories, by name.
  public var categories: [Category]
  /// The status of fetching them.
  public var status: Status?

  /// Creates a list.
  public init(categories: [Category], status: Status?) {
    self.categories = categories
    self.status = status
  }

  /// The title of the list.
  public var title: String { "Categories" }
  /// The title of the button.
  public var reloadTitle: String { "Reload sample data" }
  /// Whether the button is enabled.
  public var isReloadEnabled: Bool { status != .waiting }
  /// The question after the button was pressed.
  public var confirmation: ConfirmDialog {
    ConfirmDialog(
      "Reload Sample Data?", message: "All changes are lost.", confirmLabel: "Yes, reload sample data")
  }
}

/// The presenter of the animals of a category. It is independent of the store.
public struct AnimalListPresenter: Hashable, Sendable {
  /// The category; `nil` if none is selected.
  public var category: Category?
  /// Its animals, by name.
  public var animals: [Animal]
  /// The status of fetching the animals.
  public var status: Status?

  /// Creates a list.
  public init(category: Category?, animals: [Animal], status: Status?) {
    self.category = category
    self.animals = animals
    self.status = status
  }

  /// The title of the list; `nil` if no category is selected.
  public var title: String? { category?.name }

  /// The text in place of an empty list; `nil` if there are rows.
  public var placeholder: String? {
    guard category != nil else { return "Select a category" }
    return animals.isEmpty ? "No animals in this category" : nil
  }

  /// Whether the button is enabled.
  public var isAddEnabled: Bool { category != nil && status != .waiting }
}

/// The presenter of an animal. It is independent of the store.
public struct AnimalDetailPresenter: Hashable, Sendable {
  /// The animal; `nil` if none is selected, or it no longer exists.
  public var animal: Animal?
  /// The animal's category; `nil` if it does not exist.
  public var category: Category?
  /// The status of the last operation on the animal.
  public var status: Status?

  /// Creates a page.
  public init(animal: Animal?, category: Category?, status: Status?) {
    self.animal = animal
    self.category = category
    self.status = status
  }

  /// The animal and its category, if both exist.
  public var content: (animal: Animal, category: Category)? {
    guard let animal, let category else { return nil }
    return (animal: animal, category: category)
  }

  /// The text in place of the animal; `nil` if there is one.
  public var placeholder: String? { content == nil ? "Select an animal" : nil }

  /// The labels and values of the animal, in order.
  public var fields: [(label: String, value: String)] {
    guard let content else { return [] }
    return [("Category", content.category.name), ("Diet", content.animal.diet.rawValue)]
  }

  /// The title of the edit button.
  public var editTitle: String { "Edit \(animal?.name ?? "")" }
  /// The title of the delete button.
  public var deleteTitle: String { "Delete \(animal?.name ?? "")" }
  /// Whether the buttons are enabled.
  public var areButtonsEnabled: Bool { content != nil && status != .waiting }

  /// The question before the animal is deleted.
  public var confirmation: ConfirmDialog {
    ConfirmDialog(
      "Delete \(animal?.name ?? "")?", message: "", confirmLabel: "Yes, delete \(animal?.name ?? "")")
  }
}
