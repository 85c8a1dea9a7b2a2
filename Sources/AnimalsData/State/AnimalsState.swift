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
  /// How the tables of the state are stored, named in this one place so that a persistent map can take over.
  ///
  /// A `Dictionary` is copied as a whole by the first write after it was shared. Folding in place does not share, a
  /// live store does at every action.
  public typealias Table<Key: Hashable, Value> = Dictionary<Key, Value>
}
