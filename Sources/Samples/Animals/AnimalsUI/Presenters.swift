package import AnimalsData
package import TerminalUI

/// The presenter of the list of categories. It is independent of the store.
package struct CategoryListPresenter: Hashable, Sendable {
  /// The categories, by name.
  package var categories: [Category]
  /// The status of fetching them.
  package var status: Status?

  /// Creates a list.
  package init(categories: [Category], status: Status?) {
    self.categories = categories
    self.status = status
  }

  /// The title of the list.
  package var title: String { "Categories" }
  /// The title of the button.
  package var reloadTitle: String { "Reload sample data" }
  /// Whether the button is enabled.
  package var isReloadEnabled: Bool { status != .waiting }
  /// The question after the button was pressed.
  package var confirmation: ConfirmDialog {
    ConfirmDialog(
      "Reload Sample Data?", message: "All changes are lost.", confirmLabel: "Yes, reload sample data")
  }
}

/// The presenter of the animals of a category. It is independent of the store.
package struct AnimalListPresenter: Hashable, Sendable {
  /// The category; `nil` if none is selected.
  package var category: Category?
  /// Its animals, by name.
  package var animals: [Animal]
  /// The status of fetching the animals.
  package var status: Status?

  /// Creates a list.
  package init(category: Category?, animals: [Animal], status: Status?) {
    self.category = category
    self.animals = animals
    self.status = status
  }

  /// The title of the list; `nil` if no category is selected.
  package var title: String? { category?.name }

  /// The text in place of an empty list; `nil` if there are rows.
  package var placeholder: String? {
    guard category != nil else { return "Select a category" }
    return animals.isEmpty ? "No animals in this category" : nil
  }

  /// Whether the button is enabled.
  package var isAddEnabled: Bool { category != nil && status != .waiting }
}

/// The presenter of an animal. It is independent of the store.
package struct AnimalDetailPresenter: Hashable, Sendable {
  /// The animal; `nil` if none is selected, or it no longer exists.
  package var animal: Animal?
  /// The animal's category; `nil` if it does not exist.
  package var category: Category?
  /// The status of the last operation on the animal.
  package var status: Status?

  /// Creates a page.
  package init(animal: Animal?, category: Category?, status: Status?) {
    self.animal = animal
    self.category = category
    self.status = status
  }

  /// The animal and its category, if both exist.
  package var content: (animal: Animal, category: Category)? {
    guard let animal, let category else { return nil }
    return (animal: animal, category: category)
  }

  /// The text in place of the animal; `nil` if there is one.
  package var placeholder: String? { content == nil ? "Select an animal" : nil }

  /// The labels and values of the animal, in order.
  package var fields: [(label: String, value: String)] {
    guard let content else { return [] }
    return [("Category", content.category.name), ("Diet", content.animal.diet.rawValue)]
  }

  /// The title of the edit button.
  package var editTitle: String { "Edit \(animal?.name ?? "")" }
  /// The title of the delete button.
  package var deleteTitle: String { "Delete \(animal?.name ?? "")" }
  /// Whether the buttons are enabled.
  package var areButtonsEnabled: Bool { content != nil && status != .waiting }

  /// The question before the animal is deleted.
  package var confirmation: ConfirmDialog {
    ConfirmDialog(
      "Delete \(animal?.name ?? "")?", message: "", confirmLabel: "Yes, delete \(animal?.name ?? "")")
  }
}
