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
