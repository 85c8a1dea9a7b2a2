import TreeCollections

extension AnimalsState {
  /// The animals: a table, how far fetching it has come, and how far the last operation on each row has come.
  package struct Animals: Hashable, Codable, Sendable {
    package var data: Table<Animal.ID, Animal>
    package var status: Status?
    /// By the id of a row, or by the temporary id of one that is being added. Entries are never removed.
    package var queue: Table<Animal.ID, Status>

    package init(
      data: Table<Animal.ID, Animal> = [:],
      status: Status? = nil,
      queue: Table<Animal.ID, Status> = [:]
    ) {
      self.data = data
      self.status = status
      self.queue = queue
    }
  }
}
