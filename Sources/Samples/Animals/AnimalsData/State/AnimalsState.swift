public import TreeCollections

/// The whole state of the animals sample, in two domains with a table each.
///
/// The fields are private to the package; people read them through the selectors.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 6.
public struct AnimalsState: Hashable, Codable, Sendable {
  package var categories: Categories
  package var animals: Animals

  package init(categories: Categories, animals: Animals) {
    self.categories = categories
    self.animals = animals
  }

  /// Makes the state before any action: empty tables that were never asked for.
  public init() {
    self.init(categories: Categories(), animals: Animals())
  }
}

extension AnimalsState {
  /// How the tables of the state are stored, named in this one place.
  ///
  /// A live store holds the old state while it makes the new one. A `Dictionary` would be copied as a whole at every action then;
  /// of a `TreeDictionary` a few nodes are. Both have one coded form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}
