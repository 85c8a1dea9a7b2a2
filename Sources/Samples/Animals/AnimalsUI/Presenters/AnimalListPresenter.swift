public import AnimalsData

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
