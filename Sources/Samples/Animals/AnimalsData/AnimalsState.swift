public import TreeCollections

/// The state of the animals sample: two domains with one table each.
///
/// The fields are private to the package; other code reads them through the selectors.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
public struct AnimalsState: Hashable, Codable, Sendable {
  package var categories: Categories
  package var animals: Animals

  package init(categories: Categories, animals: Animals) {
    self.categories = categories
    self.animals = animals
  }

  /// Creates the state before any action: empty tables that were never fetched.
  public init() {
    self.init(categories: Categories(), animals: Animals())
  }
}

extension AnimalsState {
  /// The type of the state's tables.
  ///
  /// A live store holds the old state while it computes the new one. A `Dictionary` would then be copied completely at
  /// every action; a `TreeDictionary` copies a few nodes. Both are encoded in the same form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}

extension AnimalsState {
  /// The categories: a table and the status of its last fetch.
  package struct Categories: Hashable, Codable, Sendable {
    package var data: Table<Category.ID, Category>
    package var status: Status?

    package init(data: Table<Category.ID, Category> = [:], status: Status? = nil) {
      self.data = data
      self.status = status
    }
  }
}

extension AnimalsState {
  /// The animals: a table, the status of its last fetch, and the status of the last operation on each row.
  package struct Animals: Hashable, Codable, Sendable {
    package var data: Table<Animal.ID, Animal>
    package var status: Status?
    /// The statuses by the id of a row, or by the temporary id of a row that is being added. Entries are never removed.
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

/// The status of an asynchronous operation; `nil` if the operation was never requested.
public enum Status: Hashable, Codable, Sendable {
  /// No information. The reducer never sets it; it can occur in decoded data.
  case empty
  /// Requested, and not answered yet.
  case waiting
  /// Completed.
  case success
  /// Failed. The text is stored as reported and never recomputed, because it differs between platforms.
  case failure(error: String)
}
