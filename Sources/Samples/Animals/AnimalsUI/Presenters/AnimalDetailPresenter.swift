public import AnimalsData

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
