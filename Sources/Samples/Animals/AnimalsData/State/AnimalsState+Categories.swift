import TreeCollections

extension AnimalsState {
  /// The categories: a table and how far fetching it has come.
  package struct Categories: Hashable, Codable, Sendable {
    package var data: Table<Category.ID, Category>
    package var status: Status?

    package init(data: Table<Category.ID, Category> = [:], status: Status? = nil) {
      self.data = data
      self.status = status
    }
  }
}
