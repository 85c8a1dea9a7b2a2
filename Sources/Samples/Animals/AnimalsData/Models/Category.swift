/// One of the kinds that animals are grouped by.
///
/// On Apple platforms the Objective-C runtime has a `Category` too: write `AnimalsData.Category` there.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
public struct Category: Hashable, Codable, Sendable {
  /// What identifies the category.
  public let categoryId: String
  /// What people call it.
  public let name: String

  package init(categoryId: String, name: String) {
    self.categoryId = categoryId
    self.name = name
  }
}

extension Category: Identifiable {
  /// The same as ``categoryId``.
  public var id: String { categoryId }
}
