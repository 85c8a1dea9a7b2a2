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
  /// How the tables of the state are stored, named in this one place so that a persistent map can take over.
  ///
  /// A `Dictionary` is copied as a whole by the first write after it was shared. Folding in place does not share, a
  /// live store does at every action.
  public typealias Table<Key: Hashable, Value> = Dictionary<Key, Value>
}
