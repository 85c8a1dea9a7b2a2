public import AnimalsData

/// What the list of categories shows. It knows nothing of a store.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
public struct CategoryListPresenter: Hashable, Sendable {
  /// The categories, by name.
  public var categories: [Category]
  /// How far fetching them has come.
  public var status: Status?

  /// Makes a list.
  public init(categories: [Category], status: Status?) {
    self.categories = categories
    self.status = status
  }

  /// The title of the list.
  public var title: String { "Categories" }
  /// What the button is called.
  public var reloadTitle: String { "Reload sample data" }
  /// Whether the button can be tapped.
  public var isReloadEnabled: Bool { status != .waiting }
  /// What is asked when it was tapped.
  public var confirmation: Confirmation {
    Confirmation(
      title: "Reload Sample Data?", message: "All changes are lost.", confirmLabel: "Yes, reload sample data")
  }
}

/// What the list of the animals of one category shows. It knows nothing of a store.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
public struct AnimalListPresenter: Hashable, Sendable {
  /// The category; `nil` when none is selected.
  public var category: Category?
  /// Its animals, by name.
  public var animals: [Animal]
  /// How far fetching the animals has come.
  public var status: Status?

  /// Makes a list.
  public init(category: Category?, animals: [Animal], status: Status?) {
    self.category = category
    self.animals = animals
    self.status = status
  }

  /// The title of the list; `nil` when there is none to show.
  public var title: String? { category?.name }

  /// What stands in place of rows; `nil` when there are some.
  public var placeholder: String? {
    guard category != nil else { return "Select a category" }
    return animals.isEmpty ? "No animals in this category" : nil
  }

  /// What the button is called.
  public var addTitle: String { "Add an animal" }

  /// Whether the button is there and can be tapped.
  public var isAddEnabled: Bool { category != nil && status != .waiting }
}

/// What the page of one animal shows. It knows nothing of a store.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 8.
public struct AnimalDetailPresenter: Hashable, Sendable {
  /// The animal; `nil` when none is selected, or it is gone.
  public var animal: Animal?
  /// Its category; `nil` when there is none with the id.
  public var category: Category?
  /// How far the last operation on the animal has come.
  public var status: Status?

  /// Makes a page.
  public init(animal: Animal?, category: Category?, status: Status?) {
    self.animal = animal
    self.category = category
    self.status = status
  }

  /// The animal and its category, when there is a page to show.
  public var content: (animal: Animal, category: Category)? {
    guard let animal, let category else { return nil }
    return (animal: animal, category: category)
  }

  /// What stands in place of a page; `nil` when there is one.
  public var placeholder: String? { content == nil ? "Select an animal" : nil }

  /// What is shown of the animal, with labels, in order.
  public var fields: [(label: String, value: String)] {
    guard let content else { return [] }
    return [("Category", content.category.name), ("Diet", content.animal.diet.rawValue)]
  }

  /// What the buttons are called.
  public var editTitle: String { "Edit \(animal?.name ?? "")" }
  /// What the buttons are called.
  public var deleteTitle: String { "Delete \(animal?.name ?? "")" }
  /// Whether the buttons are there and can be tapped.
  public var areButtonsEnabled: Bool { content != nil && status != .waiting }

  /// What is asked before the animal is deleted.
  public var confirmation: Confirmation {
    Confirmation(
      title: "Delete \(animal?.name ?? "")?", message: "", confirmLabel: "Yes, delete \(animal?.name ?? "")")
  }
}

/// A question before something that cannot be undone.
public struct Confirmation: Hashable, Sendable {
  /// The question.
  public var title: String
  /// What would happen.
  public var message: String
  /// What the answer is called that does it.
  public var confirmLabel: String

  /// Makes a question.
  public init(title: String, message: String, confirmLabel: String) {
    self.title = title
    self.message = message
    self.confirmLabel = confirmLabel
  }
}
