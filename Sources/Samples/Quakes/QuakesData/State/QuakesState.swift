public import TreeCollections

/// The whole state of the quakes sample: one domain with a table.
///
/// The fields are private to the package; people read them through the selectors.
///
/// - SeeAlso: The ImmutableData programming guide, chapter 10.
public struct QuakesState: Hashable, Codable, Sendable {
  package var quakes: Quakes

  package init(quakes: Quakes) {
    self.quakes = quakes
  }

  /// Makes the state before any action: an empty table that was never asked for.
  public init() {
    self.init(quakes: Quakes())
  }
}

extension QuakesState {
  /// The quakes: a table, and how far fetching has come.
  package struct Quakes: Hashable, Codable, Sendable {
    package var data: Table<Quake.ID, Quake>
    package var status: Status?

    package init(data: Table<Quake.ID, Quake> = [:], status: Status? = nil) {
      self.data = data
      self.status = status
    }
  }
}

extension QuakesState {
  /// How the tables of the state are stored, named in this one place.
  ///
  /// A live store holds the old state while it makes the new one. A `Dictionary` would be copied as a whole at every
  /// action then; of a `TreeDictionary` a few nodes are. Both have one coded form.
  public typealias Table<Key: Hashable, Value> = TreeDictionary<Key, Value>
}
